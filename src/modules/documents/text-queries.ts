import type { Tx } from '#platform/db/database.ts'

/** The extracted text of a version in its order. */
export const listPassages = (tx: Tx, versionId: number) =>
  tx
    .selectFrom('document_chunks')
    .select(['page', 'heading', 'body', 'gap'])
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute()
