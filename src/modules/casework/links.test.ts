// Links between deviations, CAPAs and documents.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let make: ReturnType<typeof cases>
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  make = cases(world)
  paper = papers(world)
})
after(() => world.close())

const pathOf = { deviation: '/api/deviations', capa: '/api/capa', document: '/api/documents' } as const
type Kind = keyof typeof pathOf
type End = [Kind, { id: number }]
const link = (by: string, [kind, { id }]: End, [resource_type, other]: End, relation?: string) =>
  world
    .as(by)
    .post(`${pathOf[kind]}/${id}/links`, { resource_type, resource_id: other.id, ...(relation && { relation }) })
const linksOf = async (by: string, [kind, { id }]: End): Promise<Json[]> =>
  ok(await world.as(by).get(`${pathOf[kind]}/${id}/links`)).items
const unlink = (by: string, [kind, { id }]: End, linkId: number, body: object = { reason: 'The wrong one' }) =>
  world.as(by).delete(`${pathOf[kind]}/${id}/links/${linkId}`, body)
const brief = ({ resource_type, number, relation, direction }: Json) => [resource_type, number, relation, direction]

describe('a link (proves: DEV-04, CAPA-05)', () => {
  it('is made with what it means, and read from both of its ends', async () => {
    const [deviation, capa, sop] = [await make.deviation(), await make.capa(), await paper.effective()]
    const reply = await link('petra', ['deviation', deviation], ['document', sop], 'violated_procedure')
    const made = ok(reply)
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.headers.location, `/api/deviations/${deviation.id}/links/${made.id}`)
    assert.deepEqual(brief(made), ['document', sop.number, 'violated_procedure', 'to'])
    assert.deepEqual([made.title, made.status, made.created_by.username], [sop.title, sop.status, 'petra'])
    assert.deepEqual(ok(await world.as('uma').get(String(reply.headers.location))), made)
    ok(await link('alan', ['capa', capa], ['deviation', deviation], 'root'))
    ok(await link('alan', ['capa', capa], ['document', sop]))

    const seen = async (end: End) => (await linksOf('petra', end)).map(brief)
    assert.deepEqual(await seen(['deviation', deviation]), [
      ['document', sop.number, 'violated_procedure', 'to'],
      ['capa', capa.number, 'root', 'to'],
    ])
    assert.deepEqual(await seen(['capa', capa]), [
      ['deviation', deviation.number, 'root', 'from'],
      ['document', sop.number, 'reference', 'to'],
    ])
    assert.deepEqual(await seen(['document', sop]), [
      ['deviation', deviation.number, 'violated_procedure', 'from'],
      ['capa', capa.number, 'reference', 'from'],
    ])
    const { document_ids, capa_ids, revision } = ok(await world.as('uma').get(`/api/deviations/${deviation.id}`))
    assert.deepEqual([document_ids, capa_ids], [[sop.id], [capa.id]])
    assert.equal(revision, deviation.revision, 'it changes nothing of the record')
    assert.deepEqual(ok(await world.as('alan').get(`/api/capa/${capa.id}`)).deviation_ids, [deviation.id])
  })

  it('is told in the trail of both records', async () => {
    const [deviation, capa] = [await make.deviation(), await make.capa()]
    const { id } = ok(await link('petra', ['deviation', deviation], ['capa', capa]))
    assert.equal((await unlink('petra', ['capa', capa], id)).statusCode, 204)
    const entries = await world.rows<{ action: string; resource_number: string; reason: string; changes: Json }>(
      `select action, resource_number, reason, changes from audit_entries where action ~ 'linked$' and resource_id in ($1, $2) and resource_number in ($3, $4) order by id`,
      [deviation.id, capa.id, deviation.number, capa.number],
    )
    assert.deepEqual(
      entries.map(({ action, resource_number, reason, changes }) => [
        action,
        resource_number,
        reason,
        changes.resource_number.from ?? changes.resource_number.to,
        changes.relation.from ?? changes.relation.to,
      ]),
      [
        ['deviation.linked', deviation.number, null, capa.number, 'related'],
        ['capa.linked', capa.number, null, deviation.number, 'related'],
        ['capa.unlinked', capa.number, 'The wrong one', deviation.number, 'related'],
        ['deviation.unlinked', deviation.number, 'The wrong one', capa.number, 'related'],
      ],
    )
    const { items } = ok(await world.as('uma').get('/api/notifications/?type=deviation_linked'))
    assert.equal(items[0].title, `${deviation.number} was linked to another record by Petra Example`)
  })

  it('is made and taken away by who may change the record; taken away with a reason only, and once', async () => {
    const [deviation, sop] = [await make.deviation(), await paper.effective()]
    const { id } = ok(await link('petra', ['deviation', deviation], ['document', sop]))
    for (const body of [{}, { reason: ' ' }])
      assert.equal((await unlink('petra', ['deviation', deviation], id, body)).statusCode, 422)
    for (const name of ['alan', 'otto']) {
      assert.equal((await unlink(name, ['deviation', deviation], id)).statusCode, 403)
      assert.equal((await link(name, ['deviation', deviation], ['document', await paper.effective()])).statusCode, 403)
    }
    assert.equal((await unlink('petra', ['deviation', deviation], id)).statusCode, 204)
    assert.equal((await unlink('petra', ['deviation', deviation], id)).statusCode, 404)
    assert.deepEqual(await linksOf('petra', ['deviation', deviation]), [])
  })

  it('is made once, of another record, and means what it can mean between the two', async () => {
    const [deviation, sop, capa] = [await make.deviation(), await paper.effective(), await make.capa()]
    const refused = async (answer: ReturnType<typeof link>, status: number, code: string, text: RegExp) => {
      const reply = await answer
      assert.equal(reply.statusCode, status, reply.body)
      assert.match(JSON.stringify(reply.json().detail), text)
      assert.ok(reply.body.includes(`"${code}"`), reply.body)
    }
    ok(await link('petra', ['deviation', deviation], ['document', sop]))
    await refused(
      link('petra', ['deviation', deviation], ['document', sop], 'evidence'),
      409,
      'link_exists',
      /DEV-\S+ and SOP-\d+ are already linked/,
    )
    await refused(link('petra', ['deviation', deviation], ['deviation', deviation]), 422, 'link_to_itself', /itself/)
    await refused(
      link('petra', ['deviation', deviation], ['capa', capa], 'violated_procedure'),
      422,
      'link_relation_not_allowed',
      /one of related, root for a link from a deviation to a CAPA/,
    )
    const ofCapas = await link('petra', ['capa', capa], ['capa', capa])
    assert.deepEqual([ofCapas.statusCode, ofCapas.json().detail[0].loc], [422, ['body', 'resource_type']])
    assert.equal((await linksOf('petra', ['deviation', deviation])).length, 1)
  })

  it('says of the newer deviation that it is a recurrence of the older one', async () => {
    const [older, newer] = [await make.deviation(), await make.deviation()]
    const wrong = await link('petra', ['deviation', older], ['deviation', newer], 'recurrence')
    assert.equal(wrong.statusCode, 422, wrong.body)
    const [{ type, params }] = wrong.json().detail
    assert.deepEqual(
      [type, params],
      ['link_recurrence_of_newer', { newer_number: newer.number, older_number: older.number }],
    )
    ok(await link('petra', ['deviation', newer], ['deviation', older], 'recurrence'))
    assert.deepEqual(brief((await linksOf('uma', ['deviation', newer]))[0]), [
      'deviation',
      older.number,
      'recurrence',
      'to',
    ])
    assert.deepEqual(brief((await linksOf('uma', ['deviation', older]))[0]), [
      'deviation',
      newer.number,
      'recurrence',
      'from',
    ])
    const isRecurrence = async ({ id }: Json) => ok(await world.as('uma').get(`/api/deviations/${id}`)).is_recurrence
    assert.deepEqual([await isRecurrence(older), await isRecurrence(newer)], [false, true])
    const [twin] = [await make.deviation()]
    ok(await link('petra', ['deviation', older], ['deviation', twin], 'duplicate'))
    assert.deepEqual(brief((await linksOf('uma', ['deviation', older])).at(-1)).slice(2), ['duplicate', 'from'])
    assert.equal(await isRecurrence(twin), false)
  })

  it('is not made with what the caller may not read, nor shown to who may not read the other end', async () => {
    const [deviation, draft, capa] = [await make.deviation(), await paper.upload(), await make.capa()]
    const hidden = await link('uma', ['deviation', deviation], ['document', draft])
    const nothing = await link('uma', ['deviation', deviation], ['document', { id: 999_999 }])
    assert.deepEqual([hidden.statusCode, hidden.body], [404, nothing.body])
    assert.equal((await link('uma', ['deviation', deviation], ['capa', capa])).statusCode, 404)
    const { id } = ok(await link('petra', ['deviation', deviation], ['document', draft]))
    ok(await link('petra', ['deviation', deviation], ['capa', capa]))
    assert.deepEqual(await linksOf('uma', ['deviation', deviation]), [])
    assert.equal(ok(await world.as('uma').get(`/api/deviations/${deviation.id}/links`)).total, 0)
    assert.equal((await world.as('uma').get(`/api/deviations/${deviation.id}/links/${id}`)).statusCode, 404)
    assert.equal((await world.as('uma').get(`/api/documents/${draft.id}/links`)).statusCode, 404)
    const timeline = (await world.as('uma').get(`/api/deviations/${deviation.id}/timeline`)).body
    assert.ok(!timeline.includes(draft.number) && !timeline.includes(capa.number), timeline)
    assert.match(timeline, /Linked to a document \(reference\)/)
    assert.ok((await world.as('petra').get(`/api/deviations/${deviation.id}/timeline`)).body.includes(draft.number))
  })

  it('can still be made to a record that is over from the other side, but neither from its own nor taken away', async () => {
    const [deviation, before, later, sop] = [
      await make.deviation(),
      await make.capa(),
      await make.capa(),
      await paper.effective(),
    ]
    const { id } = ok(await link('petra', ['deviation', deviation], ['capa', before]))
    await make.cancel(deviation.id)
    const refused = await link('petra', ['deviation', deviation], ['document', sop])
    const isFinal = {
      ...{ status: 409, code: 'record_final' },
      detail: `${deviation.number} is cancelled and can no longer be changed.`,
    }
    const refusalOf = (reply: typeof refused) => {
      const { code, detail } = reply.json()
      return { status: reply.statusCode, code, detail }
    }
    assert.deepEqual(refusalOf(refused), isFinal)
    ok(await link('petra', ['capa', later], ['deviation', deviation]))
    for (const end of [
      ['deviation', deviation],
      ['capa', before],
    ] as End[]) {
      assert.deepEqual(refusalOf(await unlink('petra', end, id)), isFinal)
    }
    const emptied = await world
      .as('petra')
      .put(`/api/capa/${before.id}`, { deviation_ids: [], change_reason: 'Not this one' })
    assert.deepEqual(refusalOf(emptied), isFinal)
  })
})

