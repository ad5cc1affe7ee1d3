// TLS to the database: the service and doctor on a PostgreSQL that takes encrypted connections alone.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { Database } from '#platform/db/database.ts'
import { findBinaries } from '#platform/db/embedded-binaries.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { provision } from '#platform/db/provision.ts'
import { openCommands } from '#test/processes/commands.ts'
import { startService } from '#test/processes/service-process.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { quiet } from '#test/world/postgres.ts'
import { readCertificates } from '../src/modules/status/certificates.ts'
import { startPostgres } from '../tools/external-postgres.ts'

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl to make certificates with'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('sslmode=verify-full (proves: OPS-02)', { skip, timeout: 120_000 }, () => {
  let folder: string
  let port: number
  let server: Awaited<ReturnType<typeof startPostgres>>
  const SECRET_KEY = 'f0d1c2b3a495867718293a4b5c6d7e8f-tls'
  const commands = openCommands(() => ({ SECRET_KEY, DATA_DIR: join(folder, 'data') }))
  const path = (name: string) => join(folder, name)

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-tls-'))
    chmodSync(folder, 0o755)
    makeCertificate('server')
    makeCertificate('other')
    port = await freePort()
    server = await startPostgres(dirname((await findBinaries()).postgres), folder, {
      listen_addresses: '127.0.0.1',
      port,
    })
    await requireTls()
  })
  after(async () => {
    await commands.close()
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  function makeCertificate(name: string) {
    const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'
    const names = [
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      path(`${name}.key`),
      '-out',
      path(`${name}.pem`),
    ]
    const made = spawnSync('openssl', [...options.split(' '), ...names], { encoding: 'utf8' })
    assert.equal(made.status, 0, made.stderr)
  }

  /** The key belongs to whom the server runs as, or it does not start with it. */
  async function requireTls() {
    const data = path('external/data')
    const { uid, gid } = statSync(data)
    for (const name of ['server.key', 'server.pem']) {
      copyFileSync(path(name), join(data, name))
      chownSync(join(data, name), uid, gid)
      chmodSync(join(data, name), 0o600)
    }
    const superuser = new pg.Client({ connectionString: server.url })
    await superuser.connect()
    try {
      const { owner } = await provision({ host: path('external'), port, user: 'postgres' }, 'attest')
      await migrate(owner, quiet)
      for (const statement of [
        `alter system set ssl_cert_file = 'server.pem'`,
        `alter system set ssl_key_file = 'server.key'`,
        'alter system set ssl = on',
        `copy (values ('local all all trust'), ('hostssl all all 127.0.0.1/32 trust')) to '${join(data, 'pg_hba.conf')}'`,
        'select pg_reload_conf()',
      ])
        await superuser.query(statement)
    } finally {
      await superuser.end()
    }
  }

  const url = (terms: Record<string, string>, host = 'localhost') =>
    `postgres://attest_app@${host}:${port}/attest?${new URLSearchParams(terms).toString()}`
  const doctor = async (DATABASE_URL: string) => (await commands.run(['doctor'], { DATABASE_URL })).out
  const verified = () => ({ sslmode: 'verify-full', sslrootcert: path('server.pem') })

  it('serves over TLS, and doctor says that the certificate was verified', async () => {
    assert.match(
      await doctor(url(verified())),
      /^ok {4}database: PostgreSQL \S+, encrypted with TLSv1\.\d, .* is verified$/m,
    )
    const service = await startService({ DATA_DIR: path('data'), DATABASE_URL: url(verified()), SECRET_KEY })
    try {
      assert.equal((await fetch(`${service.address}/api/health`)).status, 200)
      const superuser = new pg.Client({ connectionString: server.url })
      await superuser.connect()
      const { rows } = await superuser.query(
        `select distinct s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid) where a.usename = 'attest_app'`,
      )
      await superuser.end()
      assert.deepEqual(rows, [{ ssl: true }], 'every connection of the service is encrypted')
    } finally {
      service.child.kill('SIGTERM')
      await service.ended
    }
  })

  it('shows operators until when the certificate of the database is valid', async () => {
    const certificatesOf = async (database_url: string) => {
      const database = new Database(openPool({ connectionString: database_url }, quiet))
      try {
        return await readCertificates({ public_url: undefined, mail: undefined, database_url }, database)
      } finally {
        await database.close()
      }
    }
    const [{ of, valid_from, valid_to, is_accepted, trouble } = {}, ...others] = await certificatesOf(url(verified()))
    assert.deepEqual([of, is_accepted, trouble, others], ['database', true, null, []])
    assert.equal(Date.parse(valid_to!) - Date.parse(valid_from!), 24 * 3_600_000)
    const [careless] = await certificatesOf(url({ sslmode: 'no-verify' }))
    assert.deepEqual([careless?.is_accepted, careless?.valid_to], [false, valid_to])
  })

  it('refuses another certificate, another name and an unencrypted connection', async () => {
    for (const [address, why] of [
      [url({ ...verified(), sslrootcert: path('other.pem') }), /^FAIL {2}database: .*self-signed certificate/m],
      [url(verified(), '127.0.0.1'), /^FAIL {2}database: .*127\.0\.0\.1/m],
      [url({ sslmode: 'disable' }), /^FAIL {2}database: .*no encryption/m],
    ] as const)
      assert.match(await doctor(address), why)
    assert.match(await doctor(url({ sslmode: 'no-verify' })), /^ok {4}database: .*is NOT verified$/m)
    // In a process in which this is set, Node accepts every certificate, whatever the URL asks for.
    const careless = spawnSync(process.execPath, [join(import.meta.dirname, '../src/main.ts'), 'doctor'], {
      encoding: 'utf8',
      env: {
        ...environmentOfPrograms(),
        ...{ SECRET_KEY, DATA_DIR: path('data'), DATABASE_URL: url({ sslmode: 'verify-full' }) },
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      },
    })
    assert.match(careless.stdout, /^ok {4}database: .*is NOT verified$/m)
  })

  it('refuses a mode of which nobody can say whether it checks the certificate, and a file that is not there', async () => {
    for (const sslmode of ['require', 'prefer', 'verify-ca', 'verify_full'])
      assert.match(
        await doctor(url({ sslmode })),
        new RegExp(`^FAIL {2}configuration: DATABASE_URL has sslmode=${sslmode}: use verify-full`, 'm'),
      )
    assert.match(
      await doctor(url({ sslmode: 'verify-full', sslrootcert: path('missing.pem') })),
      /^FAIL {2}configuration: DATABASE_URL has sslrootcert=\S+missing\.pem, and there is no such file$/m,
    )
  })
})
