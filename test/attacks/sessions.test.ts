// Sessions as somebody attacks them: who plants, steals, keeps or forges a cookie, who sends one from another site, and the insider with
// the login attest_app.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import pg from 'pg'
import { newSessionSecret, openSessionCookie, textOfCookie } from '#platform/crypto/session-secret.ts'
import { ok } from '#test/builders/documents.ts'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { cookieIn, logInBrowser, logInProgram, openBrowser, ours, sendWith } from '#test/builders/sessions.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const minutes = 60_000

// proves: SES-01, AUTH-05
describe('the cookie of a session', () => {
  let world: World
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example/' })
  })
  after(() => world.close())

  const idOf = (name: string) => world.people[name]!.id
  const countOf = async (action: string) =>
    (await world.rows<{ count: number }>('select count(*)::int from audit_entries where action = $1', [action]))[0]!
      .count
  const deviation = { title: 'Forged', description: 'By another site' }
  const logOut = (cookie: string, headers: Record<string, string> = {}) =>
    sendWith(world, cookie, 'POST', '/api/auth/logout', { headers })

  it('that somebody planted before the log-in is worth nothing after it', async () => {
    const attacker = await openBrowser(world, 'uma')
    const reply = await logInBrowser(world, 'quinn', { headers: { cookie: attacker.cookie } })
    const cookie = cookieIn(reply)
    assert.notEqual(cookie, attacker.cookie)
    assert.equal((await sendWith(world, cookie, 'GET', '/api/auth/me')).json().username, 'quinn')
    assert.equal((await attacker.get('/api/auth/me')).json().username, 'uma')
    const another = await logInBrowser(world, 'quinn')
    assert.notEqual(cookieIn(another), cookie, 'each log-in has its own')
  })

  it('that was stolen ends with the log-out of its owner', async () => {
    const { cookie, status, post } = await openBrowser(world, 'anna')
    assert.equal(await status(), 200)
    assert.equal((await post('/api/auth/logout')).statusCode, 204)
    for (const url of ['/api/auth/me', '/api/documents/', '/api/auth/session']) {
      const reply = await sendWith(world, cookie, 'GET', url)
      assert.deepEqual(
        [reply.statusCode, reply.headers['www-authenticate']],
        [401, 'Bearer error="invalid_token"'],
        url,
      )
      assert.equal(reply.headers['set-cookie'], undefined, 'a late answer takes no newer cookie away')
    }
  })

  it('ends once where two log-outs come at the same moment', async () => {
    const { cookie } = await openBrowser(world, 'anna')
    const before = await countOf('auth.logged_out')
    const replies = await Promise.all(Array.from({ length: 4 }, () => logOut(cookie, ours)))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [204, 401, 401, 401],
    )
    assert.equal((await countOf('auth.logged_out')) - before, 1)
  })

  it('ends no session of another person or another tenant by its id', async () => {
    const [own, colleague, rival] = [
      await openBrowser(world, 'alan'),
      await openBrowser(world, 'petra'),
      await openBrowser(world, 'rex'),
    ]
    for (const theirs of [colleague, rival]) {
      const { id } = (await theirs.get('/api/auth/session')).json()
      const reply = checkAnswer(await own.delete(`/api/auth/sessions/${id}`), 'of another')
      const none = await own.delete('/api/auth/sessions/999999999')
      assert.deepEqual([reply.statusCode, reply.body], [404, none.body])
      assert.equal(await theirs.status(), 200)
    }
    await accepted(own.post('/api/auth/sessions/end-others'))
    assert.deepEqual([await colleague.status(), await rival.status()], [200, 200])
  })

  it('does nothing for a page of another site, whatever it sends', async () => {
    const { cookie, status, get } = await openBrowser(world, 'alan')
    const before = await countOf('access.denied')
    const { count } = (await world.rows<{ count: number }>('select count(*)::int from deviations'))[0]!
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://qms.example' },
      { origin: 'https://evil.example' },
      { origin: 'https://qms.example.evil' },
      { origin: 'null' },
      {},
    ] as Record<string, string>[]
    for (const headers of foreign) {
      const posts = [
        await sendWith(world, cookie, 'POST', '/api/deviations/', { payload: deviation, headers }),
        await world.server.inject({
          method: 'POST',
          url: '/api/deviations/',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
          payload: 'title=Forged',
        }),
        await world.server.inject({
          method: 'POST',
          url: '/api/documents/upload',
          headers: { cookie, 'content-type': 'multipart/form-data; boundary=x', ...headers },
          payload: '--x--\r\n',
        }),
        await logOut(cookie, headers),
        await sendWith(world, cookie, 'DELETE', '/api/auth/sessions/1', { headers }),
      ]
      for (const reply of posts) {
        checkAnswer(reply, JSON.stringify(headers))
        assert.deepEqual([reply.statusCode, reply.json().code], [403, 'cross_site_request'], JSON.stringify(headers))
      }
    }
    assert.equal((await countOf('access.denied')) - before, foreign.length * 5, 'each has its entry')
    const [entry] = await world.rows(
      `select username, reason from audit_entries where action = 'access.denied' order by id desc limit 1`,
    )
    assert.equal(entry!.username, 'alan')
    assert.match(String(entry!.reason), /page of another site/)
    assert.equal((await world.rows<{ count: number }>('select count(*)::int from deviations'))[0]!.count, count)
    assert.equal(await status(), 200)
    // Reading changes nothing, and another site cannot see the answer.
    const read = await get('/api/auth/me', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })
    assert.deepEqual([read.statusCode, read.headers['access-control-allow-credentials']], [200, undefined])
    for (const headers of [ours, { origin: 'https://qms.example' }])
      assert.equal((await sendWith(world, cookie, 'POST', '/api/auth/session/extend', { headers })).statusCode, 200)
  })

  it('does not stay alive by what another site sends', async () => {
    const { cookie, get } = await openBrowser(world, 'petra')
    const before = (await get('/api/auth/session')).json().idle_ends_at
    world.clock.moved_ms += 2 * minutes
    assert.equal((await logOut(cookie, { 'sec-fetch-site': 'cross-site' })).statusCode, 403)
    assert.equal((await get('/api/auth/session')).json().idle_ends_at, before)
  })

  it('is not given to somebody whom another site logs in as the attacker', async () => {
    const before = await countOf('auth.login_failed')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const reply = await world.server.inject({
        method: 'POST',
        url: '/api/auth/session',
        headers,
        payload: { username: 'uma', password },
      })
      assert.deepEqual(
        [reply.statusCode, reply.json().code, reply.headers['set-cookie']],
        [403, 'cross_site_request', undefined],
      )
    }
    assert.ok((await countOf('auth.login_failed')) > before)
    const form = await world.server.inject({
      method: 'POST',
      url: '/api/auth/session',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `username=uma&password=${encodeURIComponent(password)}`,
    })
    assert.equal(form.statusCode, 415)
  })

  it('is not looked at where there is a token: no request is two people', async () => {
    const { cookie } = await openBrowser(world, 'ada')
    const token = await world.tokenOf('uma')
    const ask = (authorization: string, url = '/api/auth/me') =>
      world.server.inject({ url, headers: { cookie, authorization } })
    assert.equal((await ask(`Bearer ${token}`)).json().username, 'uma')
    assert.equal((await ask(`Bearer ${token}`, '/api/users/')).statusCode, 403)
    for (const wrong of ['', 'Bearer', 'Bearer x', 'Basic YWRhOmFkYQ=='])
      assert.equal((await ask(wrong)).statusCode, 401, `"${wrong}"`)
    // A program is no browser, so nobody asks from which site it is.
    const written = await world.server.inject({
      method: 'POST',
      url: '/api/auth/sessions/end-others',
      headers: { cookie, authorization: `Bearer ${token}`, 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(written.statusCode, 200)
  })

  it('ends 30 minutes after the last use by a person, and 12 hours after the log-in in any case', async () => {
    const idle = await openBrowser(world, 'quentin')
    world.clock.moved_ms += 29 * minutes
    assert.equal((await idle.get('/api/auth/me')).statusCode, 200)
    world.clock.moved_ms += 29 * minutes
    assert.equal((await idle.get('/api/auth/session')).statusCode, 200)
    world.clock.moved_ms += minutes
    for (const reply of [await idle.get('/api/auth/me'), await idle.post('/api/auth/session/extend')])
      assert.deepEqual(
        [reply.statusCode, reply.json().code, reply.headers['www-authenticate']],
        [401, 'session_idle', 'Bearer error="session_idle"'],
      )
    const busy = await openBrowser(world, 'quentin')
    for (let half = 0; half < 47; half++) {
      world.clock.moved_ms += 15 * minutes
      assert.equal((await busy.get('/api/auth/me')).statusCode, 200, `after ${(half + 1) * 15} minutes`)
    }
    world.clock.moved_ms += 15 * minutes
    const over = await busy.get('/api/auth/me')
    assert.deepEqual([over.statusCode, over.headers['www-authenticate']], [401, 'Bearer error="invalid_token"'])
  })

  it('ends with a new password, another role, a second factor, a deactivation and the suspension of the tenant', async () => {
    const everywhere = async (name: string) => ({
      browser: await openBrowser(world, name),
      program: await logInProgram(world, name),
    })
    const expect = async ({ browser, program }: Awaited<ReturnType<typeof everywhere>>, status: number, what: string) =>
      assert.deepEqual([await browser.status(), await program.status()], [status, status], what)

    let open = await everywhere('uma')
    ok(await world.as('ada').put(`/api/users/${idOf('uma')}/role`, { role_id: await roleId('Author') }))
    await expect(open, 401, 'another role')
    open = await everywhere('uma')
    const { secret } = ok(await open.browser.post('/api/auth/totp/enroll', { password }))
    await expect(open, 200, 'a second factor that is not confirmed')
    const otp = new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() })
    ok(await open.program.post('/api/auth/totp/confirm', { otp }))
    await expect(open, 401, 'a second factor')
    const temporary_password = 'Temporary staple 7'
    ok(await world.as('ada').post(`/api/users/${idOf('otto')}/reset-password`, { temporary_password }))
    assert.equal((await logInBrowser(world, 'otto')).statusCode, 401)
    const reset = await openBrowser(world, 'otto', { secret: temporary_password })
    assert.equal((await reset.get('/api/documents/')).json().code, 'temporary_password')

    open = await everywhere('anna')
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/deactivate`))
    await expect(open, 401, 'a deactivation')
    assert.equal((await logInBrowser(world, 'anna')).statusCode, 401)
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/reactivate`))
    await expect(open, 401, 'and a reactivation brings none back')

    open = await everywhere('rita')
    await suspend(false)
    await expect(open, 401, 'a suspended tenant')
    await suspend(true)
  })
  const roleId = async (name: string) =>
    Number(
      (
        await world.rows<{ id: string }>('select id from roles where name = $1 and tenant_id = $2', [
          name,
          world.people.ada!.tenant_id,
        ])
      )[0]!.id,
    )
  async function suspend(is_active: boolean) {
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query(`update tenants set is_active = $1 where slug = 'rival'`, [is_active])
    await world.superuser.query('commit')
    world.services.accounts.changed()
  }

  it('ends by an eleventh log-in if it was unused longest, and its owner is told', async () => {
    const first = []
    for (let count = 0; count < 10; count++) {
      first.push(await openBrowser(world, 'petra', { agent: `Browser ${count}` }))
      world.clock.moved_ms += minutes
    }
    assert.equal((await first[0]!.get('/api/auth/me')).statusCode, 200)
    const eleventh = await openBrowser(world, 'petra')
    const statuses = await Promise.all(first.map(each => each.status()))
    assert.deepEqual(statuses, [200, 401, ...Array<number>(8).fill(200)], 'the first was used since')
    assert.equal(await eleventh.status(), 200)
    const { items } = (await accepted(eleventh.get('/api/notifications/'))).json()
    assert.equal(items[0].type, 'session_ended')

    const at_once = await Promise.all(Array.from({ length: 6 }, () => openBrowser(world, 'petra')))
    for (const each of at_once) assert.equal(await each.status(), 200)
    const live = (await accepted(eleventh.get('/api/auth/sessions/'))).json()
    assert.equal(live.filter(({ kind }: { kind: string }) => kind === 'browser').length, 10)
  })

  it('that is garbage, huge, doubled, a token, or of another key is a 401 without a look-up', async () => {
    const { cookie } = await openBrowser(world, 'quinn')
    const value = cookie.slice('__Host-attest='.length)
    const [tenant, user, session, secret, seal] = value.split('.') as [string, string, string, string, string]
    const token = await world.tokenOf('quinn')
    const garbage = [
      '',
      'x',
      '....',
      '%00',
      '../../etc/passwd',
      "' or 1=1 --",
      `"${value}"`,
      `${value}.`,
      value.toUpperCase(),
      token,
      randomBytes(32).toString('base64url'),
      `${tenant}.${user}.${session}.${randomBytes(32).toString('base64url')}.${seal}`,
      `${tenant}.${idOf('ada')}.${session}.${secret}.${seal}`,
      `${world.people.rex!.tenant_id}.${user}.${session}.${secret}.${seal}`,
      `${tenant}.${user}.${Number(session) + 1}.${secret}.${seal}`,
      `${tenant}.${user}.9999999999999999.${secret}.${seal}`,
      textOfCookie(world.services.keys.links, {
        ...{ tenantId: Number(tenant), userId: Number(user), sessionId: Number(session), secret },
      }),
      'a'.repeat(10_000),
    ]
    const { database } = world
    const transaction = database.transaction
    let lookUps = 0
    database.transaction = function counted(...given: Parameters<typeof transaction>) {
      lookUps += 1
      return transaction.apply(database, given)
    } as typeof transaction
    try {
      for (const each of garbage) {
        const reply = checkAnswer(
          await sendWith(world, `__Host-attest=${each}`, 'GET', '/api/auth/me'),
          each.slice(0, 80),
        )
        assert.equal(reply.statusCode, 401, each.slice(0, 80))
      }
      for (const each of [`${cookie}; ${cookie}`, `${cookie}; __Host-attest=x`])
        assert.equal((await sendWith(world, each, 'GET', '/api/auth/me')).statusCode, 401)
    } finally {
      database.transaction = transaction
    }
    assert.equal(lookUps, 0)
    const asToken = await world.server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${value}` } })
    assert.equal(asToken.statusCode, 401)
    assert.equal((await sendWith(world, `theme=dark; ${cookie}; a=b`, 'GET', '/api/auth/me')).statusCode, 200)

    await world.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = world.server.server.address() as AddressInfo
    const huge = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { cookie: `__Host-attest=${'a'.repeat(100_000)}` }
      request({ host: '127.0.0.1', port, path: '/api/auth/me', headers }, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
    assert.equal(huge, 431)
  })

  it('does not sign by itself once the log-in is too long ago', async () => {
    const { post } = await openBrowser(world, 'quinn')
    const document_id = ok(
      await world.as('alan').upload('/api/documents/upload', {
        title: 'Cleaning',
        document_type: await world.typeId('SOP'),
      }),
    ).id
    const body = { document_id, signature_type: 'witness', intent: 'I have seen it' }
    const fresh = await post('/api/signatures/', body)
    assert.equal(fresh.statusCode, 201, fresh.body)
    world.clock.moved_ms += 20 * minutes
    const late = await post('/api/signatures/', body)
    assert.equal(late.statusCode, 401, late.body)
    assert.match(String(late.headers['www-authenticate']), /insufficient_user_authentication/)
  })

  it('is in no log and no answer', async () => {
    const { cookie, get } = await openBrowser(world, 'quinn')
    const secret = cookie.split('.')[3]!
    const answers = [await get('/api/auth/session'), await get('/api/auth/sessions/'), await get('/api/auth/me')]
    for (const { body } of answers) assert.ok(!body.includes(secret))
    assert.ok(!JSON.stringify(world.lines).includes(secret))
    const stored = await world.rows<{ text: string }>('select to_jsonb(s)::text as text from sessions s')
    assert.ok(!stored.some(({ text }) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex'))))
  })
})

// proves: SES-01, AUD-01, SVC-01
describe('somebody with the login attest_app', () => {
  let world: World
  let app: pg.Client
  before(async () => {
    world = await openWorld()
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(async () => {
    await app.end()
    await world.close()
  })

  const idOf = (name: string) => world.people[name]!.id
  /** As the person, with an entry about the victim unless there is none. */
  async function attempt(
    as: string,
    victim: string,
    statement: string,
    values: unknown[] = [],
    action = 'auth.logged_in',
  ) {
    const { id, tenant_id } = world.people[as]!
    await app.query(
      `rollback; begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`,
    )
    if (action)
      await app.query(
        `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
         values ('', '', '', 'success', $1, 'auth', $2, '{}', '')`,
        [action, idOf(victim)],
      )
    const { rows } = await app.query(statement, values)
    await app.query('commit')
    return rows
  }
  const insert = `insert into sessions (user_id, kind, secret_hash, session_version, auth_time, amr, client_addr, user_agent, idle_minutes,
      created_at, last_seen_at, expires_at)
    values ($1, 'browser', $2, (select session_version from credentials where user_id = $1), date_trunc('second', now()), '{pwd}', '', '', 480,
      now(), now(), now() + interval '12 hours') returning id`
  const sessionOf = (cookie: string) =>
    openSessionCookie(world.services.keys.sessions, cookie.slice('__Host-attest='.length))!

  it('forges no session of another person: neither the seal of the row nor that of the cookie is theirs to make', async () => {
    const { tenant_id, id } = world.people.ada!
    const of = { tenantId: tenant_id, userId: id }
    const guess = newSessionSecret(world.services.keys.links, of)
    const [row] = await attempt('uma', 'ada', insert, [id, guess.hash])
    const forged = { ...of, sessionId: Number(row.id), secret: guess.secret }
    // Even with the seal of the cookie, which needs the key, the row's own is not right.
    for (const key of [world.services.keys.links, world.services.keys.sessions]) {
      const cookie = `__Host-attest=${textOfCookie(key, forged)}`
      assert.equal((await sendWith(world, cookie, 'GET', '/api/auth/me')).statusCode, 401)
    }
    await assert.rejects(attempt('uma', 'ada', insert, [id, randomBytes(32)], ''), { code: 'QA001' })
    await assert.rejects(attempt('uma', 'ada', insert, [id, randomBytes(16)]), { code: '23514' })
    await assert.rejects(attempt('rex', 'ada', insert, [id, randomBytes(32)]), { code: '23502' })
  })

  it('makes no second row with the seal of a cookie that they have, for nobody and for no longer', async () => {
    const { cookie } = await openBrowser(world, 'uma')
    const { sessionId } = sessionOf(cookie)
    const [row] = await world.rows<{ secret_hash: Buffer }>('select secret_hash from sessions where id = $1', [
      sessionId,
    ])
    for (const victim of ['uma', 'ada'])
      await assert.rejects(attempt('uma', victim, insert, [idOf(victim), row!.secret_hash]), { code: '23505' }, victim)
  })

  it('prolongs, hands over and takes up no session, and deletes none within 90 days of its end', async () => {
    const { cookie, status, post } = await openBrowser(world, 'uma')
    const { sessionId } = sessionOf(cookie)
    const change = (what: string, action?: string) =>
      attempt('uma', 'uma', `update sessions set ${what} where id = ${sessionId}`, [], action)
    const changes = [
      `user_id = ${idOf('ada')}`,
      `expires_at = expires_at + interval '1 hour'`,
      `idle_minutes = 480`,
      `session_version = session_version + 1`,
      `secret_hash = decode('${'00'.repeat(32)}', 'hex')`,
      `kind = 'token', secret_hash = null, idle_minutes = null`,
      `auth_time = auth_time + interval '1 minute'`,
      `amr = '{pwd,otp}'`,
      `client_addr = '192.0.2.1'`,
      `last_seen_at = last_seen_at - interval '1 minute'`,
      `tenant_id = ${world.people.rex!.tenant_id}`,
    ]
    for (const what of changes) await assert.rejects(change(what), { code: /^(QA002|42501)$/ }, what)
    await assert.rejects(change(`last_seen_at = expires_at + interval '1 second'`), { code: '23514' })
    await assert.rejects(attempt('uma', 'uma', `delete from sessions where id = ${sessionId}`), { code: 'QA002' })
    await assert.rejects(change(`revoked_at = now(), revoke_reason = 'logged_out'`, ''), { code: 'QA001' })
    assert.equal(await status(), 200)
    assert.equal((await post('/api/auth/logout')).statusCode, 204)
    await assert.rejects(change('revoked_at = null, revoked_by = null, revoke_reason = null'), { code: 'QA002' })
    assert.equal(await status(), 401)
  })

  it('sees no session of another tenant', async () => {
    const { cookie } = await openBrowser(world, 'rex')
    const { sessionId } = sessionOf(cookie)
    assert.deepEqual(await attempt('uma', 'uma', 'select * from sessions where id = $1', [sessionId]), [])
  })
})
