import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('groups', () => {
  let world: World
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  let made = 0
  const group = async (members: string[] = [], fields: object = {}): Promise<Json> => {
    const created = ok(await world.as('ada').post('/api/groups/', { name: `Group ${++made}`, ...fields }))
    if (members.length === 0) return created
    return ok(await world.as('ada').post(`/api/groups/${created.id}/add-member`, { user_ids: members.map(id) }))
  }
  const usernames = (answer: Json) => answer.members.map((each: Json) => each.username)
  const read = async (as: string, groupId: number) => world.as(as).get(`/api/groups/${groupId}`)

  // proves: GRP-01
  it('are created, changed and deleted, and each change is in the audit trail', async () => {
    const reply = await world.as('ada').post('/api/groups/', {
      name: 'Filling line 2',
      description: 'Operators of the line',
      group_type: 'job_function',
    })
    assert.equal(reply.statusCode, 201, reply.body)
    const created = reply.json()
    assert.equal(reply.headers.location, `/api/groups/${created.id}`)
    assert.deepEqual(
      [created.name, created.group_type, created.member_count, created.members, created.created_by.username],
      ['Filling line 2', 'job_function', 0, [], 'ada'],
    )
    const url = `/api/groups/${created.id}`
    const changed = ok(
      await world.as('ada').put(url, { name: 'Filling line 3', revision: 1, change_reason: 'The line has moved' }),
    )
    assert.deepEqual(
      [changed.name, changed.description, changed.revision],
      ['Filling line 3', 'Operators of the line', 2],
    )
    const stale = await world.as('ada').put(url, { name: 'Filling line 4', revision: 1 })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /based on revision 1, .* is at revision 2\..*group\.updated \(name\)/)
    assert.equal((await world.as('ada').delete(url)).statusCode, 204)
    assert.equal((await world.as('ada').get(url)).statusCode, 404)
    assert.equal((await world.as('ada').put(url, { name: 'Again' })).statusCode, 404)
    assert.equal((await world.as('ada').delete(url)).statusCode, 404)
    const trail = await world.rows(
      `select action, resource_number, reason, changes -> 'name' as name from audit_entries
       where resource_type = 'group' and resource_id = $1 order by id`,
      [created.id],
    )
    assert.deepEqual(trail, [
      {
        action: 'group.created',
        resource_number: 'Filling line 2',
        reason: null,
        name: { from: null, to: 'Filling line 2' },
      },
      {
        action: 'group.updated',
        resource_number: 'Filling line 3',
        reason: 'The line has moved',
        name: { from: 'Filling line 2', to: 'Filling line 3' },
      },
      {
        action: 'group.deleted',
        resource_number: 'Filling line 3',
        reason: null,
        name: { from: 'Filling line 3', to: null },
      },
    ])
  })

  it('have names that are theirs alone, whatever the case; that of a deleted one is free', async () => {
    const { id: first } = await group([], { name: 'Warehouse' })
    const taken = await world.as('ada').post('/api/groups/', { name: 'WAREHOUSE' })
    assert.deepEqual([taken.statusCode, taken.json().code], [409, 'group_name_taken'])
    const other = await group()
    assert.equal((await world.as('ada').put(`/api/groups/${other.id}`, { name: 'warehouse' })).statusCode, 409)
    ok(await world.as('ada').put(`/api/groups/${first}`, { name: 'warehouse' }))
    ok(await world.as('rex').post('/api/groups/', { name: 'Warehouse' }))
    assert.equal((await world.as('ada').delete(`/api/groups/${first}`)).statusCode, 204)
    ok(await world.as('ada').post('/api/groups/', { name: 'Warehouse' }))
  })

  // proves: GRP-01
  it('take one person or many, say who became a member, and tell each once', async () => {
    const { id: groupId } = await group()
    const url = `/api/groups/${groupId}/add-member`
    const one = ok(await world.as('ada').post(url, { user_id: id('uma') }))
    assert.deepEqual([one.added, one.already_members, one.member_count, one.revision], [[id('uma')], [], 1, 2])
    const many = ok(await world.as('ada').post(url, { user_ids: [id('uma'), id('alan'), id('otto')] }))
    assert.deepEqual([many.added, many.already_members], [[id('alan'), id('otto')], [id('uma')]])
    assert.deepEqual(usernames(many), ['alan', 'otto', 'uma'])
    const [alan] = many.members
    assert.deepEqual(
      [alan.user_id, alan.full_name, alan.is_active, alan.added_by.username, alan.removed_at],
      [id('alan'), 'Alan Example', true, 'ada', null],
    )
    const again = await world.as('ada').post(url, { user_id: id('uma') })
    assert.equal(again.statusCode, 409)
    assert.match(again.json().detail, /^uma is already a member of Group \d+\.$/)
    const [{ n }] = (await world.rows(
      `select count(*)::int as n from audit_entries where action = 'group.member_added' and resource_id = $1`,
      [groupId],
    )) as [{ n: number }]
    assert.equal(n, 3)
  })

  it('take nobody of a request that names somebody who is not there, not active, or of another tenant', async () => {
    const { id: groupId } = await group()
    const add = (body: object) => world.as('ada').post(`/api/groups/${groupId}/add-member`, body)
    const rob = await add({ user_ids: [id('uma'), id('rob'), 999_999] })
    assert.deepEqual([rob.statusCode, rob.json().detail], [404, `Users not found: ${id('rob')}, 999999`])
    assert.equal((await add({ user_id: id('rob') })).json().detail, 'User not found')
    ok(await world.as('ada').post(`/api/users/${id('anna')}/deactivate`))
    const anna = await add({ user_ids: [id('uma'), id('anna')] })
    assert.deepEqual(
      [anna.statusCode, anna.json().detail],
      [409, 'Only active people can become members. Leave out anna.'],
    )
    ok(await world.as('ada').post(`/api/users/${id('anna')}/reactivate`))
    for (const body of [{}, { user_id: id('uma'), user_ids: [id('uma')] }, { user_ids: [] }])
      assert.equal((await add(body)).statusCode, 422, JSON.stringify(body))
    assert.deepEqual((await read('ada', groupId)).json().members, [])
  })

  // proves: GRP-01
  it('let people go, who can come back; who was a member before is shown to who manages groups', async () => {
    const { id: groupId } = await group(['uma', 'alan'])
    const url = `/api/groups/${groupId}/remove-member/${id('uma')}`
    assert.equal((await world.as('ada').delete(url, { change_reason: 'Works elsewhere' })).statusCode, 204)
    const again = await world.as('ada').delete(url)
    assert.deepEqual([again.statusCode, again.json().detail], [404, 'Member not found'])
    assert.deepEqual(usernames((await read('ada', groupId)).json()), ['alan'])
    ok(await world.as('ada').post(`/api/groups/${groupId}/add-member`, { user_id: id('uma') }))
    const members = `/api/groups/${groupId}/members`
    assert.equal(ok(await world.as('alan').get(members)).total, 2)
    const former = ok(await world.as('ada').get(`${members}?include_former=true&q=uma&sort=added_at:desc`))
    assert.deepEqual(
      former.items.map((each: Json) => each.removed_by?.username ?? null),
      [null, 'ada'],
    )
    const refused = await world.as('alan').get(`${members}?include_former=true`)
    assert.equal(refused.statusCode, 403)
    const [entry] = await world.rows(
      `select reason, changes -> 'username' as username from audit_entries where action = 'group.member_removed' and resource_id = $1`,
      [groupId],
    )
    assert.deepEqual(entry, { reason: 'Works elsewhere', username: { from: 'uma', to: null } })
  })

  // proves: GRP-02
  it('are seen by their members, and all of them by those whose work names groups', async () => {
    const { id: groupId, name } = await group(['uma'])
    const listed = async (as: string, query = '') =>
      ok(await world.as(as).get(`/api/groups/?page_size=100${query}`)).items.map((each: Json) => each.name)
    for (const as of ['uma', 'ada', 'quinn', 'petra', 'otto']) {
      assert.equal((await read(as, groupId)).statusCode, 200, as)
      assert.ok((await listed(as)).includes(name), as)
    }
    assert.deepEqual((await read('alan', groupId)).json().detail, 'Group not found')
    assert.equal((await world.as('alan').get(`/api/groups/${groupId}/members`)).statusCode, 404)
    assert.ok(!(await listed('alan')).includes(name))
    assert.deepEqual(await listed('petra', '&mine=true'), [])
    assert.ok(!(await listed('rex')).includes(name))
    assert.equal((await read('rex', groupId)).statusCode, 404)
    assert.equal((await world.as('ada').delete(`/api/groups/${groupId}/remove-member/${id('uma')}`)).statusCode, 204)
    assert.equal((await read('uma', groupId)).statusCode, 404)
  })

  // proves: GRP-02
  it('are managed by Admins alone', async () => {
    const { id: groupId } = await group(['uma'])
    for (const as of ['quinn', 'petra', 'alan', 'uma', 'otto']) {
      const person = world.as(as)
      for (const reply of [
        await person.post('/api/groups/', { name: 'Mine' }),
        await person.put(`/api/groups/${groupId}`, { name: 'Mine' }),
        await person.delete(`/api/groups/${groupId}`),
        await person.post(`/api/groups/${groupId}/add-member`, { user_id: id(as) }),
        await person.delete(`/api/groups/${groupId}/remove-member/${id('uma')}`),
      ])
        assert.deepEqual([reply.statusCode, reply.json().detail], [403, 'You need the permission groups.manage.'], as)
    }
  })

  it('are found by words, kind and member, and listed in the order asked for', async () => {
    const { id: groupId } = await group(['otto'], { name: 'Zeppelin 100%', group_type: 'project' })
    const find = async (query: string) =>
      ok(await world.as('ada').get(`/api/groups/?${query}`)).items.map((each: Json) => each.id)
    assert.deepEqual(await find('q=zeppelin%20100%25'), [groupId])
    assert.deepEqual(await find('q=0%25%25'), [])
    assert.deepEqual(await find('group_type=project'), [groupId])
    assert.ok((await find(`user_id=${id('otto')}`)).includes(groupId))
    assert.equal((await find('sort=name:desc&page_size=100'))[0], groupId)
    assert.equal((await world.as('ada').get('/api/groups/?sort=deleted_at')).statusCode, 422)
  })

  it('end with everybody in them when they are deleted, and the trail says who that was', async () => {
    const { id: groupId, name } = await group(['uma', 'alan'])
    assert.equal((await world.as('ada').delete(`/api/groups/${groupId}`, { change_reason: 'Closed' })).statusCode, 204)
    assert.ok(!ok(await world.as('uma').get('/api/groups/')).items.some((each: Json) => each.id === groupId))
    const { items } = ok(await world.as('ada').get('/api/audit/?resource_type=group&page_size=100'))
    const told = items.filter((each: Json) => each.resource_id === groupId)
    assert.deepEqual(
      told.map((each: Json) => [each.action, each.changes.username?.to ?? each.changes.member_count?.from ?? null]),
      [
        ['group.deleted', 2],
        ['group.member_added', 'uma'],
        ['group.member_added', 'alan'],
        ['group.created', null],
      ],
    )
    assert.ok(told.every((each: Json) => each.resource_number === name))
  })

  it('keep who is deactivated, marked so', async () => {
    const { id: groupId } = await group(['anna'])
    ok(await world.as('ada').post(`/api/users/${id('anna')}/deactivate`))
    const { members } = (await read('ada', groupId)).json()
    assert.deepEqual(
      members.map((each: Json) => [each.username, each.is_active]),
      [['anna', false]],
    )
    ok(await world.as('ada').post(`/api/users/${id('anna')}/reactivate`))
  })

  it('have the members that their trail says, and a revision for each change, whatever Admins do at the same moment', async () => {
    const crews = [await group(), await group()]
    const people = ['uma', 'alan', 'otto']
    // Every third of them ends what another has begun; the last deletes a group under them.
    const moves = Array.from({ length: 36 }, (_, i) => {
      const { id: groupId } = crews[i % 2]!
      const name = people[i % 3]!
      return i === 30
        ? world.as('ada').delete(`/api/groups/${crews[1]!.id}`)
        : i % 5 < 3
          ? world.as('ada').post(`/api/groups/${groupId}/add-member`, { user_id: id(name) })
          : world.as('ada').delete(`/api/groups/${groupId}/remove-member/${id(name)}`)
    })
    const replies = await Promise.all(moves)
    for (const reply of replies) assert.ok([200, 204, 404, 409].includes(reply.statusCode), reply.body)
    assert.ok(
      replies.some(({ statusCode }) => statusCode === 200) && replies.some(({ statusCode }) => statusCode === 409),
    )
    for (const { id: groupId } of crews) {
      const [counted] = await world.rows<Json>(
        `select g.revision, g.deleted_at is not null as is_deleted,
           (select count(*) from group_members where group_id = g.id and removed_at is null)::int as open,
           (select count(*) from audit_entries where resource_type = 'group' and resource_id = g.id)::int as entries,
           (select count(*) filter (where action = 'group.member_added') - count(*) filter (where action = 'group.member_removed')
              from audit_entries where resource_type = 'group' and resource_id = g.id)::int as told
         from groups g where g.id = $1`,
        [groupId],
      )
      assert.equal(counted.entries, counted.revision)
      assert.equal(counted.open, counted.is_deleted ? 0 : counted.told)
    }
    assert.equal((await read('ada', crews[1]!.id)).statusCode, 404)
  })

  it('say what uses them', async () => {
    const { id: groupId } = await group(['petra'])
    const url = `/api/groups/${groupId}/use`
    const nothing: Json = ok(await world.as('ada').get(url))
    assert.ok(Object.values(nothing).every(each => (each as Json).total === 0))

    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/1'))
    const approve = definition.transitions.find(({ name }: Json) => name === 'approve')
    approve.approval.rules = [{ kind: 'group', who: groupId, count: 1 }]
    const template = ok(await world.as('quinn').post('/api/workflow-templates/', { name: 'By the group', definition }))
    const named = { name: 'Of the group', prefix: 'GRP', workflow_template_id: template.id }
    const type = ok(await world.as('quinn').post('/api/document-types/', named))
    const curriculum = ok(
      await world.as('ada').post('/api/training/curricula/', { name: 'Of the group', group_ids: [groupId] }),
    )
    const program = ok(
      await world.as('ada').post('/api/training/', { title: 'Fire drill', type: 'on_the_job', description: '' }),
    )
    ok(await world.as('ada').post('/api/training/assign', { training_id: program.id, group_ids: [groupId] }))
    const one = (id: number, name: string) => ({ total: 1, items: [{ id, name }] })
    assert.deepEqual(ok(await world.as('ada').get(url)), {
      workflow_templates: one(template.id, 'By the group'),
      document_types: one(type.id, 'Of the group'),
      documents: { total: 0, items: [] },
      curricula: one(curriculum.id, 'Of the group'),
      training_programs: one(program.id, `${program.number} Fire drill`),
      identity_providers: { total: 0, items: [] },
    })
    assert.equal((await world.as('quinn').get(`/api/groups/${groupId}/use`)).statusCode, 403)
    assert.equal((await world.as('rex').get(`/api/groups/${groupId}/use`)).statusCode, 404)
  })
})
