import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addCrowd, assignments, dayOf } from '#test/builders/assignments.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

const usernames = (people: Json[]): string[] => people.map(({ user }): string => user.username).toSorted()

describe('assigning training', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
    training = assignments(world)
  })
  after(() => world.close())

  const trail = (resource: string, resource_id: number) =>
    world.rows<{ action: string; username: string; changes: Json }>(
      'select action, username, changes from audit_entries where resource_type = $1 and resource_id = $2 order by id',
      [resource, resource_id],
    )
  const told = (name: string, resource_id: number) =>
    world.rows<{ type: string }>(
      `select type from notifications where user_id = $1 and resource_type = 'training_assignment' and resource_id = $2 order by id`,
      [id(name), resource_id],
    )

  it('reaches the people that are named, and tells each of them; TRN-01', async () => {
    const program = await training.program({ due_days: 10 })
    const answer = await training.assign({ training_id: program.id, user_ids: [id('uma'), id('alan')] })
    assert.deepEqual(
      [answer.training_id, usernames(answer.assigned), answer.already_assigned, answer.skipped, answer.job],
      [program.id, ['alan', 'uma'], [], [], null],
    )
    const { assignment_id } = answer.assigned.find(({ user }: Json) => user.username === 'uma')
    const shown = ok(await world.as('uma').get(`/api/training/assignments/${assignment_id}`))
    assert.deepEqual(
      [shown.status, shown.due_date, shown.source, shown.assigned_by.username, shown.is_overdue],
      ['assigned', dayOf(world, 10), 'manual', 'quinn', false],
    )
    const [entry] = await trail('training_assignment', assignment_id)
    assert.deepEqual([entry!.action, entry!.username], ['training_assignment.assigned', 'quinn'])
    assert.equal(entry!.changes.number.to, program.number)
    assert.deepEqual(await told('uma', assignment_id), [{ type: 'training_assigned' }])
    assert.deepEqual(await told('quinn', assignment_id), [])
  })

  it('leaves what is open as it is, and says whose it was; who comes second is answered too', async () => {
    const program = await training.program()
    const first = await training.assign({ training_id: program.id, user_ids: [id('uma')], due_date: dayOf(world, 3) })
    const second = await training.assign({ training_id: program.id, user_ids: [id('uma'), id('anna')] }, 'petra')
    assert.deepEqual([usernames(second.assigned), second.already_assigned], [['anna'], first.assigned])
    const third = await training.assign({ training_id: program.id, user_ids: [id('uma'), id('anna')] }, 'petra')
    assert.deepEqual([third.assigned, usernames(third.already_assigned)], [[], ['anna', 'uma']])
    assert.deepEqual(
      (await training.of('uma', program.id)).map(({ due_date }) => due_date),
      [dayOf(world, 3)],
    )
    assert.deepEqual(
      (await trail('training_program', program.id)).map(({ action }) => action),
      ['training_program.created', ...Array.from({ length: 3 }, () => 'training_program.assigned')],
    )
  })

  it('skips who is not active, and who may do no training, with the reason', async () => {
    const program = await training.program()
    ok(await world.as('ada').post(`/api/users/${id('anna')}/deactivate`, {}))
    const answer = await training.assign({ training_id: program.id, user_ids: ['uma', 'otto', 'anna'].map(id) })
    assert.deepEqual(usernames(answer.assigned), ['uma'])
    assert.deepEqual(answer.skipped.map(({ user, reason }: Json) => [user.username, reason.code]).sort(), [
      ['anna', 'training_assignee_inactive'],
      ['otto', 'training_assignee_not_permitted'],
    ])
    assert.deepEqual(answer.skipped.find(({ user }: Json) => user.username === 'anna').reason, {
      detail: 'The account is not active.',
      code: 'training_assignee_inactive',
      params: {},
    })
    ok(await world.as('ada').post(`/api/users/${id('anna')}/reactivate`, {}))
  })

  it('names everybody who is not there, and assigns nobody then', async () => {
    const program = await training.program()
    const reply = await world
      .as('quinn')
      .post('/api/training/assign', { training_id: program.id, user_ids: [id('uma'), id('rob'), 999_999] })
    assert.deepEqual([reply.statusCode, reply.json().detail], [404, `Users not found: ${id('rob')}, 999999`])
    assert.deepEqual(await training.of('uma', program.id), [])
  })

  it('is asked of somebody, for one program, by a day that is not over and within ten years', async () => {
    const program = await training.program()
    const user_ids = [id('uma')]
    const asked = async (body: object) => world.as('quinn').post('/api/training/assign', body)
    const wrongIn = async (body: object) => {
      const reply = await asked(body)
      assert.equal(reply.statusCode, 422, reply.body)
      const [{ loc, type }] = reply.json().detail
      return [loc[1], type]
    }
    for (const [body, field, code] of [
      [{ training_id: program.id }, 'user_ids', 'training_assignees_required'],
      [{ user_ids }, 'training_id', 'training_or_document_required'],
      [{ training_id: program.id, document_id: 1, user_ids }, 'training_id', 'training_or_document_required'],
      [{ training_id: program.id, user_ids, due_date: dayOf(world, -1) }, 'due_date', 'training_due_date_past'],
      [{ training_id: program.id, user_ids, due_date: dayOf(world, 3_660) }, 'due_date', 'training_due_date_too_late'],
    ] as const)
      assert.deepEqual(await wrongIn(body), [field, code])
    assert.equal((await wrongIn({ training_id: program.id, user_ids: [] }))[0], 'user_ids')
    assert.equal((await asked({ training_id: 999_999, user_ids })).statusCode, 404)
    assert.deepEqual(await training.of('uma', program.id), [])
  })

  it('goes by the tenant’s own day', async () => {
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Pacific/Kiritimati', change_reason: 'We moved' }))
    const program = await training.program({ due_days: 1 })
    const { moved_ms } = world.clock
    world.clock.moved_ms = Date.parse(`${dayOf(world, 1)}T11:00:00Z`) - Date.now()
    const day = dayOf(world)
    const reply = await world
      .as('quinn')
      .post('/api/training/assign', { training_id: program.id, user_ids: [id('uma')], due_date: day })
    assert.equal(reply.statusCode, 422, reply.body)
    await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    assert.equal((await training.of('uma', program.id))[0]!.due_date, dayOf(world, 2))
    world.clock.moved_ms = moved_ms
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC', change_reason: 'We moved back' }))
  })

  it('is not done of a program that is archived', async () => {
    const program = await training.program()
    ok(await world.as('quinn').put(`/api/training/${program.id}`, { status: 'archived' }))
    for (const path of ['assign', 'bulk-assign']) {
      const reply = await world
        .as('quinn')
        .post(`/api/training/${path}`, { training_id: program.id, user_ids: [id('uma')] })
      assert.equal(reply.statusCode, 409, reply.body)
      assert.equal(reply.json().code, 'training_archived')
    }
  })

  it('of a document is of its reading, which is made once, in the version that is in force', async () => {
    const document = await papers(world).effective()
    const first = await training.assign({ document_id: document.id, user_ids: [id('uma')] })
    const second = await training.assign({ document_id: document.id, user_ids: [id('anna')] })
    assert.equal(first.training_id, second.training_id)
    const shown = ok(await world.as('uma').get(`/api/training/assignments/${first.assigned[0].assignment_id}`))
    assert.deepEqual(
      [shown.type, shown.document],
      ['read_and_understand', { id: document.id, number: document.number, version: '1.0' }],
    )
    const own: Json[] = ok(await world.as('uma').get('/api/training/my-training?page_size=100')).items
    assert.equal(own.find(({ id }) => id === first.training_id)!.document_version, '1.0')
    assert.equal(
      (await world.as('quinn').post('/api/training/assign', { document_id: 999_999, user_ids: [id('uma')] }))
        .statusCode,
      404,
    )
  })

  it('to a group reaches who is a member, and who becomes one, until it is ended', async () => {
    const group = await training.group('uma', 'otto')
    const program = await training.program()
    const answer = await training.assign({ training_id: program.id, group_ids: [group.id], due_date: dayOf(world, 5) })
    assert.deepEqual([usernames(answer.assigned), usernames(answer.skipped)], [['uma'], ['otto']])
    ok(await world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_id: id('anna') }))
    const [joined] = await training.of('anna', program.id)
    assert.deepEqual([joined!.status, joined!.source, joined!.due_date], ['assigned', 'group', dayOf(world, 5)])
    for (const name of ['quinn', 'otto']) {
      const groups: Json[] = ok(await world.as(name).get(`/api/training/${program.id}/groups`))
      assert.deepEqual(
        groups.map(({ group, due_days }) => [group.name, due_days]),
        [[group.name, 5]],
      )
    }
    const url = `/api/training/${program.id}/groups/${group.id}`
    assert.equal((await world.as('quinn').delete(url)).statusCode, 204)
    assert.equal((await world.as('quinn').delete(url)).statusCode, 404)
    ok(await world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_id: id('alan') }))
    assert.deepEqual(await training.of('alan', program.id), [])
    assert.equal((await training.of('anna', program.id))[0]!.status, 'assigned')
    const actions = (await trail('training_program', program.id)).map(({ action }) => action)
    assert.deepEqual(actions.slice(1), [
      'training_program.group_assigned',
      'training_program.assigned',
      'training_program.group_unassigned',
    ])
  })

  it('to a group leaves out who is validly trained, and to a person by name does not', async () => {
    const group = await training.group('uma', 'anna')
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    await training.complete('uma', program.id)
    const answer = await training.assign({ training_id: program.id, group_ids: [group.id] })
    assert.deepEqual(usernames(answer.assigned), ['anna'])
    assert.deepEqual(
      answer.skipped.map(({ user, reason }: Json) => [user.username, reason.code]),
      [['uma', 'training_assignee_trained']],
    )
    assert.deepEqual(usernames((await training.assign({ training_id: program.id, user_ids: [id('uma')] })).assigned), [
      'uma',
    ])
  })

  it('to a group that is deleted, or is another tenant’s, is refused', async () => {
    const program = await training.program()
    const group = await training.group('uma')
    assert.equal((await world.as('ada').delete(`/api/groups/${group.id}`)).statusCode, 204)
    const foreign = ok(await world.as('rex').post('/api/groups/', { name: 'Of rival' }))
    const reply = await world
      .as('quinn')
      .post('/api/training/assign', { training_id: program.id, group_ids: [group.id, foreign.id] })
    assert.deepEqual([reply.statusCode, reply.json().detail], [404, `Groups not found: ${group.id}, ${foreign.id}`])
  })

  it('to more than 200 people is answered at once with a job, which assigns each of them once; TRN-01', async () => {
    const program = await training.program()
    const crowd = await addCrowd(world, 450)
    await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    const body = { training_id: program.id, user_ids: [...crowd, id('uma'), id('otto')], due_date: dayOf(world, 20) }
    const answer = ok(await world.as('quinn').post('/api/training/bulk-assign', body))
    assert.deepEqual(
      [answer.assigned, answer.job.kind, answer.job.status, answer.job.total],
      [[], 'training.assign', 'queued', 452],
    )
    await world.work()
    const job = ok(await world.as('quinn').get(answer.job.href))
    assert.deepEqual([job.status, job.done, job.skipped, job.percent], ['completed', 450, 2, 100])
    const [counted] = await world.rows<Json>(
      `select count(*)::int as n, count(distinct user_id)::int as people, min(due_date)::text as due,
         count(distinct assigned_by)::int as assigners from training_assignments where program_id = $1 and source = 'bulk'`,
      [program.id],
    )
    assert.deepEqual(counted, { n: 450, people: 450, due: dayOf(world, 20), assigners: 1 })
    const [entries] = await world.rows<Json>(
      `select count(*)::int as n from audit_entries where action = 'training_assignment.assigned' and username = 'quinn'
       and resource_id in (select id from training_assignments where program_id = $1 and source = 'bulk')`,
      [program.id],
    )
    assert.equal(entries.n, 450)
    const [notices] = await world.rows<Json>(
      `select count(*)::int as n from notifications where type = 'training_assigned'
       and resource_id in (select id from training_assignments where program_id = $1 and source = 'bulk')`,
      [program.id],
    )
    assert.equal(notices.n, 450)
  })

  it('to a group of more than 200 people is done by a job as well; who joins meanwhile is not left out', async () => {
    const program = await training.program()
    const crowd = await world.rows<{ id: number }>(`select id::int from users where username like 'crowd%' order by id`)
    const group = await training.group()
    const add = async (ids: number[]) =>
      ok(await world.as('ada').post(`/api/groups/${group.id}/add-member`, { user_ids: ids }))
    await add(crowd.slice(0, 300).map(each => each.id))
    const answer = await training.assign({ training_id: program.id, group_ids: [group.id] })
    assert.deepEqual([answer.assigned, answer.job.total], [[], 300])
    await add([crowd[300]!.id, id('uma')])
    await world.work()
    const [counted] = await world.rows<Json>(
      `select count(*)::int as n, count(distinct user_id)::int as people, min(source_id)::int as of_group
       from training_assignments where program_id = $1 and source = 'group'`,
      [program.id],
    )
    assert.deepEqual(counted, { n: 302, people: 302, of_group: group.id })
  })

  it('of many people leaves out who is validly trained, at once and by the job; TRN-01', async () => {
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: [id('uma')] })
    await training.complete('uma', program.id)
    const bulk = async (user_ids: number[]) =>
      ok(await world.as('quinn').post('/api/training/bulk-assign', { training_id: program.id, user_ids }))
    const answer = await bulk([id('uma'), id('anna')])
    assert.deepEqual(
      [usernames(answer.assigned), answer.skipped.map(({ user, reason }: Json) => [user.username, reason.code])],
      [['anna'], [['uma', 'training_assignee_trained']]],
    )
    const crowd = await world.rows<{ id: number }>(`select id::int from users where username like 'crowd%' limit 201`)
    const { job } = await bulk([id('uma'), ...crowd.map(each => each.id)])
    await world.work()
    const { done, skipped } = ok(await world.as('quinn').get(job.href))
    assert.deepEqual([done, skipped], [201, 1])
  })

  it('by a job ends with words where the program was archived meanwhile', async () => {
    const program = await training.program()
    const crowd = await world.rows<{ id: number }>(`select id::int from users where username like 'crowd%'`)
    const answer = ok(
      await world
        .as('quinn')
        .post('/api/training/bulk-assign', { training_id: program.id, user_ids: crowd.map(each => each.id) }),
    )
    ok(await world.as('quinn').put(`/api/training/${program.id}`, { status: 'archived' }))
    await world.work()
    const job = ok(await world.as('quinn').get(answer.job.href))
    assert.deepEqual(
      [job.status, job.error],
      ['failed', `${program.number} is archived. Make it active again to assign it.`],
    )
  })
})
