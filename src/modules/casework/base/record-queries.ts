import type { Tx } from '#platform/db/database.ts'
import { type CaseKind, type CaseRef, caseKinds, ownerOf } from './kinds.ts'

export const lockRecord = (tx: Tx, kind: CaseKind, id: number) =>
  tx.selectFrom(caseKinds[kind].table).select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** The fields by which notifications name a record. */
export const recordSubject = (tx: Tx, kind: CaseKind, id: number) =>
  tx
    .selectFrom(caseKinds[kind].table)
    .select(['number', 'title', 'status as state'])
    .where('id', '=', id)
    .executeTakeFirst()

interface HistoryLine {
  transition: string
  from_status: string | null
  to_status: string
  reason: string | null
  signature_id?: number | null
}

/** One line for each transition; in the first, `from_status` is null. */
export const addHistory = (tx: Tx, ref: CaseRef, line: HistoryLine) =>
  tx
    .insertInto('record_history')
    .values({ ...ownerOf(ref), ...line })
    .execute()

/** An extension request awaits its decision. */
export const awaitsExtension = async (tx: Tx, kind: CaseKind, id: number) =>
  (await tx
    .selectFrom('due_date_extensions')
    .select('id')
    .where(caseKinds[kind].column, '=', id)
    .where('status', '=', 'requested')
    .executeTakeFirst()) !== undefined

export const findPerson = (tx: Tx, id: number) =>
  tx.selectFrom('users').select(['id', 'username']).where('id', '=', id).where('kind', '=', 'person').executeTakeFirst()
