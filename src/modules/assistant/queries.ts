import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

export interface Piece {
  position: number
  page: number | null
  heading: string | null
  text: string
}

interface VersionText {
  title: string
  version: string
  status: string
  reason: string | null
  /** The number of all pieces; `chunks` may hold the first ones only. */
  count: number
  chunks: Piece[]
}

export async function readVersion(tx: Tx, version_id: number, limit: number): Promise<VersionText> {
  const version = await tx
    .selectFrom('document_versions as v')
    .leftJoin('document_texts as t', 't.version_id', 'v.id')
    .select(['v.title', 'v.version', 't.reason'])
    .select(sql<string>`coalesce(t.status, 'waiting')`.as('status'))
    .select(sql<number>`(select count(*) from document_chunks c where c.version_id = v.id)`.as('count'))
    .where('v.id', '=', version_id)
    .executeTakeFirstOrThrow()
  const chunks = await tx
    .selectFrom('document_chunks')
    .select(['position', 'page', 'heading', 'body as text'])
    .where('version_id', '=', version_id)
    .orderBy('position')
    .limit(limit)
    .execute()
  return { ...version, chunks }
}

export const findDocumentType = (tx: Tx, name: string) =>
  tx
    .selectFrom('document_types')
    .select(['id', 'name', 'number_pattern'])
    .where(sql`lower(name)`, '=', name.trim().toLowerCase())
    .where('is_active', '=', true)
    .orderBy('id')
    .executeTakeFirst()

export interface Known {
  document_id: number
  number: string
  version_id: number
  /** The person may read the content, not only the title. */
  may_know: boolean
}

/** The version of each document that a reader is shown, within the scope of their search. */
export const listKnown = async (tx: Tx, scope: object): Promise<Known[]> =>
  (await sql<Known>`select * from known_documents(${JSON.stringify(scope)}::jsonb)`.execute(tx)).rows
