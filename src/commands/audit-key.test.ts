// As an operator does it, on the database and the folder of a world.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { sealNow, verifierKeysOf } from '#modules/audit'
import { findSigningKeys } from '#platform/crypto/signing-key.ts'
import type { Json } from '#test/builders/documents.ts'
import { suspendTenant } from '#test/faults/suspended.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { startService } from '#test/processes/service-process.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { verifyNote } from '../modules/audit/log/note.ts'

const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'

describe('the key that signs checkpoints of the audit trail (proves: AUD-04)', () => {
  let world: World
  let keys: string
  let acme: number
  before(async () => {
    world = await openWorld({ SECRET_KEY: secret_key })
    keys = join(world.folder, 'keys')
    acme = world.people.ada!.tenant_id
  })
  after(async () => {
    await commands.close()
    await world.close()
  })

  const environment = () => ({ SECRET_KEY: secret_key, DATA_DIR: world.folder, ...urlsOf(world.postgres) })
  const commands = commandsOf(() => world)
  const run = (...words: string[]) => commands.run(words)
  const files = () => readdirSync(keys).filter(name => name.startsWith('audit'))
  const told = () =>
    world.rows<Json>(
      `select resource_number as key, reason from audit_entries where action = 'audit.key_rotated' and tenant_id = $1 order by id`,
      [acme],
    )
  /** Which of the keys have signed the newest checkpoint of acme. */
  async function signers(...asked: { key_id: string; public_key: string }[]) {
    const { inUse, previous } = await findSigningKeys(keys, 'audit')
    await sealNow({ database: world.database, auditKey: inUse!, previousAuditKey: previous, anchors: [] }, acme)
    const [checkpoint] = await world.rows<{ note: string }>(
      'select note from audit_checkpoints where tenant_id = $1 order by size desc limit 1',
      [acme],
    )
    const vkey = await verifierKeysOf(world.database, acme)
    return asked.filter(key => verifyNote(checkpoint!.note, [vkey(key)])).map(({ key_id }) => key_id)
  }

  it('is put in the place of another, which signs beside it until all who verify have the new one', async () => {
    await suspendTenant(world, 'rex')
    const first = world.services.auditKey
    assert.deepEqual(await signers(first), [first.key_id])
    const rotated = await run('audit-key', 'rotate')
    assert.deepEqual([rotated.code, rotated.err], [0, ''])
    assert.deepEqual(files(), ['audit.pem', 'audit.previous.pem'])
    const { inUse } = await findSigningKeys(keys, 'audit')
    const second = inUse!
    assert.deepEqual(await told(), [{ key: second.key_id, reason: null }])
    assert.deepEqual(
      await world.rows(
        `select count(distinct tenant_id) as told, (select count(*) from tenants) as of from audit_entries where action = 'audit.key_rotated'`,
      ),
      [{ told: '3', of: '3' }],
      'those who are suspended, and the platform, are told too',
    )
    assert.deepEqual(await signers(first, second), [first.key_id, second.key_id])

    const listed = await run('audit-key', 'list', '--tenant', 'acme')
    const vkey = await verifierKeysOf(world.database, acme)
    assert.ok(listed.out.includes(`${vkey(first)}  until the rotation is finished\n`), listed.out)
    assert.ok(listed.out.includes(`${vkey(second)}  in use\n`), listed.out)
    const again = await run('audit-key', 'rotate')
    assert.equal(again.code, 1)
    assert.match(again.err, /^A rotation to [0-9a-f]{16} is not finished/)

    assert.equal((await run('audit-key', 'rotate', '--finish')).code, 0)
    assert.deepEqual(files(), ['audit.pem'])
    await world.as('ada').post('/api/roles/', { name: 'Something to seal' })
    assert.deepEqual(await signers(first, second), [second.key_id])
    const none = await run('audit-key', 'rotate', '--finish')
    assert.deepEqual([none.code, none.err], [1, 'There is no rotation to finish\n'])
  })

  it('is made anew by no start where it was lost, but by a command, which the trail of each tenant keeps (proves: OPS-02)', async () => {
    const { inUse: lost } = await findSigningKeys(keys, 'audit')
    rmSync(join(keys, 'audit.pem'))
    await assert.rejects(
      startService(environment()),
      /ended with 1.*has no key of the audit trail.*installation new-keys/s,
    )
    const told_by_doctor = await run('doctor')
    assert.equal(told_by_doctor.code, 1)
    assert.match(
      told_by_doctor.out,
      /^FAIL {2}key of the audit trail: .* has no key of the audit trail, and this installation/m,
    )
    assert.deepEqual(files(), [])

    const made = await run('installation', 'new-keys')
    assert.deepEqual([made.code, made.err], [0, ''])
    const { inUse } = await findSigningKeys(keys, 'audit')
    assert.match(made.out, new RegExp(`${inUse!.key_id} signs checkpoints .* in the place of ${lost!.key_id}`))
    assert.deepEqual((await told()).at(-1), { key: inUse!.key_id, reason: 'The key before is lost' })
    const again = await run('installation', 'new-keys')
    assert.deepEqual([again.code, /^The keys are present/.test(again.err)], [1, true])
    const service = await startService(environment())
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  it('goes on from the last checkpoint where the service was killed in the middle of sealing', async () => {
    await world.seal()
    await world.database.transaction({ tenantId: acme, userId: null }, 'read write', tx =>
      sql`insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
        select 'ada', 'Admin', 'success', 'role.created', 'role', n, '{}', '', '' from generate_series(1, 7000) n`.execute(
        tx,
      ),
    )
    const count = async (text: string) =>
      Number((await world.rows<{ n: string }>(`select count(*) n from ${text}`))[0]!.n)
    const before = await count('audit_leaves')
    const all = before + (await count('audit_pending'))
    const killed = await startService(environment())
    while ((await count('audit_leaves')) === before) await setTimeout(2)
    killed.child.kill('SIGKILL')
    await killed.ended
    assert.equal((await count('audit_leaves')) + (await count('audit_pending')), all, 'nothing is lost, or done twice')
    const sealed = await world.rows<{ whole: boolean }>(
      `select l.size = (select max(size) from audit_checkpoints c where c.tenant_id = l.tenant_id)
         and l.size = (select count(*) from audit_leaves a where a.tenant_id = l.tenant_id) as whole from audit_logs l where tenant_id = $1`,
      [acme],
    )
    assert.deepEqual(sealed, [{ whole: true }])
    await world.seal()
    assert.equal(await count('audit_leaves'), all)
  })
})
