import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { library } from '#test/builders/search.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { ranking } from './ranking.ts'

// proves: SRCH-01
describe('the parts of the indexes that a search reads', () => {
  let world: World
  let books: ReturnType<typeof library>
  before(async () => {
    world = await openWorld()
    books = library(world)
  })
  after(() => world.close())

  it('have every phrase of a text by its pairs of words', async () => {
    const texts = {
      eng: 'In-process controls of batch FRM-017/2 are documented: quality assurance releases it within 1.5 hours, and line_2 (“grade B”) is cleaned and cleaned again by the operators.',
      deu: 'Die Abfüllanlagen werden nach jeder Charge gründlich gereinigt und geprüft; Rückstände größer als 10 ppm sind eine Abweichung.',
      fra: "L'opérateur vérifie les étiquettes dès l’arrivée, puis les échantillons à la température de 25 °C.",
    }
    let [found, told] = [0, 0]
    for (const [language, text] of Object.entries(texts)) {
      const words = text.split(' ')
      const phrases = [2, 3, 4].flatMap(length =>
        words.slice(0, 1 - length).map((_, from) => words.slice(from, from + length).join(' ')),
      )
      const rows = await world.rows<{ phrase: string; has: boolean; pairs: number[]; are_there: boolean }>(
        `select phrase, exists (select from unnest(p.queries) q where t.words @@ q) as has, p.pairs, word_pairs(t.words) @> p.pairs as are_there
         from (select text_words($1, $2) as words) t, unnest($3::text[]) phrase,
           phrase_queries(phrase, false, array['english_unaccented', words_configuration($1)]::regconfig[]) p`,
        [language, text, phrases],
      )
      for (const { phrase, has, pairs, are_there } of rows) {
        if (!has) continue
        assert.ok(are_there, phrase)
        found += 1
        if (pairs.length > 0) told += 1
      }
    }
    assert.ok(found > 100 && told > found * 0.9, `${told} of ${found}`)
  })

  it('leave out no phrase, and find none in words that stand apart', async () => {
    const { id } = await books.effective({ title: 'Sieving of granules' }, [
      'Granules are sieved before compression, and quality is assured.',
    ])
    for (const q of ['"granules are sieved"', '"granule sieved"', '"sieving of granules"', '"before compression"'])
      assert.deepEqual(await books.found(q), q === '"granule sieved"' ? [] : [id], q)
    assert.deepEqual(await books.found('"quality assured"'), [])
    assert.deepEqual(await books.found('"sieved before" -"quality is"'), [])
  })

  it('go from the newest versions on to all, and never to those of another tenant', async () => {
    const { id } = await books.effective({ title: 'Weighing of powders', category: 'Production' }, [
      'Powders are weighed.',
    ])
    const tenant = world.people.alan!.tenant_id
    const rival = world.people.rob!.tenant_id
    const copies = 30
    await world.superuser.query('set session_replication_role = replica')
    // One in two ranges of versions, and the same of another tenant.
    for (const owner of [tenant, rival])
      await world.superuser.query(
        `insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by,
            listed_on, is_shown, is_restricted, content_revision, words)
         select $1, 1000000 + n * 2048, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by, listed_on, is_shown,
           n % 10 = 0, content_revision, words
         from document_index, generate_series(1, ${copies}) n where tenant_id = $2 and document_id = $3 and version_id < 1000000`,
        [owner, tenant, id],
      )
    await world.superuser.query('reset session_replication_role')
    const scope = { kinds: ['effective'], user_id: world.people.uma!.id, drafts: false, trained: [] }
    const find = async (words: string, pairs: number[], most: number, filter: object = {}, areFrequent = true) => {
      const [row] = await world.rows<{ found: string[] }>(
        'select matching_versions($1, jsonb_populate_record(null::search_scope, $2), $3, $4, $5, $6) as found',
        [tenant, { ...scope, ...filter }, words, pairs, areFrequent, most],
      )
      const all = row!.found.map(Number)
      assert.equal(new Set(all).size, all.length)
      return all
    }
    const every = (await find("'powders'", [], 1000, {}, false)).sort((a, b) => a - b)
    // The text of one in ten is not for uma, who finds it by its title.
    assert.equal(every.length, copies + 1)
    assert.equal((await find("'weighed'", [], 1000)).length, copies + 1 - copies / 10)
    for (const most of [1, 2, 5, 12, 20, copies, copies + 1, copies + 2]) {
      const found = await find("'powders'", [], most)
      assert.equal(found.length, Math.min(most, every.length), `${most}`)
      assert.ok(found.every(version => every.includes(version)))
    }
    // The newest whose text is for everybody.
    assert.deepEqual(await find("'powders'", [], 1), [1000000 + 29 * 2048])
    const [{ type, pairs }] = (await world.rows<{ type: string; pairs: number[] }>(
      `select i.document_type_id as type, p.pairs from document_index i, phrase_queries('powders are', false, '{}') p where i.tenant_id = $1 and i.document_id = $2 limit 1`,
      [tenant, id],
    )) as [{ type: string; pairs: number[] }]
    const filters: [object, number][] = [
      [{ document_type: [Number(type)] }, copies + 1],
      [{ document_type: [0, Number(type)], category: ['Production'] }, copies + 1],
      [{ document_type: [0] }, 0],
      [{ category: ['Production', 'None'] }, copies + 1],
      [{ category: ['None'] }, 0],
      [{ date_to: '2000-01-01' }, 0],
    ]
    for (const [filter, expected] of filters)
      assert.equal((await find("'powders'", [], 1000, filter)).length, expected, JSON.stringify(filter))
    assert.equal((await find("'powders' <-> 'are'", pairs, 1000)).length, copies + 1 - copies / 10)
    assert.equal((await find("'powders' <-> 'are'", pairs, 1000, { category: ['None'] })).length, 0)

    const most = ranking.most_counted
    Object.assign(ranking, { most_counted: 10 })
    try {
      const answer = await books.ask('powders', { page: '2', page_size: '5' })
      assert.deepEqual([answer.total, answer.is_total_exact], [10, false])
    } finally {
      Object.assign(ranking, { most_counted: most })
    }
  })
})
