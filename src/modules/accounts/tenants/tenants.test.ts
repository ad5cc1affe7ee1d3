import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('the platform', () => {
  let world: World
  let token: string
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())
  const asPat = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, headers = {}) =>
    world.server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(payload && { payload }),
    })
  const admin = { username: 'nadia', email: 'nadia@new.example', password: 'Giraffe 4 umbrella' }

  it('is for platform users with a second factor alone (proves: AUTH-07)', async () => {
    assert.equal((await world.server.inject({ url: '/api/platform/tenants/' })).statusCode, 401)
    for (const name of ['ada', 'uma'])
      assert.equal((await world.as(name).get('/api/platform/tenants/')).statusCode, 403)
    const bare = await world.as('pat').get('/api/platform/tenants/')
    assert.equal(bare.statusCode, 403)
    assert.match(bare.json().detail, /needs a second factor/)
    const { secret } = (await world.as('pat').post('/api/auth/totp/enroll', { password })).json()
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    token = (await world.as('pat').post('/api/auth/totp/confirm', { otp })).json().access_token
    const list = await asPat('GET', '/api/platform/tenants/?sort=slug')
    assert.deepEqual(
      list.json().items.map(({ slug }: { slug: string }) => slug),
      ['acme', 'rival'],
    )
    const who = (await asPat('GET', '/api/auth/me')).json()
    assert.deepEqual([who.is_platform_user, who.tenant, who.totp_enrolled], [true, null, true])
  })

  it('reads no record of any tenant (proves: SVC-01)', async () => {
    for (const url of ['/api/users/', '/api/documents/', '/api/audit/', `/api/users/${world.people.ada!.id}`])
      assert.equal((await asPat('GET', url)).statusCode, 403, url)
  })

  it('creates a tenant that can work at once, written down in both trails', async () => {
    const reply = await asPat('POST', '/api/platform/tenants/', { name: 'Neue Apotheke Köln', admin })
    assert.equal(reply.statusCode, 201, reply.body)
    const { id, slug } = reply.json()
    assert.deepEqual([slug, reply.headers.location], ['neue-apotheke-koln', `/api/platform/tenants/${id}`])
    const trails = await world.rows(
      `select tenant_id::int, username from audit_entries where action = 'tenant.created' and resource_id = $1 order by tenant_id`,
      [id],
    )
    assert.deepEqual(trails, [
      { tenant_id: 1, username: 'pat' },
      { tenant_id: id, username: 'system' },
    ])
    const login = await world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username: 'nadia', password: admin.password },
    })
    const headers = { authorization: `Bearer ${login.json().access_token}` }
    assert.match((await world.server.inject({ url: '/api/document-types/', headers })).json().detail, /temporary/)
    const changed = await world.server.inject({
      method: 'POST',
      url: '/api/auth/change-password',
      headers,
      payload: { current_password: admin.password, new_password: 'Umbrella 4 giraffe' },
    })
    const types = await world.server.inject({
      url: '/api/document-types/',
      headers: { authorization: `Bearer ${changed.json().access_token}` },
    })
    assert.equal(types.json().total, 8)
    assert.equal(
      (
        await asPat('POST', '/api/platform/tenants/', {
          name: 'Other',
          slug,
          admin: { ...admin, username: 'nadja', email: 'nadja@new.example' },
        })
      ).statusCode,
      409,
    )
    assert.equal((await asPat('POST', '/api/platform/tenants/', { name: 'Other', admin })).statusCode, 409)
    assert.equal((await world.rows(`select from tenants where name = 'Other'`)).length, 0)
    const weak = await asPat('POST', '/api/platform/tenants/', {
      name: 'Other',
      admin: { ...admin, username: 'nils', password: 'short' },
    })
    assert.deepEqual([weak.statusCode, weak.json().detail[0].loc], [422, ['body', 'admin', 'password']])
  })

  it('switches a tenant off at once, and on again', async () => {
    const { tenant_id } = world.people.rex!
    const url = `/api/platform/tenants/${tenant_id}`
    assert.equal((await world.as('rex').get('/api/auth/me')).statusCode, 200)
    const off = await asPat('PUT', url, { is_active: false, change_reason: 'Contract ended' }, { 'if-match': '"1"' })
    assert.deepEqual([off.statusCode, off.json().is_active, off.headers.etag], [200, false, '"2"'])
    assert.equal((await world.as('rex').get('/api/auth/me')).statusCode, 401)
    const login = await world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username: 'rex', password: 'Correct horse 1 battery' },
    })
    assert.deepEqual([login.statusCode, login.json().code], [401, 'login_failed'])
    assert.equal((await asPat('PUT', url, { is_active: true, revision: 1 })).statusCode, 409)
    assert.equal((await asPat('PUT', url, { is_active: true, revision: 2 })).statusCode, 200)
    assert.equal((await world.as('rex').get('/api/auth/me')).statusCode, 200)
  })

  it('is no tenant among the others', async () => {
    assert.equal((await asPat('GET', '/api/platform/tenants/1')).statusCode, 404)
    assert.equal((await asPat('PUT', '/api/platform/tenants/1', { is_active: false })).statusCode, 404)
  })
})
