// Signing challenges as somebody abuses them: who uses the proof of another person, session, request or content, twice or too late, and who
// writes a proof into the database.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Authenticator,
  newAuthenticator,
  originOf,
  proveActs,
  registerPasskey,
  withPasskey,
} from '#test/builders/authenticator.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { effectiveDocument } from '#test/builders/samples.ts'
import { openBrowser } from '#test/builders/sessions.ts'
import { signatures } from '#test/builders/signatures.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { verifySignatures } from '../../verifier/attest-signature-verify.mjs'

const minutes = 60_000
const path = '/api/signatures/'

// proves: SSO-05, SIG-01, SIG-02
describe('a signing challenge', () => {
  let world: World
  let uma: Authenticator
  let petra: Authenticator
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    uma = (await withPasskey(world, 'uma')).authenticator
    petra = (await withPasskey(world, 'petra')).authenticator
  })
  after(() => world.close())

  let said = 0
  /** Of another document each time: a person signs a content once with a meaning. */
  const act = async (fields: object = {}) => ({
    document_id: (await papers(world).effective()).id,
    signature_type: 'witness',
    intent: `Seen ${++said}`,
    ...fields,
  })
  const post = (name: string) => (url: string, body: object) => world.as(name).post(url, body)
  const begin = async (name: string, bodies: object[]): Promise<Json> =>
    ok(
      await post(name)('/api/signing-challenges/', {
        kind: 'passkey',
        acts: bodies.map(body => ({ method: 'POST', path, body })),
      }),
    )
  const count = async () => (await world.rows<{ count: number }>('select count(*)::int from signatures'))[0]!.count
  const lastDenied = async () =>
    (
      await world.rows<{ reason: string }>(
        `select reason from audit_entries where action = 'signature.denied' order by id desc limit 1`,
      )
    )[0]!.reason

  async function assertRefused(reply: { statusCode: number; headers: Json; json(): Json }, why: RegExp) {
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'signing_challenge_refused'])
    assert.match(String(reply.headers['www-authenticate']), /insufficient_user_authentication/)
    assert.match(await lastDenied(), why)
  }

  it('counts for nobody else, and in no other session of the same person', async () => {
    const body = await act()
    const signing_challenge = await proveActs(post('uma'), uma, [{ path, body }])
    await assertRefused(await post('petra')(path, { ...body, signing_challenge }), /another person or session/)
    const other = await openBrowser(world, 'uma')
    await assertRefused(await other.post(path, { ...body, signing_challenge }), /another person or session/)
    const [type] = await world.rows<{ id: string }>(
      `select id from document_types where tenant_id = $1 and name = 'General document'`,
      [world.people.rob!.tenant_id],
    )
    const theirs = { admin: 'rex', author: 'rob', approver: 'rita' }
    const document_id = await effectiveDocument(world, theirs, Number(type!.id), 'Of the rival')
    const before = await count()
    await assertRefused(await post('rob')(path, { ...body, document_id, signing_challenge }), /no such/)
    assert.equal(await count(), before)
    ok(await post('uma')(path, { ...body, signing_challenge }))
  })

  it('counts for no other request, and once', async () => {
    const body = await act()
    const signing_challenge = await proveActs(post('uma'), uma, [{ path, body }])
    for (const changed of [
      { ...body, intent: 'Something else' },
      { ...body, signature_type: 'acknowledgement' },
    ])
      await assertRefused(await post('uma')(path, { ...changed, signing_challenge }), /does not name this request/)
    const replies = await Promise.all([1, 2, 3].map(() => post('uma')(path, { ...body, signing_challenge })))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 401, 401],
    )
    await assertRefused(await post('uma')(path, { ...body, signing_challenge }), /used before/)
  })

  it('counts for two minutes after its proof, and for ten where it names several requests', async () => {
    const bodies = [await act(), await act()]
    const one = await proveActs(post('uma'), uma, [{ path, body: bodies[0]! }])
    world.clock.moved_ms += 3 * minutes
    await assertRefused(await post('uma')(path, { ...bodies[0], signing_challenge: one }), /too old/)
    const several = await proveActs(
      post('uma'),
      uma,
      bodies.map(body => ({ path, body })),
    )
    world.clock.moved_ms += 9 * minutes
    ok(await post('uma')(path, { ...bodies[0], signing_challenge: several }))
    world.clock.moved_ms += 2 * minutes
    await assertRefused(await post('uma')(path, { ...bodies[1], signing_challenge: several }), /too old/)
  })

  it('counts for nothing before its proof, and is proved within ten minutes', async () => {
    const body = await act()
    const challenge = await begin('uma', [body])
    await assertRefused(await post('uma')(path, { ...body, signing_challenge: challenge.id }), /not proved/)
    world.clock.moved_ms += 11 * minutes
    const late = await post('uma')(`/api/signing-challenges/${challenge.id}/passkey`, {
      response: uma.get(challenge.passkey),
    })
    assert.deepEqual([late.statusCode, late.json().code], [401, 'passkey_proof_refused'])
    assert.match(await lastDenied(), /not proved in time/)
  })

  it('is not proved by the passkey of another person, of another origin, without its holder, or over something else', async () => {
    const wrong: [(challenge: Json) => object, RegExp][] = [
      [({ passkey }) => petra.get(passkey), /not one that the signer can sign with/],
      [
        ({ passkey }) => newAuthenticator(originOf(world)).get(passkey, { userHandle: null }),
        /not one that the signer can sign with/,
      ],
      [({ passkey }) => uma.get(passkey, { origin: 'https://evil.example' }), /origin/],
      [({ passkey }) => uma.get(passkey, { isVerified: false }), /verif/],
      [() => uma.get({ challenge: Buffer.alloc(32).toString('base64url') }), /challenge/],
    ]
    for (const [answer, why] of wrong) {
      const body = await act()
      const challenge = await begin('uma', [body])
      const url = `/api/signing-challenges/${challenge.id}/passkey`
      const reply = await post('uma')(url, { response: answer(challenge) })
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'passkey_proof_refused'])
      assert.match(await lastDenied(), why)
      // It is over: also the right passkey does not prove it any more.
      assert.equal((await post('uma')(url, { response: uma.get(challenge.passkey) })).statusCode, 401)
      await assertRefused(await post('uma')(path, { ...body, signing_challenge: challenge.id }), /not proved/)
    }
    const challenge = await begin('uma', [await act()])
    for (const name of ['petra', 'rob']) {
      const url = `/api/signing-challenges/${challenge.id}/passkey`
      const theirs = await post(name)(url, { response: petra.get(challenge.passkey) })
      const none = await post(name)('/api/signing-challenges/999999999/passkey', {
        response: petra.get(challenge.passkey),
      })
      assert.deepEqual([theirs.statusCode, theirs.body], [404, none.body])
    }
  })

  it('is refused, and the passkey revoked, where the passkey counts back', async () => {
    const { id, authenticator } = await withPasskey(world, 'anna')
    await proveActs(post('anna'), authenticator, [{ path, body: await act() }])
    const challenge = await begin('anna', [await act()])
    const response = authenticator.get(challenge.passkey, { counter: 1 })
    const reply = await post('anna')(`/api/signing-challenges/${challenge.id}/passkey`, { response })
    assert.equal(reply.statusCode, 401)
    const [row] = await world.rows<{ revoke_reason: string }>('select revoke_reason from passkeys where id = $1', [id])
    assert.equal(row!.revoke_reason, 'counter')
    const { items } = ok(await world.as('ada').get('/api/notifications/'))
    assert.equal(items[0].type, 'passkey_misused')
  })

  it('is worth nothing once its passkey is revoked', async () => {
    const { id, authenticator } = await withPasskey(world, 'alan')
    const body = await act({ signature_type: 'acknowledgement' })
    const signing_challenge = await proveActs(post('alan'), authenticator, [{ path, body }])
    ok(await world.as('alan').get('/api/auth/passkeys/'))
    assert.equal((await world.as('alan').delete(`/api/auth/passkeys/${id}`)).statusCode, 204)
    await assertRefused(await post('alan')(path, { ...body, signing_challenge }), /revoked/)
  })

  it('signs nothing that was changed since', async () => {
    const { id } = await papers(world).submitted()
    const approve = `/api/documents/${id}/approve`
    const body = { comment: 'Fine' }
    const signing_challenge = await proveActs(post('petra'), petra, [{ path: approve, body }])
    await behindTheApi(
      world,
      'document_versions',
      `update document_versions set title = 'Another' where document_id = $1`,
      [id],
    )
    const before = await count()
    const reply = await post('petra')(approve, { ...body, signing_challenge })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'signature_content_changed'])
    assert.equal(await count(), before)
  })

  it('is not taken together with a password, which would hide a wrong one', async () => {
    const body = await act()
    const signing_challenge = await proveActs(post('uma'), uma, [{ path, body }])
    const reply = await post('uma')(path, { ...body, signing_challenge, password: 'a wrong one' })
    assert.deepEqual([reply.statusCode, reply.json().detail[0].type], [422, 'signing_proofs_two'])
    ok(await post('uma')(path, { ...body, signing_challenge }))
  })

  it('that somebody says in the database to be proved is not', async () => {
    const browser = await openBrowser(world, 'quinn')
    const own = newAuthenticator(originOf(world))
    await registerPasskey((url, body) => browser.post(url, body), own)
    const body = await act()
    const send = (url: string, sent: object) => browser.post(url, sent)
    const genuine = await proveActs(send, own, [{ path, body: await act() }])
    const challenge = ok(
      await send('/api/signing-challenges/', { kind: 'passkey', acts: [{ method: 'POST', path, body }] }),
    )
    // The proof of another challenge of the same person.
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query(
      `update signing_challenges c set proved_at = $2, evidence_id = o.evidence_id from signing_challenges o where c.id = $1 and o.id = $3`,
      [challenge.id, world.clock.now().toISOString(), genuine],
    )
    await world.superuser.query('commit')
    await assertRefused(await send(path, { ...body, signing_challenge: challenge.id }), /does not verify/)
    // A proof that was made for it, by a key that is not the signer's.
    const forged = newAuthenticator(originOf(world)).get(challenge.passkey) as Json
    await behindTheApi(
      world,
      'signature_evidence',
      `update signature_evidence set challenge = $2, evidence = jsonb_build_object('rp_id', 'qms.example', 'origin', 'https://qms.example',
         'credential_id', $3::text, 'authenticator_data', $4::text, 'client_data', $5::text, 'signature', $6::text)::text
       where id = (select evidence_id from signing_challenges where id = $1)`,
      [
        challenge.id,
        challenge.text,
        own.id,
        forged.response.authenticatorData,
        forged.response.clientDataJSON,
        forged.response.signature,
      ],
    )
    await assertRefused(await send(path, { ...body, signing_challenge: challenge.id }), /signature does not verify/)
  })

  it('leaves evidence of which every alteration is found, by the service and without it', async () => {
    const body = await act()
    const signing_challenge = await proveActs(post('uma'), uma, [{ path, body }])
    const { id } = ok(await post('uma')(path, { ...body, signing_challenge }))
    const { read, found, whileAltered } = signatures(world)
    const row = await read(id)
    const keys = [row.public_key]
    const offline = (altered: Json) => verifySignatures(JSON.stringify([altered]), { keys })
    assert.equal(offline(row).exit, 0, JSON.stringify(offline(row).lines))
    assert.match(offline(row).lines[0]!.text, /confirmed this content with a passkey/)
    const [{ evidence_id }] = (await world.rows<{ evidence_id: string }>(
      'select evidence_id from signatures where id = $1',
      [id],
    )) as [{ evidence_id: string }]
    const evidence = JSON.parse(row.evidence.evidence)
    const other = Buffer.from(evidence.signature, 'base64url')
    other[other.length - 1]! ^= 1
    const alterations: Record<string, string>[] = [
      { challenge: row.evidence.challenge.replace(`"signer":"${world.people.uma!.id}"`, '"signer":"1"') },
      { challenge: row.evidence.challenge.replace(/"content_sha256":"[0-9a-f]/, '"content_sha256":"x') },
      { evidence: JSON.stringify({ ...evidence, signature: other.toString('base64url') }) },
      { evidence: 'no JSON' },
      { key: JSON.stringify({ ...row.evidence.key, x: row.evidence.key.y }) },
      { sha256: '0'.repeat(64) },
    ]
    for (const change of alterations) {
      const set = Object.fromEntries(
        Object.entries(change).map(([column, value]) => [column, `'${value.replaceAll("'", "''")}'`]),
      )
      const verdict = await whileAltered('signature_evidence', Number(evidence_id), set, () => found(id))
      assert.deepEqual(verdict, { status: 'seal_invalid', failed: ['evidence'] }, JSON.stringify(change))
      const altered = { ...row.evidence, ...change, ...(change.key && { key: JSON.parse(change.key) }) }
      if (change.sha256 === undefined)
        assert.equal(offline({ ...row, evidence: altered }).exit, 1, JSON.stringify(change))
    }
    const without = await whileAltered(
      'signatures',
      id,
      { evidence_id: 'null', format: '1', method: `'password'` },
      () => found(id),
    ).catch((error: Error) => error.message)
    assert.ok(typeof without === 'string' || without.failed.includes('evidence'), JSON.stringify(without))
    assert.equal(offline({ ...row, evidence: null }).exit, 1)
    assert.equal(verifySignatures(JSON.stringify([row]), { keys: [Buffer.alloc(32, 7).toString('base64')] }).exit, 1)
    assert.equal(verifySignatures(JSON.stringify([row]), { keys: [] }).exit, 2)
    assert.equal(verifySignatures('nonsense', { keys }).exit, 2)
    assert.deepEqual(await found(id), { status: 'valid', failed: [] })
    const byPassword = ok(await world.as('uma').post(path, { ...(await act()), password }))
    assert.match(offline(await read(byPassword.id)).lines[0]!.text, /nothing more is kept/)
  })
})
