import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { bestPieces } from './found-queries.ts'
import type { Ranking } from './ranking.ts'
import type { SearchScope } from './scope.ts'
import type { SearchedWord } from './terms.ts'

/** A piece of the text of a version that an answer can quote. */
export interface Passage {
  document_id: number
  number: string
  title: string
  version: string
  version_id: number
  status: string
  position: number
  page: number | null
  heading: string | null
  text: string
  /** Between 0 and 1. */
  score: number
}

/** The best pieces of these versions, a few of each. */
export async function listPieces(
  tx: Tx,
  scope: SearchScope,
  {
    words,
    ranking,
    versions,
    each,
  }: { words: readonly SearchedWord[]; ranking: Ranking; versions: number[]; each: number },
): Promise<{ version_id: number; position: number }[]> {
  const { rows } = await sql<{ version_id: number; position: number }>`
    select version_id, position from ${bestPieces(scope, words, ranking, versions, each)}`.execute(tx)
  return rows
}

export async function listPassages(
  tx: Tx,
  pieces: readonly { version_id: number; position: number; score: number }[],
): Promise<Passage[]> {
  const { rows } = await sql<Passage>`
    select v.document_id, d.number, v.title, v.version, v.id as version_id, v.status, c.position, c.page, c.heading, c.body as text, p.score
    from unnest(${pieces.map(({ version_id }) => version_id)}::bigint[], ${pieces.map(({ position }) => position)}::integer[],
        ${pieces.map(({ score }) => score)}::float8[]) with ordinality p (version_id, position, score, place)
      join document_chunks c on c.version_id = p.version_id and c.position = p.position
      join document_versions v on v.id = p.version_id
      join documents d on d.id = v.document_id
    order by p.place`.execute(tx)
  return rows
}
