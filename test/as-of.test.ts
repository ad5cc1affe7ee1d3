// Earlier states are reconstructed from the audit trail: for which readers, which moments, and which parts of a record.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { redactAs } from '#test/builders/redaction-samples.ts'
import { trainings } from '#test/builders/training.ts'
import { remembered } from '#test/world/as-of.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
let capa: ReturnType<typeof capas>
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  cases = deviations(world)
  capa = capas(world)
  paper = papers(world)
})
after(() => world.close())

const now = async () => {
  const [row] = await world.rows<{ at: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  )
  return row!.at
}

describe('a record as of another time (proves: AUD-01)', () => {
  it('has the links, files and due date that it had then', async () => {
    const older = await cases.report()
    const { id } = await cases.report()
    const { id: capaId } = await capa.draft()
    const answers = remembered(world, { by: 'otto', url: `/api/deviations/${id}` })
    const ofCapa = remembered(world, { by: 'otto', url: capa.url(capaId) })
    const look = () => Promise.all([answers.look(), ofCapa.look()])
    await look()
    const link = (resource_type: string, resource_id: number, relation?: string) =>
      world
        .as('petra')
        .post(`/api/deviations/${id}/links`, { resource_type, resource_id, ...(relation && { relation }) })
    const { id: linkId } = ok(await link('capa', capaId))
    await look()
    ok(await link('deviation', older.id, 'recurrence'))
    await look()
    ok(await world.as('petra').upload(`/api/deviations/${id}/attachments`, {}, { bytes: pdf('photo'), name: 'a.pdf' }))
    await look()
    ok(await world.as('quinn').post(`/api/deviations/${id}/extend`, { due_date: '2199-01-01', reason: 'Spare part' }))
    await look()
    const unlink = `/api/deviations/${id}/links/${linkId}`
    assert.equal((await world.as('petra').delete(unlink, { reason: 'Another cause' })).statusCode, 204)
    await look()
    await answers.assertAll()
    await ofCapa.assertAll()
  })

  it('is there from its creation on, and not ahead of it', async () => {
    const early = await now()
    const { id } = await cases.report()
    assert.equal((await world.as('otto').get(`/api/deviations/${id}?as_of=${early}`)).statusCode, 404)
    const then = await cases.get('otto', id, `?as_of=${await now()}`)
    assert.deepEqual(then.reconstruction.left_out, ['transitions', 'you'])
  })

  it('is overdue by the day that it was then, which ended where the tenant is', async () => {
    const { id } = await cases.report()
    const day_ms = 86_400_000
    world.clock.moved_ms += 400 * day_ms
    const at = (days: number) => new Date(world.clock.now().getTime() - days * day_ms).toISOString()
    const read = (as_of: string) => cases.get('otto', id, `?as_of=${as_of}`)
    assert.equal((await read(at(1))).overdue, true)
    assert.equal((await read(at(399))).overdue, false)
    const day = at(1).slice(0, 10)
    const { as_of } = (await read(day)).reconstruction
    assert.ok(as_of.startsWith(`${day}T23:59:59.999999`), as_of)
    world.clock.moved_ms -= 400 * day_ms
  })

  it('is not asked of what has not been yet, and what is no moment is refused', async () => {
    const { id } = await cases.report()
    const today = new Date().toISOString().slice(0, 10)
    for (const as_of of ['2199-01-01', '2199-01-01T00:00:00Z', today, 'yesterday', '2026-02-30']) {
      const reply = await world.as('otto').get(`/api/deviations/${id}?as_of=${as_of}`)
      assert.equal(reply.statusCode, 422, as_of)
    }
    for (const [as_of, code] of [
      [today, 'audit_as_of_day_not_over'],
      ['2199-01-01T00:00:00Z', 'audit_as_of_in_future'],
    ])
      assert.equal((await world.as('otto').get(`/api/deviations/${id}?as_of=${as_of}`)).json().detail[0].type, code)
    const uma = world.people.uma!.id
    for (const query of ['status=completed', 'is_valid=true', 'format=csv', 'sort=status'])
      assert.equal(
        (await world.as('quinn').get(`/api/training/records/${uma}?as_of=2020-01-01&${query}`)).statusCode,
        422,
        query,
      )
  })

  it('is for who may read the audit trail, and another tenant has none of it', async () => {
    const { id } = await cases.report()
    const { id: capaId } = await capa.draft()
    const { id: documentId } = await paper.upload({ by: 'alan' })
    const at = await now()
    const urls = [`/api/deviations/${id}`, capa.url(capaId), `/api/documents/${documentId}`]
    for (const url of urls) {
      assert.equal((await world.as('alan').get(`${url}?as_of=${at}`)).statusCode, 403, url)
      assert.equal((await world.as('quinn').get(`${url}?as_of=${at}`)).statusCode, 200, url)
      assert.equal((await world.as('rex').get(`${url}?as_of=${at}`)).statusCode, 404, url)
    }
    const records = `/api/training/records/${world.people.alan!.id}`
    assert.equal((await world.as('alan').get(`${records}?as_of=${at}`)).statusCode, 403)
    const [denied] = ok(await world.as('otto').get(`/api/audit/?user_id=${world.people.alan!.id}&outcome=denied`)).items
    assert.match(denied.reason, /permission audit\.read /)
  })
})

