// As an operator does it, on the database of a world.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { suspendTenant } from '#test/faults/suspended.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { rememberTrail } from '#test/world/rolled-back.ts'
import { openWorld, type World } from '#test/world/world.ts'

const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'
let world: World
before(async () => {
  world = await openWorld({ SECRET_KEY: secret_key })
  assert.equal((await world.as('ada').post('/api/roles/', { name: 'Sampler', description: 'Samples' })).statusCode, 201)
})
after(async () => {
  await commands.close()
  await world.close()
})

let anchor = 'none'
const commands = commandsOf(() => world)
const run = (...words: string[]) => commands.run(['audit', ...words], { AUDIT_ANCHOR: anchor })

it('an operator redacts entries by their ids, says why, and is told what is wrong (proves: AUD-04)', async () => {
  const [entry] = await world.rows<{ id: string }>(
    `select id from audit_entries where action = 'role.created' and tenant_id = $1 order by id desc limit 1`,
    [world.people.ada!.tenant_id],
  )
  const words = ['redact', '--tenant', 'acme', '--reason', 'Erasure', '--by', 'Ola', '--part', 'person', '--entry']
  const { code, out, err } = await run(...words, entry!.id)
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Redacted the person of 1 entry\./)
  assert.deepEqual(
    await world.rows('select username, reason, changes is null as gone from audit_entries where id = $1', [entry!.id]),
    [{ username: null, reason: null, gone: false }],
  )
  const again = await run(...words, entry!.id)
  assert.deepEqual([again.code, again.out], [1, ''])
  assert.match(again.err, /^The person of entry \d+ is redacted already\n$/)
})

it('an operator begins a new epoch, and says why', async () => {
  const { code, out, err } = await run('new-epoch', '--tenant', 'acme', '--reason', 'Restored from a snapshot')
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /continues in epoch \d+\.\n {2}No checkpoint is stored outside of the database\.\n$/)
  const [entry] = await world.rows(`select action, reason from audit_entries order by id desc limit 1`)
  assert.deepEqual(entry, { action: 'audit.epoch_started', reason: 'Restored from a snapshot' })
  assert.match((await run('new-epoch')).err, /--reason is needed/)
})

it('an operator begins a new epoch of every trail, also of the platform and of who is suspended', async () => {
  await suspendTenant(world, 'rex')
  const { code } = await run('new-epoch', '--reason', 'All of it was restored')
  assert.equal(code, 0)
  assert.deepEqual(
    await world.rows(`select tenant_id as id from audit_entries where reason = 'All of it was restored' order by 1`),
    await world.rows('select id from tenants order by 1'),
  )
})

it('an operator keeps checkpoints outside, sees that the database has forgotten some, and begins an epoch that tells of it (proves: AUD-04)', async () => {
  const acme = world.people.ada!.tenant_id
  anchor = `folder:${mkdtempSync(join(world.folder, 'anchors-'))}`
  await world.seal()
  const rollBack = await rememberTrail(world, acme)
  assert.equal((await world.as('ada').post('/api/roles/', { name: 'Forgotten' })).statusCode, 201)
  await world.seal()
  const kept = await run('anchor')
  assert.deepEqual([kept.code, kept.err], [0, ''])
  assert.match(
    kept.out,
    /^ok {4}acme {2}[0-9a-f-]{36} {2}the database goes on from .*: \d+ entries in epoch \d+, kept now$/m,
  )
  await rollBack()
  const check = await run('anchor', '--check')
  assert.deepEqual([check.code, check.err], [1, ''])
  assert.match(check.out, /^FAIL {2}acme {2}.* has it with \d+ entries in epoch \d+, and the database with \d+ /m)
  assert.match(check.out, /^ok {4}rival {2}/m)
  const [, file] = /^FAIL .* (\/\S+\.txt) has it/m.exec(check.out)!
  anchor = 'none'
  const began = await run('new-epoch', '--tenant', 'acme', '--reason', 'Restored', '--anchors', file!)
  assert.deepEqual([began.code, began.err], [0, ''])
  assert.match(began.out, /continues in epoch \d+\.\n {2}It records the file: \d+ entries in epoch \d+\.\n$/)
  assert.equal((await run('anchor', '--check', file!)).code, 0)
})
