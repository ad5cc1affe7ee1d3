// Retraining: what a new version of a document asks of those who read it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addCrowd, assignments, dayOf } from '#test/builders/assignments.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { meeting } from '#test/builders/races.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let gated: ReturnType<typeof gatedDocuments>
let paper: ReturnType<typeof papers>
let people: ReturnType<typeof assignments>
let plain: Json
before(async () => {
  world = await openWorld()
  gated = gatedDocuments(world)
  paper = papers(world)
  people = assignments(world)
  plain = await gated.type({})
})
after(() => world.close())

const rowsOf = (reading: number) =>
  world.rows<Json>('select to_jsonb(a) as row from training_assignments a where program_id = $1 order by id', [reading])
const entriesOf = async (action: string): Promise<Json[]> =>
  ok(await world.as('otto').get(`/api/audit/?action=${action}&sort=id:desc&page_size=100`)).items
const idOf = async (name: string, reading: number) => (await people.of(name, reading)).at(-1)!.id

describe('a new version that changes much', () => {
  it('is assigned to everybody who has read the one before; what they completed stays as it was', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['uma', 'anna', 'petra', 'quentin', 'ada'])
    await gated.complete('uma', reading)
    ok(await world.as('anna').post(`/api/training/${reading}/start`))
    ok(
      await world
        .as('quinn')
        .post(`/api/training/assignments/${await idOf('petra', reading)}/waive`, { reason: 'Wrote it' }),
    )
    ok(
      await world
        .as('quinn')
        .post(`/api/training/assignments/${await idOf('quentin', reading)}/cancel`, { reason: 'A mistake' }),
    )
    const before = await rowsOf(reading)
    assert.equal((await gated.renew(id)).status, 'effective')
    assert.deepEqual(await gated.standings(reading), [
      'ada assigned 2.0 manual',
      'anna in_progress 2.0 manual',
      'petra waived 1.0 manual',
      'quentin cancelled 1.0 manual',
      'uma completed 1.0 manual',
      'uma assigned 2.0 document_release',
    ])
    const after = await rowsOf(reading)
    const isOver = ({ row }: Json) => ['completed', 'waived', 'cancelled'].includes(row.status)
    assert.deepEqual(after.filter(isOver), before.filter(isOver))
    const [was] = before.filter(({ row }: Json) => row.user_id === world.people.anna!.id)
    const [is] = after.filter(({ row }: Json) => row.user_id === world.people.anna!.id)
    assert.equal(is.row.content_revision, was.row.content_revision + 1)
    const mine = ok(await world.as('uma').get('/api/training/my-training?status=assigned')).items
    assert.ok(mine.some((each: Json) => each.training_id === reading && each.document.version === '2.0'))
    const moved = (await entriesOf('training_assignment.moved')).filter(({ resource_id }) => resource_id === is.row.id)
    assert.deepEqual(
      moved.map(({ changes }) => changes.document_version),
      [{ from: '1.0', to: '2.0' }],
    )
  })

  it('is signed for as itself: who completed it is trained, and the completion before counts no more', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['uma'])
    await gated.complete('uma', reading)
    await gated.renew(id)
    const record = async () =>
      ok(
        await world
          .as('uma')
          .get(`/api/training/records/${world.people.uma!.id}?training_id=${reading}&sort=assigned_at`),
      ).items
    assert.deepEqual(
      (await record()).map((each: Json) => [each.status, each.is_valid]),
      [
        ['completed', false],
        ['assigned', false],
      ],
    )
    await gated.complete('uma', reading)
    assert.deepEqual(
      (await record()).map((each: Json) => [each.document.version, each.is_valid]),
      [
        ['1.0', false],
        ['2.0', true],
      ],
    )
  })

  it('leaves nobody less time than they had, and gives who was to read the old one the days of the new', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['uma'], { due_date: dayOf(world, 90) })
    await gated.assign(id, ['anna'], { due_date: dayOf(world, 2) })
    await gated.renew(id)
    assert.deepEqual(
      [(await people.of('uma', reading))[0]!.due_date, (await people.of('anna', reading))[0]!.due_date],
      [dayOf(world, 90), dayOf(world, 14)],
    )
  })

  it('reaches the members of a group that it is assigned to, also those who never began', async () => {
    const { id } = await gated.released(plain.id)
    const group = await people.group('uma')
    const { training_id } = ok(
      await world.as('quinn').post('/api/training/assign', { document_id: id, group_ids: [group.id] }),
    )
    await gated.complete('uma', training_id)
    await gated.renew(id)
    assert.deepEqual(await gated.standings(training_id), [
      'uma completed 1.0 group',
      'uma assigned 2.0 document_release',
    ])
  })
})

