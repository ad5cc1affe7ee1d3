import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Asked } from './asked.ts'
import type { Passage } from './passages.ts'

export async function listPassages(
  tx: Tx,
  asked: Asked,
  { q, limit }: { q: string; limit: number },
): Promise<Passage[]> {
  const { rows } = await sql<Passage>`
    select v.document_id, d.number, v.title, v.version, v.id as version_id, v.status, c.position, c.page, c.heading,
      c.body as text, p.score
    from search_passages(${JSON.stringify(asked)}::jsonb, ${q}, ${limit}) p
      join document_chunks c on c.version_id = p.version_id and c.position = p.position
      join document_versions v on v.id = p.version_id join documents d on d.id = v.document_id
    order by p.score desc, p.version_id desc, p.position`.execute(tx)
  return rows
}
