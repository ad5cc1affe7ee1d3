/** Has the browser itself save what an address of this service answers: its cookie goes along. */
export function save(address: string, name = '') {
  const link = document.createElement('a')
  link.href = address
  // Without a name, that of the answer is taken.
  link.download = name
  link.click()
}
