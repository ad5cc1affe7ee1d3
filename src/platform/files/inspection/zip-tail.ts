import { type Bytes, refusal } from './bytes.ts'
import { messages } from '../messages.ts'

const end_record_bytes = 22
/** The end record, and the longest comment that may follow it. */
const tail_bytes = end_record_bytes + 65_535
const entry_bytes = 46
/** In front of the end record of an archive that is large. */
const locator_bytes = 20

/**
 * A ZIP archive is read from its end, so a file of any other kind can be one as well, and then is another file to whoever opens it
 * as such. Where an end record stands behind a list of entries there is one, also where the comment's length does not fit: some
 * programs do not mind.
 */
export async function refuseHiddenArchive(bytes: Bytes) {
  const begin = Math.max(0, bytes.size - tail_bytes)
  const tail = await bytes.at(begin, bytes.size - begin)
  for (let at = tail.indexOf('PK\x05\x06', 0, 'latin1'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1, 'latin1')) {
    if (at + end_record_bytes > tail.length) return
    const list_bytes = tail.readUInt32LE(at + 12)
    const list = begin + at - list_bytes
    const isLarge =
      at >= locator_bytes && tail.toString('latin1', at - locator_bytes, at - locator_bytes + 4) === 'PK\x06\x07'
    const hasList =
      list_bytes >= entry_bytes && list >= 0 && (await bytes.at(list, 4)).toString('latin1', 0, 4) === 'PK\x01\x02'
    if (isLarge || hasList) throw refusal(messages.file_hides_archive())
  }
}
