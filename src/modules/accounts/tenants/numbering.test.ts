// Numbers of records by the patterns of their types and of the settings. proves: TYPE-01, DOC-01
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sharesNumbers } from '#kernel/number-pattern.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const year = new Date().getUTCFullYear()
const types = '/api/document-types/'
const create = (fields: object) => world.as('quinn').post(types, { workflow_template_id: 2, ...fields })
const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const next = async (id: number) => ok(await world.as('uma').get(`${types}${id}`)).next_number

describe('the pattern of a document type', () => {
  it('counts each department and year by itself, and asks an upload for the department', async () => {
    const type = ok(await create({ name: 'Guide', prefix: 'GD', number_pattern: 'GD-{department}-{year}-{000}' }))
    assert.equal(await next(type.id), `GD-QA-${year}-001`)
    const uploads = []
    for (const department of ['QA', 'PROD', 'QA', 'QA', 'PROD'])
      uploads.push(await paper.upload({ type: 'Guide', department }))
    assert.deepEqual(
      uploads.map(({ number, department }) => [number, department]),
      [
        [`GD-QA-${year}-001`, 'QA'],
        [`GD-PROD-${year}-001`, 'PROD'],
        [`GD-QA-${year}-002`, 'QA'],
        [`GD-QA-${year}-003`, 'QA'],
        [`GD-PROD-${year}-002`, 'PROD'],
      ],
    )
    for (const [department, code] of [
      [undefined, 'document_department_required'],
      ['qa', 'pattern'],
      ['Q A', 'pattern'],
    ]) {
      const fields = { title: 'T', document_type: type.id, ...(department && { department }) }
      const reply = await world.as('alan').upload('/api/documents/upload', fields, { bytes: pdf(), name: 'a.pdf' })
      assert.equal(reply.statusCode, 422)
      assert.match(JSON.stringify(reply.json().detail), new RegExp(`"department"[^]*${code}`))
    }
    assert.equal(await next(type.id), `GD-QA-${year}-004`)
  })

  it('counts for new documents only, and leaves no gap after a refused upload or beside another one', async () => {
    const type = ok(await create({ name: 'Note', prefix: 'NT' }))
    assert.equal(type.number_pattern, 'NT-{0000}')
    const first = await paper.upload({ type: 'Note' })
    const change = { number_pattern: 'NT-{000000}', change_reason: 'More of them' }
    const effects = ok(await world.as('quinn').post(`${types}${type.id}/effects`, { number_pattern: 'N.{00}' }))
    assert.deepEqual(
      [effects.next_number, effects.effects],
      ['N.01', ['One document keeps its number. The next one is N.01.']],
    )
    assert.equal(ok(await world.as('quinn').put(`${types}${type.id}`, change)).number_pattern, 'NT-{000000}')
    // The day is in the past, so the transaction ends with a refusal.
    const wrong = { title: 'T', document_type: type.id, effective_date: '2020-01-01' }
    const refused = await world.as('alan').upload('/api/documents/upload', wrong, { bytes: pdf(), name: 'a.pdf' })
    assert.equal(refused.statusCode, 422)
    const both = await Promise.all([paper.upload({ type: 'Note' }), paper.upload({ type: 'Note', by: 'petra' })])
    assert.deepEqual(new Set(both.map(({ number }) => number)), new Set(['NT-000002', 'NT-000003']))
    assert.equal((await paper.get('alan', first.id)).number, 'NT-0001')
    assert.equal(await next(type.id), 'NT-000004')
  })

  it('is refused if it cannot be read, or if other records have its numbers', async () => {
    const guide = ok(await create({ name: 'Rule', prefix: 'RL', number_pattern: 'RL-{department}-{0000}' }))
    for (const [number_pattern, expected] of [
      ['RL-{month}-{0000}', '422 invalid_input'],
      ['RL-QA-{000}', '409 number_pattern_of_type'],
      ['{department}-QA-{000}', '409 number_pattern_of_type'],
      ['DEV-{year}-{00}', '409 number_pattern_of_records'],
      [`CAPA-${year}-{00}`, '409 number_pattern_of_records'],
      ['TRN-{00}', '409 number_pattern_of_records'],
    ])
      assert.equal(refusal(await create({ name: 'Other', prefix: 'OT', number_pattern })), expected)
    const other = ok(await create({ name: 'Other', prefix: 'OT' }))
    const url = `${types}${other.id}`
    assert.equal(
      refusal(await world.as('quinn').put(url, { number_pattern: 'RL-XY-{00}' })),
      '409 number_pattern_of_type',
    )
    // Two at once: one of them sees the other.
    const at_once = await Promise.all(
      [url, `${types}${guide.id}`].map(each => world.as('quinn').put(each, { number_pattern: 'ONE-{0000}' })),
    )
    assert.deepEqual(new Set(at_once.map(({ statusCode }) => statusCode)), new Set([200, 409]))
  })

  it('is held by the database too', async () => {
    const patterns = [
      'SOP-{department}-{0000}',
      'SOP-QA-{00}',
      'SOP-{year}-{0000}',
      'SOP-1999-{000}',
      'A.B-{00}',
      'A-B-{00}',
    ]
    const found = await world.rows<{ a: string; b: string; shared: boolean }>(
      'select a, b, share_numbers(a, b) as shared from unnest($1::text[]) a, unnest($1::text[]) b',
      [patterns],
    )
    for (const { a, b, shared } of found) assert.equal(shared, sharesNumbers(a, b), `${a} and ${b}`)
    await assert.rejects(
      world.rows(`update document_types set number_pattern = 'DEV-{year}-{000}' where name = 'SOP' and tenant_id = 2`),
      { code: 'QA003' },
    )
    await assert.rejects(
      world.rows(`update document_types set number_pattern = 'sop' where name = 'SOP' and tenant_id = 2`),
      { code: '23514' },
    )
  })
})

