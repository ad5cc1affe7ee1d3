// An insider with the login attest_app forges a signature: with a key of their own, with a link that only looks like a rotation, with an
// entry in the audit trail, and dated back.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomUUID, sign as signBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { keyIdOf, openSigningKey, type SigningKey } from '#platform/crypto/signing-key.ts'
import { type Json, papers } from '#test/builders/documents.ts'
import { forged, intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

/** A key of the attacker's own, with the interface of the service's. */
function makeKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return {
    key_id: keyIdOf(raw),
    public_key: raw.toString('base64'),
    sign: bytes => signBytes(null, bytes, privateKey).toString('base64'),
  }
}

describe('a signature that is forged with the login attest_app', () => {
  let world: World
  let app: pg.Client
  let document: number
  let genuine: Json
  let seals: ReturnType<typeof signatures>
  before(async () => {
    world = await openWorld()
    seals = signatures(world)
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(async () => {
    await app.end()
    await world.close()
  })
  beforeEach(async () => {
    await app.query('rollback')
    await sign()
  })
  /** A document with genuine signatures, of which a forged one follows the newest. */
  async function sign() {
    document = (await papers(world).effective()).id
    const [newest] = await world.rows<Json>(
      'select to_jsonb(s) as row from signatures s where document_id = $1 order by id desc limit 1',
      [document],
    )
    genuine = newest!.row
  }

  /** Binds a transaction to the signer, and writes a signature in their name with an entry that looks like the service's. */
  async function forge(
    key: SigningKey,
    { signed_at, entry = true, extra }: { signed_at: string; entry?: boolean; extra?: () => Promise<unknown> },
  ) {
    const { id: user, tenant_id } = world.people.quentin!
    await app.query(
      `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${user}'; set local app.transaction_id = '${randomUUID()}'`,
    )
    await app.query('insert into signing_keys (key_id, public_key) values ($1, $2) on conflict do nothing', [
      key.key_id,
      key.public_key,
    ])
    await extra?.()
    const payload = JSON.parse(genuine.payload)
    Object.assign(payload, {
      intent: 'I forged it',
      occasion: { kind: 'free', ref: '' },
      signature_type: 'witness',
      signed_at,
      previous: genuine.digest,
    })
    Object.assign(payload.signer, { id: String(user), username: 'quentin', full_name: 'Quentin', role: 'QA Manager' })
    // The payload of the service is canonical, and an object keeps the order of its names.
    const text = JSON.stringify(payload)
    const digest = createHash('sha256').update(text).digest('hex')
    const values: Json = {
      ...Object.fromEntries(
        [
          'document_id',
          'version_id',
          'round',
          'content_revision',
          'method',
          'time_zone',
          'request_id',
          'client_addr',
        ].map(name => [name, genuine[name]]),
      ),
      ...{ format: 1, signature_type: 'witness', intent: 'I forged it', occasion_kind: 'free', occasion_ref: '' },
      ...{ previous_digest: genuine.digest, signed_at, payload: text, digest },
      ...{ signer_username: 'quentin', signer_full_name: 'Quentin', signer_role: 'QA Manager' },
      ...{ key_id: key.key_id, seal: key.sign(Buffer.from(text)) },
    }
    const names = Object.keys(values)
    const { rows } = await app.query(
      `insert into signatures (${names.join()}) values (${names.map((_, at) => `$${at + 1}`).join()}) returning id`,
      Object.values(values),
    )
    const id = Number(rows[0].id)
    await app.query(
      `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
       values ('quentin', 'QA Manager', '', 'success', $1, 'signature', $2, $3, '')`,
      [entry ? 'signature.created' : 'signature.voided', id, JSON.stringify({ digest: { from: null, to: digest } })],
    )
    await app.query('commit')
    await world.seal()
    return id
  }
  /** Worlds of tests allow any, because tests move the clock of the service alone. */
  const allowDifference = (most: string) =>
    world.superuser.query(
      `create or replace function signature_clock_tolerance() returns interval language sql immutable as $$ select interval '${most}' $$`,
    )
  const justNow = () => world.clock.now().toISOString()
  const longAgo = '2026-01-23T10:00:00.000Z'

  // proves: SIG-02
  it('is refused if its key is one that nobody but the attacker has', async () => {
    const key = makeKey()
    const id = await forge(key, { signed_at: justNow() })
    assert.deepEqual(await seals.found(id), forged('signature_integrity'))
    assert.match(
      await seals.detail('signature_integrity', id),
      new RegExp(`The key ${key.key_id} is not of this service`),
    )
  })

  // proves: SIG-02
  it('is refused if it is dated back, for its key and for its time', async () => {
    const id = await forge(makeKey(), { signed_at: longAgo })
    assert.deepEqual(await seals.found(id), forged('signature_integrity', 'audit_entry'))
    assert.match(await seals.detail('audit_entry', id), /signed at 2026-01-23T10:00:00.000Z/)
  })

  // proves: SIG-02
  it('does not commit without an entry of the audit trail, nor dated back, even with the key of the service', async () => {
    const stolen = await openSigningKey(`${world.folder}/keys`)
    await assert.rejects(forge(stolen, { signed_at: justNow(), entry: false }), { code: 'QA001' })
    await app.query('rollback')
    await allowDifference('15 minutes')
    try {
      await assert.rejects(forge(stolen, { signed_at: longAgo }), { code: 'QA004' })
      const earlier = new Date(world.clock.now().getTime() - 16 * 60_000).toISOString()
      await assert.rejects(forge(stolen, { signed_at: earlier }), { code: 'QA004' })
    } finally {
      await allowDifference('100 years')
    }
  })

  // proves: SIG-02
  it('is found out by its missing entry and by its time where somebody has switched the triggers off', async () => {
    const stolen = await openSigningKey(`${world.folder}/keys`)
    await world.superuser.query('alter table signatures disable trigger signed_now')
    try {
      assert.deepEqual(
        await seals.found(await forge(stolen, { signed_at: justNow(), entry: false })),
        forged('audit_entry'),
      )
      await sign()
      assert.deepEqual(await seals.found(await forge(stolen, { signed_at: longAgo })), forged('audit_entry'))
    } finally {
      await world.superuser.query('alter table signatures enable trigger signed_now')
    }
  })

  it('is not given by the service while its clock and that of the database differ: 503, and nothing is signed', async () => {
    const { id } = await papers(world).submitted()
    await allowDifference('15 minutes')
    world.clock.moved_ms = 16 * 60_000
    try {
      const refused = await world.as('petra').post(`/api/documents/${id}/approve`, { password })
      assert.deepEqual([refused.statusCode, refused.json().code], [503, 'clocks_differ'])
      world.clock.moved_ms = 0
      assert.equal((await world.as('petra').post(`/api/documents/${id}/approve`, { password })).statusCode, 200)
    } finally {
      world.clock.moved_ms = 0
      await allowDifference('100 years')
    }
  })

  it('leaves the genuine signatures of the document valid', async () => {
    await forge(makeKey(), { signed_at: justNow() })
    for (const { id, intent } of await seals.listed('document', document))
      assert.deepEqual(await seals.found(id), intent === 'I forged it' ? forged('signature_integrity') : intact)
  })
})
