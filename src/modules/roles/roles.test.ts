import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { permissions } from '#kernel/catalogue.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('roles', () => {
  let world: World
  let byName: Record<string, number>
  before(async () => {
    world = await openWorld()
    const { items } = (await world.as('ada').get('/api/roles/')).json()
    byName = Object.fromEntries(items.map(({ name, id }: { name: string; id: number }) => [name, id]))
  })
  after(() => world.close())

  const create = async (body: object) => world.as('ada').post('/api/roles/', body)

  it('of the system are there for every tenant, and cannot be changed or deleted (proves: ROLE-03, ROLE-05)', async () => {
    const list = (await world.as('rex').get('/api/roles/?sort=name')).json()
    assert.deepEqual(
      list.items.map(({ name }: { name: string }) => name),
      ['Admin', 'Auditor', 'Author', 'QA', 'QA Manager', 'User'],
    )
    assert.deepEqual([list.total, list.pages], [6, 1])
    for (const reply of [
      await world.as('ada').put(`/api/roles/${byName.QA}`, { granted: [] }),
      await world.as('ada').delete(`/api/roles/${byName.QA}`),
    ]) {
      assert.equal(reply.statusCode, 409)
      assert.deepEqual([reply.json().code, reply.json().params], ['role_is_system', { name: 'QA' }])
    }
    assert.equal((await world.as('rex').get(`/api/roles/${byName.QA}`)).statusCode, 404)
  })

  it('show their effective permissions and which role gives each (proves: ROLE-01, ROLE-03)', async () => {
    const manager = (await world.as('quinn').get(`/api/roles/${byName['QA Manager']}`)).json()
    const roleOf = Object.fromEntries(
      manager.origins.map(({ permission, role }: { permission: string; role: string }) => [permission, role]),
    )
    assert.deepEqual(
      [roleOf['audit.export'], roleOf['documents.approve'], roleOf['documents.create'], roleOf['documents.read']],
      ['QA Manager', 'QA', 'Author', 'User'],
    )
    assert.equal(roleOf['users.manage'], undefined)
    const admin = (await world.as('ada').get(`/api/roles/${byName.Admin}`)).json()
    const { items, total } = (await world.as('ada').get('/api/permissions/')).json()
    assert.deepEqual(admin.permissions, items.map(({ name }: { name: string }) => name).sort())
    assert.ok(total >= 30)
    assert.ok(
      items.every(
        ({ name, description }: { name: string; description: string }) =>
          !name.startsWith('platform.') && description.length > 5,
      ),
    )
    assert.equal(total, Object.keys(permissions).filter(name => !name.startsWith('platform.')).length)
  })

  it('inherit, add and take away, and a change reaches their people at the next request (proves: ROLE-02)', async () => {
    const created = await create({
      name: 'Trainer',
      inherits_role_id: byName.User,
      granted: ['users.read'],
      denied: ['search.use'],
    })
    assert.equal(created.statusCode, 201, created.body)
    const trainer = created.json()
    assert.deepEqual([trainer.inherits, created.headers.etag], [{ id: byName.User, name: 'User' }, '"1"'])
    assert.deepEqual(
      [
        trainer.permissions.includes('users.read'),
        trainer.permissions.includes('search.use'),
        trainer.permissions.includes('documents.read'),
      ],
      [true, false, true],
    )
    assert.equal(
      (await world.as('ada').put(`/api/users/${world.people.uma!.id}/role`, { role_id: trainer.id })).statusCode,
      200,
    )
    world.people.uma!.session_version += 1
    assert.equal((await world.as('uma').get('/api/users/')).statusCode, 200)
    const changed = await world
      .as('ada')
      .put(`/api/roles/${trainer.id}`, { granted: [], change_reason: 'Too much' }, { 'if-match': '"1"' })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal((await world.as('uma').get('/api/users/')).statusCode, 403)
    assert.equal((await world.as('ada').put(`/api/roles/${trainer.id}`, { granted: [], revision: 1 })).statusCode, 409)
    const [entry] = await world.rows(
      `select changes -> 'granted' as granted, reason from audit_entries where action = 'role.updated' and resource_id = $1`,
      [trainer.id],
    )
    assert.deepEqual(entry, { granted: { from: ['users.read'], to: [] }, reason: 'Too much' })
  })

  it('never inherit from themselves, by whatever way', async () => {
    const a = (await create({ name: 'A', inherits_role_id: byName.User })).json()
    const b = (await create({ name: 'B', inherits_role_id: a.id })).json()
    for (const parent of [a.id, b.id]) {
      const reply = await world.as('ada').put(`/api/roles/${a.id}`, { inherits_role_id: parent })
      assert.equal(reply.statusCode, 422)
      assert.equal(reply.json().detail[0].type, 'role_inherits_from_itself')
    }
    const loops = await Promise.all([
      world.as('ada').put(`/api/roles/${a.id}`, { inherits_role_id: b.id }),
      world.as('ada').put(`/api/roles/${b.id}`, { inherits_role_id: null }),
    ])
    assert.ok(loops.some(({ statusCode }) => statusCode === 200))
    assert.equal((await world.as('ada').get(`/api/roles/${a.id}`)).statusCode, 200)
  })

  it('are deleted only where nobody has them, none inherits from them and no workflow names them', async () => {
    const base = (await create({ name: 'Base' })).json()
    const heir = (await create({ name: 'Heir', inherits_role_id: base.id })).json()
    const refused = await world.as('ada').delete(`/api/roles/${base.id}`)
    assert.deepEqual(
      [refused.statusCode, refused.json().detail],
      [409, 'Base cannot be deleted: 1 role inherits from it. Choose another role there first.'],
    )
    const trainer = (await world.as('ada').get('/api/roles/?q=trainer')).json().items[0]
    assert.match((await world.as('ada').delete(`/api/roles/${trainer.id}`)).json().detail, /1 user has it/)
    for (const { id } of [heir, base]) {
      const deleted = await world.as('ada').delete(`/api/roles/${id}`)
      assert.deepEqual([deleted.statusCode, deleted.body], [204, ''])
      assert.equal((await world.as('ada').get(`/api/roles/${id}`)).statusCode, 404)
    }
    const [{ n }] = (await world.rows(
      `select count(*)::int as n from audit_entries where action = 'role.deleted'`,
    )) as [{ n: number }]
    assert.equal(n, 2)
  })

  it('refuse what cannot be meant', async () => {
    const answers = [
      await create({ name: 'User' }),
      await create({ name: 'X', granted: ['platform.manage_tenants'] }),
      await create({ name: 'X', granted: ['search.use'], denied: ['search.use'] }),
      await create({ name: 'X', inherits_role_id: 999_999 }),
      await world.as('ada').put(`/api/roles/${byName.User}`, { name: 'Other' }),
      await world.as('quinn').post('/api/roles/', { name: 'X' }),
    ]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [409, 422, 422, 404, 422, 403],
    )
  })

  it('are previewed before they are stored: which roles and people would gain and lose what (proves: ROLE-02)', async () => {
    const lead = (
      await create({ name: 'Lead', inherits_role_id: byName.User, granted: ['capa.read', 'capa.comment'] })
    ).json()
    const deputy = (await create({ name: 'Deputy lead', inherits_role_id: lead.id, granted: ['capa.create'] })).json()
    const assign = (name: string, role_id: number) =>
      world.as('ada').put(`/api/users/${world.people[name]!.id}/role`, { role_id })
    for (const [name, role] of [
      ['alan', lead.id],
      ['anna', deputy.id],
    ] as const)
      assert.equal((await assign(name, role)).statusCode, 200)
    const preview = (body: object, as = 'ada') => world.as(as).post('/api/roles/preview', body)
    const reply = await preview({ role_id: lead.id, granted: ['capa.read', 'documents.read_drafts'] })
    assert.equal(reply.statusCode, 200, reply.body)
    const { permissions, gained, lost, roles, people, people_total } = reply.json()
    assert.deepEqual([gained, lost], [['documents.read_drafts'], ['capa.comment']])
    assert.ok(permissions.includes('documents.read_drafts') && permissions.includes('documents.read'))
    assert.deepEqual(
      roles.map(({ name, people }: { name: string; people: number }) => [name, people]),
      [
        ['Lead', 1],
        ['Deputy lead', 1],
      ],
    )
    assert.deepEqual(
      people.map(({ username, role, gained }: { username: string; role: string; gained: string[] }) => [
        username,
        role,
        gained,
      ]),
      [
        ['alan', 'Lead', ['documents.read_drafts']],
        ['anna', 'Deputy lead', ['documents.read_drafts']],
      ],
    )
    assert.equal(people_total, 2)
    assert.deepEqual(
      (await world.as('ada').get(`/api/roles/${lead.id}`)).json().granted,
      lead.granted,
      'stored nothing',
    )
    const fresh = (await preview({ inherits_role_id: byName.Author, denied: ['documents.create'] })).json()
    assert.deepEqual([fresh.lost, fresh.roles, fresh.people_total], [[], [], 0])
    assert.ok(!fresh.permissions.includes('documents.create') && fresh.gained.includes('capa.create'))

    const refused = [
      await preview({ role_id: byName.QA, granted: [] }),
      await preview({ role_id: lead.id, inherits_role_id: deputy.id }),
      await preview({ granted: ['search.use'], denied: ['search.use'] }),
      await preview({ role_id: 999_999 }),
      await preview({ role_id: lead.id, granted: [] }, 'rex'),
      await preview({ granted: [] }, 'quinn'),
    ]
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [409, 422, 422, 404, 404, 403],
    )
  })

  it('are given permissions that stand by area, with whether a role or a machine can hold them', async () => {
    const { items } = (await world.as('ada').get('/api/permissions/')).json() as {
      items: { name: string; area: string; order: number; is_grantable: boolean; for_services: boolean }[]
    }
    assert.deepEqual(
      items.map(({ order }) => order),
      items.map((_, place) => place),
    )
    const areas = items.map(({ area }) => area)
    assert.equal(areas.filter((area, place) => area !== areas[place - 1]).length, new Set(areas).size, 'stand together')
    const of = Object.fromEntries(items.map(each => [each.name, each]))
    assert.deepEqual(
      [of['effectiveness.create']!.area, of['sso.manage']!.area, of['search.use']!.area],
      ['capa', 'people', 'documents'],
    )
    assert.deepEqual(
      items.filter(({ is_grantable }) => !is_grantable).map(({ name }) => name),
      ['account.manage_own'],
    )
    assert.deepEqual([of['documents.approve']!.for_services, of['documents.read']!.for_services], [false, true])
  })
})
