import { sql } from 'kysely'
import type { Actor } from '#action'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { type CaseRef, caseKinds } from './base/kinds.ts'
import { listExtensions } from './extension-queries.ts'
import { listRecordedLinks } from './link-queries.ts'
import { listHistory, selectComments } from './part-queries.ts'

/** The attached files of a record, with their keys in the store. */
const listRecordedFiles = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('attachments as a')
    .select(['a.id', 'a.description', 'a.file_name', 'a.file_size', 'a.content_type', 'a.sha256', 'a.file_key'])
    .select(['a.created_at', sql<Person>`${personOf('a.created_by')}`.as('created_by')])
    .where(`a.${caseKinds[kind].column}`, '=', id)
    .orderBy('a.id')
    .execute()

/**
 * The parts of a record that deviations and CAPAs share, for whoever may read it. `withAllNumbers`: the reader of the audit trail sees the
 * numbers of all linked records there; others see those of the records that they may read.
 */
export async function readRecordParts(
  tx: Tx,
  actor: Actor,
  access: CaseAccess,
  id: number,
  { withAllNumbers }: { withAllNumbers: boolean },
) {
  const record = await openCase(tx, actor, access, id)
  const [history, extensions, links, comments, files] = await Promise.all([
    listHistory(tx, record),
    listExtensions(tx, record),
    listRecordedLinks(tx, withAllNumbers ? 'anybody' : actor, record),
    selectComments(tx, record).orderBy('c.id').execute(),
    listRecordedFiles(tx, record),
  ])
  return { history, extensions, links, comments, files }
}
export type RecordParts = Awaited<ReturnType<typeof readRecordParts>>
