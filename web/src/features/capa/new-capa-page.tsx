export function NewCapaPage() {
  return null
}
