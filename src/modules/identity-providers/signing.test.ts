import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import {
  admitSigning,
  answerAtProvider,
  beginByProvider,
  testSigning,
  withoutPrompt,
} from '#test/builders/provider-signing.ts'
import { accepted } from '#test/builders/samples.ts'
import { signatures } from '#test/builders/signatures.ts'
import { addProvider, linkUser } from '#test/builders/single-sign-on.ts'
import { type Idp, openIdp, outboundHere, publicUrl } from '#test/fakes/oidc.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { verifySignatures } from '../../../verifier/attest-signature-verify.mjs'

const path = '/api/signatures/'
const uma = { sub: 'subject-of-uma' }

/** A world with a provider by which uma signs. */
async function openScene({ par = false } = {}) {
  const idp = await openIdp({ par })
  const world = await openWorld({ PUBLIC_URL: publicUrl }, { outbound: outboundHere() })
  const provider = await addProvider(world, idp)
  await linkUser(world, 'uma', provider.id, uma.sub)
  let said = 0
  return {
    idp,
    world,
    provider: provider as { id: number },
    /** Of another document each time: a person signs a content once with a meaning. */
    act: async () => ({
      path,
      body: {
        document_id: (await papers(world).effective()).id,
        signature_type: 'witness',
        intent: `Seen ${++said}`,
      },
    }),
    post: (name: string) => (url: string, body: object) => world.as(name).post(url, body),
    async close() {
      await world.close()
      await idp.close()
      assert.deepEqual(idp.failures, [])
    },
  }
}
type Scene = Awaited<ReturnType<typeof openScene>>

