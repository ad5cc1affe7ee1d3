export function CapaPage() {
  return null
}
