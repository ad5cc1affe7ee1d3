// The facts that docs/decisions/0026 relies on: a service without the owner's login, before, during and after a migration.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '#platform/db/migrate.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { emptyDatabase, quiet, urlsOf } from '#test/world/postgres.ts'

const root = join(import.meta.dirname, '..')

describe('an installation whose service does not hold the login that owns the tables (proves: OPS-01)', () => {
  let postgres: Awaited<ReturnType<typeof emptyDatabase>>
  let folder: string
  let service: ServiceProcess | undefined
  let environment: Record<string, string>
  let owner: { MIGRATION_DATABASE_URL: string }

  before(async () => {
    postgres = await emptyDatabase()
    folder = mkdtempSync(join(tmpdir(), 'attest-deploy-'))
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = urlsOf(postgres)
    environment = {
      SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-deploy',
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      LOG_FORMAT: 'json',
      DATABASE_URL,
      BOOTSTRAP_TENANT: 'Acme',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'Correct horse 1 battery',
    }
    owner = { MIGRATION_DATABASE_URL }
  })
  after(async () => {
    if (service?.child.exitCode === null) {
      service.child.kill('SIGTERM')
      await service.ended
    }
    await postgres.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The exit code and output of a program that ends by itself. */
  const run = (word: string, more: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/main.ts', word], {
      cwd: root,
      env: { ...environmentOfPrograms(), ...environment, ...more },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
    )

  it('ends with a sentence that names what is missing, and migrates nothing', async () => {
    const { code, said } = await run('serve')
    assert.equal(code, 1)
    assert.match(said, /the database is empty: no migrations are applied yet/)
    assert.match(said, /MIGRATION_DATABASE_URL/, 'and what to do')
    assert.doesNotMatch(said, /\n\s+at /, 'no traceback')
  })

  it('starts without it after the migration', async () => {
    const migrated = await run('migrate', owner)
    assert.equal(migrated.code, 0, migrated.said)
    service = await startService(environment)
    assert.equal((await logIn()).status, 200)
  })

  it('goes on while a later program has migrated, and does not start again', async () => {
    const later = join(folder, 'migrations/')
    cpSync(join(root, 'migrations'), later, { recursive: true })
    writeFileSync(join(later, '9999_later.sql'), 'alter table tenants add column later text;')
    await migrate(postgres.owner, quiet, pathToFileURL(later))

    assert.equal((await fetch(`${service!.address}/api/health`)).status, 200)
    assert.equal((await logIn()).status, 200, 'what only adds does not disturb it')
    service!.child.kill('SIGTERM')
    assert.equal(await service!.ended, 0)

    const { code, said } = await run('serve')
    assert.equal(code, 1)
    assert.match(said, /9999_later/, 'it says which migration it does not know')
    assert.doesNotMatch(said, /\n\s+at /, 'no traceback')
  })

  const logIn = () =>
    fetch(`${service!.address}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password: environment.BOOTSTRAP_ADMIN_PASSWORD }),
    })
})
