import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { meeting } from '#test/builders/races.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('users', () => {
  let world: World
  let roles: Record<string, number>
  before(async () => {
    world = await openWorld()
    const { items } = (await world.as('ada').get('/api/roles/?page_size=100')).json()
    roles = Object.fromEntries(items.map(({ name, id }: { name: string; id: number }) => [name, id]))
  })
  after(() => world.close())

  const idOf = (name: string) => world.people[name]!.id
  const lastEntry = async (action: string, id: number) =>
    (
      await world.rows<{ username: string; changes: Record<string, unknown>; reason: string }>(
        'select username, changes, reason from audit_entries where action = $1 and resource_id = $2 order by id desc limit 1',
        [action, id],
      )
    )[0]!
  const newUser = async (username: string, role: string) => {
    const body = {
      username,
      email: `${username}@example.com`,
      full_name: 'New Person',
      password: 'Giraffe 4 umbrella',
      role_id: roles[role],
    }
    const reply = await world.as('ada').post('/api/users/', body)
    assert.equal(reply.statusCode, 201, reply.body)
    const { id } = reply.json()
    // As if the person had changed the password at the first log-in.
    await world.superuser.query(
      `begin; set local session_replication_role = replica; update credentials set must_change_password = false where user_id = ${id}; commit`,
    )
    world.services.accounts.changed()
    world.people[username] = { id, tenant_id: world.people.ada!.tenant_id, session_version: 1 }
    return reply
  }

  it('are created by an Admin, found, sorted and paged', async () => {
    const reply = await newUser('nora', 'Author')
    const nora = reply.json()
    assert.equal(reply.headers.location, `/api/users/${nora.id}`)
    assert.equal(reply.headers.etag, '"1"')
    assert.deepEqual([nora.role, nora.is_active, nora.created_by.username], ['Author', true, 'ada'])
    const found = (await world.as('ada').get('/api/users/?q=NORA&role=Author&is_active=true')).json()
    assert.deepEqual([found.total, found.items[0].id, found.pages], [1, nora.id, 1])
    const sorted = (await world.as('ada').get('/api/users/?sort=username:desc&page_size=2&page=2')).json()
    assert.deepEqual([sorted.items.length, sorted.page, sorted.page_size], [2, 2, 2])
    assert.equal((await world.as('ada').get('/api/users/?sort=password')).statusCode, 422)
    assert.deepEqual((await world.as('ada').get(`/api/users/${nora.id}`)).json(), {
      ...nora,
      must_change_password: false,
    })
    assert.equal(JSON.stringify(found).includes('hash'), false)
  })

  it('are known by name to authors and QA, who are not told how they log in', async () => {
    const detailsFor = async (by: string) => (await world.as(by).get(`/api/users/${idOf('petra')}`)).json()
    const listFor = async (by: string) => (await world.as(by).get('/api/users/?q=petra')).json().items
    const whole = await detailsFor('ada')
    const { totp_enrolled, must_change_password, failed_attempts, locked_until, last_login_at, ...others } = whole
    const { invitation, is_break_glass, ...rest } = others
    assert.equal(is_break_glass, false)
    const { identity_reset_at, identity_verified, ...known } = rest
    assert.deepEqual([totp_enrolled, must_change_password, failed_attempts], [false, false, 0])
    assert.deepEqual([locked_until, last_login_at, invitation], [null, null, null])
    assert.deepEqual([identity_reset_at, identity_verified], [null, null])
    for (const [by, shown] of [
      ['ada', whole],
      ['otto', whole],
      ['quinn', rest],
      ['petra', known],
      ['alan', known],
    ] as const)
      assert.deepEqual([await detailsFor(by), await listFor(by)], [shown, [shown]], by)
    assert.equal((await world.as('uma').get('/api/users/')).statusCode, 403)
    const url = `/api/users/${idOf('petra')}/permissions`
    assert.equal((await world.as('alan').get(url)).statusCode, 403)
    assert.equal((await world.as('otto').get(url)).json().role, 'QA')
  })

  it('are of one tenant, and a name is one person in the whole service (proves: SVC-01)', async () => {
    for (const path of ['', '/permissions']) {
      const [hidden, missing] = [
        await world.as('ada').get(`/api/users/${idOf('rex')}${path}`),
        await world.as('ada').get(`/api/users/999999${path}`),
      ]
      assert.deepEqual([hidden.statusCode, hidden.body], [404, missing.body])
    }
    assert.equal((await world.as('ada').put(`/api/users/${idOf('rex')}/role`, { role_id: roles.User })).statusCode, 404)
    const { items } = (await world.as('rex').get('/api/users/?page_size=100')).json()
    assert.deepEqual(
      items.map(({ username }: { username: string }) => username),
      ['rex', 'rita', 'rob'],
    )
    const taken = await world.as('ada').post('/api/users/', {
      username: 'ReX',
      email: 'other@example.com',
      full_name: 'Other Person',
      password: 'Giraffe 4 umbrella',
    })
    assert.equal(taken.statusCode, 409)
    const foreign = await world.rows<{ id: string }>('select id from roles where tenant_id = $1 limit 1', [
      world.people.rex!.tenant_id,
    ])
    const borrowed = await world.as('ada').post('/api/users/', {
      username: 'zed',
      email: 'zed@example.com',
      full_name: 'Zed Person',
      password: 'Giraffe 4 umbrella',
      role_id: Number(foreign[0]!.id),
    })
    assert.deepEqual([borrowed.statusCode, borrowed.json().detail], [404, 'Role not found'])
  })

  it('keep their names; a change tells what was and what is, and a stale one is refused (proves: DOC-04)', async () => {
    const url = `/api/users/${idOf('nora')}`
    assert.equal((await world.as('ada').put(url, { username: 'norah' })).statusCode, 422)
    const changed = await world
      .as('ada')
      .put(url, { email: 'nora.new@example.com', change_reason: 'Married' }, { 'if-match': '"1"' })
    assert.deepEqual([changed.statusCode, changed.headers.etag], [200, '"2"'])
    const entry = await lastEntry('user.updated', idOf('nora'))
    assert.deepEqual(
      [entry.username, entry.reason, entry.changes.email],
      ['ada', 'Married', { from: 'nora@example.com', to: 'nora.new@example.com' }],
    )
    const stale = await world.as('ada').put(url, { full_name: 'Other' }, { 'if-match': '"1"' })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /Changed since: ada at .* user\.updated \(email\)/)
    assert.equal((await world.as('ada').put(url, { email: 'REX@example.com' })).statusCode, 409)
  })

  it('lose their tokens with the deactivation, at once, and are never deleted', async () => {
    assert.equal((await world.as('nora').get('/api/auth/me')).statusCode, 200)
    assert.equal(
      (await world.as('ada').post(`/api/users/${idOf('nora')}/deactivate`, { change_reason: 'Left' })).statusCode,
      200,
    )
    assert.equal((await world.as('nora').get('/api/auth/me')).statusCode, 401)
    assert.equal((await world.as('ada').post(`/api/users/${idOf('nora')}/deactivate`)).statusCode, 409)
    assert.equal((await world.as('ada').delete(`/api/users/${idOf('nora')}`)).statusCode, 405)
    assert.equal((await world.as('ada').post(`/api/users/${idOf('nora')}/reactivate`)).statusCode, 200)
    assert.equal((await lastEntry('user.deactivated', idOf('nora'))).reason, 'Left')
    // Their old token is of an ended session.
    assert.equal((await world.as('nora').get('/api/auth/me')).statusCode, 401)
  })

  it('are given roles by an Admin, who never changes the own one (proves: ROLE-04)', async () => {
    await newUser('rolf', 'User')
    assert.equal(
      (await world.as('quinn').put(`/api/users/${idOf('rolf')}/role`, { role_id: roles.Author })).statusCode,
      403,
    )
    const given = await world.as('ada').put(`/api/users/${idOf('rolf')}/role`, { role_id: roles.QA, revision: 1 })
    assert.deepEqual([given.statusCode, given.json().role, given.json().revision], [200, 'QA', 2])
    assert.equal((await world.as('rolf').get('/api/auth/me')).statusCode, 401)
    assert.deepEqual((await lastEntry('user.role_changed', idOf('rolf'))).changes.role, { from: 'User', to: 'QA' })
    for (const [method, url, body] of [
      ['put', `/api/users/${idOf('ada')}/role`, { role_id: roles.User }],
      ['put', `/api/users/${idOf('ada')}/permissions`, { granted: [], denied: [] }],
      ['post', `/api/users/${idOf('ada')}/deactivate`, {}],
    ] as const) {
      assert.equal((await world.as('ada')[method](url, body)).statusCode, 403, url)
    }
  })

  it('are granted and denied single permissions, a denial winning, from the next request on (proves: ROLE-02)', async () => {
    await newUser('pia', 'User')
    const url = `/api/users/${idOf('pia')}/permissions`
    assert.equal((await world.as('pia').get('/api/users/')).statusCode, 403)
    const changed = await world
      .as('ada')
      .put(url, { granted: ['users.read', 'audit.read'], denied: ['audit.read', 'search.use'] })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal((await world.as('pia').get('/api/users/')).statusCode, 200)
    const { permissions, origins } = changed.json()
    assert.deepEqual(
      [permissions.includes('users.read'), permissions.includes('audit.read'), permissions.includes('search.use')],
      [true, false, false],
    )
    assert.deepEqual(
      origins.filter(({ permission }: { permission: string }) => ['users.read', 'documents.read'].includes(permission)),
      [
        { permission: 'documents.read', role: 'User' },
        { permission: 'users.read', role: null },
      ],
    )
    assert.deepEqual((await world.as('pia').get('/api/auth/me')).json().permissions, permissions)
    assert.equal((await world.as('ada').put(url, { granted: ['platform.manage_tenants'], denied: [] })).statusCode, 422)
    assert.equal((await world.as('ada').put(url, { granted: [], denied: ['account.manage_own'] })).statusCode, 422)
  })

  it('cannot be given by anybody what they do not hold themselves', async () => {
    await newUser('gregor', 'User')
    const grants = {
      granted: ['permissions.grant', 'roles.assign', 'users.manage', 'roles.manage', 'users.read', 'roles.read'],
      denied: [],
    }
    assert.equal((await world.as('ada').put(`/api/users/${idOf('gregor')}/permissions`, grants)).statusCode, 200)
    const gregor = world.as('gregor')
    const attempts = [
      await gregor.put(`/api/users/${idOf('pia')}/permissions`, { granted: ['documents.approve'], denied: [] }),
      await gregor.put(`/api/users/${idOf('pia')}/role`, { role_id: roles.Admin }),
      await gregor.post('/api/users/', {
        username: 'henry',
        email: 'h@example.com',
        full_name: 'Henry Person',
        password: 'Giraffe 4 umbrella',
        role_id: roles.QA,
      }),
      await gregor.post('/api/roles/', { name: 'Sneaky', granted: ['audit.export'] }),
      await gregor.post('/api/roles/', { name: 'Sneaky', inherits_role_id: roles['QA Manager'] }),
      await gregor.post(`/api/users/${idOf('quinn')}/reset-password`, { temporary_password: 'Temporary staple 7' }),
    ]
    for (const reply of attempts) {
      assert.equal(reply.statusCode, 403, reply.body)
      assert.equal(reply.json().code, 'permissions_not_held')
    }
    const [{ n }] = (await world.rows(
      `select count(*)::int as n from audit_entries where username = 'gregor' and action = 'access.denied'`,
    )) as [{ n: number }]
    assert.equal(n, attempts.length)
    assert.equal(
      (await gregor.put(`/api/users/${idOf('pia')}/permissions`, { granted: ['users.manage'], denied: [] })).statusCode,
      200,
    )
  })

  it('always have an Admin: the last one stays, also when two take it from each other at the same moment', async () => {
    await newUser('bea', 'Admin')
    const lock = {
      text: 'select from users where id = any($1) for no key update',
      values: [[idOf('ada'), idOf('bea')]],
      waiting: 2,
    }
    const answers = await meeting(world, lock, () => [
      world.as('ada').put(`/api/users/${idOf('bea')}/role`, { role_id: roles.User }),
      world.as('bea').put(`/api/users/${idOf('ada')}/role`, { role_id: roles.User }),
    ])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    const admins = await world.rows<{ username: string }>(
      `select u.username from users u join roles r on r.id = u.role_id where r.name = 'Admin' and u.is_active and u.tenant_id = $1`,
      [world.people.ada!.tenant_id],
    )
    assert.equal(admins.length, 1)
    const [last] = admins
    // gregor may manage users, and holds less than an Admin: taking away needs no more.
    const byGregor = [
      await world.as('gregor').put(`/api/users/${idOf(last!.username)}/role`, { role_id: roles.User }),
      await world.as('gregor').post(`/api/users/${idOf(last!.username)}/deactivate`),
      await world
        .as('gregor')
        .put(`/api/users/${idOf(last!.username)}/permissions`, { granted: [], denied: ['users.manage'] }),
    ]
    for (const reply of byGregor) {
      assert.equal(reply.statusCode, 409, reply.body)
      assert.equal(reply.json().code, 'user_is_last_admin')
    }
    if (last!.username === 'ada') return
    // The other tests work as ada, and chance decides who loses.
    const again = await world.as('bea').put(`/api/users/${idOf('ada')}/role`, { role_id: roles.Admin })
    assert.equal(again.statusCode, 200, again.body)
    const [ada] = await world.rows<{ session_version: number }>(
      'select session_version from credentials where user_id = $1',
      [idOf('ada')],
    )
    world.people.ada!.session_version = ada!.session_version
  })

  it('cannot be changed or made by those who lack the permission', async () => {
    for (const name of ['uma', 'otto', 'quinn']) {
      assert.equal(
        (
          await world
            .as(name)
            .post('/api/users/', { username: 'x1', email: 'x1@example.com', full_name: 'X', password })
        ).statusCode,
        403,
      )
      assert.equal(
        (await world.as(name).put(`/api/users/${idOf('pia')}/permissions`, { granted: [], denied: [] })).statusCode,
        403,
      )
    }
  })

  it('are explained: who gives each permission, who takes it away, and which setting does (proves: ROLE-02, ROLE-03)', async () => {
    await newUser('vera', 'QA')
    const url = `/api/users/${idOf('vera')}/permissions`
    await world.as('ada').put(url, { granted: ['audit.export'], denied: ['documents.approve'] })
    const answer = (await world.as('quinn').get(`${url}?explain=true`)).json()
    const of = (permission: string) =>
      answer.explained.find((each: { permission: string }) => each.permission === permission)
    assert.deepEqual(answer.roles, ['QA', 'Author', 'User'])
    assert.deepEqual(of('documents.read').steps, [{ role: 'User', effect: 'granted' }])
    assert.deepEqual(of('documents.approve'), {
      permission: 'documents.approve',
      is_held: false,
      steps: [
        { role: 'QA', effect: 'granted' },
        { role: null, effect: 'denied' },
      ],
      restricted_by: null,
    })
    assert.deepEqual(of('audit.export').steps, [{ role: null, effect: 'granted' }])
    assert.deepEqual([of('users.manage').is_held, of('users.manage').steps], [false, []])
    assert.deepEqual(
      answer.explained
        .filter(({ is_held }: { is_held: boolean }) => is_held)
        .map(({ permission }: { permission: string }) => permission)
        .sort(),
      answer.permissions,
    )
    assert.equal((await world.as('quinn').get(url)).json().explained, undefined)
    assert.equal((await world.as('rex').get(`${url}?explain=true`)).statusCode, 404)

    const { revision } = (await world.as('ada').get('/api/settings/')).json()
    const forbidding = await world.as('ada').put('/api/settings/', { admin_may_approve: false, revision })
    assert.equal(forbidding.statusCode, 200, forbidding.body)
    const ada = (await world.as('ada').get(`/api/users/${idOf('ada')}/permissions?explain=true`)).json()
    const restricted = Object.fromEntries(
      ada.explained.map((each: { permission: string; restricted_by: { code: string } | null }) => [
        each.permission,
        each.restricted_by?.code,
      ]),
    )
    assert.deepEqual(
      [restricted['documents.approve'], restricted['capa.close'], restricted['documents.create']],
      ['admin_may_not_approve', 'admin_may_not_approve', undefined],
    )
    await world.as('ada').put('/api/settings/', { admin_may_approve: true })
  })

  it('are found by how they log in, and sorted by it, by people who may read that (proves: AUTH-05)', async () => {
    await newUser('lou', 'User')
    await world.superuser.query(
      `begin; set local session_replication_role = replica;
       update credentials set locked_until = now() + interval '1 hour', last_login_at = now() where user_id = ${idOf('lou')};
       update credentials set totp_confirmed_at = now(), last_login_at = now() - interval '1 day' where user_id = ${idOf('uma')}; commit`,
    )
    const names = async (query: string) => {
      const reply = await world.as('otto').get(`/api/users/?page_size=100&${query}`)
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json().items.map(({ username }: { username: string }) => username) as string[]
    }
    assert.deepEqual(await names('is_locked=true'), ['lou'])
    assert.ok(!(await names('is_locked=false')).includes('lou'))
    assert.deepEqual(await names('without_second_factor=false'), ['uma'])
    const without = await names('without_second_factor=true')
    assert.ok(without.includes('lou') && !without.includes('uma'))
    assert.deepEqual(await names('source=provider'), [])
    assert.ok((await names('source=password')).includes('lou'))
    assert.deepEqual((await names('sort=last_login_at:desc')).slice(0, 2), ['lou', 'uma'])
    assert.deepEqual((await names('sort=last_login_at:asc')).slice(0, 2), ['uma', 'lou'])
    for (const query of ['is_locked=true', 'without_second_factor=true', 'source=password', 'sort=last_login_at']) {
      const refused = await world.as('quinn').get(`/api/users/?${query}`)
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'user_log_in_details_permission_missing'])
    }
  })
})