// proves: SSO-05, SIG-01
describe('a person who signs by the provider', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    await admitSigning(world, idp, scene.provider.id)
  })
  after(() => scene.close())
  const post = () => scene.post('uma')

  /** Signs by a new log-in; the signature. */
  async function sign(act?: { body: object }): Promise<Json> {
    const { body } = act ?? (await scene.act())
    const begun = await beginByProvider(post(), [{ path, body }])
    const { id } = ok(begun)
    const came = await answerAtProvider(world, idp, begun)
    assert.deepEqual([came.outcome, came.session], ['proved', undefined], came.location)
    assert.ok(came.location.startsWith(`${publicUrl}/tasks?`))
    return ok(await post()(path, { ...body, signing_challenge: id }))
  }

  it('logs in there anew, for this content, and needs no password', async () => {
    idp.logsIn(uma)
    const before = idp.requests.length
    const { id } = await sign()
    const row = await signatures(world).read(id)
    assert.equal(row.method, 'provider')
    assert.deepEqual(await signatures(world).found(id), { status: 'valid', failed: [] })
    assert.equal(row.evidence.kind, 'id_token')
    assert.ok(idp.requests.length > before)
    const { id_token } = JSON.parse(row.evidence.evidence)
    const claims = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
    const [{ sha256 }] = (await world.rows<{ sha256: string }>(
      `select sha256 from signing_challenges where kind = 'provider' order by id desc limit 1`,
    )) as [{ sha256: string }]
    assert.equal(claims.nonce, Buffer.from(sha256, 'hex').toString('base64url'))
  })

  it('is sent there with the digest as the nonce, and the prompt for a new log-in', async () => {
    const begun = await beginByProvider(post(), [await scene.act()])
    const { start, sha256 } = ok(begun)
    const asked = new URL(start).searchParams
    assert.equal(asked.get('nonce'), Buffer.from(sha256, 'hex').toString('base64url'))
    assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '0'])
    assert.equal(asked.get('login_hint'), (await world.as('uma').get('/api/auth/me')).json().email)
  })

  it('signs several requests by one log-in', async () => {
    idp.logsIn(uma)
    const acts = [await scene.act(), await scene.act()]
    const begun = await beginByProvider(post(), acts)
    const signing_challenge = ok(begun).id
    assert.equal((await answerAtProvider(world, idp, begun)).outcome, 'proved')
    for (const { body } of acts) ok(await post()(path, { ...body, signing_challenge }))
  })

  it('leaves evidence that verifies without the provider, and of which every alteration is found', async () => {
    idp.logsIn(uma)
    const { id } = await sign()
    const { read, found, whileAltered } = signatures(world)
    const row = await read(id)
    const offline = (altered: Json) => verifySignatures(JSON.stringify([altered]), { keys: [row.public_key] })
    assert.equal(offline(row).exit, 0, JSON.stringify(offline(row).lines))
    assert.match(offline(row).lines[0]!.text, /confirmed this content by a log-in at/)
    const [{ evidence_id }] = (await world.rows<{ evidence_id: string }>(
      'select evidence_id from signatures where id = $1',
      [id],
    )) as [{ evidence_id: string }]
    const kept = JSON.parse(row.evidence.evidence)
    const [head, payload, signature] = kept.id_token.split('.') as [string, string, string]
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const turned = (more: object) =>
      `${head}.${Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')}.${signature}`
    const alterations: Record<string, string>[] = [
      { evidence: JSON.stringify({ ...kept, id_token: turned({ nonce: 'another' }) }) },
      { evidence: JSON.stringify({ ...kept, id_token: turned({ auth_time: claims.auth_time - 3600 }) }) },
      { evidence: JSON.stringify({ ...kept, issuer: 'https://another.example' }) },
      { evidence: 'no JSON' },
      { key: JSON.stringify({ ...row.evidence.key, e: 'Aw' }) },
      { key: JSON.stringify({ ...row.evidence.key, alg: 'none' }) },
    ]
    for (const change of alterations) {
      const set = Object.fromEntries(
        Object.entries(change).map(([column, value]) => [column, `'${value.replaceAll("'", "''")}'`]),
      )
      const verdict = await whileAltered('signature_evidence', Number(evidence_id), set, () => found(id))
      assert.deepEqual(verdict, { status: 'seal_invalid', failed: ['evidence'] }, JSON.stringify(change))
      const altered = { ...row.evidence, ...change, ...(change.key && { key: JSON.parse(change.key) }) }
      assert.equal(offline({ ...row, evidence: altered }).exit, 1, JSON.stringify(change))
    }
    assert.deepEqual(await found(id), { status: 'valid', failed: [] })
  })

  it('keeps the key of the provider, once', async () => {
    const keys = await world.rows<{ kid: string; jwk: Json }>('select kid, jwk from identity_provider_keys')
    assert.deepEqual(
      keys.map(({ kid, jwk }) => [kid, jwk.kty, jwk.alg]),
      [['a key', 'RSA', 'RS256']],
    )
    const seen = await world.rows(`select from audit_entries where action = 'identity_provider.key_seen'`)
    assert.equal(seen.length, 1)
  })

  // proves: AUTH-07
  it('signs where a second factor is needed only if the provider names one', async () => {
    const url = `/api/identity-providers/${scene.provider.id}`
    const [first, second, third] = [await scene.act(), await scene.act(), await scene.act()]
    await accepted(world.as('ada').put('/api/settings/', { signature_otp_required: true }))
    const refused = await beginByProvider(post(), [first])
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'identity_provider_no_second_factor'])
    await accepted(world.as('ada').put(url, { provider_mfa_values: ['otp', 'mfa'] }))
    idp.logsIn({ ...uma, amr: ['pwd', 'otp'] })
    await sign(second)
    await accepted(world.as('ada').put(url, { provider_mfa_values: ['hwk'] }))
    const { body } = third
    const begun = await beginByProvider(post(), [{ path, body }])
    const signing_challenge = ok(begun).id
    await answerAtProvider(world, idp, begun)
    const reply = await post()(path, { ...body, signing_challenge })
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'signing_provider_second_factor_missing'])
    await accepted(world.as('ada').put('/api/settings/', { signature_otp_required: false }))
  })

  it('does so only where the company accepts it', async () => {
    const act = await scene.act()
    await accepted(world.as('ada').put('/api/settings/', { signature_methods: ['password'] }))
    const refused = await beginByProvider(post(), [act])
    assert.deepEqual([refused.statusCode, refused.json().code], [401, 'signing_method_not_accepted'])
    await accepted(world.as('ada').put('/api/settings/', { signature_methods: ['provider'] }))
    await accepted(world.as('ada').put('/api/settings/', { signature_methods: ['password', 'session', 'provider'] }))
  })

  it('cannot be left without a way to sign, where the company accepts this one alone', async () => {
    const url = `/api/identity-providers/${scene.provider.id}`
    const refusal = (reply: { statusCode: number; json(): Json }) => [reply.statusCode, reply.json().code]
    const methods = (signature_methods: string[]) => world.as('ada').put('/api/settings/', { signature_methods })
    const act = await scene.act()
    await accepted(methods(['provider']))
    for (const change of [
      { may_sign: false },
      { is_active: false },
      { client_id: 'another', client_secret: 'of another' },
    ])
      assert.deepEqual(refusal(await world.as('ada').put(url, change)), [409, 'identity_provider_signs_alone'])
    await accepted(world.as('ada').put(url, { name: 'Company log-in' }))
    idp.logsIn(uma)
    await sign(act)
    await accepted(methods(['password', 'session', 'provider']))

    for (const _ of [1, 2, 3]) {
      const replies = await Promise.all([methods(['provider']), world.as('ada').put(url, { may_sign: false })])
      assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200, 409]), 'one of two at once')
      await methods(['password', 'session', 'provider'])
      await accepted(world.as('ada').put(url, { may_sign: true }))
    }
    await accepted(world.as('ada').put(url, { may_sign: false }))
    assert.deepEqual(refusal(await methods(['provider'])), [409, 'signing_methods_of_nobody'])
    await accepted(world.as('ada').put(url, { may_sign: true }))
  })

  it('is a person with a link to a provider that may sign', async () => {
    const refused = await beginByProvider(scene.post('petra'), [await scene.act()])
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'identity_provider_cannot_sign'])
  })
})

