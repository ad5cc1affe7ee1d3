// The report before a start must match what the start does, and must change nothing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { migrate } from '#platform/db/migrate.ts'
import { pictureOf, rowsOf } from '#test/processes/backups.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { emptyDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

/** Each file and folder, with what is in it. */
const treeOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(each => {
      const path = join(each.parentPath, each.name)
      return `${path} ${each.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
    })
    .sort()

describe('doctor (proves: OPS-02)', () => {
  let world: World
  let folder: string
  before(async () => {
    world = await openWorld()
    folder = mkdtempSync(join(tmpdir(), 'attest-doctor-'))
  })
  after(async () => {
    await commands.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })
  const commands = commandsOf(() => world)
  const lines = (out: string, name: string) => out.split('\n').filter(line => line.slice(6).startsWith(`${name}:`))
  const nowhere = () => join(folder, 'nowhere')

  it('finds nothing wrong before the first start on an empty database, and makes nothing', async () => {
    const empty = await emptyDatabase()
    try {
      const environment = { DATA_DIR: nowhere(), ...urlsOf(empty) }
      const { code, out, err } = await commands.run(['doctor'], environment)
      assert.deepEqual([code, err], [0, ''], out)
      assert.deepEqual(lines(out, 'migrations'), [
        '-     migrations: the database is empty: no migrations are applied yet; the next start or qms migrate applies them',
      ])
      assert.deepEqual(lines(out, 'migration login'), ['ok    migration login: attest_owner'])
      assert.match(out, /^- {5}signing key: there is none yet; the first start creates it$/m)
      assert.match(out, /^- {5}installation: it has no identity yet/m)
      assert.doesNotMatch(out, /\.sql/)
      assert.ok(!existsSync(nowhere()))
      assert.deepEqual(
        await rowsOf(empty.superuser, `select relname from pg_class where relnamespace = 'public'::regnamespace`),
        [],
      )

      const without = await commands.run(['doctor'], { ...environment, MIGRATION_DATABASE_URL: '' })
      assert.equal(without.code, 1)
      assert.match(without.out, /^FAIL {2}migrations: the database is empty: .*: set MIGRATION_DATABASE_URL/m)
      const wrong = await commands.run(['doctor'], {
        ...environment,
        MIGRATION_DATABASE_URL: environment.DATABASE_URL!,
      })
      assert.match(
        wrong.out,
        /^FAIL {2}migration login: MIGRATION_DATABASE_URL logs in as attest_app, it must be attest_owner$/m,
      )
      assert.ok(!existsSync(nowhere()))
    } finally {
      await empty.drop()
    }
  })

  it('says what an older and what a newer database needs', async () => {
    const older = await emptyDatabase()
    try {
      await migrate(older.owner, quiet, undefined, '0014_assistant.sql')
      const environment = { DATA_DIR: nowhere(), ...urlsOf(older) }
      const { code, out } = await commands.run(['doctor'], environment)
      assert.equal(code, 0, out)
      assert.match(
        lines(out, 'migrations').join(),
        /^- {5}migrations: \d+ migrations of this program are not applied yet, the last of them \d{4}_\w+\.sql; the next/,
      )
      await migrate(older.owner, quiet)
      await rowsOf(older.superuser, `insert into migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`)
      const newer = await commands.run(['doctor'], environment)
      assert.equal(newer.code, 1)
      const said =
        'the database was migrated by a newer version of this program, with 9999_of_tomorrow.sql: start the version'
      assert.ok(lines(newer.out, 'migrations').join().startsWith(`FAIL  migrations: ${said}`), newer.out)
      for (const words of [
        ['migrate'],
        ['user', 'create', '--username', 'u', '--email', 'u@a.example', '--full-name', 'U', '--password', password],
      ]) {
        const refused = await commands.run(words, environment)
        assert.deepEqual(
          [refused.code, refused.err.includes(said), refused.err.includes('\n    at ')],
          [1, true, false],
        )
      }
    } finally {
      await older.drop()
    }
  })

  it('changes nothing of an installation that has been started', async () => {
    assert.equal((await commands.run(['signing-key', 'list'])).code, 0)
    const look = async () => [treeOf(world.folder), await pictureOf(world.postgres.superuser)]
    const before = await look()
    const { code, out, err } = await commands.run(['doctor'])
    assert.deepEqual([code, err], [0, ''], out)
    assert.deepEqual(await look(), before)
    assert.match(out, /^ok {4}installation: database, storage and keys belong to [0-9a-f-]{36}$/m)
  })

  it('says of each thing what it looked at, and no more', async () => {
    const { out } = await commands.run(['doctor'])
    const [{ functions }] = (await rowsOf(
      world.postgres.superuser,
      `select count(*) as functions from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
    )) as [{ functions: number }]
    const { data_dir, upload_dir } = world.services.config
    const said = out
      .trim()
      .split('\n')
      // Which converters there are differs from machine to machine.
      .filter(line => !line.includes(' converters: '))
      .map(line => line.replaceAll(data_dir, 'DATA').replaceAll(/\b[0-9a-f]{16}\b/g, 'KEY'))
    assert.deepEqual(
      said.map(line =>
        line
          .replace(/[0-9a-f-]{36}$/, 'ID')
          .replace(/PostgreSQL [\d.]+/, 'PostgreSQL N')
          .replace(/^ok {4}configuration: \w+/, 'ok    configuration: ENVIRONMENT'),
      ),
      [
        'ok    configuration: ENVIRONMENT, data in DATA',
        `ok    storage: ${upload_dir.replaceAll(data_dir, 'DATA')} can be listed, written, read and cleared`,
        'ok    database: PostgreSQL N, the connection is not encrypted',
        'ok    migration login: attest_owner',
        'ok    migrations: all are applied',
        `ok    isolation: 9 checks found no right, policy, key or view by which attest_app reaches another tenant. What the ${functions} functions do that run with the rights of their owner was not read`,
        'ok    installation: database, storage and keys belong to ID',
        'ok    signing key: KEY is known to the database',
        'ok    key of the audit trail: KEY is known to the database',
        'ok    second factors: all 0 open with SECRET_KEY',
        'ok    passkeys: all 0 open with SECRET_KEY',
        'ok    providers for single sign-on: all 0 secrets, settings and links open with SECRET_KEY',
        'ok    keys of signatures: all 1 are of this service',
        'ok    projections: statistics, deviation-index, compliance, storage-use match the records of every tenant (qms projections check also compares document-index, audit-places)',
        '-     changes of the configuration: one person alone can make them in acme, rival, where the setting configuration_needs_approval is off',
        '-     texts of documents: none waits to be read, has failed or is outdated',
        '-     not examined: signatures, audit trails and stored files (doctor --deep examines them)',
      ],
    )
  })

  it('does not say of anchors that they hold checkpoints, which it does not compare', async () => {
    const line = async (anchor: string) =>
      lines((await commands.run(['doctor'], { AUDIT_ANCHOR: anchor })).out, 'anchors')
    const compared = /can be written \(audit anchor --check compares the checkpoints that it has\)$/
    assert.match(String(await line(`folder:${folder}`)), new RegExp(`^ok {4}anchors: .*${compared.source}`))
    assert.match(String(await line(`folder:${nowhere()}/file`)), /^FAIL {2}anchors: /)
  })

  it('says where one person alone can change the configuration', async () => {
    const line = async () => lines((await commands.run(['doctor'])).out, 'changes of the configuration')
    assert.match(
      String(await line()),
      /^- {5}.* in acme, rival, where the setting configuration_needs_approval is off$/,
    )
    for (const name of ['ada', 'rex'])
      assert.equal((await world.as(name).put('/api/settings/', { configuration_needs_approval: true })).statusCode, 200)
    assert.match(String(await line()), /^ok .* in every active tenant$/)
  })

  it('does not promise keys where the database knows some, in the lines of the start', async () => {
    const lost = { DATA_DIR: nowhere(), UPLOAD_DIR: world.services.config.upload_dir }
    const [looked, started] = [await commands.run(['doctor'], lost), await commands.run(['signing-key', 'list'], lost)]
    assert.deepEqual([looked.code, started.code], [1, 1])
    assert.deepEqual(lines(looked.out, 'signing key'), [`FAIL  signing key: ${started.err.trim()}`])
    assert.match(started.err, /^\S+keys has no signing key and no key of the audit trail, and this installation/)
    assert.doesNotMatch(looked.out, /first start makes it$/m)
  })

  it('refuses a first tenant that the start refuses', async () => {
    const first = {
      DATA_DIR: nowhere(),
      DATABASE_URL: '',
      MIGRATION_DATABASE_URL: '',
      BOOTSTRAP_TENANT: 'Acme',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.example',
    }
    for (const [more, line] of [
      [
        { BOOTSTRAP_ADMIN_PASSWORD: 'k7 giraffe' },
        'BOOTSTRAP_ADMIN_PASSWORD: The password must have at least 12 characters.',
      ],
      [{ BOOTSTRAP_ADMIN_PASSWORD: password, BOOTSTRAP_ADMIN_EMAIL: 'nobody' }, 'BOOTSTRAP_ADMIN_EMAIL: '],
    ] as const) {
      const { code, out } = await commands.run(['doctor'], { ...first, ...more })
      assert.equal(code, 1)
      assert.ok(lines(out, 'first tenant').join().startsWith(`FAIL  first tenant: ${line}`), out)
    }
    const good = await commands.run(['doctor'], { ...first, BOOTSTRAP_ADMIN_PASSWORD: password })
    assert.equal(good.code, 0, good.out)
    assert.match(good.out, /^ok {4}first tenant: the first start creates Acme with the Admin ada$/m)
    assert.ok(!existsSync(nowhere()))
  })

  it('and every other command ends in order where nobody reads what it prints', async () => {
    for (const [words, expected] of [
      [['doctor'], 0],
      [['--help'], 0],
      [['fly'], 2],
    ] as const) {
      const env = { ...environmentOfPrograms(), SECRET_KEY: world.services.config.secret_key, DATA_DIR: nowhere() }
      const main = join(import.meta.dirname, '../main.ts')
      const child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout.destroy()
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      assert.deepEqual([code, /EPIPE| at /.test(err)], [expected, false], err)
    }
  })
})
