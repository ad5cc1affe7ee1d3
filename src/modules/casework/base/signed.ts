import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { type CaseKind, caseKinds } from './kinds.ts'

/** A restore may read tables of an older program, so a column can be absent. */
export const pick = (row: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)))

/** The content that a signature on a record covers, for readers of this kind of record. */
export const signedRecords = <R extends Pick<RecordSubject, 'number' | 'status' | 'content_revision'>>(
  type: RecordSubject['type'],
  kind: CaseKind,
  find: (tx: Tx, id: number) => Promise<R | undefined>,
  contentOf: (tx: Tx, id: number, row: R) => Promise<object> | object,
): RecordReader => ({
  async read(tx, id) {
    const row = await find(tx, id)
    if (!row) return undefined
    const { number, status, content_revision } = row
    return { type, id, number, status, content_revision, content: await contentOf(tx, id, row) }
  },
  readable: ({ permissions }) => permissions.has(caseKinds[kind].read),
})
