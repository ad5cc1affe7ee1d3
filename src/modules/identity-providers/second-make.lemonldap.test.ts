// Single sign-on by another make of provider than the one of the other suites: LemonLDAP::NG, as Debian has it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import { answerAtProvider, beginByProvider, testSigning, withoutPrompt } from '#test/builders/provider-signing.ts'
import { accepted } from '#test/builders/samples.ts'
import { sendWith } from '#test/builders/sessions.ts'
import { signatures } from '#test/builders/signatures.ts'
import { addProvider, linkUser, logInBySso, whoIs } from '#test/builders/single-sign-on.ts'
import { asks_anew_after_s, type Lemonldap, openLemonldap, openLemonldapBrowser } from '#test/fakes/lemonldap.ts'
import { outboundHere, publicUrl } from '#test/fakes/oidc.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'

const path = '/api/signatures/'

describe('LemonLDAP::NG', () => {
  let lemonldap: Lemonldap
  let world: World
  let provider: { id: number }
  const roles = new Map<string, number>()
  before(async () => {
    lemonldap = await openLemonldap()
    world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere() })
    for (const { id, name } of (await world.as('ada').get('/api/roles/?page_size=100')).json().items)
      roles.set(name, id)
    provider = await addProvider(world, lemonldap, {
      scopes: ['openid', 'email', 'profile', 'groups'],
      provisioning: 'create',
      roles_from: 'claims',
      default_role_id: roles.get('User'),
    })
    await accepted(
      world.as('ada').put(`/api/identity-providers/${provider.id}/mappings`, {
        mappings: [{ claim_value: 'timelords', role_id: roles.get('QA'), priority: 1 }],
      }),
    )
  })
  after(async () => {
    await world.close()
    await lemonldap.close()
  })
  const browserOf = (name: string) => openLemonldapBrowser(lemonldap, name)
  const logIn = (browser: ReturnType<typeof browserOf>) => logInBySso(world, lemonldap, { browser })
  const lastReason = async (action: string) =>
    (
      await world.rows<{ reason: string }>(
        'select reason from audit_entries where action = $1 order by id desc limit 1',
        [action],
      )
    )[0]?.reason

  // proves: SSO-01, SSO-02
  it('logs people in by a code with PKCE, into accounts with the roles of their groups', async () => {
    for (const [name, full_name, role] of [
      ['rtyler', 'Rose Tyler', 'User'],
      ['dwho', 'Doctor Who', 'QA'],
    ] as const) {
      const browser = browserOf(name)
      const { session, error, here } = await logIn(browser)
      assert.equal(error, undefined, await lastReason('auth.login_failed'))
      const me = await whoIs(world, session)
      assert.deepEqual([me.username, me.full_name, me.email, me.role], [name, full_name, `${name}@badwolf.org`, role])
      const asked = new URL(await here.start()).searchParams
      assert.deepEqual([asked.get('code_challenge_method'), asked.get('code_challenge')?.length], ['S256', 43])
      assert.equal((await whoIs(world, (await logIn(browser)).session)).id, me.id)
      assert.equal(browser.state.passwords, 1, 'its own session answers the second time')
    }
  })

  // proves: SSO-04
  it('ends the session there by the address that the log-out here names', async () => {
    const browser = browserOf('rtyler')
    const { session } = await logIn(browser)
    const { end_session_url } = (await accepted(sendWith(world, session!, 'GET', '/api/auth/provider-logout'))).json()
    await accepted(sendWith(world, session!, 'POST', '/api/auth/logout'))
    assert.equal((await sendWith(world, session!, 'GET', '/api/auth/session')).statusCode, 401)
    assert.equal((await browser.follow(end_session_url)).href, `${publicUrl}/sign-in`)
    await logIn(browser)
    assert.equal(browser.state.passwords, 2, 'it asks again')
  })

  // proves: SSO-05, SIG-01
  it('is admitted for signatures, and proves one by a new log-in alone', async () => {
    const tester = browserOf('dwho')
    const tested = await testSigning(world, lemonldap, provider.id, { browser: tester })
    assert.match(tested, /single_sign_on=signing_tested$/, await lastReason('identity_provider.signing_tested'))
    await accepted(world.as('ada').put(`/api/identity-providers/${provider.id}`, { may_sign: true }))
    await linkUser(world, 'uma', provider.id, 'msmith')

    const browser = browserOf('msmith')
    const post = (url: string, body: object) => world.as('uma').post(url, body)
    let said = 0
    const begin = async () => {
      const { id: document_id } = await papers(world).effective()
      const body = { document_id, signature_type: 'witness', intent: `Seen ${++said}` }
      return { body, begun: await beginByProvider(post, [{ path, body }]) }
    }
    const sign = async (turn?: (start: string) => string) => {
      const { body, begun } = await begin()
      const { id: signing_challenge } = ok(begun)
      const { outcome } = await answerAtProvider(world, lemonldap, begun, { browser, ...(turn && { turn }) })
      const reason = await lastReason('signature.denied')
      return { outcome, reason, reply: await post(path, { ...body, signing_challenge }) }
    }
    const first = await sign()
    assert.equal(first.outcome, 'proved', first.reason)
    const asks_anew_at = Date.now() + (asks_anew_after_s + 1) * 1000
    const row = await signatures(world).read(ok(first.reply).id)
    assert.equal(row.method, 'provider')
    assert.deepEqual(await signatures(world).found(row.id), { status: 'valid', failed: [] })

    const unasked = await sign(withoutPrompt)
    assert.deepEqual([unasked.outcome, unasked.reply.statusCode], ['refused', 401])
    const soon = await sign()
    assert.deepEqual([soon.outcome, soon.reply.statusCode], ['refused', 401], 'it passes over a prompt so soon')
    for (const { reason } of [unasked, soon]) assert.match(reason!, /did not ask for a new log-in/)
    assert.equal(browser.state.passwords, 1)

    await until(() => Date.now() > asks_anew_at)
    const again = await sign()
    assert.equal(again.outcome, 'proved', again.reason)
    ok(again.reply)
    assert.equal(browser.state.passwords, 2, 'it asked for the password in spite of its session')
  })
})
