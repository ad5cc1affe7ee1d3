import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { audienceOf } from './people-queries.ts'

describe('curricula', () => {
  let world: World
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  let made = 0
  const program = async (fields: object = {}, by = 'quinn'): Promise<Json> =>
    ok(await world.as(by).post('/api/training/', { title: 'Gowning', type: 'on_the_job', ...fields }))
  const archived = async () => {
    const { id: archivedId, number }: Json = await program()
    ok(await world.as('quinn').put(`/api/training/${archivedId}`, { status: 'archived' }))
    return { id: archivedId as number, number: number as string }
  }
  const create = (body: object, as = 'quinn') =>
    world.as(as).post('/api/training/curricula/', { name: `Curriculum ${++made}`, ...body })
  const group = async (...members: string[]) => {
    const created: Json = ok(await world.as('ada').post('/api/groups/', { name: `Group ${++made}` }))
    if (members.length > 0)
      ok(await world.as('ada').post(`/api/groups/${created.id}/add-member`, { user_ids: members.map(id) }))
    return created.id as number
  }
  const as = { tenantId: 0, userId: null }
  const inTenant = <T>(work: Parameters<typeof world.database.transaction<T>>[2]) =>
    world.database.transaction({ ...as, tenantId: world.people.ada!.tenant_id }, 'read only', work)
  const audience = async (curriculum: number) => {
    const names = new Map(Object.entries(world.people).map(([name, person]) => [person.id, name]))
    const { rows } = await inTenant(async tx =>
      sql<{ user_id: number }>`select distinct user_id from ${await audienceOf(tx)} as audience
        where curriculum_id = ${curriculum} order by user_id`.execute(tx),
    )
    return rows.map(row => names.get(row.user_id)!)
  }

  it('are written with their programs in order, and each change is in the audit trail', async () => {
    const [first, second, third] = [await program(), await program(), await program()]
    const operators = await group('uma')
    const reply = await create({
      name: 'Operators',
      role_names: ['Author'],
      group_ids: [operators],
      programs: [{ training_id: second.id, is_prerequisite: true }, { training_id: first.id }],
    })
    assert.equal(reply.statusCode, 201, reply.body)
    const made = reply.json()
    assert.equal(reply.headers.location, `/api/training/curricula/${made.id}`)
    assert.deepEqual(
      [made.status, made.role_names, made.groups.map((each: Json) => each.id), made.created_by.username],
      ['active', ['Author'], [operators], 'quinn'],
    )
    assert.deepEqual(
      made.programs.map((each: Json) => [each.number, each.title, each.status, each.is_prerequisite]),
      [
        [second.number, 'Gowning', 'active', true],
        [first.number, 'Gowning', 'active', false],
      ],
    )
    const url = `/api/training/curricula/${made.id}`
    const changed = ok(
      await world.as('quinn').put(url, {
        programs: [{ training_id: third.id }, { training_id: second.id }],
        revision: 1,
        change_reason: 'The line was rebuilt',
      }),
    )
    assert.deepEqual(
      changed.programs.map((each: Json) => [each.training_id, each.is_prerequisite]),
      [
        [third.id, false],
        [second.id, false],
      ],
    )
    assert.deepEqual([changed.groups, changed.revision], [made.groups, 2])
    assert.equal((await world.as('quinn').put(url, { name: 'Others', revision: 1 })).statusCode, 409)
    ok(await world.as('quinn').put(url, { status: 'archived' }))
    const silent = await world.as('quinn').put(url, { status: 'active' })
    assert.equal(silent.statusCode, 422)
    assert.deepEqual(silent.json().detail[0].loc, ['body', 'change_reason'])
    ok(await world.as('quinn').put(url, { status: 'active', change_reason: 'In use again' }))
    const [, entry] = await world.rows(
      `select reason, changes -> 'programs' as programs from audit_entries
       where resource_type = 'curriculum' and resource_id = $1 order by id`,
      [made.id],
    )
    assert.deepEqual(entry, {
      reason: 'The line was rebuilt',
      programs: {
        from: [
          { number: second.number, is_prerequisite: true },
          { number: first.number, is_prerequisite: false },
        ],
        to: [
          { number: third.number, is_prerequisite: false },
          { number: second.number, is_prerequisite: false },
        ],
      },
    })
  })

  it('are refused as a whole where something of them is not there, twice there, archived, or a name is taken', async () => {
    const [one, theirs, old] = [await program(), await program({}, 'rex'), await archived()]
    const roles = await create({ role_names: ['Author', 'Astronaut'] })
    assert.equal(roles.statusCode, 422)
    assert.deepEqual(
      [roles.json().detail[0].loc, roles.json().detail[0].type, roles.json().detail[0].params],
      [['body', 'role_names', 1], 'curriculum_role_unknown', { role: 'Astronaut' }],
    )
    const foreign = ok(await world.as('rex').post('/api/groups/', { name: 'Theirs' })).id
    const gone = await group()
    assert.equal((await world.as('ada').delete(`/api/groups/${gone}`)).statusCode, 204)
    for (const group_id of [foreign, gone, 999_999]) {
      const reply = await create({ group_ids: [group_id] })
      assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Group not found'])
    }
    for (const training_id of [theirs.id, 999_999]) {
      const reply = await create({ programs: [{ training_id }] })
      assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Training program not found'])
    }
    const outOfUse = await create({ programs: [{ training_id: old.id }] })
    assert.deepEqual(
      [outOfUse.statusCode, outOfUse.json().detail],
      [409, `A curriculum takes active programs only. Remove ${old.number}, or make it active again.`],
    )
    const twice = await create({ programs: [{ training_id: one.id }, { training_id: one.id }] })
    assert.deepEqual([twice.statusCode, twice.json().detail[0].loc], [422, ['body', 'programs', 1, 'training_id']])
    ok(await create({ name: 'Taken' }))
    assert.equal((await create({ name: 'Taken' })).statusCode, 409)
    const other = ok(await create({}))
    assert.equal(
      (await world.as('quinn').put(`/api/training/curricula/${other.id}`, { name: 'Taken' })).statusCode,
      409,
    )
  })

  it('are refused where a program would stand before itself over several of them', async () => {
    const [one, two] = [await program(), await program()]
    const first = ok(
      await create({
        name: 'Weighing',
        programs: [{ training_id: one.id, is_prerequisite: true }, { training_id: two.id }],
      }),
    )
    const back = { programs: [{ training_id: two.id, is_prerequisite: true }, { training_id: one.id }] }
    const reply = await create({ ...back, name: 'Mixing' })
    assert.equal(reply.statusCode, 422)
    const [{ loc, msg, type }] = reply.json().detail
    assert.deepEqual([loc, type], [['body', 'programs'], 'curriculum_order_circular'])
    assert.match(msg, new RegExp(`${one.number} before ${two.number} in Weighing`))
    assert.match(msg, new RegExp(`${two.number} before ${one.number} in Mixing`))
    ok(await world.as('quinn').put(`/api/training/curricula/${first.id}`, { status: 'archived' }))
    ok(await create({ ...back, name: 'Mixing' }))
    const again = { status: 'active', change_reason: 'In use again' }
    assert.equal((await world.as('quinn').put(`/api/training/curricula/${first.id}`, again)).statusCode, 422)
  })

  it("of two that would stand in each other's way, written at the same moment, one is refused", async () => {
    const [one, two] = [await program(), await program()]
    const order = (...ids: number[]) =>
      create({ programs: ids.map((training_id, i) => ({ training_id, is_prerequisite: i === 0 })) })
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all([order(one.id, two.id), order(two.id, one.id)])
      assert.deepEqual(
        replies.map(each => each.statusCode).sort((a, b) => a - b),
        [201, 422],
      )
      const made = replies.find(each => each.statusCode === 201)!.json()
      ok(await world.as('quinn').put(`/api/training/curricula/${made.id}`, { status: 'archived' }))
    }
  })

  it("are everybody's who has one of the roles, or one that inherits from it, or is in one of the groups", async () => {
    const one = await program()
    const crew = await group('uma', 'otto')
    const made = ok(await create({ role_names: ['QA'], group_ids: [crew], programs: [{ training_id: one.id }] }))
    assert.deepEqual(await audience(made.id), ['ada', 'quinn', 'petra', 'quentin', 'uma', 'otto'])
    ok(await world.as('ada').post(`/api/users/${id('quentin')}/deactivate`))
    assert.equal((await world.as('ada').delete(`/api/groups/${crew}/remove-member/${id('otto')}`)).statusCode, 204)
    assert.deepEqual(await audience(made.id), ['ada', 'quinn', 'petra', 'uma'])
    ok(await world.as('ada').post(`/api/users/${id('quentin')}/reactivate`))
    ok(await world.as('quinn').put(`/api/training/curricula/${made.id}`, { status: 'archived' }))
    assert.deepEqual(await audience(made.id), [])
  })

  it("are read by those whose they are, and all of them by who reads everybody's training", async () => {
    const crew = await group('uma')
    const made = ok(await create({ group_ids: [crew] }))
    const url = `/api/training/curricula/${made.id}`
    const listed = async (who: string) =>
      ok(await world.as(who).get('/api/training/curricula/?page_size=100')).items.some(
        (each: Json) => each.id === made.id,
      )
    for (const who of ['uma', 'otto', 'petra', 'ada']) {
      assert.equal((await world.as(who).get(url)).statusCode, 200, who)
      assert.ok(await listed(who), who)
    }
    for (const who of ['alan', 'rex']) {
      assert.equal((await world.as(who).get(url)).statusCode, 404, who)
      assert.ok(!(await listed(who)), who)
    }
    for (const who of ['uma', 'alan', 'otto']) {
      assert.equal((await create({}, who)).statusCode, 403, who)
      assert.equal((await world.as(who).put(url, { name: 'Mine' })).statusCode, 403, who)
    }
  })

  it('are found by words, state, role, group and program', async () => {
    const one = await program()
    const crew = await group()
    const made = ok(
      await create({
        name: 'Zinc 5%',
        role_names: ['Auditor'],
        group_ids: [crew],
        programs: [{ training_id: one.id }],
      }),
    )
    for (const query of ['q=zinc%205%25', 'role=Auditor', `group_id=${crew}`, `training_id=${one.id}`])
      assert.deepEqual(
        ok(await world.as('quinn').get(`/api/training/curricula/?${query}`)).items.map((each: Json) => each.id),
        [made.id],
        query,
      )
    const outOfUse = ok(await world.as('quinn').get('/api/training/curricula/?status=archived&page_size=100'))
    assert.ok(outOfUse.items.every((each: Json) => each.status === 'archived'))
    const sorted = ok(await world.as('quinn').get('/api/training/curricula/?sort=name:desc'))
    assert.equal(sorted.items[0].id, made.id)
  })

  it('keep their roles and groups from being deleted', async () => {
    const role = ok(await world.as('ada').post('/api/roles/', { name: 'Packer' }))
    const crew = await group()
    const made = ok(await create({ name: 'Packing', role_names: ['Packer'], group_ids: [crew] }))
    const refused = await world.as('ada').delete(`/api/roles/${role.id}`)
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'role_in_use'])
    assert.match(refused.json().detail, /^Packer cannot be deleted: 1 curriculum names it\. /)
    const named = await world.as('ada').delete(`/api/groups/${crew}`)
    assert.equal(named.statusCode, 409)
    assert.match(named.json().detail, /^Group \d+ is used by the curricula Packing\. /)
    ok(await world.as('quinn').put(`/api/training/curricula/${made.id}`, { role_names: [], group_ids: [] }))
    assert.equal((await world.as('ada').delete(`/api/roles/${role.id}`)).statusCode, 204)
    assert.equal((await world.as('ada').delete(`/api/groups/${crew}`)).statusCode, 204)
  })

  it('keep a program back until what stands before it is done, verified where it has to be, and still valid', async () => {
    const [first, second, third, last] = [
      await program({ valid_months: 12 }),
      await program({ requires_verification: true }),
      await program(),
      await program(),
    ] as [Json, Json, Json, Json]
    const programs = [first, second, third, last].map((each, i) => ({ training_id: each.id, is_prerequisite: i < 2 }))
    const crew = await group('uma')
    const curriculum = ok(await create({ group_ids: [crew], programs }))
    const assign = async (each: Json, ...names: string[]) =>
      ok(await world.as('quinn').post('/api/training/assign', { training_id: each.id, user_ids: names.map(id) }))
    const take = (who: string, each: Json, how: 'start' | 'complete' = 'complete') =>
      world.as(who).post(`/api/training/${each.id}/${how}`, how === 'complete' ? { password } : undefined)
    /** The numbers that a refusal names. */
    const keptBackBy = async (who: string, each: Json, how?: 'start' | 'complete') => {
      const reply = await take(who, each, how)
      assert.equal(reply.statusCode, 409, reply.body)
      return reply.json().params.prerequisites.map((each: string) => each.split(' ')[0])
    }
    for (const each of [first, second, third, last]) await assign(each, 'uma', 'alan')
    const waiting = async (who: string) => {
      const { items } = ok(await world.as(who).get('/api/training/my-training?status=assigned&page_size=100'))
      const all: [string, string[]][] = items.map((each: Json) => [
        each.number,
        each.prerequisites.map(({ number }: Json) => number),
      ])
      return Object.fromEntries(
        all.filter(([number]) => [first, second, third, last].some(each => each.number === number)),
      )
    }
    assert.deepEqual(await waiting('uma'), {
      [first.number]: [],
      [second.number]: [first.number],
      [third.number]: [first.number, second.number],
      [last.number]: [first.number, second.number],
    })
    assert.deepEqual(Object.values(await waiting('alan')), [[], [], [], []], 'the curriculum is of the crew alone')
    for (const how of ['start', 'complete'] as const) {
      assert.deepEqual(await keptBackBy('uma', second, how), [first.number])
      assert.deepEqual(await keptBackBy('uma', last, how), [first.number, second.number])
    }
    ok(await take('alan', last))
    ok(await take('uma', first))
    ok(await take('uma', second))
    assert.deepEqual(await keptBackBy('uma', third), [second.number], 'completed, and not verified yet')
    const [row] = await world.rows<{ id: number }>(
      'select id::int from training_assignments where program_id = $1 and user_id = $2',
      [second.id, id('uma')],
    )
    const verify = `/api/training/assignments/${row!.id}/verify`
    ok(await world.as('petra').post(verify, { password }))
    ok(await take('uma', third))
    world.clock.moved_ms = 400 * 86_400_000
    assert.deepEqual(await keptBackBy('uma', last), [first.number], 'the first is over since a month')
    await assign(first, 'uma')
    assert.deepEqual(await keptBackBy('uma', last), [first.number], 'asked of her again')
    const [again] = await world.rows<{ id: number }>(
      `select id::int from training_assignments where program_id = $1 and user_id = $2 and status = 'assigned'`,
      [first.id, id('uma')],
    )
    ok(await world.as('quinn').post(`/api/training/assignments/${again!.id}/waive`, { reason: 'Teaches it' }))
    ok(await take('uma', last, 'start'))
    ok(await world.as('quinn').put(`/api/training/curricula/${curriculum.id}`, { status: 'archived' }))
    world.clock.moved_ms = 0
  })

  it('reach those who join a group with what they lack, within a minute', async () => {
    const one = await program()
    const crew = await group()
    ok(await create({ group_ids: [crew], programs: [{ training_id: one.id }] }))
    ok(await world.as('ada').post(`/api/groups/${crew}/add-member`, { user_id: id('alan') }))
    await world.tick()
    const rows = await world.rows(
      'select user_id::int, source, status from training_assignments where program_id = $1',
      [one.id],
    )
    assert.deepEqual(rows, [{ user_id: id('alan'), source: 'curriculum', status: 'assigned' }])
  })
})
