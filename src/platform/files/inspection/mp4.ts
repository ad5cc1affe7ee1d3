import { messages } from '../messages.ts'
import { type Bytes, refusal } from './bytes.ts'

const cutOff = () => refusal(messages.file_damaged({ format: 'MP4' }))

/** The boxes must fill the file to the last byte, and one of them must be the index (`moov`). */
export async function inspectMp4(bytes: Bytes) {
  let hasList = false
  for (let offset = 0; offset < bytes.size; ) {
    const head = await bytes.at(offset, 16)
    if (head.length < 8) throw cutOff()
    const kind = head.toString('latin1', 4, 8)
    if (!/^[\x20-\x7e\xa9]{4}$/.test(kind) || (offset === 0 && kind !== 'ftyp')) throw cutOff()
    const short = head.readUInt32BE(0)
    if (short === 1 && head.length < 16) throw cutOff()
    const length = short === 0 ? bytes.size - offset : short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (length < 8 || offset + length > bytes.size) throw cutOff()
    hasList ||= kind === 'moov'
    offset += length
  }
  if (!hasList) throw cutOff()
}