describe('the lists of a create or a change (proves: DEV-04, CAPA-05)', () => {
  it('make the links what they name, keep what the others mean, and take away with a reason', async () => {
    const [one, two] = [await paper.effective(), await paper.effective()]
    const { id } = await make.deviation({ by: 'petra', document_ids: [one.id] })
    const deviation: End = ['deviation', { id }]
    ok(await link('petra', deviation, ['document', two], 'violated_procedure'))
    const put = (body: object) => world.as('petra').put(`/api/deviations/${id}`, body)
    const unsaid = await put({ document_ids: [two.id] })
    assert.equal(unsaid.statusCode, 422, unsaid.body)
    assert.deepEqual(unsaid.json().detail[0].loc, ['body', 'change_reason'])
    ok(await put({ document_ids: [two.id], change_reason: 'The other one' }))
    assert.deepEqual((await linksOf('petra', deviation)).map(brief), [
      ['document', two.number, 'violated_procedure', 'to'],
    ])
    assert.equal((await put({ document_ids: [two.id, 999_999] })).statusCode, 404)
    assert.equal((await linksOf('petra', deviation)).length, 1)
  })

  it('let nobody link what they may not read', async () => {
    const draft = await paper.upload()
    const reply = await world.as('uma').post('/api/deviations/', {
      title: 'Hidden',
      description: 'Of a draft',
      severity: 'minor',
      detected_at: world.clock.now().toISOString(),
      document_ids: [draft.id],
    })
    assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Document not found'])
  })

  it('and single links of many people at once leave each link once', async () => {
    const [deviation, capa] = [await make.deviation(), await make.capa()]
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => link('petra', ['deviation', deviation], ['capa', capa])),
      ...Array.from({ length: 4 }, () => link('alan', ['capa', capa], ['deviation', deviation])),
      world.as('alan').put(`/api/capa/${capa.id}`, { deviation_ids: [deviation.id], change_reason: 'Found' }),
    ])
    const codes = replies.map(({ statusCode }) => statusCode)
    assert.equal(codes.filter(code => code === 201 || code === 200).length >= 1, true, codes.join())
    assert.deepEqual(
      codes.filter(code => ![200, 201, 409].includes(code)),
      [],
      codes.join(),
    )
    const [found] = await world.rows<{ links: number; entries: number }>(
      `select (select count(*)::int from deviation_capas where deviation_id = $1) as links,
        (select count(*)::int from audit_entries where action = 'deviation.linked' and resource_id = $1) as entries`,
      [deviation.id],
    )
    assert.deepEqual(found, { links: 1, entries: 1 })
  })
})
