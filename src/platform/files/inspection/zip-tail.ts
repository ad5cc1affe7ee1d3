import { messages } from '../messages.ts'
import { type Bytes, refusal } from './bytes.ts'

const endRecordBytes = 22
/** The end record, and the longest comment that may follow it. */
const tail_bytes = endRecordBytes + 65_535
const entry_bytes = 46
/** A record before the end record of a large archive. */
const locator_bytes = 20

/**
 * A ZIP archive is read from its end, so a file of another type can be an archive as well, with another content. An end record behind a
 * list of entries makes one, even if the length of the comment does not fit: some programs accept that.
 */
export async function refuseHiddenArchive(bytes: Bytes) {
  const begin = Math.max(0, bytes.size - tail_bytes)
  const tail = await bytes.at(begin, bytes.size - begin)
  for (let at = tail.indexOf('PK\x05\x06', 0, 'latin1'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1, 'latin1')) {
    if (at + endRecordBytes > tail.length) return
    const list_bytes = tail.readUInt32LE(at + 12)
    const list = begin + at - list_bytes
    const isLarge =
      at >= locator_bytes && tail.toString('latin1', at - locator_bytes, at - locator_bytes + 4) === 'PK\x06\x07'
    const hasList =
      list_bytes >= entry_bytes && list >= 0 && (await bytes.at(list, 4)).toString('latin1', 0, 4) === 'PK\x01\x02'
    if (isLarge || hasList) throw refusal(messages.file_hides_archive())
  }
}
