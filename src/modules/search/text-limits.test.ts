// Texts as large as nobody writes them, and what their words cost whoever changes the document.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Recorded } from '#action'
import { indexText, projections } from '#modules/projections'
import type { Tx } from '#platform/db/database.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { type Chunk, chunksOf } from './chunks.ts'
import { replaceChunks } from './text-queries.ts'

describe('a text of millions of characters', () => {
  let world: World
  let acme: number
  before(async () => {
    world = await openWorld()
    acme = world.people.alan!.tenant_id
  })
  after(() => world.close())

  const versionOf = async (id: number) =>
    Number((await world.rows<{ id: string }>('select id from document_versions where document_id = $1', [id]))[0]!.id)
  const write = async (id: number, chunks: Chunk[]) => {
    const version = await versionOf(id)
    return world.database.transaction({ tenantId: acme, userId: null }, 'read write', async tx => {
      await replaceChunks(tx, version, 'eng', chunks)
      return indexText(tx, version)
    })
  }
  const finds = async (query: string) =>
    (
      await world.rows<{ id: number }>('select document_id::int as id from document_index where words @@ $1::tsquery', [
        query,
      ])
    ).map(({ id }) => id)

  // proves: SRCH-01
  it('is found by what it says often, wherever in it, and says how many of its words it is not found by', async () => {
    const { id } = await papers(world).upload({ title: 'Ten million' })
    const usual = 'the autoclave is loaded and the cycle is recorded '
    let number = 0
    let text = 'Hygrometers hygrometers. '
    // Half a million words, a third of them each another.
    while (text.length < 10_000_000) text += `${usual}w${(number++).toString(36)}x ${usual}`
    const chunks = chunksOf([
      { page: 1, heading: 'Purpose', text },
      { page: 2, heading: 'Scope', text: 'Last of all a zymometer and a zymometer.' },
    ])
    const left_out = await write(id, chunks)
    assert.ok(left_out > 10_000, String(left_out))
    for (const query of [
      'purpos:C',
      'scope:C',
      'autoclav:D',
      'hygromet',
      'zymomet:D',
      "'ten' <-> 'million'",
      'million:A',
    ])
      assert.deepEqual(await finds(query), [id], query)
  })

  it('of 500 pages is found by every word of it, and by a phrase of its first pages', async () => {
    const { id } = await papers(world).upload({ title: 'A manual' })
    const page = (n: number) => `Step ${n} of the sequence: turn valve v${n} and wait. `.repeat(40)
    const blocks = Array.from({ length: 500 }, (_, n) => ({ page: n + 1, heading: `Part ${n}`, text: page(n) }))
    assert.equal(await write(id, chunksOf(blocks)), 0)
    for (const query of ['v499', 'valve <-> v3 <-> and', 'part:C <-> 3'])
      assert.deepEqual(await finds(query), [id], query)
  })

  it('is not written again when the document moves on: no index is touched', async () => {
    const ada = world.as('ada')
    const [template] = ok(await ada.get('/api/workflow-templates/')).items
    // A version of a controlled type does not become effective by a statement.
    const type = { name: 'Note', prefix: 'NOTE', workflow_template_id: template.id, controlled: false }
    const { id: document_type } = ok(await ada.post('/api/document-types/', type))
    const { id } = await papers(world).upload({ title: 'Moves on', document_type })
    const paragraphs = Array.from({ length: 900 }, (_, n) => `Paragraph ${n} about thing${n} and things. `.repeat(8))
    await write(id, chunksOf([{ page: 1, heading: null, text: paragraphs.join('\n\n') }]))
    const change = async (tx: Tx, text: string, ...values: unknown[]) => {
      await tx.executeQuery(CompiledQuery.raw(text, values))
      const recorded: Recorded[] = [{ event: 'document.updated', id, outcome: 'success' }]
      const changed = { recorded, idsOf: (resource: string) => (resource === 'document' ? [id] : []) }
      for (const { name, update } of projections) if (name === 'document-index') await update(tx, changed)
    }
    /** The connection also counts what it has not reported of earlier transactions. */
    const counted = async (tx: Tx) =>
      (
        await tx.executeQuery<Record<'updated' | 'hot' | 'written', number>>(
          CompiledQuery.raw(`select pg_stat_get_xact_tuples_updated(oid)::int as updated, pg_stat_get_xact_tuples_hot_updated(oid)::int as hot,
            pg_stat_get_xact_tuples_inserted(reltoastrelid)::int as written from pg_class where relname = 'document_index'`),
        )
      ).rows[0]!
    const rolledBack = new Error('rolled back')
    await world.database
      .transaction({ tenantId: acme, userId: null }, 'read write', async tx => {
        const before = await counted(tx)
        await change(
          tx,
          `update document_versions set status = 'in_review', status_kind = 'review' where document_id = $1`,
          id,
        )
        await change(
          tx,
          `update document_versions set status = 'effective', status_kind = 'effective', effective_at = now(),
            effective_date = '2031-01-01' where document_id = $1`,
          id,
        )
        await change(
          tx,
          'update documents set owner_id = $2, training_gate = $3 where id = $1',
          ...[id, world.people.petra!.id, 'before_access'],
        )
        const after = await counted(tx)
        assert.deepEqual(
          [after.updated - before.updated, after.hot - before.hot, after.written - before.written],
          [3, 3, 0],
        )
        throw rolledBack
      })
      .catch(error => assert.equal(error, rolledBack, error))
  })
})
