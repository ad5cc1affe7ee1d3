// Signing by the provider as somebody abuses it: who takes the prompt out of the address, answers as another person or for another content,
// forges what the provider says, and the insider with the login attest_app.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'
import { canonicalBytes, digest } from '#platform/crypto/canonical.ts'
import { withPasskey } from '#test/builders/authenticator.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import {
  admitSigning,
  answerAtProvider,
  beginByProvider,
  inTheNextSecond,
  testSigning,
  withoutPrompt,
} from '#test/builders/provider-signing.ts'
import { accepted } from '#test/builders/samples.ts'
import { openBrowser } from '#test/builders/sessions.ts'
import { addProvider, linkUser, loginCookieIn, openSsoBrowser } from '#test/builders/single-sign-on.ts'
import {
  client,
  type Forged,
  type Forger,
  type Idp,
  openForger,
  openIdp,
  openIdpBrowser,
  outboundHere,
  publicUrl,
} from '#test/fakes/oidc.ts'
import { openWorld, type World } from '#test/world/world.ts'

const path = '/api/signatures/'
const minutes = 60_000
type Reply = Awaited<ReturnType<World['server']['inject']>>

// proves: SSO-05, SIG-01, SIG-02
describe('a signature by the provider under attack', () => {
  let world: World
  let idp: Idp
  let forger: Forger
  let real: { id: number }
  let forged: { id: number }
  before(async () => {
    forger = await openForger()
    idp = await openIdp()
    world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere() })
    real = await addProvider(world, idp)
    forged = await addProvider(world, forger, { slug: 'forger', name: 'Forger' })
    await linkUser(world, 'petra', real.id, 'petra-there')
    await linkUser(world, 'quinn', real.id, 'quinn-there')
    await linkUser(world, 'uma', forged.id, 'uma-there')
    await admitSigning(world, idp, real.id)
    await admitForger()
  })
  after(async () => {
    await world.close()
    await forger.close()
    await idp.close()
    assert.deepEqual(idp.failures, [])
  })

  let said = 0
  const act = async () => ({
    path,
    body: { document_id: (await papers(world).effective()).id, signature_type: 'witness', intent: `Seen ${++said}` },
  })
  const post = (name: string) => (url: string, body: object) => world.as(name).post(url, body)
  const seconds = () => Math.floor(Date.now() / 1000)

  /** How the forger answers what was begun at `start`. */
  async function comesBack(
    start: string,
    cookie: string | undefined,
    forge: (honest: { nonce: string; sub: string; auth_time: number }) => Forged,
    more: Record<string, string> = {},
  ) {
    const asked = new URL(start).searchParams
    const back = new URL(`${publicUrl}/api/auth/oidc/callback`)
    const values = { code: randomBytes(8).toString('hex'), state: asked.get('state')!, iss: forger.issuer, ...more }
    for (const [name, value] of Object.entries(values)) back.searchParams.set(name, value)
    forger.answers(forge({ nonce: asked.get('nonce')!, sub: 'uma-there', auth_time: seconds() }))
    return { back, ...(await openSsoBrowser(world).comesBack(back, { cookie })) }
  }
  const honest = (claims: Record<string, unknown>) => ({ claims })

  async function admitForger() {
    const url = `/api/identity-providers/${forged.id}`
    const begun = await accepted(world.as('ada').post(`${url}/test-signing`, { return_to: '/sso' }))
    const auth_time = seconds()
    const round = (start: string, reply: Reply) =>
      comesBack(start, loginCookieIn(reply), ({ nonce, sub }) => ({ claims: { nonce, sub, auth_time } }))
    const first = await round(begun.json().start, begun)
    assert.match((await round(first.location, first.reply)).location, /signing_tested$/)
    await accepted(world.as('ada').put(url, { may_sign: true }))
  }

  const lastEntry = async (action: string) =>
    (
      await world.rows<{ reason: string; outcome: string }>(
        'select reason, outcome from audit_entries where action = $1 order by id desc limit 1',
        [action],
      )
    )[0]!
  /** How often ada was told that a signature of petra was refused. */
  const told = async () =>
    (
      await world.rows(
        `select from notifications where user_id = $1 and title = 'A signature of petra by Company ID was refused'`,
        [world.people.ada!.id],
      )
    ).length
  const isProved = async (name: string, id: number) =>
    (await world.as(name).get(`/api/signing-challenges/${id}`)).json().proved_at !== null

  async function assertActRefused(name: string, body: object, signing_challenge: number) {
    const reply = await post(name)(path, { ...body, signing_challenge })
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'signing_challenge_refused'])
    assert.match(String(reply.headers['www-authenticate']), /insufficient_user_authentication/)
  }

  it('of an honest answer counts, so that what is refused below is refused for its reason', async () => {
    const { body } = await act()
    const begun = await beginByProvider(post('uma'), [{ path, body }])
    await inTheNextSecond()
    const { location } = await comesBack(ok(begun).start, loginCookieIn(begun), honest)
    assert.match(location, /single_sign_on=proved$/)
    ok(await post('uma')(path, { ...body, signing_challenge: begun.json().id }))
  })

  it('is refused where the prompt was taken out of the address, and the Admins are told', async () => {
    idp.logsIn({ sub: 'petra-there' })
    const browser = openIdpBrowser(idp)
    const { body } = await act()
    const first = await beginByProvider(post('petra'), [{ path, body }])
    assert.equal((await answerAtProvider(world, idp, first, { browser })).outcome, 'proved')
    ok(await post('petra')(path, { ...body, signing_challenge: ok(first).id }))
    // Somebody else at the open browser: the provider does not ask again.
    idp.nobodyLogsIn()
    await inTheNextSecond()
    await inTheNextSecond()
    const before = await told()
    const { body: another } = await act()
    const begun = await beginByProvider(post('petra'), [{ path, body: another }])
    const { outcome, location } = await answerAtProvider(world, idp, begun, { browser, turn: withoutPrompt })
    assert.equal(outcome, 'refused', location)
    const { reason, outcome: recorded } = await lastEntry('signature.denied')
    assert.match(reason, /did not ask for a new log-in/)
    assert.equal(recorded, 'denied')
    assert.equal(await told(), before + 1)
    assert.equal(await isProved('petra', ok(begun).id), false)
    await assertActRefused('petra', another, ok(begun).id)
    assert.equal((await world.as('petra').get(`/api/signing-challenges/${ok(begun).id}`)).json().is_refused, true)
  })

  it('is refused where another person logs in, and the Admins are told', async () => {
    idp.logsIn({ sub: 'quinn-there' })
    const before = await told()
    const { body } = await act()
    const begun = await beginByProvider(post('petra'), [{ path, body }])
    assert.equal((await answerAtProvider(world, idp, begun)).outcome, 'refused')
    assert.match((await lastEntry('signature.denied')).reason, /quinn-there logged in, who is not the signer/)
    assert.equal(await told(), before + 1)
    await assertActRefused('petra', body, ok(begun).id)
    await assertActRefused('quinn', body, ok(begun).id)
  })

  it('is refused where the provider says nothing, too little or something old of the log-in', async () => {
    const old = seconds() - 200
    const answers: [string, (claims: { nonce: string; sub: string; auth_time: number }) => Forged, RegExp][] = [
      ['no auth_time', ({ nonce, sub }) => ({ claims: { nonce, sub } }), /auth_time/],
      [
        'auth_time as a text',
        claims => ({ claims: { ...claims, auth_time: String(seconds()) } }),
        /was refused: invalid response/,
      ],
      ['an old log-in', claims => ({ claims: { ...claims, auth_time: old } }), /older than the request/],
      // Entra ID sets iat five minutes back.
      ['iat set back', claims => ({ claims: { ...claims, auth_time: old, iat: seconds() - 300 } }), /older than/],
      ['iat ahead', claims => ({ claims: { ...claims, iat: seconds() + 20, auth_time: seconds() } }), /older than/],
    ]
    for (const [name, forge, why] of answers) {
      const { body } = await act()
      const begun = await beginByProvider(post('uma'), [{ path, body }])
      await inTheNextSecond()
      const { location } = await comesBack(ok(begun).start, loginCookieIn(begun), forge)
      assert.match(location, /single_sign_on=refused/, name)
      assert.match((await lastEntry('signature.denied')).reason, why, name)
      await assertActRefused('uma', body, ok(begun).id)
    }
  })

  it('counts once for each log-in', async () => {
    const [first, second] = [await act(), await act()]
    const [one, two] = [await beginByProvider(post('uma'), [first]), await beginByProvider(post('uma'), [second])]
    await inTheNextSecond()
    const auth_time = seconds()
    const at = (claims: object) => ({ claims: { ...claims, auth_time } })
    assert.match((await comesBack(ok(one).start, loginCookieIn(one), at)).location, /proved$/)
    assert.match((await comesBack(ok(two).start, loginCookieIn(two), at)).location, /refused/)
    assert.match((await lastEntry('signature.denied')).reason, /this log-in was used before/)
    // Nor does a log-in here count for a signature, however short the time between them.
    const begun = await beginByProvider(post('uma'), [await act()])
    await inTheNextSecond()
    const there = openSsoBrowser(world, { at: 'acme/forger' })
    const later = seconds()
    const same = (claims: object) => ({ claims: { ...claims, auth_time: later } })
    const start = await there.start()
    const logged = await comesBack(start, there.state.login, same)
    assert.notEqual(logged.session, undefined)
    assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), same)).location, /refused/)
    assert.match((await lastEntry('signature.denied')).reason, /this log-in was used before/)
  })

  it('is refused where the answer is forged, of another log-in, or comes to another browser', async () => {
    const wrong: [
      string,
      (claims: { nonce: string; sub: string; auth_time: number }) => Forged,
      Record<string, string>?,
    ][] = [
      ['another nonce', claims => ({ claims: { ...claims, nonce: 'another' } })],
      ['another audience', claims => ({ claims: { ...claims, aud: 'another' } })],
      ['another issuer', claims => ({ claims: { ...claims, iss: 'https://another.example' } })],
      ['a key that is not published', claims => ({ claims, isUnsigned: true })],
      ['another iss in the address', honest, { iss: 'https://another.example' }],
    ]
    for (const [name, forge, more] of wrong) {
      const { body } = await act()
      const begun = await beginByProvider(post('uma'), [{ path, body }])
      await inTheNextSecond()
      const { location } = await comesBack(ok(begun).start, loginCookieIn(begun), forge, more)
      assert.match(location, /single_sign_on=refused/, name)
      assert.equal(await isProved('uma', ok(begun).id), false, name)
      await assertActRefused('uma', body, ok(begun).id)
    }
    const { body } = await act()
    const begun = await beginByProvider(post('uma'), [{ path, body }])
    const { id, start } = ok(begun)
    for (const cookie of [undefined, 'another', loginCookieIn(await beginByProvider(post('uma'), [await act()]))]) {
      assert.match((await comesBack(start, cookie, honest)).location, /single_sign_on=not_begun_here/)
      assert.equal(await isProved('uma', id), false)
    }
    await inTheNextSecond()
    const taken = await comesBack(start, loginCookieIn(begun), honest)
    assert.match(taken.location, /single_sign_on=proved/)
    const again = await openSsoBrowser(world).comesBack(taken.back, { cookie: loginCookieIn(begun) })
    assert.match(again.location, /single_sign_on=refused/)
    ok(await post('uma')(path, { ...body, signing_challenge: id }))
  })

  it('counts for no other request, person or session, once, and for two minutes', async () => {
    const { body } = await act()
    const browser = await openBrowser(world, 'uma')
    const begun = await beginByProvider((url, sent) => browser.post(url, sent), [{ path, body }])
    const signing_challenge = ok(begun).id
    await inTheNextSecond()
    assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), honest)).location, /proved$/)
    await assertActRefused('uma', body, signing_challenge)
    await assertActRefused('petra', body, signing_challenge)
    const sent = (fields: object) => browser.post(path, { ...body, ...fields, signing_challenge })
    assert.equal((await sent({ intent: 'Something else' })).statusCode, 401)
    world.clock.moved_ms += 3 * minutes
    assert.equal((await sent({})).statusCode, 401)
    world.clock.moved_ms -= 3 * minutes
    ok(await sent({}))
    assert.equal((await sent({})).statusCode, 401)
  })

  it('is not proved by a passkey in the place of the provider, nor the other way round', async () => {
    const { authenticator } = await withPasskey(world, 'uma')
    const byProvider = ok(await beginByProvider(post('uma'), [await act()]))
    const challenge = Buffer.from(byProvider.sha256, 'hex').toString('base64url')
    const response = authenticator.get({ challenge })
    const reply = await post('uma')(`/api/signing-challenges/${byProvider.id}/passkey`, { response })
    assert.equal(reply.statusCode, 404)
    // The provider names the challenge of a passkey.
    const { body } = await act()
    const acts = [{ method: 'POST', path, body }]
    const byPasskey = ok(await post('uma')('/api/signing-challenges/', { kind: 'passkey', acts }))
    const nonce = Buffer.from(byPasskey.sha256, 'hex').toString('base64url')
    const begun = await beginByProvider(post('uma'), [await act()])
    await inTheNextSecond()
    const turned = await comesBack(ok(begun).start, loginCookieIn(begun), claims => ({ claims: { ...claims, nonce } }))
    assert.match(turned.location, /refused/)
    assert.equal(await isProved('uma', byPasskey.id), false)
  })

  it('is not proved after ten minutes', async () => {
    const begun = await beginByProvider(post('uma'), [await act()])
    world.clock.moved_ms += 11 * minutes
    assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), honest)).location, /refused/)
    world.clock.moved_ms -= 11 * minutes
    assert.equal(await isProved('uma', ok(begun).id), false)
  })

  it('of a content that was changed since is refused', async () => {
    const document = await papers(world).effective()
    const body = { document_id: document.id, signature_type: 'witness', intent: 'Seen as it was' }
    const begun = await beginByProvider(post('uma'), [{ path, body }])
    await inTheNextSecond()
    assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), honest)).location, /proved$/)
    await behindTheApi(
      world,
      'document_versions',
      `update document_versions set title = 'Another' where document_id = $1`,
      [document.id],
    )
    const reply = await post('uma')(path, { ...body, signing_challenge: ok(begun).id })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'signature_content_changed'])
  })

  it('dies with the link, and with the provider that may sign no more', async () => {
    const { body } = await act()
    const begun = await beginByProvider(post('uma'), [{ path, body }])
    await inTheNextSecond()
    assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), honest)).location, /proved$/)
    const url = `/api/identity-providers/${forged.id}`
    await accepted(world.as('ada').put(url, { may_sign: false }))
    await assertActRefused('uma', body, ok(begun).id)
    await accepted(world.as('ada').put(url, { may_sign: true }))
    const identities = `/api/users/${world.people.uma!.id}/identities`
    const [identity] = (await world.as('ada').get(identities)).json()
    await accepted(world.as('ada').delete(`${identities}/${identity.id}`, {}))
    await assertActRefused('uma', body, ok(begun).id)
    await linkUser(world, 'uma', forged.id, 'uma-there')
  })

  it('by a provider that makes up the moment of a log-in is never admitted', async () => {
    const url = `/api/identity-providers/${forged.id}`
    const begun = await accepted(world.as('ada').post(`${url}/test-signing`, { return_to: '/sso' }))
    const now = (claims: Json) => ({ claims: { ...claims, auth_time: seconds() } })
    const first = await comesBack(begun.json().start, loginCookieIn(begun), now)
    const second = await comesBack(first.location, loginCookieIn(first.reply), now)
    assert.match(second.location, /\/sso\?single_sign_on=refused/)
    assert.match((await lastEntry('identity_provider.signing_tested')).reason, /answered without asking/)
    // Nor does an Admin pass it whose browser leaves the prompt out in the first round.
    const without = await accepted(world.as('ada').post(`${url}/test-signing`, {}))
    const old = await comesBack(without.json().start, loginCookieIn(without), claims => ({
      claims: { ...claims, auth_time: seconds() - 100 },
    }))
    assert.match(old.location, /single_sign_on=refused/)
    idp.logsIn({ sub: 'tester' })
    assert.match(await testSigning(world, idp, real.id, { turn: withoutPrompt }), /signing_tested$/, 'it logs in anew')
  })

  // proves: SIG-02
  describe('by an insider with the login attest_app', () => {
    let app: pg.Client
    before(async () => {
      app = new pg.Client(world.postgres.app)
      await app.connect()
    })
    after(() => app.end())
    /** As the person, with an entry that says so. The code of the refusal, or undefined. */
    async function attempt(action: string, resource: string, id: number, ...statements: [string, unknown[]?][]) {
      const { id: user, tenant_id } = world.people.uma!
      try {
        await app.query(
          `rollback; begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${user}'; set local app.transaction_id = '${randomUUID()}'`,
        )
        await app.query(
          `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
           values ('', '', '', 'success', $1, $2, $3, '{}', '')`,
          [action, resource, id],
        )
        for (const [text, values] of statements) await app.query(text, values ?? [])
        await app.query('commit')
        return undefined
      } catch (error) {
        await app.query('rollback')
        return (error as { code: string }).code
      }
    }
    const about = (resource: string, id: number, ...statements: [string, unknown[]?][]) =>
      attempt('identity_provider.updated', resource, id, ...statements)

    it('a proof of their own making is none, with whatever key they enter', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
      const key = { ...((await exportJWK(publicKey)) as Record<string, string>), alg: 'ES256', kid: 'mine' }
      for (const isKeyEntered of [false, true]) {
        const { body } = await act()
        const begun = await beginByProvider(post('uma'), [{ path, body }])
        const { id, text, sha256 } = ok(begun)
        const claims = {
          sub: 'uma-there',
          auth_time: seconds(),
          nonce: Buffer.from(sha256, 'hex').toString('base64url'),
        }
        const id_token = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: 'mine' })
          .setIssuer(forger.issuer)
          .setAudience(client.client_id)
          .setIssuedAt()
          .sign(privateKey)
        const evidence = canonicalBytes({ id_token, issuer: forger.issuer, client_id: client.client_id }).toString()
        const kept = { kind: 'id_token', challenge: text as string, evidence, key }
        if (isKeyEntered)
          assert.equal(
            await attempt('identity_provider.key_seen', 'identity_provider', forged.id, [
              `insert into identity_provider_keys (provider_id, issuer, kid, jwk, jwk_sha256, seal)
               values ($1, $2, 'mine', $3, $4, coalesce((select seal from identity_provider_keys where provider_id = $1 limit 1), decode(repeat('07', 32), 'hex')))`,
              [forged.id, forger.issuer, JSON.stringify(key), digest(key)],
            ]),
            undefined,
          )
        assert.equal(
          await attempt(
            'signing_challenge.proved',
            'signing_challenge',
            id,
            [
              'insert into signature_evidence (challenge_id, kind, challenge, evidence, key, sha256) values ($1, $2, $3, $4, $5, $6)',
              [id, kept.kind, kept.challenge, evidence, JSON.stringify(key), digest(kept)],
            ],
            [
              `update signing_challenges set proved_at = $2, evidence_id = (select e.id from signature_evidence e where e.challenge_id = $1) where id = $1`,
              [id, world.clock.now().toISOString()],
            ],
          ),
          undefined,
        )
        await assertActRefused('uma', body, id)
        assert.match((await lastEntry('signature.denied')).reason, /its key is not known to be of the provider/)
      }
    })

    it('no other provider is admitted, no log-in made good again, and no key changed', async () => {
      const other = await openForger()
      const { id } = await addProvider(world, other, { slug: 'other', name: 'Other' })
      const set = (values: string, at = id) =>
        about('identity_provider', at, [`update identity_providers set ${values} where id = ${at}`])
      assert.equal(await set('may_sign = true'), '23514')
      assert.equal(await set(`issuer = 'https://evil.example'`, real.id), 'QA002', 'and stays tested')
      assert.equal(
        await about('user', world.people.uma!.id, [
          'update user_identities set last_auth_time = 1 where last_auth_time > 1',
        ]),
        'QA002',
      )
      assert.equal(
        await about('user', world.people.uma!.id, [
          'update user_identities set last_auth_time = null where last_auth_time > 1',
        ]),
        'QA002',
      )
      for (const statement of ['update identity_provider_keys set kid = null', 'delete from identity_provider_keys'])
        assert.equal(await about('identity_provider', real.id, [statement]), '42501')
      await other.close()
    })

    it('a provider that they altered proves nothing, also where the log-in was before', async () => {
      const { body } = await act()
      const begun = await beginByProvider(post('uma'), [{ path, body }])
      await inTheNextSecond()
      assert.match((await comesBack(ok(begun).start, loginCookieIn(begun), honest)).location, /proved$/)
      const set = (values: string) =>
        about('identity_provider', forged.id, [`update identity_providers set ${values} where id = ${forged.id}`])
      assert.equal(await set(`provider_mfa_values = '{pwd}'`), undefined)
      await assertActRefused('uma', body, ok(begun).id)
      assert.match((await lastEntry('signature.denied')).reason, /its provider was altered/)
      const next = await beginByProvider(post('uma'), [{ path, body }])
      assert.deepEqual([next.statusCode, next.json().code], [409, 'identity_provider_altered'])
      assert.equal(await set(`provider_mfa_values = '{}'`), undefined)
    })

    it('a link to a subject of their own signs as nobody', async () => {
      const { body } = await act()
      const { id } = world.people.uma!
      const begun = await beginByProvider(post('uma'), [{ path, body }])
      assert.equal(
        await attempt(
          'user.identity_linked',
          'user',
          id,
          [`delete from user_identities where user_id = ${id}`],
          [
            `insert into user_identities (user_id, provider_id, subject, linked_at) values (${id}, ${forged.id}, 'mine', now())`,
          ],
          [
            `update user_identities set seal = (select seal from user_identities where seal is not null limit 1) where subject = 'mine'`,
          ],
        ),
        undefined,
      )
      await inTheNextSecond()
      const { location } = await comesBack(ok(begun).start, loginCookieIn(begun), ({ nonce, auth_time }) => ({
        claims: { nonce, auth_time, sub: 'mine' },
      }))
      assert.match(location, /single_sign_on=refused/)
      assert.match((await lastEntry('signature.denied')).reason, /was not linked by this service/)
      await assertActRefused('uma', body, ok(begun).id)
    })
  })
})
