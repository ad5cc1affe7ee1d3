/** Has the browser itself save what an address of this service answers: its cookie goes along. */
export function save(address: string, name = '') {
  const link = document.createElement('a')
  link.href = address
  // Without a name, that of the answer is taken.
  link.download = name
  link.click()
}

/** A file that was answered to what is no `GET`. */
export function saveBytes(bytes: Uint8Array, name: string) {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]))
  save(address, name)
  // The browser has begun to save it by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