describe('a record of whose trail something was redacted (proves: AUD-01, AUD-04)', () => {
  const entriesOf = async (resource_type: string, resource_id: number) =>
    (
      await world.rows<{ id: string; action: string; at: string }>(
        `select id, action, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from audit_entries
         where resource_type = $1 and resource_id = $2 and outcome = 'success' order by id`,
        [resource_type, resource_id],
      )
    ).map(({ id, ...rest }) => ({ id: Number(id), ...rest }))
  const redact = (id: number) => redactAs(world, world.people.ada!.tenant_id, [id], ['detail'])

  it('is told as it was before what was removed, which the answer says; and exactly from the moment of a change on as it became', async () => {
    const { id, title } = await cases.report()
    const url = `/api/deviations/${id}`
    ok(await world.as('petra').put(url, { title: 'Two bags', change_reason: 'There were two' }))
    ok(await world.as('petra').put(url, { title: 'Three bags', change_reason: 'There were three' }))
    const [first, second, third] = await entriesOf('deviation', id)
    const at = (moment: string) => cases.get('otto', id, `?as_of=${moment}`)
    assert.equal((await at(first!.at)).title, title)
    assert.equal((await at(second!.at)).title, 'Two bags')
    assert.equal((await at(third!.at)).title, 'Three bags')
    await redact(second!.id)
    const then = await at(second!.at)
    assert.deepEqual([then.title, then.reconstruction.unknown.map(Date.parse)], [title, [Date.parse(second!.at)]])
    const later = await at(third!.at)
    assert.deepEqual([later.title, later.reconstruction.unknown.length], ['Three bags', 1])
  })

  it('is told by nobody where its beginning was removed: not as another, and not as if it had not been there', async () => {
    const { id: deviation } = await cases.report()
    const { id: capaId } = await capa.draft()
    const { id: document } = await paper.effective()
    const ofVersion = await paper.effective()
    const version = { change_type: 'minor', change_reason: 'Once more' }
    const file = { bytes: pdf('second'), name: 'next.pdf' }
    ok(await world.as('alan').upload(`/api/documents/${ofVersion.id}/versions`, version, file))
    const records: [string, number, string][] = [
      ['deviation', deviation, `/api/deviations/${deviation}`],
      ['capa', capaId, capa.url(capaId)],
      ['document', document, `/api/documents/${document}`],
      ['document', ofVersion.id, `/api/documents/${ofVersion.id}`],
    ]
    for (const [kind, id, url] of records) {
      const at = await now()
      ok(await world.as('quinn').get(`${url}?as_of=${at}`))
      const entries = await entriesOf(kind, id)
      const beginning = entries.find(({ action }) => action === 'document.version_created') ?? entries[0]!
      const early = entries[0]!.at
      await redact(beginning.id)
      const reply = await world.as('quinn').get(`${url}?as_of=${at}`)
      assert.equal(reply.statusCode, 409, `${url} ${reply.body}`)
      assert.equal(reply.json().code, 'audit_beginning_redacted')
      ok(await world.as('quinn').get(url))
      // Ahead of what was removed all is there.
      if (beginning !== entries[0]) ok(await world.as('quinn').get(`${url}?as_of=${early}`))
    }
  })

  it('is not in a training record as it was, which says so', async () => {
    const uma = world.people.uma!.id
    const { create, assign } = trainings(world)
    const { id } = await create()
    const assignment = await assign(id, ['uma'])
    const url = `/api/training/records/${uma}?training_id=${id}&as_of=${await now()}`
    assert.equal(ok(await world.as('quinn').get(url)).items.length, 1)
    await redact((await entriesOf('training_assignment', assignment))[0]!.id)
    assert.equal((await world.as('quinn').get(url)).statusCode, 409)
  })
})

it('a document shows the version that it showed then, to who may read it today (proves: AUD-01)', async () => {
  const { id } = await paper.effective()
  const early = await now()
  const next = await world.as('alan').upload(
    `/api/documents/${id}/versions`,
    { change_type: 'minor', change_reason: 'Once more' },
    {
      bytes: pdf('second'),
      name: 'next.pdf',
    },
  )
  ok(next)
  const url = `/api/documents/${id}?as_of=`
  const then: Json = ok(await world.as('quinn').get(url + early))
  assert.deepEqual([then.version, then.status, then.pending_version], ['1.0', 'effective', null])
  assert.deepEqual(then.reconstruction.left_out, ['content', 'training', 'workflow'])
  const later: Json = ok(await world.as('quinn').get(url + (await now())))
  assert.equal(later.pending_version.version, '1.1')
  assert.equal((await world.as('quinn').get(`/api/documents/${id}?version=1.1&as_of=${early}`)).statusCode, 404)
})
