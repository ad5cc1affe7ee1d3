// Single sign-on as somebody attacks it: at the address of the callback, at the provider, from another site, and with the login attest_app.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { accepted, checkAnswer } from '#test/builders/samples.ts'
import { ours, sendWith } from '#test/builders/sessions.ts'
import { addProvider, linkUser, loginCookieIn, openSsoBrowser, whoIs } from '#test/builders/single-sign-on.ts'
import { client, type Forged, type Forger, openForger, outboundHere, publicUrl } from '#test/fakes/oidc.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const minute = 60_000

describe('single sign-on under attack', () => {
  let world: World
  let forger: Forger
  let provider: { id: number }
  before(async () => {
    forger = await openForger()
    world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere() })
    provider = await addProvider(world, forger)
    await linkUser(world, 'uma', provider.id, 'uma-there')
    await linkUser(world, 'anna', provider.id, 'anna-there')
  })
  after(async () => {
    await world.close()
    await forger.close()
  })

  const lastRefusal = async () =>
    (
      await world.rows<{ reason: string; tenant_id: string; request_id: string; outcome: string }>(
        `select reason, tenant_id, request_id, outcome from audit_entries where action = 'auth.login_failed' order by id desc limit 1`,
      )
    )[0]!
  const countOf = async (table: string, where = 'true') =>
    (await world.rows<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`))[0]!.n
  const sessions = () => countOf('sessions', `kind = 'browser'`)

  /** The answer of the provider to a log-in that has begun: what the browser is sent back with. */
  const answerTo = (location: string, more: Record<string, string> = {}) => {
    const asked = new URL(location).searchParams
    const back = new URL(`${publicUrl}/api/auth/oidc/callback`)
    const values = { code: randomBytes(8).toString('hex'), state: asked.get('state')!, iss: forger.issuer, ...more }
    for (const [name, value] of Object.entries(values)) back.searchParams.set(name, value)
    return { back, nonce: asked.get('nonce')! }
  }
  /** A log-in as uma, whose provider answers with this. */
  async function logIn(forge: (honest: { nonce: string; sub: string }) => Forged, more: Record<string, string> = {}) {
    const here = openSsoBrowser(world)
    const { back, nonce } = answerTo(await here.start(), more)
    forger.answers(forge({ nonce, sub: 'uma-there' }))
    return { ...(await here.comesBack(back)), here, back }
  }
  const honest = (claims: { nonce: string; sub: string }) => ({ claims })

  it('lets an honest answer in, so that what is refused below is refused for its reason', async () => {
    const { session, error } = await logIn(honest)
    assert.equal(error, undefined)
    assert.equal((await whoIs(world, session)).username, 'uma')
  })

  // proves: SSO-01
  it('gives no session to a browser that did not begin the log-in', async () => {
    const attacker = openSsoBrowser(world)
    const { back, nonce } = answerTo(await attacker.start())
    forger.answers(honest({ nonce, sub: 'anna-there' }))
    const victim = openSsoBrowser(world)
    await victim.start()
    for (const cookie of [undefined, '', victim.state.login, 'x', `${attacker.state.login}x`]) {
      const reply = await world.server.inject({
        url: back.pathname + back.search,
        headers: cookie === undefined ? {} : { cookie: `__Host-attest-login=${cookie}` },
      })
      const location = new URL(String(reply.headers.location))
      assert.deepEqual([location.pathname, location.searchParams.get('error')], ['/sign-in', 'not_begun_here'], cookie)
      assert.equal(reply.headers['set-cookie'], undefined, 'and takes the log-in of the victim away from them neither')
      const entry = await lastRefusal()
      assert.equal(entry.request_id, location.searchParams.get('reference'))
      assert.match(entry.reason, /not begun in this browser/)
    }
    const two = await world.server.inject({
      url: back.pathname + back.search,
      headers: { cookie: `__Host-attest-login=${attacker.state.login}; __Host-attest-login=${victim.state.login}` },
    })
    assert.match(String(two.headers.location), /not_begun_here/)
    assert.equal((await attacker.comesBack(back)).error, undefined, 'who began it goes on')
  })

  // proves: SSO-01
  it('takes an answer once, within ten minutes, and for its own provider', async () => {
    const { here, back } = await logIn(honest)
    const before = await sessions()
    assert.equal((await here.comesBack(back, { cookie: here.state.login })).error, 'refused')
    assert.match((await lastRefusal()).reason, /used before/)
    const late = openSsoBrowser(world)
    const { back: lateBack, nonce } = answerTo(await late.start())
    forger.answers(honest({ nonce, sub: 'uma-there' }))
    world.clock.moved_ms += 10 * minute + 1000
    assert.equal((await late.comesBack(lateBack)).error, 'refused')
    world.clock.moved_ms = 0
    const other = await openForger()
    await addProvider(world, other, { slug: 'second', client_id: 'second' })
    const second = openSsoBrowser(world, { at: 'acme/second' })
    const { back: mixed } = answerTo(await second.start())
    assert.equal((await second.comesBack(mixed)).error, 'refused', 'the answer says it is of another issuer')
    await other.close()
    assert.equal(await sessions(), before)
  })

  // proves: SSO-01
  it('takes one of two answers that come at the same moment', async () => {
    const here = openSsoBrowser(world)
    const { back, nonce } = answerTo(await here.start())
    forger.answers(honest({ nonce, sub: 'uma-there' }))
    const replies = await Promise.all([1, 2, 3, 4].map(() => here.comesBack(back)))
    assert.deepEqual(replies.map(({ error }) => error ?? 'in').sort(), ['in', 'refused', 'refused', 'refused'])
  })

  // proves: SSO-01
  it('refuses what an honest provider does not send, with the reason in the trail alone', async () => {
    const before = await sessions()
    const now = Math.floor(Date.now() / 1000)
    const attempts: Record<string, [(honest: { nonce: string; sub: string }) => Forged, Record<string, string>?]> = {
      'another issuer of the token': [claims => ({ claims: { ...claims, iss: 'https://evil.example' } })],
      'another audience': [claims => ({ claims: { ...claims, aud: 'another-client' } })],
      'another nonce': [claims => ({ claims: { ...claims, nonce: 'x'.repeat(43) } })],
      'no nonce': [({ sub }) => ({ claims: { sub } })],
      'a token that is over': [claims => ({ claims: { ...claims, iat: now - 900, exp: now - 600 } })],
      'a key that is not the provider’s': [claims => ({ claims, isUnsigned: true })],
      'no signature': [
        claims => {
          const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
          const body = { iss: forger.issuer, aud: client.client_id, iat: now, exp: now + 300, ...claims }
          const id_token = `${encode({ alg: 'none' })}.${encode(body)}.`
          return { answer: { status: 200, body: { access_token: 'x', token_type: 'bearer', id_token } } }
        },
      ],
      'no subject': [({ nonce }) => ({ claims: { nonce } })],
      'a subject that is too long': [claims => ({ claims: { ...claims, sub: 'x'.repeat(300) } })],
      'no ID token': [() => ({ answer: { status: 200, body: { access_token: 'x', token_type: 'bearer' } } })],
      'an error': [() => ({ answer: { status: 400, body: { error: 'invalid_grant' } } })],
      'the issuer of another in the address': [honest, { iss: 'https://evil.example' }],
      'no issuer in the address': [honest, { iss: '' }],
      'an error in the address': [honest, { error: 'access_denied<script>' }],
    }
    for (const [what, [forge, more]] of Object.entries(attempts)) {
      const { error, session, location } = await logIn(forge, more)
      assert.deepEqual([error, session], ['refused', undefined], what)
      const { reason, outcome } = await lastRefusal()
      assert.equal(outcome, 'denied', what)
      assert.ok(reason.startsWith('The answer of Company ID was refused: '), `${what}: ${reason}`)
      assert.ok(!reason.includes('<script>'), reason)
      assert.deepEqual([...new URL(location).searchParams.keys()], ['error', 'reference'], what)
    }
    assert.equal(await sessions(), before)
  })

  // proves: SSO-01
  it('redeems a code that was stolen for nobody: it is bound to the browser by PKCE', async () => {
    await logIn(honest)
    const token = forger.requests.findLast(({ path }) => path === '/token')!
    const verifier = new URLSearchParams(token.body).get('code_verifier')!
    assert.match(verifier, /^[\w-]{43}$/)
    const { here, back } = await logIn(honest)
    const again = openSsoBrowser(world)
    const { back: other, nonce } = answerTo(await again.start(), { code: back.searchParams.get('code')! })
    forger.answers(honest({ nonce, sub: 'uma-there' }))
    assert.equal((await again.comesBack(other)).error, 'refused', 'a code is good once')
    assert.ok(here)
    const verifiers = forger.requests.flatMap(({ path, body }) =>
      path === '/token' ? [new URLSearchParams(body).get('code_verifier')] : [],
    )
    assert.equal(new Set(verifiers).size, verifiers.length, 'each log-in has its own')
  })

  // proves: SSO-01
  it('makes nothing of states that are none', async () => {
    const before = await countOf('audit_entries', `action = 'auth.logged_in'`)
    const real = new URL(await openSsoBrowser(world).start()).searchParams.get('state')!
    const [tenant, attempt, secret] = real.split('.')
    const states = [
      undefined,
      '',
      'x',
      `${tenant}.${attempt}`,
      `${tenant}.${attempt}.${'A'.repeat(43)}`,
      `${tenant}.999999999.${secret}`,
      `${world.people.rex!.tenant_id}.${attempt}.${secret}`,
      `1.${attempt}.${secret}`,
      `999999999999999.999999999999999.${secret}`,
      `${tenant}.${attempt}.${secret}.x`,
      "1.1.' or 1=1 --",
    ]
    for (const state of states) {
      const query = state === undefined ? '' : `&state=${encodeURIComponent(state)}`
      const reply = await world.server.inject({ url: `/api/auth/oidc/callback?code=x${query}` })
      assert.equal(reply.statusCode, 302, reply.body)
      assert.match(
        String(reply.headers.location),
        /^https:\/\/qms\.example\/sign-in\?error=refused&reference=[\w.-]+$/,
        state,
      )
    }
    assert.equal(await countOf('audit_entries', `action = 'auth.logged_in'`), before)
    for (const query of ['state=a&state=b', `state=${'x'.repeat(5000)}`]) {
      const reply = await world.server.inject({ url: `/api/auth/oidc/callback?${query}` })
      assert.equal(checkAnswer(reply, query).statusCode, 422)
    }
  })

  // proves: SSO-01
  it('does nothing where a browser only looks', async () => {
    const here = openSsoBrowser(world)
    const { back, nonce } = answerTo(await here.start())
    forger.answers(honest({ nonce, sub: 'uma-there' }))
    const attempts = await countOf('login_attempts')
    for (const url of [back.pathname + back.search, '/api/auth/oidc/acme/idp/start']) {
      const reply = await world.server.inject({
        ...{ method: 'HEAD', url },
        headers: { cookie: `__Host-attest-login=${here.state.login}` },
      })
      assert.equal(reply.statusCode, 405)
    }
    assert.equal(await countOf('login_attempts'), attempts)
    assert.equal((await here.comesBack(back)).error, undefined)
  })

  // proves: SSO-01
  it('never sends a person who has logged in to another site', async () => {
    for (const asked of [
      ...['https://evil.example', '//evil.example', '/\\evil.example', '/%09/evil.example/..//', 'javascript:alert(1)'],
      ...['/api/auth/logout', '\\evil.example', '/.//evil.example', '/../..//evil.example'],
    ]) {
      const here = openSsoBrowser(world)
      const { back, nonce } = answerTo(await here.start(asked))
      forger.answers(honest({ nonce, sub: 'uma-there' }))
      const { location } = await here.comesBack(back)
      assert.equal(new URL(location).origin, publicUrl, asked)
      assert.ok(!location.includes('/api/') && !location.startsWith(`${publicUrl}//`), location)
    }
  })

  // proves: SSO-01
  it('links nobody’s account to an attacker, nor an attacker’s to somebody', async () => {
    const linking = await accepted(
      world.as('petra').post('/api/auth/identities', { provider_id: provider.id, password }),
    )
    const { back, nonce } = answerTo(linking.json().start)
    forger.answers(honest({ nonce, sub: 'victim-there' }))
    const victim = openSsoBrowser(world)
    await victim.start()
    const { location } = await victim.comesBack(back)
    assert.match(location, /single_sign_on=not_begun_here/)
    assert.equal(await countOf('user_identities', `subject = 'victim-there'`), 0)
    const own = await accepted(world.as('petra').post('/api/auth/identities', { provider_id: provider.id, password }))
    const mine = answerTo(own.json().start)
    forger.answers(honest({ nonce: mine.nonce, sub: 'anna-there' }))
    const reply = await openSsoBrowser(world).comesBack(mine.back, { cookie: loginCookieIn(own) })
    assert.match(reply.location, /single_sign_on=taken/)
    assert.equal(reply.session, undefined, 'to link logs nobody in')
  })

  // proves: SSO-01, SVC-01
  it('knows of another company’s providers and people nothing', async () => {
    const theirs = await addProvider(world, forger, { by: 'rex', slug: 'idp' })
    const of = { subject: 'x', provider_id: theirs.id }
    for (const reply of [
      await world.as('ada').get(`/api/identity-providers/${theirs.id}`),
      await world.as('ada').put(`/api/identity-providers/${theirs.id}`, { is_active: false }),
      await world.as('ada').post(`/api/identity-providers/${theirs.id}/test`, {}),
      await world.as('ada').post(`/api/users/${world.people.uma!.id}/identities`, of),
      await world.as('ada').get(`/api/users/${world.people.rob!.id}/identities`),
      await world.as('uma').post('/api/auth/identities', { provider_id: theirs.id, password }),
    ])
      assert.equal(reply.statusCode, 404, reply.body)
    const here = openSsoBrowser(world, { at: 'rival/idp' })
    const { back, nonce } = answerTo(await here.start())
    forger.answers(honest({ nonce, sub: 'uma-there' }))
    assert.equal(
      (await here.comesBack(back)).error,
      'not_linked',
      'the same subject of the same client is nobody there',
    )
    const [none, unknown] = await Promise.all(
      ['/api/auth/oidc/acme/none/start', '/api/auth/oidc/nobody/idp/start'].map(url => world.server.inject({ url })),
    )
    assert.deepEqual([none!.statusCode, none!.body], [404, unknown!.body])
  })

  // proves: EVT-02
  it('reaches no address inside of the network, whoever names it', async () => {
    const inside = [
      'https://10.0.0.1',
      'https://169.254.169.254',
      'https://127.0.0.2',
      'https://[::1]',
      'https://2130706433',
      'https://0x7f.1',
      'https://[::ffff:10.0.0.1]',
      'https://localhost:1',
      'https://user:word@8.8.8.8',
      'https://8.8.8.8:22',
    ]
    for (const issuer of inside) {
      const body = { slug: 'inside', name: 'Inside', issuer, client_id: 'x', client_secret: 'y' }
      const reply = await world.as('ada').post('/api/identity-providers/', body)
      assert.equal(reply.statusCode, 422, issuer)
      assert.ok(!reply.body.includes('ECONN') && !reply.body.includes('127.0.0.1'), reply.body)
    }
    const other = await openForger()
    const { id } = await addProvider(world, other, { slug: 'turning', client_id: 'turning' })
    await linkUser(world, 'quinn', id, 'quinn-there')
    // What was harmless at saving is looked at again with each request.
    other.says({ token_endpoint: 'https://169.254.169.254/token', jwks_uri: 'https://10.0.0.1/jwks' })
    await accepted(world.as('ada').put(`/api/identity-providers/${id}`, { name: 'Turning' }))
    const here = openSsoBrowser(world, { at: 'acme/turning' })
    const { back } = answerTo(await here.start(), { iss: other.issuer })
    assert.equal((await here.comesBack(back)).error, 'refused')
    assert.match((await lastRefusal()).reason, /could not be reached \(not_public\)/)
    await other.close()
  })

  // proves: SSO-04
  it('ends no session by a token that is no logout token, or not for us, or not new', async () => {
    const { session } = await logIn(claims => ({ claims: { ...claims, sid: 'their-session' } }))
    const status = async () => (await sendWith(world, session!, 'GET', '/api/auth/session')).statusCode
    const post = (token: string, at = 'acme/idp') =>
      world.server.inject({
        method: 'POST',
        url: `/api/auth/oidc/${at}/back-channel-logout`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ logout_token: token }).toString(),
      })
    const of = { sub: 'uma-there', sid: 'their-session' }
    const now = Math.floor(Date.now() / 1000)
    const second = await openForger()
    const wrong: Record<string, string> = {
      'an ID token': await forger.sign({
        iss: forger.issuer,
        aud: client.client_id,
        iat: now,
        exp: now + 60,
        nonce: 'x',
        ...of,
      }),
      'another type': await forger.logoutToken(of, { header: { typ: 'JWT' } }),
      'a nonce': await forger.logoutToken({ ...of, nonce: 'x' }),
      'no event': await forger.logoutToken({ ...of, events: {} }),
      'an event that is none': await forger.logoutToken({
        ...of,
        events: 'http://schemas.openid.net/event/backchannel-logout',
      }),
      'no number': await forger.logoutToken({ ...of, jti: undefined }),
      'another audience': await forger.logoutToken({ ...of, aud: 'other' }),
      'another issuer': await forger.logoutToken({ ...of, iss: 'https://evil.example' }),
      'an old token': await forger.logoutToken({ ...of, iat: now - 700, exp: now + 60 }),
      'a token of tomorrow': await forger.logoutToken({ ...of, iat: now + 3600, exp: now + 7200 }),
      nobody: await forger.logoutToken({}),
      'a key that is not the provider’s': await forger.logoutToken(of, { isUnsigned: true }),
      'another provider': await second.logoutToken(of),
      text: 'nonsense',
      'two tokens': `${await forger.logoutToken(of)} ${await forger.logoutToken(of)}`,
    }
    for (const [what, token] of Object.entries(wrong)) {
      const reply = checkAnswer(await post(token), what)
      assert.deepEqual([reply.statusCode, reply.json().code], [400, 'logout_token_refused'], what)
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.equal(await status(), 200, what)
    }
    await second.close()
    assert.equal((await post(await forger.logoutToken({ sid: 'another-session' }))).statusCode, 200)
    assert.equal(await status(), 200)
    const asJson = await world.server.inject({
      ...{ method: 'POST', url: '/api/auth/oidc/acme/idp/back-channel-logout' },
      payload: { logout_token: 'x' },
    })
    assert.ok(asJson.statusCode >= 400 && asJson.statusCode < 500)
    const token = await forger.logoutToken(of)
    const replies = await Promise.all([1, 2, 3].map(() => post(token)))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 400, 400],
      'a token is taken once',
    )
    assert.equal(await status(), 401)
  })

  // proves: SES-01
  it('gives no other action a form that a page of another site could send', async () => {
    const { session } = await logIn(honest)
    for (const [method, url] of [
      ['POST', '/api/auth/token'],
      ['POST', '/api/auth/session'],
      ['POST', '/api/auth/forgot-password'],
      ['POST', '/api/auth/logout'],
      ['POST', '/api/deviations/'],
    ] as const) {
      const reply = await world.server.inject({
        ...{ method, url },
        headers: { cookie: session!, ...ours, 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'username=uma&password=x&title=Forged',
      })
      assert.equal(reply.statusCode, 415, `${url} ${reply.body}`)
    }
  })

  // proves: SSO-01
  describe('by an insider with the login attest_app', () => {
    let app: pg.Client
    before(async () => {
      app = new pg.Client(world.postgres.app)
      await app.connect()
    })
    after(() => app.end())
    const attempt = async (...statements: string[]) => {
      await app.query(`begin read write; set local app.tenant_id = '${world.people.uma!.tenant_id}'`)
      try {
        for (const each of statements) await app.query(each)
        await app.query('commit')
        return undefined
      } catch (error) {
        await app.query('rollback')
        return (error as { code: string }).code
      }
    }

    it('no link is made or turned without an entry, and none is changed at all', async () => {
      const user = world.people.quinn!.id
      assert.equal(
        await attempt(
          `insert into user_identities (user_id, provider_id, subject, linked_at) values (${world.people.ada!.id}, ${provider.id}, 'mine', now())`,
        ),
        'QA001',
      )
      assert.equal(await attempt(`update user_identities set user_id = ${user} where subject = 'anna-there'`), '42501')
      assert.equal(await attempt(`delete from user_identities where subject = 'anna-there'`), 'QA001')
      assert.equal(
        await attempt(`update credentials set is_break_glass = true where user_id = ${world.people.ada!.id}`),
        'QA001',
      )
    })

    it('an account that is linked to a subject of the insider lets nobody in, whatever entry says so', async () => {
      const mine = 'subject-of-the-insider'
      const { id, tenant_id } = world.people.quinn!
      // Even a genuine seal, of the link of another person.
      for (const seal of ['null', `decode(repeat('07', 32), 'hex')`, '(select seal from user_identities limit 1)']) {
        await app.query(
          `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}';
           insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
             values ('quinn', '', '', 'success', 'user.identity_linked', 'user', ${id}, '{}', '');
           delete from user_identities where user_id = ${id};
           insert into user_identities (user_id, provider_id, subject, linked_at) values (${id}, ${provider.id}, '${mine}', now());
           update user_identities set seal = ${seal} where user_id = ${id};
           commit`,
        )
        const { session, error } = await logIn(({ nonce }) => ({ claims: { nonce, sub: mine } }))
        assert.deepEqual([session, error], [undefined, 'refused'], seal)
        assert.match((await lastRefusal()).reason, /was not linked by this service/)
      }
    })

    it('a link that was removed does not come back with its seal', async () => {
      const { id, tenant_id } = world.people.petra!
      const mine = 'linked-to-petra-by-mistake'
      const { id: link } = (await linkUser(world, 'petra', provider.id, mine)).json()
      const [kept] = await world.rows<{ seal: Buffer; linked_at: string }>(
        'select seal, linked_at from user_identities where id = $1',
        [link],
      )
      await accepted(world.as('ada').delete(`/api/users/${id}/identities/${link}`, {}))
      const insert = async (columns: string, values: string, how = '') => {
        await app.query(
          `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}';
           insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
             values ('petra', '', '', 'success', 'user.identity_linked', 'user', ${id}, '{}', '')`,
        )
        try {
          await app.query(
            `insert into user_identities (user_id, provider_id, subject, linked_at${columns}) ${how}
             values (${id}, ${provider.id}, '${mine}', $1${values})`,
            [kept!.linked_at],
          )
          await app.query('update user_identities set seal = $1 where subject = $2', [kept!.seal, mine])
          await app.query('commit')
          return undefined
        } catch (error) {
          await app.query('rollback')
          return (error as { code: string }).code
        }
      }
      assert.equal(await insert(', id', `, ${link}`, 'overriding system value'), '42501')
      assert.equal(await insert('', ''), undefined)
      const { session, error } = await logIn(({ nonce }) => ({ claims: { nonce, sub: mine } }))
      assert.deepEqual([session, error], [undefined, 'refused'])
      assert.match((await lastRefusal()).reason, /was not linked by this service/)
    })

    it('a used answer is not made good again, nor one turned to another person', async () => {
      await logIn(honest)
      assert.equal(await attempt('update login_attempts set used_at = null where used_at is not null'), 'QA002')
      assert.equal(await attempt(`update login_attempts set browser_hash = decode(repeat('00', 32), 'hex')`), 'QA002')
      assert.equal(await attempt(`update login_attempts set user_id = ${world.people.ada!.id}, kind = 'link'`), 'QA002')
    })

    it('a provider that is turned to another issuer gets no secret, and lets nobody in', async () => {
      const evil = await openForger()
      await world.superuser.query(`begin; set local session_replication_role = replica;
        update identity_providers set issuer = '${evil.issuer}', revision = revision + 1 where id = ${provider.id}; commit`)
      const reply = await world.server.inject({ url: '/api/auth/oidc/acme/idp/start' })
      assert.match(String(reply.headers.location), /provider_unavailable/)
      assert.ok(!JSON.stringify(evil.requests).includes(client.client_secret))
      await world.superuser.query(`begin; set local session_replication_role = replica;
        update identity_providers set issuer = '${forger.issuer}', revision = revision + 1 where id = ${provider.id}; commit`)
      await evil.close()
      assert.equal((await logIn(honest)).error, undefined)
    })

    // proves: SSO-02
    it('no setting of a provider that they change lets anybody in, whatever entry says so', async () => {
      const { id: user } = world.people.quinn!
      const url = `/api/identity-providers/${provider.id}`
      /** As the service would: with an entry, and the next revision. */
      const turn = async (...statements: string[]) => {
        const code = await attempt(
          `set local app.user_id = '${user}'; set local app.transaction_id = '${randomUUID()}';
           insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
             values ('quinn', '', '', 'success', 'identity_provider.updated', 'identity_provider', ${provider.id}, '{}', '')`,
          ...statements,
        )
        assert.equal(code, undefined, statements.join())
      }
      const set = (values: string) =>
        turn(`update identity_providers set ${values}, revision = revision + 1 where id = ${provider.id}`)
      const [admin] = (await world.as('ada').get('/api/roles/?page_size=100'))
        .json()
        .items.filter((each: { name: string }) => each.name === 'Admin')
      const [stored] = await world.rows<Record<string, unknown>>(
        'select subject_claim, provisioning, roles_from, claims, provider_mfa_values, scopes, default_role_id from identity_providers where id = $1',
        [provider.id],
      )
      const putBack = async () => {
        await world.superuser.query('begin; set local session_replication_role = replica')
        await world.superuser.query('delete from identity_provider_mappings where provider_id = $1', [provider.id])
        const { claims, ...rest } = stored!
        const values = { ...rest, claims: JSON.stringify(claims) }
        const places = Object.keys(values).map((name, place) => `${name} = $${place + 2}`)
        await world.superuser.query(
          `update identity_providers set ${places.join(', ')}, is_active = true, token_auth = 'client_secret_basic' where id = $1`,
          [provider.id, ...Object.values(values)],
        )
        await world.superuser.query('commit')
      }
      const attempts: Record<string, () => Promise<void>> = {
        'the claim that names the person': () => set(`subject_claim = 'oid'`),
        'the claim of the user name': () => set(`claims = claims || '{"groups": "mine"}'`),
        'accounts for everybody': () => set(`provisioning = 'create'`),
        'another second factor': () => set(`provider_mfa_values = '{pwd}'`),
        'a role for new people': () => set(`default_role_id = ${admin.id}, roles_from = 'claims'`),
        'how the client proves itself': () => set(`token_auth = 'client_secret_post'`),
        'a group that gives the role Admin': () =>
          turn(
            `insert into identity_provider_mappings (provider_id, claim_value, role_id, priority) values (${provider.id}, 'mine', ${admin.id}, 1000)`,
          ),
      }
      for (const [what, change] of Object.entries(attempts)) {
        const here = openSsoBrowser(world)
        const { back, nonce } = answerTo(await here.start())
        await change()
        forger.answers({ claims: { nonce, sub: 'uma-there', oid: 'uma-there', groups: ['mine'], mine: ['mine'] } })
        const came = await here.comesBack(back)
        assert.deepEqual([came.session, came.error], [undefined, 'refused'], what)
        assert.match((await lastRefusal()).reason, /were changed past this service/, what)
        assert.match(
          String((await world.server.inject({ url: '/api/auth/oidc/acme/idp/start' })).headers.location),
          /provider_unavailable/,
          what,
        )
        const seen = (await accepted(world.as('ada').get(url))).json()
        assert.equal(seen.is_altered, true, what)
        for (const reply of [
          await world.as('ada').put(url, { name: 'Company ID' }),
          await world.as('ada').put(`${url}/mappings`, { mappings: [] }),
          await world.as('ada').post(`${url}/test`, {}),
        ])
          assert.deepEqual([reply.statusCode, reply.json().code], [409, 'identity_provider_altered'], what)
        await putBack()
        assert.equal((await logIn(honest)).error, undefined, `${what}: and lets people in as it was`)
      }
    })

    it('an altered provider comes back switched off, when an Admin has confirmed its settings', async () => {
      const url = `/api/identity-providers/${provider.id}`
      const confirm = () =>
        world.as('ada').post(`${url}/confirm-settings`, { change_reason: 'Compared with the trail' })
      const early = await confirm()
      assert.deepEqual([early.statusCode, early.json().code], [409, 'identity_provider_not_altered'])
      await world.superuser.query(`begin; set local session_replication_role = replica;
        update identity_providers set subject_claim = 'oid', may_sign = true, signing_tested_at = now() where id = ${provider.id}; commit`)
      assert.equal((await world.as('quinn').post(`${url}/confirm-settings`, {})).statusCode, 403)
      const confirmed = (await accepted(confirm())).json()
      assert.deepEqual(
        [confirmed.is_altered, confirmed.is_active, confirmed.may_sign, confirmed.signing_tested_at],
        [false, false, false, null],
      )
      const [entry] = await world.rows<{ reason: string; username: string }>(
        `select reason, username from audit_entries where action = 'identity_provider.settings_confirmed'`,
      )
      assert.deepEqual(entry, { reason: 'Compared with the trail', username: 'ada' })
      await accepted(world.as('ada').put(url, { subject_claim: 'sub', is_active: true }))
      assert.equal((await logIn(honest)).error, undefined)
    })

    it('the stored rows log nobody in', async () => {
      const here = openSsoBrowser(world)
      await here.start()
      const [row] = await world.rows<{ id: string; tenant_id: string; state_hash: Buffer; browser_hash: Buffer }>(
        'select id, tenant_id, state_hash, browser_hash from login_attempts order by id desc limit 1',
      )
      const state = `${row!.tenant_id}.${row!.id}.${row!.state_hash.toString('base64url')}`
      const reply = await world.server.inject({
        url: `/api/auth/oidc/callback?code=x&state=${state}`,
        headers: { cookie: `__Host-attest-login=${row!.browser_hash.toString('base64url')}` },
      })
      assert.match(String(reply.headers.location), /error=refused/)
    })
  })
})
