import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, dayOf, daysGoBy } from '#test/builders/assignments.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('who should have a training', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
    training = assignments(world)
  })
  after(() => world.close())

  const states = async (name: string, program: Json) =>
    (await training.of(name, program.id)).map(({ status }) => status)
  const newest = async (name: string, program: Json) => (await training.of(name, program.id)).at(-1)!
  const end = async (name: string, program: Json, how: 'cancel' | 'waive', by = 'ada') =>
    ok(
      await world
        .as(by)
        .post(`/api/training/assignments/${(await newest(name, program)).id}/${how}`, { reason: 'Is on leave' }),
    )
  const standing = async (...names: string[]) => {
    const group = await training.group(...names)
    const program = await training.program()
    await training.assign({ training_id: program.id, group_ids: [group.id] })
    return { group, program }
  }
  /** As a restore, or a process that died, may leave it. */
  const forget = (program: Json) =>
    world.rows(
      `begin; set local session_replication_role = replica;
       delete from training_assignments where program_id = ${program.id}; commit`,
    )

  it('by a group is assigned it within a minute, whatever was missed', async () => {
    const { program } = await standing('uma', 'anna', 'otto')
    await forget(program)
    await world.tick()
    assert.deepEqual(
      [await states('uma', program), await states('anna', program), await states('otto', program)],
      [['assigned'], ['assigned'], []],
    )
    const before = await world.rows('select max(id) from audit_entries')
    await world.tick()
    assert.deepEqual(await world.rows('select max(id) from audit_entries'), before)
  })

  it('is assigned it when a change of the role lets them do it', async () => {
    const { program } = await standing('otto')
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items
    const role = (name: string) => roles.find((each: Json) => each.name === name).id
    const change = async (name: string) =>
      ok(
        await world.as('ada').put(`/api/users/${id('otto')}/role`, { role_id: role(name), change_reason: 'A new job' }),
      )
    await change('User')
    await world.tick()
    assert.deepEqual(await states('otto', program), ['assigned'])
    await change('Auditor')
  })

  it('is not assigned again what was cancelled by hand or waived, but by hand', async () => {
    const { program } = await standing('uma', 'anna')
    await end('uma', program, 'cancel', 'quinn')
    await end('anna', program, 'waive')
    await world.tick()
    assert.deepEqual([await states('uma', program), await states('anna', program)], [['cancelled'], ['waived']])
    await training.assign({ training_id: program.id, user_ids: [id('uma'), id('anna')] })
    assert.deepEqual((await states('uma', program)).at(-1), 'assigned')
    assert.deepEqual((await states('anna', program)).at(-1), 'assigned')
  })

  it('is not assigned again what they were trained in', async () => {
    const { program } = await standing('uma')
    await training.complete('uma', program.id)
    await world.tick()
    daysGoBy(world, 400)
    await world.tick()
    assert.deepEqual(await states('uma', program), ['completed'])
    daysGoBy(world, -400)
  })

  it('has failed it, and is assigned it anew after a month, not before', async () => {
    const { group } = await standing('uma')
    const question = {
      text: 'What comes first?',
      type: 'true_false',
      options: [
        { text: 'true', is_correct: true },
        { text: 'false', is_correct: false },
      ],
    }
    const quiz = await training.program({ type: 'quiz', questions: [question], max_attempts: 1 })
    await training.assign({ training_id: quiz.id, group_ids: [group.id] })
    await training.complete('uma', quiz.id, { answers: [] })
    await world.tick()
    assert.deepEqual(await states('uma', quiz), ['failed'])
    daysGoBy(world, 29)
    await world.tick()
    assert.deepEqual(await states('uma', quiz), ['failed'])
    daysGoBy(world, 2)
    await world.tick()
    await world.tick()
    assert.deepEqual(await states('uma', quiz), ['failed', 'assigned'])
    daysGoBy(world, -31)
  })

  it('is not assigned what is archived, nor a reading of which no version is effective', async () => {
    const { program } = await standing('uma')
    await forget(program)
    ok(await world.as('quinn').put(`/api/training/${program.id}`, { status: 'archived', change_reason: 'Replaced' }))
    const paper = papers(world)
    const draft = await paper.upload()
    const group = await training.group('uma')
    const reading = { id: (await training.assign({ document_id: draft.id, group_ids: [group.id] })).training_id }
    await forget(reading)
    await world.tick()
    assert.deepEqual([await states('uma', program), await states('uma', reading)], [[], []])
    await paper.release(draft.id)
    await forget(reading)
    await world.tick()
    assert.deepEqual(await states('uma', reading), ['assigned'])
  })

  it('by a curriculum, of a role or a group, is assigned its programs', async () => {
    const [first, second] = [await training.program(), await training.program()]
    const group = await training.group('anna')
    const programs = [{ training_id: first.id, is_prerequisite: true }, { training_id: second.id }]
    ok(
      await world
        .as('quinn')
        .post('/api/training/curricula/', { name: 'Filling', role_names: ['User'], group_ids: [group.id], programs }),
    )
    await world.tick()
    for (const name of ['uma', 'anna'])
      assert.deepEqual([await states(name, first), await states(name, second)], [['assigned'], ['assigned']])
    assert.equal((await newest('uma', first)).source, 'curriculum')
    ok(await world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_id: id('alan') }))
    assert.deepEqual(await states('alan', second), ['assigned'], 'with the membership')
  })

  it('renews what ends, once, a month ahead', async () => {
    const program = await training.program({ valid_months: 12 })
    await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    await training.complete('uma', program.id)
    daysGoBy(world, 320)
    await world.tick()
    assert.deepEqual(await states('uma', program), ['completed'])
    daysGoBy(world, 30)
    await world.tick()
    await world.tick()
    assert.deepEqual(await states('uma', program), ['completed', 'assigned'])
    const [old] = await world.rows<Json>(
      'select id::int, valid_until::text from training_assignments where program_id = $1 and status = $2',
      [program.id, 'completed'],
    )
    const [renewed] = await world.rows<Json>(
      'select source, source_id::int, due_date::text from training_assignments where program_id = $1 and status = $2',
      [program.id, 'assigned'],
    )
    assert.deepEqual(renewed, { source: 'requalification', source_id: old.id, due_date: old.valid_until })
    const notices = await world.rows<Json>(
      `select type from notifications where user_id = $1 and resource_type = 'training_assignment'
       and (resource_id = $2 or resource_id = $3) and type <> 'training_completed' order by id`,
      [id('uma'), old.id, (await newest('uma', program)).id],
    )
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['training_assigned', 'training_expiring'],
    )
    await end('uma', program, 'cancel', 'quinn')
    daysGoBy(world, 60)
    await world.tick()
    assert.deepEqual(await states('uma', program), ['completed', 'cancelled'])
    daysGoBy(world, -410)
  })

  it('that was missed for long is renewed by today', async () => {
    const program = await training.program({ valid_months: 1 })
    await training.assign({ training_id: program.id, user_ids: [id('anna')] })
    await training.complete('anna', program.id)
    daysGoBy(world, 400)
    await world.tick()
    assert.deepEqual(
      [await states('anna', program), (await newest('anna', program)).due_date],
      [['completed', 'assigned'], dayOf(world)],
    )
    daysGoBy(world, -400)
  })

  it('has it from one of two processes that look at the same moment', async () => {
    const { program } = await standing('uma', 'anna')
    await forget(program)
    const task = world.app.schedules.find(({ name }) => name === 'training.audience')!
    const looks = await Promise.all([world.round(task), world.round(task)])
    assert.deepEqual(
      looks.map(({ failed }) => failed),
      [0, 0],
    )
    assert.deepEqual([await states('uma', program), await states('anna', program)], [['assigned'], ['assigned']])
  })

  it('loses what is open with the account, and has it once again with it', async () => {
    const { program } = await standing('quentin')
    const byHand = await training.program()
    await training.assign({ training_id: byHand.id, user_ids: [id('quentin')] })
    ok(await world.as('ada').post(`/api/users/${id('quentin')}/deactivate`, {}))
    await world.tick()
    await world.tick()
    assert.deepEqual(await states('quentin', program), ['cancelled'])
    assert.equal((await newest('quentin', program)).reason, 'The account was deactivated')
    assert.deepEqual(await states('quentin', byHand), ['cancelled'])
    ok(await world.as('ada').post(`/api/users/${id('quentin')}/reactivate`, {}))
    await world.tick()
    await world.tick()
    assert.deepEqual(await states('quentin', program), ['cancelled', 'assigned'])
    assert.deepEqual(await states('quentin', byHand), ['cancelled'])
  })
})
