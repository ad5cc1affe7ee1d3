import assert from 'node:assert/strict'
import { existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { newKey } from '#platform/storage/storage.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { openIdentity } from '../identity.ts'

describe('storage sweep (proves: DOC-08)', () => {
  let world: World
  let acme: number
  before(async () => {
    world = await openWorld()
    // Before there are files that no row names: a start would take them for another installation's.
    const { config, storage, log } = world.services
    await openIdentity({ config, database: world.database, storage, log })
    acme = Number((await world.rows<{ id: string }>(`select id from tenants where slug = 'acme'`))[0]!.id)
  })
  after(async () => {
    await commands.close()
    await world.close()
  })

  const pathOf = (key: string) => join(world.services.config.upload_dir, key)
  /** Dated the day before yesterday. */
  async function orphan() {
    const { storage } = world.services
    const key = newKey(acme)
    await storage.keep(
      await storage.receive(Readable.from([Buffer.from('nobody names this')]), { max_bytes: 100 }),
      key,
    )
    const then = Date.now() / 1000 - 2 * 24 * 60 * 60
    utimesSync(pathOf(key), then, then)
    return key
  }
  const commands = commandsOf(() => world)
  const sweep = (...options: string[]) => commands.run(['storage', 'sweep', ...options])
  const entries = () => world.rows(`select from audit_entries where action = 'storage.swept'`)

  it('says what it would do, then does it, and leaves an entry in the audit trail', async () => {
    const key = await orphan()
    const said = await sweep('--dry-run')
    assert.deepEqual([said.code, said.err], [0, ''])
    assert.match(said.out, new RegExp(`^tenant ${acme}: 1 files \\(17 bytes\\) would go to the trash$`, 'm'))
    assert.ok(existsSync(pathOf(key)))
    assert.equal((await entries()).length, 0)
    const done = await sweep()
    assert.deepEqual([done.code, done.err], [0, ''])
    assert.match(
      done.out,
      new RegExp(`^tenant ${acme}: 1 files \\(17 bytes\\) to the trash\\ntenant ${acme}: nothing to sweep$`, 'm'),
    )
    assert.deepEqual([existsSync(pathOf(key)), existsSync(pathOf(`trash/${key}`))], [false, true])
    assert.equal((await entries()).length, 1)
  })

  it('refuses where most of the files are unknown, unless it is told that this is right', async () => {
    const keys = await Promise.all(Array.from({ length: 25 }, orphan))
    const refused = await sweep()
    assert.equal(refused.code, 1)
    assert.match(refused.err, /name 0 files, and 25 or more have no record\. Is this the store of the database\?/)
    assert.ok(keys.every(key => existsSync(pathOf(key))))
    assert.equal((await sweep('--force')).code, 0)
    assert.ok(keys.every(key => existsSync(pathOf(`trash/${key}`))))
  })
})
