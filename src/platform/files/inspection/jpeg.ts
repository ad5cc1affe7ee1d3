import { messages } from '../messages.ts'
import { type Bytes, refusal } from './bytes.ts'

const marker = 0xff
const startMarker = 0xd8
const endMarker = 0xd9
const scanMarker = 0xda
const isAlone = (kind: number) => kind === 0x01 || (kind >= 0xd0 && kind <= 0xd7)

const cutOff = () => refusal(messages.file_damaged({ format: 'JPEG' }))

/**
 * Walks the segments to the end marker. Only data that cameras write may follow: more pictures (a preview, the gain map of an HDR
 * picture), the video of a motion photo, the trailer of Samsung's phones, padding.
 */
export async function inspectJpeg(bytes: Bytes) {
  for (let offset = 0; offset < bytes.size; ) {
    const end = await endOfImage(bytes, offset)
    if (await isTrailer(bytes, end)) return
    offset = await endOfPadding(bytes, end)
    if (offset < bytes.size && !(await isImage(bytes, offset)))
      throw refusal(messages.file_has_trailing_data({ format: 'JPEG' }))
  }
}

async function isImage(bytes: Bytes, offset: number) {
  const head = await bytes.at(offset, 2)
  return head[0] === marker && head[1] === startMarker
}

async function isTrailer(bytes: Bytes, offset: number) {
  const isFilm = (await bytes.at(offset, 8)).toString('latin1', 4, 8) === 'ftyp'
  return isFilm || (await bytes.at(bytes.size - 4, 4)).toString('latin1', 0, 4) === 'SEFT'
}

async function endOfPadding(bytes: Bytes, start: number) {
  for (let offset = start; ; ) {
    const piece = await bytes.at(offset)
    const other = piece.findIndex(byte => byte !== 0)
    if (other >= 0) return offset + other
    if (piece.length === 0) return offset
    offset += piece.length
  }
}

async function endOfImage(bytes: Bytes, start: number): Promise<number> {
  let offset = start + 2
  for (;;) {
    const head = await bytes.at(offset, 4)
    if (head.length < 2 || head[0] !== marker) throw cutOff()
    const kind = head[1]!
    if (kind === endMarker) return offset + 2
    if (kind === marker) offset += 1
    else if (isAlone(kind)) offset += 2
    else {
      if (head.length < 4) throw cutOff()
      const length = head.readUInt16BE(2)
      if (length < 2) throw cutOff()
      offset += 2 + length
      if (kind === scanMarker) offset = await endOfScan(bytes, offset)
    }
  }
}

/** Skips the image data, in which 0xff is a marker only if neither NUL nor a restart follows. */
async function endOfScan(bytes: Bytes, start: number): Promise<number> {
  for (let offset = start; ; ) {
    const piece = await bytes.at(offset, 2)
    if (piece.length < 2) throw cutOff()
    let at = piece.indexOf(marker)
    for (; at >= 0 && at + 1 < piece.length; at = piece.indexOf(marker, at + 2)) {
      const kind = piece[at + 1]!
      if (kind === marker) {
        at -= 1 // padding: the next byte may begin the marker
        continue
      }
      if (kind !== 0 && !isAlone(kind)) return offset + at
    }
    offset += at >= 0 ? at : piece.length
  }
}
