// Service accounts as somebody attacks them: who finds a key, guesses or widens one, who would sign or log in as a machine, the Admin of
// another company, and the insider with the login attest_app.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Permission, permissions } from '#kernel/catalogue.ts'
import { Accounts, authenticator } from '#modules/accounts'
import { neverForServices } from '#modules/roles'
import { hashOfApiSecret, newApiSecret, readApiKey, textOfApiKey } from '#platform/crypto/api-key.ts'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { byKey, issueKey, openMachine } from '#test/builders/service-samples.ts'
import { until } from '#test/world/background.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { statementsDuring } from '../../bench/statements.ts'

const day = 24 * 60 * 60 * 1000

// proves: KEY-01
describe('the key of a service account', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const entriesOf = (action: string) =>
    world.rows<{ reason: string; resource_id: string; changes: Record<string, { to: unknown }> | null }>(
      'select reason, resource_id, changes from audit_entries where action = $1 order by id',
      [action],
    )
  const refusedAs = async (reply: Promise<Awaited<ReturnType<World['server']['inject']>>>) => {
    const { statusCode, headers, body } = checkAnswer(await reply, 'a key')
    return [statusCode, headers['www-authenticate'], JSON.parse(body).code]
  }
  const refused = [401, 'Bearer error="invalid_token"', 'api_key_not_accepted']

  it('does what it and its account allow, and is on record as the machine', async () => {
    const machine = await openMachine(world, { username: 'lims-3' })
    const report = { title: 'Out of limits', description: 'Assay 94.2 %', severity: 'minor' }
    const { id } = (await accepted(machine.post('/api/deviations/', report))).json()
    const [entry] = await world.rows(
      `select username, user_id from audit_entries where action = 'deviation.created' and resource_id = $1`,
      [id],
    )
    assert.deepEqual(entry, { username: 'lims-3', user_id: String(machine.id) })
    // The role would allow it; the key does not.
    assert.equal((await machine.get('/api/search/?q=leak')).statusCode, 403)
    const [row] = await world.rows<{ last_used_addr: string }>(
      'select last_used_addr from api_keys where user_id = $1',
      [machine.id],
    )
    assert.equal(row!.last_used_addr, '127.0.0.1')
  })

  it('never holds a permission that signs, decides, or manages accounts, whatever role and key say', async () => {
    const personal = (name: string) => /^(users|roles|permissions|service_accounts|platform|account)\./.test(name)
    const tenantOnly = (Object.keys(permissions) as Permission[]).filter(each => !each.startsWith('platform.'))
    for (const each of Object.keys(permissions) as Permission[])
      if (personal(each)) assert.ok(neverForServices.includes(each), each)
    for (const each of [
      ...['signatures.create', 'signatures.void', 'signatures.attest', 'documents.approve', 'documents.review'],
      ...['documents.obsolete', 'documents.periodic_review', 'deviations.approve', 'deviations.close'],
      ...['deviations.reopen', 'capa.approve_draft', 'capa.close', 'effectiveness.update', 'extensions.approve'],
      ...['training.complete', 'training.verify', 'training.waive', 'audit.review', 'settings.manage'],
    ])
      assert.ok(neverForServices.includes(each as Permission), each)

    const machine = await openMachine(world, { username: 'everything' })
    // Past the program: a role and a key with everything, as a mistake or an insider would store them.
    await world.superuser.query('begin')
    await world.superuser.query(`set local session_replication_role = replica`)
    await world.superuser.query(
      `update users set role_id = (select id from roles where tenant_id = users.tenant_id and name = 'Admin') where id = $1`,
      [machine.id],
    )
    await world.superuser.query('update api_keys set permissions = $2 where user_id = $1', [
      machine.id,
      Object.keys(permissions),
    ])
    await world.superuser.query('commit')
    world.services.accounts.changed()
    for (const { action, method, url } of world.app.routes) {
      if (action.kind === 'open' || !neverForServices.includes(action.permission)) continue
      const path = url.replace(/:\w+/g, '1')
      const reply = await world.server.inject({
        ...{ method: method as 'GET', url: path },
        headers: { authorization: `Bearer ${machine.keys[0]!.api_key}` },
      })
      assert.equal(reply.statusCode, 403, `${String(method)} ${url}: ${reply.body}`)
    }
    const { permissions: held }: { permissions: string[] } = (
      await accepted(world.as('ada').get(`/api/service-accounts/${machine.id}`))
    ).json()
    assert.deepEqual([...held].sort(), tenantOnly.filter(each => !neverForServices.includes(each)).sort())
  })

  it('is refused without the database where it is mistyped, cut, or of a form that no key has', async () => {
    const { keys } = await openMachine(world, { username: 'typist' })
    const text = keys[0]!.api_key
    const wrong = [text.slice(0, -1), `${text}0`, text.replace(/.$/, end => (end === '0' ? '1' : '0')), 'att_']
    const sent = await statementsDuring(async () => {
      for (const each of wrong)
        assert.deepEqual(await refusedAs(byKey(world, each).get('/api/documents/')), refused, each)
    })
    assert.deepEqual(sent, [])
    assert.equal(await byKey(world, text).status(), 200)
  })

  it('opens nothing with another secret, for another company, or for the account of another key', async () => {
    const one = await openMachine(world, { username: 'one' })
    const rival = await openMachine(world, { by: 'rex', username: 'rivals-one' })
    const [mine, theirs] = [readApiKey(one.keys[0]!.api_key)!, readApiKey(rival.keys[0]!.api_key)!]
    for (const forged of [
      { ...mine, secret: newApiSecret() },
      { ...mine, secret: theirs.secret },
      { ...mine, tenantId: theirs.tenantId },
      { ...mine, keyId: theirs.keyId },
      { ...mine, keyId: 999_999_999 },
      { ...theirs, tenantId: mine.tenantId },
      { ...mine, tenantId: 1 },
      { ...mine, tenantId: 999_999_999 },
    ])
      assert.deepEqual(await refusedAs(byKey(world, textOfApiKey(forged)).get('/api/documents/')), refused)
    assert.deepEqual([await one.status(), await rival.status()], [200, 200])
  })

  it('costs no statement more than a token: one reads the account and the key', async () => {
    const machine = await openMachine(world, { username: 'counted', permissions: ['notifications.read'] })
    await accepted(machine.get('/api/notifications/unread-count'))
    const texts: string[][] = []
    for (const get of [world.as('quinn').get, machine.get]) {
      world.services.accounts.changed()
      const read = async () =>
        (await statementsDuring(() => accepted(get('/api/notifications/unread-count')))).map(each =>
          typeof each === 'string' ? each.replace(/'.*/, '') : each.text,
        )
      texts.push(await read())
      assert.ok((await read()).length < texts.at(-1)!.length, 'the account is in memory')
    }
    assert.equal(texts[1]!.length, texts[0]!.length)
    assert.equal(texts[1]!.filter(text => /^with recursive/.test(text)).length, 1)
  })

  it('ends with its revocation, with its expiry and with its account, and each is on record once an hour', async () => {
    const machine = await openMachine(world, { username: 'ended' })
    const url = `/api/service-accounts/${machine.id}`
    assert.equal(await machine.status(), 200)
    const [first] = machine.keys
    assert.equal((await world.as('ada').delete(`${url}/keys/${first!.id}`)).statusCode, 204)
    for (let count = 0; count < 3; count++) assert.deepEqual(await refusedAs(machine.get('/api/documents/')), refused)
    assert.equal((await world.as('ada').delete(`${url}/keys/${first!.id}`)).statusCode, 409)

    const soon = new Date(world.clock.now().getTime() + day)
    const short = byKey(world, (await issueKey(world, machine.id, { expires_at: soon })).api_key)
    assert.equal(await short.status(), 200)
    world.clock.moved_ms += day
    assert.deepEqual(await refusedAs(short.get('/api/documents/')), refused)

    const last = byKey(world, (await issueKey(world, machine.id)).api_key)
    assert.equal(await last.status(), 200)
    await accepted(world.as('ada').post(`${url}/deactivate`, { change_reason: 'Line 3 was closed' }))
    assert.deepEqual(await refusedAs(last.get('/api/documents/')), refused)
    assert.equal((await world.as('ada').post(`${url}/keys`, {})).statusCode, 422)
    const body = {
      name: 'Again',
      permissions: ['documents.read'],
      expires_at: new Date(Date.now() + 9 * day).toISOString(),
    }
    assert.equal((await world.as('ada').post(`${url}/keys`, body)).statusCode, 409)

    const entries = (await entriesOf('auth.key_refused')).filter(each => Number(each.resource_id) === machine.id)
    assert.deepEqual(
      entries.map(({ reason }) => reason),
      ['The key was revoked', 'The key has expired', 'The key was revoked'],
    )
    assert.equal(entries[0]!.changes!.api_key!.to, first!.prefix)
  })

  it('that was revoked is refused by another process within a second', async () => {
    const machine = await openMachine(world, { username: 'elsewhere' })
    const { services, database } = world
    const other = authenticator(new Accounts(database), services.keys, services.clock)
    const ask = () =>
      other({ authorization: `Bearer ${machine.keys[0]!.api_key}` }).then(
        ({ userId }) => userId,
        ({ status }) => status,
      )
    assert.equal(await ask(), machine.id)
    const url = `/api/service-accounts/${machine.id}/keys/${machine.keys[0]!.id}`
    const begun = performance.now()
    assert.equal((await world.as('ada').delete(url)).statusCode, 204)
    assert.equal(await machine.status(), 401, 'at once here')
    await until(async () => (await ask()) === 401)
    assert.ok(performance.now() - begun < 5000)
  })

  it('is good from its networks alone', async () => {
    const machine = await openMachine(world, { username: 'inside', networks: ['10.0.0.0/8', '2001:db8::/32'] })
    const from = (remoteAddress: string) =>
      world.server.inject({
        ...{ url: '/api/documents/', remoteAddress },
        headers: { authorization: `Bearer ${machine.keys[0]!.api_key}`, 'x-forwarded-for': '10.1.1.1' },
      })
    for (const inside of ['10.2.3.4', '::ffff:10.2.3.4', '2001:db8:7::1'])
      assert.equal((await from(inside)).statusCode, 200, inside)
    for (const outside of ['192.0.2.1', '2001:db9::1', '127.0.0.1'])
      assert.deepEqual(await refusedAs(from(outside)), refused, outside)
    const entries = (await entriesOf('auth.key_refused')).filter(each => Number(each.resource_id) === machine.id)
    assert.deepEqual(
      entries.map(({ reason }) => reason),
      ['The key is not good from the address 192.0.2.1'],
    )
  })

  it('is rotated once, also by two people at the same moment, and the one before ends after the overlap', async () => {
    const machine = await openMachine(world, { username: 'rotated' })
    const path = (id: number) => `/api/service-accounts/${machine.id}/keys/${id}/rotate`
    const [first] = machine.keys
    const replies = await Promise.all([1, 2, 3].map(() => world.as('ada').post(path(first!.id), { overlap_hours: 24 })))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 409, 409],
    )
    const second = replies.find(({ statusCode }) => statusCode === 201)!.json()
    const successor = byKey(world, second.api_key)
    assert.deepEqual([await machine.status(), await successor.status()], [200, 200])
    world.clock.moved_ms += day
    assert.deepEqual([await machine.status(), await successor.status()], [401, 200])
    const third = (await accepted(world.as('ada').post(path(second.id), { overlap_hours: 0 }))).json()
    assert.deepEqual([await successor.status(), await byKey(world, third.api_key).status()], [401, 200])
    assert.equal((await world.as('ada').post(path(second.id), { overlap_hours: 1 })).statusCode, 409)
    for (const overlap_hours of [-1, 169, 1.5, '1'])
      assert.equal((await world.as('ada').post(path(third.id), { overlap_hours })).statusCode, 422)
  })

  it('is shown once, and is in no list, no entry and no log line', async () => {
    const machine = await openMachine(world, { username: 'secretive' })
    const { secret } = readApiKey(machine.keys[0]!.api_key)!
    await machine.status()
    const listed = await accepted(world.as('ada').get(`/api/service-accounts/${machine.id}/keys`))
    assert.equal(listed.json()[0].prefix, machine.keys[0]!.prefix)
    const stored = await world.rows('select to_jsonb(k) as all from api_keys k')
    const entries = await world.rows('select to_jsonb(e) as all from audit_entries e')
    const told = await world.rows('select to_jsonb(n) as all from notifications n')
    for (const [where, text] of Object.entries({
      ...{ list: listed.body, stored: JSON.stringify(stored), entries: JSON.stringify(entries) },
      ...{ told: JSON.stringify(told), log: JSON.stringify(world.lines) },
    }))
      assert.ok(!text.includes(secret), where)
    const again = { 'idempotency-key': randomUUID() }
    const body = {
      name: 'Twice',
      permissions: ['documents.read'],
      expires_at: new Date(world.clock.now().getTime() + day).toISOString(),
    }
    const reply = await world.as('ada').post(`/api/service-accounts/${machine.id}/keys`, body, again)
    assert.deepEqual([reply.statusCode, reply.json().code], [400, 'idempotency_key_not_accepted'])
  })

  it('cannot be issued with more than the caller, the account or any machine holds', async () => {
    const role = (
      await accepted(
        world.as('ada').post('/api/roles/', {
          ...{ name: 'Integrator', inherits_role_id: null },
          granted: ['service_accounts.manage', 'documents.read', 'deviations.read', 'deviations.create'],
        }),
      )
    ).json().id
    await accepted(world.as('ada').put(`/api/users/${world.people.petra!.id}/role`, { role_id: role }))
    world.people.petra!.session_version += 1
    const end = new Date(world.clock.now().getTime() + day).toISOString()
    const petra = world.as('petra')
    const account = (more: object) => ({
      username: 'by-petra',
      full_name: 'x',
      owner_id: world.people.petra!.id,
      ...more,
    })
    // The role User gives more than she holds.
    assert.equal((await petra.post('/api/service-accounts/', account({}))).json().code, 'permissions_not_held')
    assert.equal(
      (await petra.post('/api/service-accounts/', account({ role_id: role, granted: ['capa.read'] }))).json().code,
      'permissions_not_held',
    )
    assert.equal(
      (await petra.post('/api/service-accounts/', account({ role_id: role, granted: ['documents.approve'] }))).json()
        .code,
      'service_account_permission_personal',
    )
    const { id, permissions: held }: { id: number; permissions: string[] } = (
      await accepted(petra.post('/api/service-accounts/', account({ role_id: role })))
    ).json()
    assert.deepEqual([...held].sort(), ['deviations.create', 'deviations.read', 'documents.read'])
    const key = (asked: string[], by = petra) =>
      by.post(`/api/service-accounts/${id}/keys`, { name: 'k', permissions: asked, expires_at: end })
    for (const [asked, code] of [
      [['signatures.create'], 'service_account_permission_personal'],
      [['service_accounts.manage'], 'service_account_permission_personal'],
      [['capa.read'], 'permissions_not_held'],
    ] as const) {
      const reply = await key([...asked])
      assert.deepEqual([reply.statusCode, reply.json().code], [403, code])
    }
    // An Admin holds it, and the account does not.
    assert.equal((await key(['capa.read'], world.as('ada'))).json().code, 'api_key_permission_not_of_account')
    const { api_key } = (await accepted(key(['deviations.read']))).json()
    assert.equal((await byKey(world, api_key).get('/api/deviations/')).statusCode, 200)
    // What the account loses, its keys lose with the next request.
    const denied = { granted: ['documents.read'], inherits_role_id: null, change_reason: 'No longer needed' }
    await accepted(world.as('ada').put(`/api/roles/${role}`, denied))
    assert.equal((await byKey(world, api_key).get('/api/deviations/')).statusCode, 403)
  })

  it('needs the hand of somebody who logged in just now, and another company sees none of it', async () => {
    const machine = await openMachine(world, { username: 'guarded' })
    const url = `/api/service-accounts/${machine.id}`
    const late = world.as('ada', { logged_in: 601 })
    const end = new Date(world.clock.now().getTime() + day).toISOString()
    for (const reply of [
      await late.post('/api/service-accounts/', { username: 'late', full_name: 'x', owner_id: world.people.ada!.id }),
      await late.put(url, { full_name: 'y' }),
      await late.post(`${url}/keys`, { name: 'k', permissions: ['documents.read'], expires_at: end }),
      await late.post(`${url}/keys/${machine.keys[0]!.id}/rotate`, { overlap_hours: 0 }),
    ]) {
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'login_not_recent'])
      assert.match(String(reply.headers['www-authenticate']), /insufficient_user_authentication", max_age="600"/)
    }
    for (const who of ['quinn', 'otto']) assert.equal((await world.as(who).get(url)).statusCode, 403, who)
    const rex = world.as('rex')
    for (const reply of [
      await rex.get(url),
      await rex.get(`${url}/keys`),
      await rex.delete(`${url}/keys/${machine.keys[0]!.id}`),
      await rex.post(`${url}/deactivate`, {}),
    ])
      assert.equal(reply.statusCode, 404)
    // The end of a key is never put off for want of a log-in.
    assert.equal((await late.delete(`${url}/keys/${machine.keys[0]!.id}`)).statusCode, 204)
  })

  it("is no way to log in, to choose a password, or to stand in a person's place", async () => {
    const machine = await openMachine(world, { username: 'faceless', granted: ['documents.create', 'groups.manage'] })
    const { id } = machine
    for (const [url, payload] of [
      ['/api/auth/token', { username: 'faceless', password }],
      ['/api/auth/session', { username: 'faceless', password }],
    ] as const)
      assert.equal((await world.server.inject({ method: 'POST', url, payload })).statusCode, 401, url)
    const ada = world.as('ada')
    for (const [method, url, body] of [
      ['get', `/api/users/${id}`, undefined],
      ['put', `/api/users/${id}`, { full_name: 'A person' }],
      ['post', `/api/users/${id}/reset-password`, { temporary_password: 'Purple kettle 47 boats' }],
      ['post', `/api/users/${id}/invite`, {}],
      ['post', `/api/users/${id}/verify-identity`, { method: 'Passport' }],
      ['post', `/api/users/${id}/reactivate`, {}],
      ['post', `/api/users/${id}/deactivate`, {}],
      ['get', `/api/users/${id}/permissions`, undefined],
      ['put', `/api/users/${id}/permissions`, { granted: ['signatures.create'], denied: [] }],
      ['put', `/api/users/${id}/role`, { role_id: 1 }],
      ['get', `/api/users/${id}/sessions`, undefined],
      ['get', `/api/users/${id}/open-work`, undefined],
    ] as const) {
      const reply = await ada[method](url, body as never)
      assert.equal(reply.statusCode, 404, `${method} ${url}: ${reply.body}`)
    }
    const { items } = (await accepted(ada.get('/api/users/?page_size=100'))).json()
    assert.ok(!items.some((each: { id: number }) => each.id === id))
    assert.equal(
      (
        await ada.post('/api/users/', {
          username: 'Faceless',
          full_name: 'Somebody',
          email: 'f@acme.example',
          password: 'Purple kettle 47 boats',
        })
      ).statusCode,
      409,
    )

    const group = (await accepted(ada.post('/api/groups/', { name: 'Line 3', group_type: 'site' }))).json()
    assert.equal((await ada.post(`/api/groups/${group.id}/add-member`, { user_id: id })).statusCode, 404)
    const days = { starts_on: '2199-01-01', ends_on: '2199-01-31', reason: 'x' }
    for (const pair of [
      { person_id: id, deputy_id: world.people.quinn!.id },
      { person_id: world.people.quinn!.id, deputy_id: id },
    ])
      assert.equal((await ada.post('/api/deputies/', { ...pair, ...days })).statusCode, 404)
    const report = { title: 'Assigned', description: 'x', severity: 'minor' }
    const assigned = await ada.post('/api/deviations/', { ...report, assigned_to: id })
    assert.equal(assigned.statusCode, 404, assigned.body)
    const uploaded = await ada.upload(
      '/api/documents/upload',
      { title: 'Own', document_type: 1, owner_id: id },
      { bytes: pdf('own'), name: 'own.pdf' },
    )
    assert.ok([404, 422].includes(uploaded.statusCode), uploaded.body)
    const owner = { username: 'owned-by-machine', full_name: 'x', owner_id: id }
    assert.equal((await ada.post('/api/service-accounts/', owner)).statusCode, 404)
  })

  it('uploads for its owner, and cannot sign what it uploads', async () => {
    const machine = await openMachine(world, {
      ...{ username: 'uploader', owner: 'petra', granted: ['documents.create', 'documents.submit'] },
      permissions: ['documents.create', 'documents.read', 'documents.submit', 'documents.transition'],
    })
    const form = new FormData()
    form.append('title', 'Cleaning record of line 3')
    form.append('document_type', String(await world.typeId('SOP')))
    form.append('file', new Blob([new Uint8Array(pdf('by a machine'))]), 'record.pdf')
    const encoded = new Response(form)
    const uploaded = await world.server.inject({
      ...{ method: 'POST', url: '/api/documents/upload', payload: Buffer.from(await encoded.arrayBuffer()) },
      headers: {
        authorization: `Bearer ${machine.keys[0]!.api_key}`,
        'content-type': encoded.headers.get('content-type')!,
      },
    })
    assert.equal(uploaded.statusCode, 201, uploaded.body)
    const { id, owner, created_by } = uploaded.json()
    assert.deepEqual([owner.username, created_by.username], ['petra', 'uploader'])
    const signed = await machine.post('/api/signatures/', {
      ...{ document_id: id, signature_type: 'authorship', intent: 'I wrote it', password },
    })
    assert.equal(signed.statusCode, 403)
    await accepted(machine.post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    assert.equal((await world.rows('select from signatures where signer_id = $1', [machine.id])).length, 0)
  })

  it('is told to the owner and the Admins 30, 7 and 1 days before it ends', async () => {
    const fresh = await openWorld()
    try {
      const end = new Date(fresh.clock.now().getTime() + 40 * day)
      const machine = await openMachine(fresh, { username: 'ending', owner: 'petra', expires_at: end })
      const notices = async (who: string) =>
        (await accepted(fresh.as(who).get('/api/notifications/?page_size=100')))
          .json()
          .items.filter((each: { type: string }) => each.type === 'api_key_expiring').length
      const counts: number[] = []
      for (const days of [39, 31, 30, 29, 8, 7, 6, 2, 1, 0.5, 0]) {
        fresh.clock.moved_ms = end.getTime() - days * day - Date.now()
        await fresh.tick()
        counts.push(await notices('petra'))
      }
      assert.deepEqual(counts, [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
      const { items } = (await accepted(fresh.as('ada').get('/api/notifications/?page_size=100'))).json()
      const linkOf = (wanted: string) => items.find(({ type }: { type: string }) => type === wanted).link
      assert.equal(linkOf('api_key_expiring'), `/api/service-accounts/${machine.id}/keys`)
      const own = (await accepted(fresh.as('petra').get('/api/notifications/?page_size=100'))).json().items
      const changed = own.find(({ type }: { type: string }) => type === 'service_account_changed')
      assert.equal(changed.link, `/api/service-accounts/${machine.id}`)
      assert.equal(await notices('ada'), 3)
      assert.equal(await machine.status(), 401)
    } finally {
      await fresh.close()
    }
  })

  it('is handed over with the work of its owner', async () => {
    const machine = await openMachine(world, { username: 'inherited', owner: 'otto' })
    const ada = world.as('ada')
    const { counts } = (await accepted(ada.get(`/api/users/${world.people.otto!.id}/open-work`))).json()
    assert.equal(counts.service_account, 1)
    const body = { successor_id: world.people.quinn!.id, change_reason: 'Left the company' }
    await accepted(ada.post(`/api/users/${world.people.otto!.id}/deactivate`, body))
    await world.work()
    const { owner } = (await accepted(ada.get(`/api/service-accounts/${machine.id}`))).json()
    assert.equal(owner.username, 'quinn')
    assert.equal(await machine.status(), 200)
  })

  it('is in the list for an inspector, with owner and rights', async () => {
    const reply = await accepted(world.as('ada').get('/api/service-accounts/?format=csv'))
    assert.match(reply.body, /^.*Username.*Owner.*Permissions.*Live keys/)
    assert.match(reply.body, /lims-3,LIMS of line 3,Ada Example/)
    const { items } = (await accepted(world.as('ada').get('/api/users/access-review?page_size=100'))).json()
    const listed = items.find((each: { username: string }) => each.username === 'lims-3')
    assert.equal(listed.source, 'service')
  })
})

// proves: KEY-01
describe('an insider with the login attest_app', () => {
  let world: World
  let client: pg.Client
  before(async () => {
    world = await openWorld()
    client = new pg.Client(world.postgres.app)
    await client.connect()
  })
  after(async () => {
    await client.end()
    await world.close()
  })

  /** In a transaction of the company, with an entry for what it does. */
  async function attempt(statement: string, values: unknown[] = []) {
    const { tenant_id } = world.people.ada!
    await client.query('begin')
    try {
      await client.query(
        `set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${world.people.ada!.id}'; set local app.transaction_id = '${randomUUID()}'`,
      )
      await client.query(statement, values)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }
  const refusedWith = (code: string) => (error: unknown) => {
    assert.equal((error as { code: string }).code, code, String(error))
    return true
  }

  it("makes no machine a signer, and none of what is a person's", async () => {
    const { id } = await openMachine(world, { username: 'never' })
    const ofPeople = await world.rows<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join lateral unnest(t.tgattr) as at on true join pg_attribute a on a.attrelid = c.oid and a.attnum = at
        where t.tgname = 'people_only'`,
    )
    assert.ok(ofPeople.length >= 30)
    const told: string[] = []
    for (const { table, column } of ofPeople)
      await assert.rejects(attempt(`insert into ${table} (${column}) values ($1)`, [id]), (error: Error) => {
        // It may not be written at all, or another guard of the table comes first.
        assert.ok(
          ['QA002', '42501'].includes((error as unknown as { code: string }).code),
          `${table}.${column}: ${error}`,
        )
        if (error.message === `a service account cannot be ${column} in ${table}`) told.push(`${table}.${column}`)
        return true
      })
    assert.ok(told.length >= 25, told.join())
    // Not even the database's own administrator, nor a replica, makes it one by mistake.
    for (const role of ['origin', 'replica']) {
      await world.superuser.query(`set session_replication_role = ${role}`)
      const signing = world.rows('insert into signatures (tenant_id, signer_id) values ($1, $2)', [
        ...[world.people.ada!.tenant_id, id],
      ])
      await assert.rejects(signing, /a service account cannot sign/, role)
    }
    await world.superuser.query('set session_replication_role = origin')
    const [signer] = await world.rows(`select tgenabled from pg_trigger where tgname = 'signer_is_person'`)
    assert.equal(signer!.tgenabled, 'A')
    await assert.rejects(
      attempt(`update users set kind = 'person', email = 'a@b.example', owner_id = null where id = $1`, [id]),
      refusedWith('QA002'),
    )
    await assert.rejects(
      attempt(`update users set kind = 'service', email = null, owner_id = $1 where id = $2`, [
        world.people.ada!.id,
        world.people.quinn!.id,
      ]),
      refusedWith('QA002'),
    )
    await assert.rejects(attempt('update users set owner_id = id where id = $1', [id]), refusedWith('QA002'))
  })

  it('widens, prolongs and revives no key, and gives none to a person', async () => {
    const machine = await openMachine(world, { username: 'kept' })
    const key = machine.keys[0]!.id
    for (const change of [
      `permissions = permissions || '{capa.read}'`,
      `expires_at = expires_at + interval '1 second'`,
      `networks = '{10.0.0.0/8}'`,
      `user_id = ${world.people.quinn!.id}`,
      `secret_hash = sha256('x')`,
      `name = 'another'`,
    ])
      await assert.rejects(attempt(`update api_keys set ${change} where id = $1`, [key]), refusedWith('QA002'), change)
    assert.equal((await world.as('ada').delete(`/api/service-accounts/${machine.id}/keys/${key}`)).statusCode, 204)
    await assert.rejects(
      attempt('update api_keys set revoked_at = null, revoked_by = null, revoke_reason = null where id = $1', [key]),
      refusedWith('QA002'),
    )
    const insert = `insert into api_keys (user_id, name, secret_hash, permissions, expires_at, created_at)
      values ($1, 'x', $2, '{documents.read}', now() + interval '1 day', now())`
    const hash = hashOfApiSecret({ tenantId: world.people.ada!.tenant_id, userId: machine.id }, newApiSecret())
    await assert.rejects(attempt(insert, [world.people.quinn!.id, hash]), refusedWith('QA002'))
    // Without an entry it does not commit.
    await assert.rejects(attempt(insert, [machine.id, hash]), refusedWith('QA001'))
    await assert.rejects(attempt('delete from api_keys where id = $1', [key]), refusedWith('42501'))
  })
})