describe('a new version', () => {
  it('that changes little is read by those only who have not read the one before', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['uma', 'anna'])
    await gated.complete('uma', reading)
    await gated.renew(id, { change_type: 'minor' })
    assert.deepEqual(await gated.standings(reading), ['anna assigned 1.1 manual', 'uma completed 1.0 manual'])
    const [versionNow] = await paper.get('quinn', id, '/versions')
    assert.equal(versionNow.training_impact, 'open_only')
    // A small change does not hide an earlier version that has to be read again.
    await gated.renew(id, { change_type: 'minor', training_impact: 'reassign_all' })
    await gated.renew(id, { change_type: 'minor', training_impact: 'none' })
    assert.deepEqual(await gated.standings(reading), [
      'anna assigned 1.3 manual',
      'uma completed 1.0 manual',
      'uma assigned 1.3 document_release',
    ])
  })

  it('of which nobody is to hear is told to nobody, and takes nobody’s day away', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['anna'], { due_date: dayOf(world, 2) })
    const told = async () => ok(await world.as('anna').get('/api/notifications/?type=training_moved')).total
    const before = await told()
    await gated.renew(id, { training_impact: 'none' })
    assert.equal((await people.of('anna', reading))[0]!.due_date, dayOf(world, 2))
    assert.equal(await told(), before)
    await gated.renew(id, { training_impact: 'open_only' })
    assert.equal(await told(), before + 1)
  })

  it('that is given up leaves what is open to the version in force', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id } = await gated.draft(type.id)
    const reading = await gated.assign(id, ['uma'])
    await gated.release(id)
    await gated.complete('uma', reading)
    await gated.renew(id)
    assert.equal(await gated.statusOf(id), 'effective')
    assert.equal((await gated.standings(reading)).at(-1), 'uma assigned 2.0 document_release')
    ok(await paper.addVersion(id, { change_type: 'minor' }))
    assert.equal((await gated.standings(reading)).at(-1), 'uma assigned 1.0 document_release')
    await gated.release(id)
    assert.equal((await gated.standings(reading)).at(-1), 'uma assigned 2.1 document_release')
    await gated.complete('uma', reading)
    const document = ok(await world.as('uma').get(`/api/documents/${id}`))
    assert.deepEqual([document.version, document.status], ['2.1', 'effective'])
  })
})

describe('a document that is used no more', () => {
  it('takes its open trainings back, with the reason', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['uma', 'anna'])
    await gated.complete('uma', reading)
    ok(await paper.move('quinn', id, 'obsolete', 'Line 1 is gone'))
    assert.deepEqual(await gated.standings(reading), ['anna cancelled 1.0 manual', 'uma completed 1.0 manual'])
    assert.match((await people.of('anna', reading))[0]!.reason!, /no longer in use/)
  })

  it('keeps them for the version that is on its way', async () => {
    const { id } = await gated.released(plain.id)
    const reading = await gated.assign(id, ['anna'])
    ok(await paper.addVersion(id, { change_type: 'major' }))
    const form = { transition: 'obsolete', comment: 'A step is dangerous' }
    ok(await world.as('quinn').post(`/api/documents/${id}/transition`, form))
    assert.deepEqual(await gated.standings(reading), ['anna assigned - manual'])
    await gated.release(id)
    assert.deepEqual(await gated.standings(reading), ['anna assigned 2.0 manual'])
  })
})

describe('many readers', () => {
  const many = 450
  it('are assigned a new version by work that goes on, and a gate waits until all of them are', async () => {
    const crowd = await addCrowd(world, many)
    const type = await gated.type({ training_gate: 'before_effective', training_threshold: 1 })
    const { id } = await gated.draft(type.id)
    const group = await people.group()
    ok(await world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_ids: crowd }))
    const { training_id } = ok(
      await world.as('quinn').post('/api/training/assign', { document_id: id, group_ids: [group.id] }),
    )
    await world.work()
    assert.equal((await gated.release(id)).status, 'approved')
    const { in_words } = (await gated.gateOf(id)).training
    assert.equal(in_words, 'Its training is being assigned')
    await world.tick()
    assert.equal(await gated.statusOf(id), 'approved')
    await world.work()
    const count = async (status: string, version: string) =>
      (await gated.standings(training_id)).filter(each => each.includes(` ${status} ${version} `)).length
    assert.equal(await count('assigned', '1.0'), many)
    assert.equal(
      (await gated.gateOf(id)).training.in_words,
      `0 of ${many} people have completed its training; 1 % are needed`,
    )
    const [job] = ok(await world.as('ada').get('/api/jobs/?kind=training.release')).items
    assert.deepEqual([job.status, job.total, job.done], ['completed', many, many])
  })
})

describe('at the same moment', () => {
  it('a completion and the release of the next version: the reader has read one of the two, and the other is asked of them', async () => {
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await gated.released(plain.id)
      const reading = await gated.assign(id, ['uma'])
      ok(await paper.addVersion(id, { change_type: 'major' }))
      ok(await paper.move('alan', id, 'submit'))
      const assignment = await idOf('uma', reading)
      const lock = {
        text: 'select from training_assignments where id = $1 for update',
        values: [assignment],
        waiting: 2,
      }
      const [completed, approved] = await meeting(world, lock, () => [
        world.as('uma').post(`/api/training/${reading}/complete`, {}),
        paper.approve('quentin', id),
      ])
      ok(approved!)
      const now = await gated.standings(reading)
      if (completed!.statusCode === 200)
        assert.deepEqual(now, ['uma completed 1.0 manual', 'uma assigned 2.0 document_release'])
      else {
        assert.equal(completed!.statusCode, 409, completed!.body)
        assert.deepEqual(now, ['uma assigned 2.0 manual'])
      }
    }
  })
})
