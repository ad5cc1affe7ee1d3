import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rebuildProjections } from '#test/builders/projections.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { judge } from './rules.ts'

interface Item {
  id: number
  title: string
  score: number
  why: string[]
  linked_as: string | null
  capa_ids: number[]
  root_cause: object | null
}

// proves: DEV-03
describe('similar deviations', () => {
  let world: World
  const ids: Record<string, number> = {}
  let rivals: number

  /** Inserted by SQL, because only the search is tested here. */
  async function add(person: string, values: Record<string, unknown>) {
    const { id, tenant_id } = world.people[person]!
    await world.superuser.query(`set app.tenant_id = '${tenant_id}'; set app.user_id = '${id}'`)
    const row = {
      number: `DEV-2026-${String(Object.keys(ids).length + 1).padStart(4, '0')}`,
      severity: 'minor',
      status: 'open',
      detected_at: '2026-01-02T03:04:05Z',
      reported_at: '2026-01-02T03:04:05Z',
      reported_by: id,
      due_date: '2026-02-02',
      original_due_date: '2026-02-02',
      ...values,
    }
    const columns = Object.keys(row)
    await world.superuser.query('set session_replication_role = replica')
    const { rows } = await world.superuser.query(
      `insert into deviations (${columns.join()}) values (${columns.map((_, index) => `$${index + 1}`).join()}) returning id`,
      Object.values(row),
    )
    await world.superuser.query('reset session_replication_role')
    await rebuildProjections(world, tenant_id, ['deviation-index'])
    return Number(rows[0].id)
  }

  const ask = async (query: string, name = 'quinn') => {
    const answer = await world.as(name).get(`/api/deviations/similar?${query}`)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json() as { method: string; items: Item[] }
  }
  const found = async (query: string, name?: string) => (await ask(query, name)).items.map(({ id }) => id)
  const listed = async (q: string, tenant = world.people.quinn!.tenant_id) => {
    await world.superuser.query(`set app.tenant_id = '${tenant}'`)
    return (await world.rows<{ id: string }>('select find_deviations($1) as id order by 1', [q])).map(({ id }) =>
      Number(id),
    )
  }

  before(async () => {
    world = await openWorld()
    ids.autoclave = await add('quinn', {
      title: 'Autoclave AC-2 load stopped early',
      description: 'The sterilisation load of stoppers was stopped after 12 minutes. Müller of engineering was called.',
      category: 'equipment',
      affected_items: JSON.stringify([{ kind: 'equipment', identifier: 'AC-2' }]),
      root_cause: JSON.stringify({ method: 'other', category: 'equipment_failure', summary: 'A worn valve' }),
    })
    ids.again = await add('quinn', {
      title: 'Sterilisation load interrupted',
      description: 'Load of stoppers in the autoclave interrupted by an alarm of the door.',
      category: 'equipment',
      severity: 'major',
      affected_items: JSON.stringify([{ kind: 'equipment', identifier: 'ac-2 ' }]),
    })
    ids.label = await add('quinn', {
      title: 'Label missing on a drum',
      description: 'A drum of lactose was found without a label in the warehouse.',
      category: 'material',
    })
    ids.gowning = await add('quinn', {
      title: 'Gowning record',
      description: 'Signed a day late.',
      category: 'documentation',
    })
    ids.cold = await add('quinn', {
      title: 'Cold store CS-1 above 8 °C for six hours',
      description: 'Three batches were in it. The alarm was not acknowledged by anybody.',
      category: 'equipment',
    })
    rivals = await add('rex', {
      title: 'Autoclave AC-2 load stopped early',
      description: 'The sterilisation load of stoppers was stopped after 12 minutes.',
      category: 'equipment',
      affected_items: JSON.stringify([{ kind: 'equipment', identifier: 'AC-2' }]),
    })
  })
  after(() => world.close())

  it('are found by a text, the best first, with what they share', async () => {
    const { method, items } = await ask('q=the+autoclave+stopped+during+a+load')
    assert.equal(method, 'lexical')
    assert.deepEqual(
      items.slice(0, 2).map(({ id }) => id),
      [ids.autoclave, ids.again],
    )
    assert.ok(items[0]!.score > items[1]!.score && items[0]!.score <= 1 && items[1]!.score > 0)
    assert.match(items[0]!.why.join(), /words: .*autoclave/)
    assert.deepEqual(items[0]!.root_cause, { category: 'equipment_failure', summary: 'A worn valve' })
  })

  it('are found of a deviation by words, items and category, and it is not among them', async () => {
    const { items } = await ask(`deviation_id=${ids.autoclave}`)
    assert.equal(items[0]!.id, ids.again)
    assert.ok(
      items[0]!.why.includes('item: ac-2') && items[0]!.why.includes('category: equipment'),
      items[0]!.why.join(),
    )
    assert.ok(!items.some(({ id }) => id === ids.autoclave))
  })

  it('are found in another spelling, with and without accents and in other forms of a word', async () => {
    assert.equal((await found('q=autoclve+lod'))[0], ids.autoclave)
    assert.equal((await found('q=Mueller+M%C3%BCller'))[0], ids.autoclave)
    assert.equal((await found('q=muller'))[0], ids.autoclave)
    assert.equal((await found('q=labels+missing+on+drums'))[0], ids.label)
  })

  it('are found by another name of the same thing, less near than by the name itself, and the reason says so', async () => {
    const { items } = await ask('q=fridge+temperature')
    assert.equal(items[0]?.id, ids.cold)
    assert.match(items[0]!.why.join(), /words: .*cold store/)
    const [named] = (await ask('q=cold+store+temperature')).items
    assert.equal(named?.id, ids.cold)
    assert.ok(named!.score > items[0]!.score)
    assert.ok((await ask('q=Kühlraum')).items.some(({ id }) => id === ids.cold))
  })

  it("are found by the company's own words", async () => {
    const put = (search_synonyms: string[]) => world.as('ada').put('/api/settings/', { search_synonyms })
    assert.ok(!(await found('q=icehouse')).includes(ids.cold!))
    assert.equal((await put(['icehouse | CS-1'])).statusCode, 200)
    assert.ok((await found('q=icehouse')).includes(ids.cold!))
    assert.ok(!(await found('q=icehouse', 'rex')).includes(ids.cold!))
    assert.equal((await put([])).statusCode, 200)
  })

  it('are of the severity and the category asked for, and no more than asked for', async () => {
    assert.deepEqual(await found('q=autoclave+load&severity=major'), [ids.again])
    assert.deepEqual(await found('q=autoclave+load&category=material'), [])
    assert.deepEqual(await found('q=autoclave+load&limit=1'), [ids.autoclave])
  })

  it('are none where nothing is alike', async () => {
    assert.deepEqual(await found('q=zygomorphic+quux'), [])
    assert.deepEqual(await found('q=the+of+and'), [])
    assert.deepEqual(await found('q=%27%27%3B--+%25_%5C%3A*%26%7C!()'), [])
  })

  // proves: SVC-01
  it('are never those of another tenant, nor like one of theirs', async () => {
    for (const query of ['q=autoclave+load+stopped', `deviation_id=${ids.autoclave}`])
      assert.ok(!(await found(query)).includes(rivals), query)
    assert.deepEqual(await found('q=autoclave+load+stopped', 'rex'), [rivals])
    assert.equal((await world.as('quinn').get(`/api/deviations/similar?deviation_id=${rivals}`)).statusCode, 404)
    assert.deepEqual(await listed('autoclave', world.people.rex!.tenant_id), [rivals])
  })

  it('are shown as a recurrence where they are linked as one', async () => {
    await world.superuser.query(
      `set app.tenant_id = '${world.people.quinn!.tenant_id}'; set session_replication_role = replica`,
    )
    await world.superuser.query(
      "insert into deviation_deviations (deviation_id, other_id, relation) values ($1, $2, 'recurrence')",
      [ids.again, ids.autoclave],
    )
    await world.superuser.query('reset session_replication_role')
    assert.equal((await ask(`deviation_id=${ids.autoclave}`)).items[0]!.linked_as, 'recurrence')
    assert.equal((await ask(`deviation_id=${ids.again}`)).items[0]!.linked_as, 'recurrence')
    assert.equal((await ask('q=autoclave')).items[0]!.linked_as, null)
  })

  it('are asked for by a text or by a deviation, one of the two', async () => {
    for (const query of ['', `q=load&deviation_id=${ids.autoclave}`, 'q=load&limit=51', 'q=']) {
      const answer = await world.as('quinn').get(`/api/deviations/similar?${query}`)
      assert.equal(answer.statusCode, 422, `${query}: ${answer.body}`)
    }
  })

  it('are looked for in what a deviation says now', async () => {
    await world.superuser.query('set session_replication_role = replica')
    await world.superuser.query("update deviations set investigation = 'A hygrometer had drifted' where id = $1", [
      ids.gowning,
    ])
    await world.superuser.query('reset session_replication_role')
    await rebuildProjections(world, world.people.quinn!.tenant_id, ['deviation-index'])
    assert.deepEqual(await found('q=hygrometer'), [ids.gowning])
  })

  it('are filtered in a list by all words, by beginnings, by number, by "quoted" words, and without -others', async () => {
    assert.deepEqual(await listed('autoclave load'), [ids.autoclave, ids.again])
    assert.deepEqual(await listed('sterilis'), [ids.autoclave, ids.again])
    assert.deepEqual(await listed('DEV-2026-0003'), [ids.label])
    assert.deepEqual(await listed('0003'), [ids.label])
    assert.deepEqual(await listed('dev-2026'), [ids.autoclave, ids.again, ids.label, ids.gowning, ids.cold])
    assert.deepEqual(await listed('"label missing"'), [ids.label])
    assert.deepEqual(await listed('load -interrupted'), [ids.autoclave])
    assert.deepEqual(await listed('label or gowning'), [ids.label, ids.gowning])
    assert.deepEqual(await listed("' | !! & <-> :* (("), [])
    // By an index on the words of each tenant, what the words themselves say.
    const odd = await add('quinn', {
      title: 'O\'Brien’s file /var/log.txt & "A|B" (C:D) 50% of 3.5 mg',
      description: 'See https://example.org/a?b=c, qa@example.org, T/2 and X!Y.',
    })
    const tenant = world.people.quinn!.tenant_id
    const has = async (q: string) =>
      (
        await world.rows<{ id: string }>(
          `select deviation_id as id from deviation_index where tenant_id = $1
             and words @@ regexp_replace(websearch_to_tsquery('english_unaccented', $2)::text, '''(?=[ )]|$)', ''':*', 'g')::tsquery order by 1`,
          [tenant, q],
        )
      ).map(({ id }) => Number(id))
    const questions = [
      ...[
        "o'brien",
        '/var/log.txt',
        'a|b',
        'C:D',
        '50%',
        '3.5',
        'example.org/a?b=c',
        'qa@example.org',
        't/2',
        'x!y',
        `${tenant}/`,
      ],
      ...['load', 'loa', '-load', '-load -label', 'load or -label', 'load -"label missing"', 'drum -"missing label"'],
      ...[
        '"label missing" or "gowning record"',
        '"label missing" drum',
        'lab "drum of lactose" or gown -late',
        'the',
        '""',
        '-',
      ],
    ]
    for (const q of questions) assert.deepEqual(await listed(q), await has(q), q)
    assert.deepEqual(await listed("o'brien qa@example.org"), [odd])
    assert.ok((await has('-load')).length > 2)
  })

  it('score between 0 and 1, and only by what can be compared', () => {
    const nothing = {
      deviation_id: 1,
      words: [],
      text_score: 0,
      title_score: 0,
      items: [],
      category: null,
      root_cause_category: null,
      meaning: null,
    }
    const asked = { text: 'a', title: 'a', items: [], category: null, root_cause_category: null }
    assert.deepEqual(judge(asked, nothing), { score: 0, why: [], matched: [] })
    assert.equal(judge(asked, { ...nothing, text_score: 1, title_score: 1 }).score, 1)
    const whole = { ...asked, items: ['x'], category: 'process', root_cause_category: 'other' }
    assert.equal(judge(whole, { ...nothing, text_score: 1, title_score: 1 }).score, 0.7)
    assert.equal(
      judge(whole, {
        ...whole,
        ...nothing,
        text_score: 1,
        title_score: 1,
        items: ['x'],
        category: 'process',
        root_cause_category: 'other',
      }).score,
      1,
    )
  })
})
