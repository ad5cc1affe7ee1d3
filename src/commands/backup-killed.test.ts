// The state after a kill at any moment of a backup or a restore, with real processes.
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Installation, openInstallation, pictureOf, rowsOf, untilAlone } from '#test/processes/backups.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'
import { roundsOf } from '#test/world/rounds.ts'
import type { World } from '#test/world/world.ts'

describe('backup and restore, killed (proves: OPS-01)', () => {
  let at: Installation
  let world: World
  let folder: string
  let source: Installation['source']
  let made: string
  const databases: Awaited<ReturnType<typeof cloneDatabase>>[] = []
  before(async () => {
    at = await openInstallation()
    ;({ world, folder, source } = at)
    made = await at.backUp('made')
  })
  after(async () => {
    for (const database of databases) await database.drop()
    await at.close()
  })

  it('killed in the middle of a backup, leaves a folder that nobody takes for one', async () => {
    for (const [index, moment] of [/^audit_entries/, /^copying/].entries()) {
      const to = join(folder, `killed-${index}`)
      await at.killAt(moment, ['backup', '--to', to], source)
      assert.ok(!existsSync(join(to, 'manifest.json')))
      assert.match(
        (await at.run(['restore', '--check', '--from', to], source)).err,
        /is not a backup, or one that is not complete/,
      )
      assert.match((await at.run(['backup', '--to', to], source)).err, /is not complete \(there is no manifest/)
    }
  })

  it('killed at any step of a restore, leaves all or nothing, and can be begun again', async () => {
    // Those that differ most come first.
    const moments = [
      /^audit_entries/,
      /^restoring/,
      /^finishing/,
      /^checking/,
      /^workflow_templates/,
      /signatures are valid/,
    ].slice(0, roundsOf('RESTORE_KILLS', 3))
    const expected = await pictureOf(world.postgres.superuser)
    // A backup is noted once it is complete, so it is not in itself.
    expected.rows.backups = '0 '
    let killed = 0
    /** Migrated already: each of these moments comes after the migrations, so one restore that applies them itself is enough. */
    const newMigrated = async (name: string) => {
      const target = await cloneDatabase()
      databases.push(target)
      const environment = { DATA_DIR: join(folder, name), ...urlsOf(target) }
      return { target, environment, uploads: join(environment.DATA_DIR, 'uploads') }
    }
    for (const [index, moment] of moments.entries()) {
      const { target, environment, uploads } = await (index === 0 ? at.newTarget() : newMigrated(`migrated-${index}`))
      await at.killAt(moment, ['restore', '--from', made], environment)
      await untilAlone(target.superuser)
      const isWhole =
        (await rowsOf(target.superuser, `select where to_regclass('audit_entries') is not null`)).length > 0 &&
        (await rowsOf(target.superuser, 'select id from audit_entries limit 1')).length > 0
      if (!isWhole) {
        killed += 1
        // Files may be in their place already when the rows are not: the next restore says so, and nothing refers to them.
        const again = await at.run(['restore', '--from', made], environment)
        if (again.code !== 0) {
          assert.match(again.err, /If the database is new too, no record names these files/)
          rmSync(uploads, { recursive: true })
          assert.equal((await at.run(['restore', '--from', made], environment)).code, 0)
        }
      }
      assert.deepEqual(await pictureOf(target.superuser), expected, String(moment))
      assert.match((await at.run(['restore', '--from', made], environment)).err, /is not empty/)
    }
    assert.equal(killed, moments.length, 'each was killed before its end')
  })

  it('killed in the middle of a restore into an embedded database, can be begun again', async () => {
    const environment = { DATA_DIR: join(folder, 'killed-embedded') }
    await at.killAt(/^workflow_templates/, ['restore', '--from', made], environment)
    const { code, err } = await at.run(['restore', '--from', made], environment)
    assert.deepEqual([code, err], [0, ''])
  })
})
