import { messages } from '../messages.ts'
import { type Bytes, refusal } from './bytes.ts'

const cutOff = (format: string) => refusal(messages.file_damaged({ format }))
const followed = (format: string) => refusal(messages.file_has_trailing_data({ format }))

/** Walks the chunks to IEND. Nothing may follow, unlike in screenshots that kept what was cropped away. */
export async function inspectPng(bytes: Bytes) {
  for (let offset = 8; ; ) {
    const chunk = await bytes.at(offset, 12)
    if (chunk.length < 12) throw cutOff('PNG')
    const kind = chunk.toString('latin1', 4, 8)
    if (!/^[A-Za-z]{4}$/.test(kind) || (offset === 8 && kind !== 'IHDR')) throw cutOff('PNG')
    offset += 12 + chunk.readUInt32BE(0)
    if (offset > bytes.size) throw cutOff('PNG')
    if (kind !== 'IEND') continue
    if (offset < bytes.size) throw followed('PNG')
    return
  }
}

/** Walks the blocks to the trailer. Some programs fill the file up with NUL behind it. */
export async function inspectGif(bytes: Bytes) {
  const head = await bytes.at(0, 13)
  if (head.length < 13) throw cutOff('GIF')
  const paletteBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let offset = 13 + paletteBytes(head[10]!)
  const byteAt = async (place: number) => {
    const byte = (await bytes.at(place))[0]
    if (byte === undefined) throw cutOff('GIF')
    return byte
  }
  const skipBlocks = async () => {
    for (let length = await byteAt(offset); ; length = await byteAt(offset)) {
      offset += 1 + length
      if (length === 0) return
    }
  }
  for (;;) {
    const kind = await byteAt(offset)
    if (kind === 0x3b) break
    if (kind === 0x21) offset += 2
    else if (kind === 0x2c) offset += 11 + paletteBytes(await byteAt(offset + 9))
    else throw cutOff('GIF')
    await skipBlocks()
  }
  for (let at = offset + 1; at < bytes.size; ) {
    const piece = await bytes.at(at)
    if (piece.length === 0 || piece.some(byte => byte !== 0)) throw followed('GIF')
    at += piece.length
  }
}

/** The file must be one RIFF chunk. */
export async function inspectWebp(bytes: Bytes) {
  const head = await bytes.at(0, 12)
  if (head.length < 12) throw cutOff('WebP')
  const end = 8 + head.readUInt32LE(4)
  if (end > bytes.size) throw cutOff('WebP')
  if (end + (end % 2) < bytes.size) throw followed('WebP')
}

const maxPages = 10_000

/** Walks the chain of pages, which must lie within the file. Other data cannot be excluded, because the parts of a TIFF lie anywhere. */
export async function inspectTiff(bytes: Bytes) {
  const head = await bytes.at(0, 8)
  if (head.length < 8) throw cutOff('TIFF')
  const isLittle = head.toString('latin1', 0, 2) === 'II'
  const short = (from: Buffer, at: number) => (isLittle ? from.readUInt16LE(at) : from.readUInt16BE(at))
  const long = (from: Buffer, at: number) => (isLittle ? from.readUInt32LE(at) : from.readUInt32BE(at))
  if (short(head, 2) !== 42) throw refusal(messages.tiff_kind_not_accepted())
  const seen = new Set<number>()
  for (let offset = long(head, 4); offset !== 0; ) {
    if (seen.has(offset) || seen.size >= maxPages) throw cutOff('TIFF')
    seen.add(offset)
    const count = await bytes.at(offset, 2)
    if (offset < 8 || count.length < 2) throw cutOff('TIFF')
    const end = offset + 2 + 12 * short(count, 0)
    const next = await bytes.at(end, 4)
    if (next.length < 4) throw cutOff('TIFF')
    offset = long(next, 0)
  }
  if (seen.size === 0) throw cutOff('TIFF')
}
