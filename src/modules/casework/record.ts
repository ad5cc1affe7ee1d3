import type { Actor } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { listExtensions } from './extension-queries.ts'
import { listRecordedLinks } from './link-queries.ts'
import { listHistory, listRecordedFiles, selectComments } from './part-queries.ts'

/** The parts of a record that deviations and CAPAs share, for whoever may read it: a linked record has its number for its readers alone. */
export async function readRecordParts(tx: Tx, actor: Actor, access: CaseAccess, id: number) {
  const record = await openCase(tx, actor, access, id)
  const [history, extensions, links, comments, files] = await Promise.all([
    listHistory(tx, record),
    listExtensions(tx, record),
    listRecordedLinks(tx, actor, record),
    selectComments(tx, record).orderBy('c.id').execute(),
    listRecordedFiles(tx, record),
  ])
  return { history, extensions, links, comments, files }
}
export type RecordParts = Awaited<ReturnType<typeof readRecordParts>>
