export function CapasPage() {
  return null
}
