// As an operator does it, on the database and the folder of a world with signatures in it.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { platformTenantId, systemActor } from '#modules/accounts'
import { registerNextKey, registerSigningKey } from '#modules/signatures'
import { openSigningKey, prepareNextSigningKey } from '#platform/crypto/signing-key.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'

const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'

describe('the key that seals signatures', () => {
  let world: World
  let keys: string
  before(async () => {
    world = await openWorld({ SECRET_KEY: secret_key })
    keys = join(world.folder, 'keys')
  })
  after(async () => {
    await commands.close()
    await world.close()
  })

  const commands = commandsOf(() => world)
  const run = commands.run
  const keyFiles = () =>
    readdirSync(keys)
      .filter(name => name.endsWith('.pem'))
      .sort()
  /** As at a start: the key of the folder, which the database is told of. */
  async function restart() {
    world.services.signingKey = await openSigningKey(keys)
    await registerSigningKey(world.database, world.services.signingKey)
    return world.services.signingKey.key_id
  }
  async function signed() {
    const { id } = await papers(world).effective()
    const { items } = ok(await world.as('otto').get(`/api/signatures/?document_id=${id}`))
    return items.map((signature: Json) => signature.id) as number[]
  }
  async function statuses(ids: number[]) {
    const all: string[] = []
    for (const id of ids) {
      const { verification } = ok(await world.as('otto').get(`/api/signatures/${id}`))
      all.push(`${verification.key_id} ${verification.status}`)
    }
    return [...new Set(all)]
  }
  const rotations = () =>
    world.rows<Json>(
      `select tenant_id::int, username, resource_number, changes::jsonb - 'by_previous' - 'by_next' as changes from audit_entries where action = 'signing_key.rotated' order by id`,
    )

  it('is put in the place of another, which is destroyed, and what that one sealed stays valid (proves: SIG-02)', async () => {
    const first = await restart()
    const old = await signed()
    const pem = readFileSync(join(keys, 'signature.pem'), 'utf8')
    const { code, out, err } = await run(['signing-key', 'rotate'])
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(keyFiles(), ['audit.pem', 'signature.pem'])
    assert.notEqual(readFileSync(join(keys, 'signature.pem'), 'utf8'), pem)
    assert.equal(statSync(join(keys, 'signature.pem')).mode & 0o777, 0o600)
    // A process that still runs has the old one: what it seals until it ends is as good.
    const meanwhile = await signed()
    const second = await restart()
    assert.match(out, new RegExp(`The key ${second} .* in the place of ${first}\\.`))
    const recent = await signed()
    assert.deepEqual(await statuses([...old, ...meanwhile]), [`${first} valid`])
    assert.deepEqual(await statuses(recent), [`${second} valid`])
    assert.deepEqual(await rotations(), [
      {
        tenant_id: platformTenantId,
        username: 'system',
        resource_number: second,
        changes: {
          key_id: { from: first, to: second },
          public_key: { from: null, to: world.services.signingKey.public_key },
        },
      },
    ])
    const listed = (await run(['signing-key', 'list'])).out.trim().split('\n')
    assert.deepEqual(
      listed.map(line => [line.split('  ')[0], line.endsWith('in use')]),
      [
        [first, false],
        [second, true],
      ],
    )
    assert.match((await run(['doctor'])).out, new RegExp(`^ok {4}signing key: ${second} is known`, 'm'))
  })

  it('works after a rotation that was ended at any step, and the next one goes on with it', async () => {
    const register = async () => {
      const next = await prepareNextSigningKey(keys)
      const actor = systemActor(platformTenantId)
      const origin = { requestId: '', clientAddr: '' }
      await world.services.runner.inSeparateTransaction(actor, origin, writing =>
        registerNextKey(writing, next, world.services.signingKey),
      )
    }
    for (const steps of [() => prepareNextSigningKey(keys), register]) {
      const before = await restart()
      const count = (await rotations()).length
      await steps()
      const { key_id: prepared } = await prepareNextSigningKey(keys)
      assert.equal(await restart(), before)
      const old = await signed()
      assert.deepEqual(await statuses(old), [`${before} valid`])
      const told = await run(['doctor'])
      assert.deepEqual([told.code, /rotation is not finished/.test(told.out)], [1, true])
      assert.equal((await run(['signing-key', 'rotate'])).code, 0)
      assert.equal(await restart(), prepared)
      assert.deepEqual(await statuses([...old, ...(await signed())]), [`${before} valid`, `${prepared} valid`])
      assert.equal((await rotations()).length, count + 1, 'told once')
      assert.deepEqual(keyFiles(), ['audit.pem', 'signature.pem'])
    }
  })

  // proves: SIG-02
  it('is named by the doctor if it is in the database and nobody confirmed it, and an operator can confirm it', async () => {
    await restart()
    const { key_id, public_key } = await openSigningKey(join(world.folder, 'earlier'))
    await world.rows('insert into signing_keys (key_id, public_key) values ($1, $2)', [key_id, public_key])
    const told = await run(['doctor'])
    assert.equal(told.code, 1)
    assert.match(
      told.out,
      new RegExp(`^FAIL {2}keys of signatures: no key of this service has confirmed ${key_id}`, 'm'),
    )
    assert.match((await run(['signing-key', 'list'])).out, new RegExp(`^${key_id} .* not trusted$`, 'm'))
    const confirm = () => run(['signing-key', 'confirm', '--key', key_id, '--reason', 'In the list of January'])
    assert.equal((await confirm()).code, 0)
    assert.match((await run(['doctor'])).out, /^ok {4}keys of signatures: all \d are of this service/m)
    assert.match((await confirm()).err, /is trusted already/)
    const entries = await world.rows(`select reason from audit_entries where action = 'signing_key.confirmed'`)
    assert.deepEqual(entries, [{ reason: 'In the list of January' }])
  })

  it('is backed up and restored with the records of all that were before it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attest-keys-'))
    const target = await cloneDatabase()
    try {
      const to = join(folder, 'backup')
      assert.equal((await run(['backup', '--to', to, '--include-keys'])).code, 0)
      const environment = { DATA_DIR: join(folder, 'target'), ...urlsOf(target) }
      const { code, out, err } = await run(['restore', '--from', to], environment)
      assert.deepEqual([code, err], [0, ''])
      assert.match(out, /\d\d signatures are valid/)
      assert.match((await run(['doctor'], environment)).out, /^ok {4}signing key: /m)
      assert.equal(
        readFileSync(join(folder, 'target/keys/signature.pem'), 'utf8'),
        readFileSync(join(keys, 'signature.pem'), 'utf8'),
      )
    } finally {
      await target.drop()
      rmSync(folder, { recursive: true })
    }
  })

  it('is missed by the doctor where the database does not know it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attest-keys-'))
    await openSigningKey(join(folder, 'keys'))
    const { code, out } = await run(['doctor'], { DATA_DIR: folder })
    assert.equal(code, 1)
    assert.match(
      out,
      /^FAIL {2}signing key: the signing key [0-9a-f]{16} \(.*signature\.pem\) is not of this installation/m,
    )
    rmSync(folder, { recursive: true })
  })
})
