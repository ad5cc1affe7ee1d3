// An export whose process is killed, and the command of the operator. proves: EXIT-01
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openCommands } from '#test/processes/commands.ts'
import { startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { verifyExport } from '../../../verifier/attest-export-verify.mjs'

const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'
const url = '/api/tenant-exports/'
let world: World
before(async () => {
  world = await openWorld({ SECRET_KEY: secret_key })
  await papers(world).effective()
})
after(() => world.close())
const environment = () => ({ ...urlsOf(world.postgres), DATA_DIR: world.folder })

it('is made anew by another process, and nothing of the killed one is left in the store', async () => {
  const dying = await startService(
    { ...environment(), LOG_LEVEL: 'info' },
    { program: ['test/support/processes/export-process.ts'] },
  )
  const { id }: Json = ok(await world.as('ada').post(url, { reason: 'The contract ends' }))
  await dying.ended
  assert.equal(ok(await world.as('ada').get(`${url}${id}`)).status, 'in_progress')
  const [{ archive_key }] = (await world.rows('select archive_key from tenant_exports where id = $1', [id])) as [Json]
  assert.ok(await world.services.storage.stat(archive_key), 'its archive was stored, and nobody said so')
  await until(async () => {
    // The item of the killed process is made due, as its heartbeat does after a minute.
    await world.rows(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
    await world.work()
    return ok(await world.as('ada').get(`${url}${id}`)).status === 'ready'
  })
  const { sha256, bytes } = ok(await world.as('ada').get(`${url}${id}`))
  const { headers, rawPayload } = await world.as('ada').get(`${url}${id}/download`)
  assert.deepEqual([headers.etag, rawPayload.length], [`"${sha256}"`, bytes])
})

it('is written into a folder by the command, with entries in the trail of the company', async () => {
  const { run } = openCommands(() => ({ SECRET_KEY: secret_key }))
  const to = join(world.folder, 'exported')
  const words = ['tenant', 'export', '--tenant', 'acme', '--to', to, '--reason', 'Asked for by the company']
  mkdirSync(to)
  writeFileSync(join(to, 'something'), '')
  const refused = await run(words, environment())
  assert.deepEqual([refused.code, /is not empty/.test(refused.err)], [1, true])
  rmSync(join(to, 'something'))
  const unknown = await run(['tenant', 'export', '--tenant', 'nobody', '--to', to], environment())
  assert.match(unknown.err, /There is no tenant nobody/)
  const { code, out, err } = await run(words, environment())
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Exported acme as of .* to .*: \d+ records, 1 files, \d+ signatures\.$/m)
  const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
  const { manifest: vkey, signatures } = manifest.keys
  const keys = { vkeys: [vkey], keys: signatures.map(({ public_key }: Json) => public_key) }
  const { exit, lines } = await verifyExport(to, keys)
  assert.equal(exit, 0, JSON.stringify(lines))
  assert.ok(existsSync(join(to, 'index.html')))
  const entries = await world.rows(
    `select action, username, reason from audit_entries where resource_type = 'tenant_export' and resource_id is null order by id`,
  )
  assert.deepEqual(entries, [
    { action: 'tenant_export.requested', username: 'system', reason: 'Asked for by the company' },
    { action: 'tenant_export.completed', username: 'system', reason: null },
  ])
})
