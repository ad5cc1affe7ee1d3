// A server to which the service was led by a failover, and which is not the one that takes changes.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { Database } from '#platform/db/database.ts'
import { findBinaries } from '#platform/db/embedded-binaries.ts'
import { openPool } from '#platform/db/pool.ts'
import { cloneDatabase, quiet } from '#test/world/postgres.ts'
import { startPostgres } from '../../../tools/external-postgres.ts'
import { troubleOfDatabase } from './rules.ts'

it('a standby answers, and is not called operational (proves: HLTH-03)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-standby-'))
  chmodSync(folder, 0o755)
  const server = await startPostgres(dirname((await findBinaries()).postgres), folder, {}, { isStandby: true })
  const standby = new Database(openPool({ connectionString: server.url }, quiet))
  const usual = await cloneDatabase()
  const primary = new Database(openPool(usual.app, quiet))
  try {
    const [one, other] = [await standby.ping(5000), await primary.ping(5000)]
    assert.deepEqual([one, other], [{ isStandby: true }, { isStandby: false }])
    assert.deepEqual(troubleOfDatabase(one), {
      status: 'Degraded',
      detail: 'It is a standby server, which takes no changes',
    })
    assert.deepEqual(troubleOfDatabase(other), {})
  } finally {
    await Promise.all([standby.close(), primary.close()])
    await usual.drop()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
})
