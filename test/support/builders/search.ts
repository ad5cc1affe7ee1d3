import { indexText } from '#modules/projections'
import { replaceChunks } from '../../../src/modules/search/text-queries.ts'
import type { World } from '../world/world.ts'
import { ok, papers } from './documents.ts'

export interface Found {
  document_id: number
  number: string
  title: string
  version: string
  status: string
  snippet: string | null
  page: number | null
  heading: string | null
  score: number
  matched: string[]
}
interface Piece {
  page?: number
  heading?: string
  body: string
}

/** Documents with a text, and what is found of them. */
export function library(world: World) {
  const paper = papers(world)
  /** The text of the newest version, as if it had been read from its file. */
  const write = async (documentId: number, pieces: readonly (string | Piece)[], language = 'eng') => {
    const [{ id, tenant_id }] = (await world.rows<{ id: string; tenant_id: string }>(
      'select max(id) as id, tenant_id from document_versions where document_id = $1 group by tenant_id',
      [documentId],
    )) as [{ id: string; tenant_id: string }]
    await world.superuser.query(`set app.tenant_id = '${tenant_id}'`)
    await world.rows('update document_texts set language = $2 where version_id = $1', [id, language])
    const chunks = pieces.map(piece => ({
      ...{ page: null, heading: null, gap: null },
      ...(typeof piece === 'string' ? { body: piece } : piece),
    }))
    await world.database.transaction({ tenantId: Number(tenant_id), userId: null }, 'read write', async tx => {
      await replaceChunks(tx, Number(id), language, chunks)
      await indexText(tx, Number(id))
    })
    return Number(id)
  }
  const draft = async (fields: Record<string, string>, pieces: readonly (string | Piece)[] = [], language?: string) => {
    const document = await paper.upload(fields)
    await write(document.id, pieces, language)
    return document as { id: number; number: string }
  }
  const effective = async (...of: Parameters<typeof draft>) => paper.release((await draft(...of)).id)
  const ask = async (q: string, { by = 'uma', ...parameters }: { by?: string; [name: string]: string } = {}) =>
    ok(await world.as(by).get(`/api/search/?${new URLSearchParams({ q, ...parameters }).toString()}`)) as {
      mode: string
      is_total_exact: boolean
      total: number
      pages: number
      items: Found[]
    }
  return {
    ...paper,
    write,
    draft,
    effective,
    ask,
    /** The ids of the documents, the best first. */
    found: async (...asked: Parameters<typeof ask>) =>
      (await ask(...asked)).items.map(({ document_id }) => document_id),
  }
}
