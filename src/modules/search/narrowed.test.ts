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
    // One in each range of versions, and the same of another tenant.
    for (const owner of [tenant, rival])
      await world.superuser.query(
        `insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by,
            listed_on, is_shown, is_restricted, content_revision, words)
         select $1, 1000000 + n * 1024, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by, listed_on, is_shown,
           n % 10 = 0, content_revision, words
         from document_index, generate_series(1, ${copies}) n where tenant_id = $2 and document_id = $3 and version_id < 1000000`,
        [owner, tenant, id],
      )
    await world.superuser.query('reset session_replication_role')
    const scope = { kinds: ['effective'], user_id: world.people.uma!.id, drafts: false, trained: [] }
    const find = async (
      words: string,
      pairs: number[],
      most: number,
      filter: object = {},
      areFrequent = true,
      among: number[] | null = null,
    ) => {
      const [row] = await world.rows<{ found: string[] }>(
        'select matching_versions($1, jsonb_populate_record(null::search_scope, $2), $7, $3, $4, $5, $6) as found',
        [tenant, { ...scope, ...filter }, words, pairs, areFrequent, most, among],
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
    assert.deepEqual(await find("'powders'", [], 1), [1000000 + 29 * 1024])
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
    // Of a few versions alone, what is found is the same: also by titles, and not those of another tenant.
    const few = every.slice(0, 12)
    assert.deepEqual(
      (await find("'powders'", [], 1000, {}, true, few)).sort((a, b) => a - b),
      few,
    )
    const known = await find("'weighed'", [], 1000)
    assert.deepEqual(
      (await find("'weighed'", [], 1000, {}, true, few)).sort((a, b) => a - b),
      few.filter(version => known.includes(version)),
    )
    assert.equal((await find("'powders'", [], 5, {}, true, every)).length, 5)
    assert.deepEqual(await find("'powders'", [], 1000, { category: ['None'] }, true, every), [])
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

  it('correct a mistyped word by the newest titles, and then by all of them', async () => {
    const { id } = await books.effective({ title: 'Lyophilisation of suspensions' }, ['Vials stand on shelves.'])
    const [{ newest, own }] = (await world.rows<{ newest: number; own: number }>(
      `select max(version_id >> 10)::integer as newest, max(version_id >> 10) filter (where document_id = $1)::integer as own
       from document_index where tenant_id = $2`,
      [id, world.people.alan!.tenant_id],
    )) as [{ newest: number; own: number }]
    assert.ok(own < newest - 1)
    assert.deepEqual(await books.found('lyofilisation'), [id])
    // In the titles of the newest and of others.
    assert.ok((await books.ask('weighinng')).total > 20)
    assert.deepEqual(await books.found('lyofilisatoin shelvse'), [id])
    assert.deepEqual(await books.found('sublimatoin'), [])
  })

  it('look for the beginning of a word among the versions of a company that has few, and find what the index finds', async () => {
    const titles = ['Calibration of balances', 'Calibrate the pipettes', 'Calendar of audits', 'Calidity of broth']
    const ids = new Map<string, number>()
    for (const title of titles) ids.set(title, (await books.effective({ title }, [`${title} in room Ärger.`])).id)
    const [calibration, calibrate, calendar, calidity] = titles.map(title => ids.get(title)!) as [
      number,
      number,
      number,
      number,
    ]
    const tenant = world.people.alan!.tenant_id
    const few = async (query: string) => {
      const [answer] = await world.rows<{ few: string[] | null }>('select few_beginning($1, $2) as few', [
        tenant,
        query,
      ])
      return answer!.few?.map(Number)
    }
    // No bit is wrong: each version is among those that may have the beginnings of its words.
    const beginnings = await world.rows<{ beginning: string; versions: string[] }>(
      `select left(w, n) as beginning, array_agg(distinct i.version_id) as versions
       from document_index i, unnest(tsvector_to_array(i.words)) w, generate_series(2, 6) n where i.tenant_id = $1 and w !~ '['' ]' and length(w) >= n
       group by 1`,
      [tenant],
    )
    assert.ok(beginnings.length > 100)
    for (const { beginning, versions } of beginnings) {
      const found = await few(`'${beginning}':*`)
      assert.ok(
        versions.every(version => found!.includes(Number(version))),
        beginning,
      )
    }
    const versions = (await few("'ca':*"))!
    assert.ok((await few("'calib':*"))!.length < versions.length / 2)
    // A query that does not ask for the beginning in each version is left to the index.
    for (const query of [
      "'calib'",
      "'calib':* | 'room'",
      "'in' <-> 'calib':*",
      "'room' & !'calib':*",
      "'room' & !( 'a' | 'calib':* )",
    ])
      assert.equal(await few(query), undefined, query)
    assert.deepEqual(await few("'room' & 'calib':*"), await few("'calib':* & !'broth'"))

    const found: Record<string, number[]> = {
      'calib*': [calibration, calibrate],
      'calibrati*': [calibration],
      'cali*': [calibration, calibrate, calidity],
      'cal*': [calibration, calibrate, calendar, calidity],
      'calibx*': [],
      'calib* -pipet*': [calibration],
      'calib* -balances': [calibrate],
    }
    const further = [
      'ca*',
      'calib* pipet*',
      'ärg* calib*',
      'calib* or calend*',
      '"calendar of audits" cal*',
      'powd* weigh*',
    ]
    const askAll = async () => {
      const answers = []
      for (const by of ['uma', 'quinn'])
        for (const q of [...Object.keys(found), ...further]) {
          const { total, items } = await books.ask(q, { by, page_size: '100' })
          const documents = items.map(({ document_id }) => document_id)
          if (found[q])
            assert.deepEqual(
              documents.toSorted((a, b) => a - b),
              found[q].toSorted((a, b) => a - b),
              q,
            )
          answers.push({ by, q, total, documents })
        }
      return answers
    }
    const answers = await askAll()
    // The same where the company has too many versions, so that every question is left to the index.
    const [{ source }] = (await world.rows<{ source: string }>(
      `select pg_get_functiondef('few_beginning(bigint, tsquery)'::regprocedure) as source`,
    )) as [{ source: string }]
    await world.superuser.query(source.replace(':= 2000', ':= 3'))
    try {
      assert.equal(await few("'calib':*"), undefined)
      assert.deepEqual(await askAll(), answers)
    } finally {
      await world.superuser.query(source)
    }
  })

  it('look at a few versions alone where no others can be found: of a month, or one’s own', async () => {
    const { id } = await books.effective({ title: 'Blending of granules' }, ['Granules are blended.'])
    const tenant = world.people.alan!.tenant_id
    const [row] = await world.rows<{ version: string; day: string; status: string }>(
      'select version_id as version, listed_on::text as day, status from document_index where document_id = $1',
      [id],
    )
    const version = Number(row!.version)
    const few = async (by: string, filter: object, { kinds = ['effective'], most = 1000 } = {}) => {
      const scope = { kinds, user_id: world.people[by]!.id, drafts: false, trained: [], ...filter }
      const [answer] = await world.rows<{ few: string[] | null }>(
        'select few_findable($1, jsonb_populate_record(null::search_scope, $2), $3) as few',
        [tenant, scope, most],
      )
      return answer!.few?.map(Number)
    }
    const days = { date_from: row!.day, date_to: row!.day }
    assert.ok((await few('uma', days))?.includes(version))
    assert.deepEqual(await few('uma', { date_from: '2000-01-01', date_to: '2000-01-31' }), [])
    // Not all those of long: these are found faster by their words.
    assert.equal(await few('uma', { date_from: row!.day }), undefined)
    assert.equal(await few('uma', days, { most: 0 }), undefined)
    // Every day in the index is the one that its version is listed by, so that none is left out.
    const [other] = await world.rows<{ count: number }>(
      `select count(*)::int from document_index i join document_versions v on v.id = i.version_id
       where i.version_id < 1000000 and i.listed_on is distinct from listed_day(v.effective_at, v.effective_date, v.created_at)`,
    )
    assert.equal(other!.count, 0)

    const draft = await books.draft({ title: 'Blending of powders' }, ['Powders are blended.'])
    const [state] = await world.rows<{ status: string; owner_id: string }>(
      'select status, owner_id from document_index where document_id = $1',
      [draft.id],
    )
    const status = [state!.status]
    const [owner] = Object.entries(world.people).find(([, person]) => person.id === Number(state!.owner_id))!
    assert.ok((await few(owner, { status }))!.length > 0)
    assert.deepEqual(await few('uma', { status }), [])
    // Somebody who reads the drafts of others finds more than their own.
    assert.equal(await few('uma', { status }, { kinds: ['effective', 'initial'] }), undefined)
    assert.equal(await few(owner, { status }, { most: 0 }), undefined)
  })
})