// proves: SSO-05
describe('a provider', () => {
  let scene: Scene
  let world: World
  let idp: Idp
  let url: string
  before(async () => {
    scene = await openScene()
    ;({ world, idp } = scene)
    url = `/api/identity-providers/${scene.provider.id}`
  })
  after(() => scene.close())
  const admit = () => world.as('ada').put(url, { may_sign: true })
  const lastTest = async () =>
    (
      await world.rows<{ outcome: string; reason: string | null; changes: Json }>(
        `select outcome, reason, changes from audit_entries where action = 'identity_provider.signing_tested' order by id desc limit 1`,
      )
    )[0]!

  it('may sign only after a test that recognises when it does not ask', async () => {
    idp.logsIn({ sub: 'tester' })
    const alone = await world.as('ada').put('/api/settings/', { signature_methods: ['provider'] })
    assert.deepEqual([alone.statusCode, alone.json().code], [409, 'signing_methods_of_nobody'])
    const refused = await admit()
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'identity_provider_signing_untested'])
    assert.match(
      await testSigning(world, idp, scene.provider.id),
      /^https:\/\/qms\.example\/sso\?single_sign_on=signing_tested$/,
    )
    assert.equal((await lastTest()).outcome, 'success')
    assert.notEqual((await accepted(world.as('ada').get(url))).json().signing_tested_at, null)
    await accepted(admit())
    assert.equal((await world.as('ada').get(url)).json().may_sign, true)
  })

  it('with another issuer or client has to be tested again', async () => {
    const both = await world.as('ada').put(url, { client_id: 'another', client_secret: 'a', may_sign: true })
    assert.deepEqual([both.statusCode, both.json().code], [409, 'identity_provider_signing_untested'])
    await accepted(world.as('ada').put(url, { client_id: 'another', client_secret: 'a' }))
    const { may_sign, signing_tested_at } = (await world.as('ada').get(url)).json()
    assert.deepEqual([may_sign, signing_tested_at], [false, null])
  })
})

// proves: SSO-05
describe('a provider that takes pushed requests', () => {
  it('is asked where no browser can change it', async () => {
    const scene = await openScene({ par: true })
    const { world, idp } = scene
    await admitSigning(world, idp, scene.provider.id)
    idp.logsIn(uma)
    const { body } = await scene.act()
    const begun = await beginByProvider(scene.post('uma'), [{ path, body }])
    const signing_challenge = ok(begun).id
    assert.deepEqual([...new URL(ok(begun).start).searchParams.keys()].sort(), ['client_id', 'request_uri'])
    assert.equal((await answerAtProvider(world, idp, begun, { turn: withoutPrompt })).outcome, 'proved')
    ok(await scene.post('uma')(path, { ...body, signing_challenge }))
    await scene.close()
  })
})
