import type { Actor } from '#action'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'

/** The document as the actor is shown it; the system may read every document. */
export const findReadable = (
  tx: Tx,
  actor: Actor,
  id: number,
): Promise<{ number: string; title: string } | undefined> =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.number', 'v.title'])
    .where('d.id', '=', id)
    .$if(actor.userId !== null, query => query.where(readable(actor)))
    .executeTakeFirst()

export const lockOfDocument = (tx: Tx, id: number) =>
  tx.selectFrom('documents').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
