import { indexText } from '#modules/projections'
import { replaceChunks, saveReading } from '../../../src/modules/search/text-queries.ts'
import type { World } from '../world/world.ts'
import { ok, papers } from './documents.ts'

interface Told {
  title: string
  /** The pieces of its text, a page each. */
  pages: string[]
  by?: string
  type?: string
  heading?: string
  /** That it is read from; without, one without any text. */
  file?: Parameters<ReturnType<typeof papers>['upload']>[1]
}

/** Documents of which the text is known at once, without anything being read. */
export function told(world: World) {
  const { upload, release } = papers(world)
  const write = async (id: number, { pages, heading }: Told, by: string) => {
    const { tenant_id } = world.people[by]!
    const [{ version_id }] = (await world.rows<{ version_id: number }>(
      'select max(id)::int as version_id from document_versions where document_id = $1',
      [id],
    )) as [{ version_id: number }]
    await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', async tx => {
      await saveReading(tx, version_id, {
        status: 'extracted',
        reason: null,
        extractor: 1,
        language: 'eng',
        pages: pages.length,
        characters: pages.join('').length,
        by_ocr: false,
        extracted_at: new Date().toISOString(),
      })
      const chunks = pages.map((body, index) => ({ page: index + 1, heading: heading ?? null, body, gap: null }))
      await replaceChunks(tx, version_id, 'eng', chunks)
      await indexText(tx, version_id)
    })
    return version_id
  }
  const draft = async (one: Told) => {
    const { by = 'alan', type = 'SOP', title, file } = one
    const { id, number } = await upload({ by, title, type }, file)
    return { id: id as number, number: number as string, version_id: await write(id, one, by) }
  }
  return {
    draft,
    effective: async (one: Told) => {
      const made = await draft(one)
      await release(made.id)
      return made
    },
    /** For rival, where a general document needs one approval. */
    ofRival: async ({ title, ...one }: Told) => {
      const [type] = await world.rows<{ id: string }>(
        `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' and t.name = 'General document'`,
      )
      const { id, number } = ok(
        await world.as('rob').upload('/api/documents/upload', { title, document_type: Number(type!.id) }),
      )
      const version_id = await write(id, { title, ...one }, 'rob')
      ok(await world.as('rita').post(`/api/documents/${id}/approve`, { comment: 'As agreed with Rob' }))
      return { id: id as number, number: number as string, version_id }
    },
  }
}
