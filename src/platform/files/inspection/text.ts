import { messages } from '../messages.ts'
import { type Bytes, piecesOf, refusal } from './bytes.ts'

/** The whole file must be UTF-8 without NUL. */
export async function inspectText(bytes: Bytes) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const piece of piecesOf(bytes)) {
      if (piece.includes(0)) throw new TypeError('NUL')
      decoder.decode(piece, { stream: true })
    }
    decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw refusal(messages.text_not_utf8())
    throw error
  }
}
