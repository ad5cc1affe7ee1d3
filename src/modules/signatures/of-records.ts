import type { Tx } from '#platform/db/database.ts'
import { listOfRecords, type SignatureRecord } from './queries.ts'
import type { RecordType } from './rules.ts'
import type { Signing } from './signing.ts'
import { type Now, readRecordNow } from './verify.ts'

export interface SignatureOfRecord {
  row: SignatureRecord
  now: Now
}

/** The signatures of records, each with its record as it is now, by which it is printed and verified. */
export async function readSignaturesOf(
  tx: Tx,
  { records }: Pick<Signing, 'records'>,
  type: RecordType,
  ids: readonly number[],
): Promise<SignatureOfRecord[]> {
  const signatures = await listOfRecords(tx, type, ids)
  const known = new Map<number, Now>()
  for (const row of signatures)
    if (!known.has(row.record_id)) known.set(row.record_id, await readRecordNow(tx, records, row))
  return signatures.map(row => {
    const now = known.get(row.record_id)!
    return { row: { ...row, current_content_revision: now.record?.content_revision ?? row.content_revision }, now }
  })
}
