import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { soughtName } from '#platform/db/names.ts'
import { addCrowd, assignments } from '#test/builders/assignments.ts'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { rebuildProjections } from '#test/builders/projections.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('find', () => {
  let world: World
  const find = async (q: string, by = 'quinn'): Promise<Json> =>
    ok(await world.as(by).get(`/api/find?q=${encodeURIComponent(q)}`))
  const numbers = async (q: string, by?: string): Promise<string[]> =>
    (await find(q, by)).items.map(({ number }: Json) => number)
  let deviations: Json[]
  let draft: Json
  let effective: Json
  let capa: Json
  let program: Json
  before(async () => {
    world = await openWorld()
    deviations = []
    for (let i = 0; i < 31; i++)
      deviations.push(await cases(world).deviation({ title: i === 2 ? 'Reaktor überhitzt (Linie_2)' : `Leak ${i}` }))
    capa = await cases(world).capa({ title: 'Reactor cooling 50%' })
    draft = await papers(world).upload({ title: 'Reactor draft' })
    effective = await papers(world).effective({ title: 'Reactor cleaning' })
    program = await assignments(world).program({ title: 'Reactor gowning' })
    ok(await world.as('rita').post('/api/deviations/', { ...foreign, detected_at: world.clock.now().toISOString() }))
  })
  after(() => world.close())
  const foreign = { title: 'Reactor of a rival', description: 'It leaked', severity: 'minor' }

  it('finds a record by its number, whole or in part, and puts the number itself first', async () => {
    const { number } = deviations[2]
    const [, year] = /^DEV-(\d{4})-0003$/.exec(number)!
    for (const q of [number, number.toLowerCase(), `dev ${year} 3`, `${year}-3`, `${year}-0003`, `DEV-${year}-3`]) {
      const found = await numbers(q)
      assert.equal(found[0], number, `${q}: ${found.join()}`)
    }
    assert.ok((await numbers(`dev-${year}-00`)).every(each => each.startsWith('DEV-')))
    assert.deepEqual(await numbers(`dev-${year}-3`), [number, deviations[30].number, deviations[29].number])
  })

  it('finds records of all kinds by words of their title, ten in all, and no kind hides another', async () => {
    const { items, kinds } = await find('reac')
    assert.deepEqual(kinds, ['document', 'deviation', 'capa', 'training_program', 'user'])
    assert.deepEqual(
      items.map(({ kind, number, title, status }: Json) => [kind, number, title, status]),
      [
        ['document', effective.number, 'Reactor cleaning', 'effective'],
        ['capa', capa.number, 'Reactor cooling 50%', 'draft'],
        ['training_program', program.number, 'Reactor gowning', 'active'],
        ['document', draft.number, 'Reactor draft', 'draft'],
      ],
    )
    const leaks = await find('leak')
    assert.equal(leaks.items.length, 10)
    assert.deepEqual(await numbers('cooling REACTOR'), [capa.number])
    assert.deepEqual(await numbers('reaktor uberhitzt'), [deviations[2].number])
    assert.deepEqual(await numbers('Überhitzt'), [deviations[2].number])
    const people = (await find('uma')).items
    assert.deepEqual(people[0], {
      ...{ kind: 'user', id: world.people.uma!.id, number: 'uma', title: 'Uma Example', status: 'active' },
    })
  })

  it('takes every sign as it stands', async () => {
    assert.deepEqual(await numbers('50%'), [capa.number])
    assert.deepEqual(await numbers('Linie_2'), [deviations[2].number])
    for (const q of [
      '%',
      '_',
      '.',
      '.*',
      '(',
      '[a',
      '\\',
      "'",
      '$1',
      '***:x',
      '{1,',
      '--',
      '0',
      '^',
      'ü',
      '"a',
      'a'.repeat(100),
    ])
      await find(q)
    assert.deepEqual(await numbers('L...e'), [])
    for (const q of ['', '  ', 'x'.repeat(101)])
      assert.equal((await world.as('quinn').get(`/api/find?q=${encodeURIComponent(q)}`)).statusCode, 422, q)
  })

  // proves: SVC-01, SRCH-03
  it('finds what the caller may read by the single reads, and nothing else', async () => {
    const single = { document: 'documents', deviation: 'deviations', capa: 'capa', training_program: 'training' }
    for (const by of ['uma', 'alan', 'anna', 'otto', 'rita', 'ada'])
      for (const q of ['reac', 'a', 'e', '0'])
        for (const { kind, id } of (await find(q, by)).items)
          ok(await world.as(by).get(`/api/${single[kind as keyof typeof single] ?? 'users'}/${id}`))
    assert.deepEqual(await numbers('reactor', 'uma'), [effective.number])
    assert.deepEqual(await numbers(draft.number, 'alan'), [draft.number], 'an own draft')
    assert.deepEqual(await numbers(draft.number, 'uma'), [])
    assert.deepEqual((await find('reactor', 'uma')).kinds, ['document', 'deviation', 'training_program'])
    await assignments(world).assign({ training_id: program.id, user_ids: [world.people.uma!.id] })
    assert.deepEqual(new Set(await numbers('reactor', 'uma')), new Set([effective.number, program.number]))
    assert.deepEqual(
      (await find('reactor', 'rita')).items.map(({ title }: Json) => title),
      ['Reactor of a rival'],
    )
    assert.ok(!(await find('rita')).items.some(({ kind }: Json) => kind === 'user'))
  })

  it('puts the nearest first, and then the newest, also where very many have the word', async () => {
    const { id: owner, tenant_id: tenant } = world.people.alan!
    const type = await world.typeId('SOP')
    // Of 1,300 that have the word, some have it at the beginning of the title, two in their number, and one document in two is a draft.
    await world.rows(`set app.tenant_id = '${tenant}'; set session_replication_role = replica`)
    await world.rows(
      `with made as (
        insert into documents (number, document_type_id, owner_id, created_by) select case n when 77 then 'FILLER-1' when 78 then 'X-FILLER-1' else 'MANY-' || n end, $1, $2, $2
        from generate_series(1, 1300) n returning id, number),
      named as (select *, row_number() over (order by id) as n from made),
      versions as (
        insert into document_versions (document_id, major, minor, change_type, title, file_key, file_name, file_size, content_type, sha256,
          workflow_template_id, workflow_template_version, status, status_kind, created_by, effective_at, effective_date)
        select m.id, 1, 0, 'major', case when n % 100 = 0 then 'Filler ' || n else 'Valve of filler ' || n end, 'none/many/' || m.id, 'a.md', 1, 'text/markdown', repeat('0', 64),
          t.workflow_template_id, 1, s.status, s.kind, $2, now(), current_date
        from named m, document_types t, lateral (select case n % 2 when 0 then 'effective' else 'draft' end as status, case n % 2 when 0 then 'effective' else 'initial' end as kind) s
        where t.id = $1 returning id, document_id, status_kind)
      select from versions`,
      [type, owner],
    )
    await world.rows(`update documents d set latest_version_id = v.id, effective_version_id = case v.status_kind when 'effective' then v.id end
      from document_versions v where v.document_id = d.id and v.file_key like 'none/many/%'`)
    await world.rows('reset session_replication_role; reset app.tenant_id')
    await rebuildProjections(world, tenant, ['document-index'])
    const first = (by: string) => numbers('filler', by)
    assert.deepEqual(await first('alan'), [
      'X-FILLER-1',
      'FILLER-1',
      ...Array.from({ length: 8 }, (_, n) => `MANY-${1300 - 100 * n}`),
    ])
    // Uma reads neither of the two drafts among them.
    const effectives = Array.from({ length: 9 }, (_, n) => `MANY-${1300 - 100 * n}`)
    assert.deepEqual(await first('uma'), ['X-FILLER-1', ...effectives])
    assert.deepEqual(
      await numbers('valve fill', 'uma'),
      [1298, 1296, 1294, 1292, 1290, 1288, 1286, 1284, 1282, 1280].map(n => `MANY-${n}`),
    )
    assert.deepEqual(
      await numbers('valve of', 'alan'),
      [1299, 1298, 1297, 1296, 1295, 1294, 1293, 1292, 1291, 1290].map(n => `MANY-${n}`),
    )
  })

  it('reads an index and not all records where the query tells few of them apart', async () => {
    await manyRecords(world, 5_000)
    await addCrowd(world, 3_000)
    await world.rows('analyze')
    assert.equal((await numbers('DEV-0000-4999'))[0], 'DEV-0000-4999')
    assert.equal((await numbers('crowd777'))[0], 'crowd777')
    const scansOf = async (kind: string, table: string, q: string) => {
      await world.rows('begin') // the scans of this transaction alone
      await world.rows(`set local app.tenant_id = '${world.people.quinn!.tenant_id}'`)
      const found = await world.rows('select * from named_records($1, $2, 10, null, null)', [
        kind,
        JSON.stringify(soughtName(q)),
      ])
      const [scans] = await world.rows<{ whole: number }>(
        'select seq_scan::int as whole from pg_stat_xact_user_tables where relname = $1',
        [table],
      )
      await world.rows('rollback')
      return { found: found.length, ...scans }
    }
    for (const q of ['DEV-0000-4999', '0000-4771', 'überhitzt', 'linie_2', 'üb'])
      assert.deepEqual(await scansOf('deviation', 'deviations', q), { found: 1, whole: 0 }, q)
    assert.deepEqual(await scansOf('user', 'users', 'crowd 2777'), { found: 1, whole: 0 })
  })
})