describe('the patterns of deviations and CAPAs', () => {
  const settings = (number_patterns: object) => world.as('ada').put('/api/settings/', { number_patterns })
  const report = async () =>
    ok(await world.as('uma').post('/api/deviations/', { title: 'T', description: 'D', severity: 'minor' })).number

  it('are in the settings, and count for new records only', async () => {
    assert.deepEqual(ok(await world.as('ada').get('/api/settings/')).number_patterns, {
      deviation: 'DEV-{year}-{0000}',
      capa: 'CAPA-{year}-{0000}',
    })
    assert.equal(await report(), `DEV-${year}-0001`)
    ok(await settings({ deviation: 'EV.{000}' }))
    assert.deepEqual([await report(), await report()], ['EV.001', 'EV.002'])
    ok(await settings({ deviation: 'DEV-{year}-{0000}' }))
    assert.equal(await report(), `DEV-${year}-0002`)
    assert.equal(refusal(await settings({ capa: 'CAPA-{department}-{00}' })), '422 invalid_input')
    assert.equal(refusal(await settings({ capa: 'SOP-{00}' })), '409 number_pattern_of_type')
    assert.equal(refusal(await settings({ capa: 'DEV-{year}-{00}' })), '409 number_pattern_of_records')
    assert.equal(refusal(await settings({ capa: 'X-{00}', deviation: 'X-{00}' })), '409 number_pattern_of_records')
  })

  it('change with the approval of another person where the company asks for it', async () => {
    const second = { granted: ['settings.manage'], denied: [] }
    ok(await world.as('ada').put(`/api/users/${world.people.quinn!.id}/permissions`, second))
    ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: true }))
    const proposed = await settings({ capa: 'CA-{000}' })
    assert.equal(proposed.statusCode, 202, proposed.body)
    assert.deepEqual(proposed.json().changes, {
      number_patterns: {
        from: { deviation: 'DEV-{year}-{0000}', capa: 'CAPA-{year}-{0000}' },
        to: { deviation: 'DEV-{year}-{0000}', capa: 'CA-{000}' },
      },
    })
    for (const changed of ['{"number_patterns": {"capa": "Z-{00}"}}', '{"retention_years": {"capa": 1}}'])
      await assert.rejects(
        world.rows('update tenants set settings = settings || $1::jsonb where id = 2', [changed]),
        { code: 'QA003' },
        changed,
      )
    ok(await world.as('quinn').post(`/api/configuration-changes/${proposed.json().id}/approve`, { password }))
    assert.equal(ok(await world.as('ada').get('/api/settings/')).number_patterns.capa, 'CA-{000}')

    // So are the periods after which attached files may be destroyed.
    const periods = { retention_years: { capa: 10 }, change_reason: 'By our procedure' }
    const kept = await world.as('ada').put('/api/settings/', periods)
    assert.equal(kept.statusCode, 202, kept.body)
    ok(await world.as('quinn').post(`/api/configuration-changes/${kept.json().id}/approve`, { password }))
    assert.deepEqual(ok(await world.as('ada').get('/api/settings/')).retention_years, { deviation: null, capa: 10 })
  })
})
