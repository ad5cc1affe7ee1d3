import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { openCommands } from '#test/processes/commands.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'

const main = join(import.meta.dirname, '../main.ts')
const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-commands'
const password = 'Correct horse 1 battery'

const bootstrap = {
  BOOTSTRAP_TENANT: 'Acme',
  BOOTSTRAP_ADMIN_USERNAME: 'ada',
  BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.example',
  BOOTSTRAP_ADMIN_PASSWORD: password,
}

/** As a person at a terminal, on a folder of their own, with the PostgreSQL that the program brings. */
describe('the command line', () => {
  let folder: string
  let running: ChildProcess | undefined
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest-commands-'))
  })
  afterEach(async () => {
    if (running && running.exitCode === null && running.signalCode === null) {
      running.kill('SIGKILL')
      await once(running, 'close')
    }
  })
  after(() => rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 }))

  const begin = (words: string[], environment: Record<string, string> = {}, data = 'data') => {
    const env = {
      ...environmentOfPrograms(),
      SECRET_KEY: secret_key,
      DATA_DIR: join(folder, data),
      PORT: '0',
      ...environment,
    }
    return spawn(process.execPath, [main, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  }
  /** As a process of its own. */
  const runAlone = async (words: string[], environment: Record<string, string>) => {
    const child = begin(words, environment)
    child.stdin.end()
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code, out, err }
  }
  const commands = openCommands(() => ({ SECRET_KEY: secret_key, DATA_DIR: join(folder, 'data') }))
  after(() => commands.close())
  const run = (words: string[], { input = '' } = {}) => commands.run(words, {}, input)
  /** The address, once it is listened on. */
  const serve = async (environment: Record<string, string> = {}, data?: string) => {
    const child = begin(['serve'], environment, data)
    running = child
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      const address = /listening on (http:\S+),/.exec(line)?.[1]
      if (address) return { child, address, lines }
    }
    throw new Error(`it did not start: ${lines.join('\n')}${await text(child.stderr)}`)
  }
  const logIn = (address: string, credentials: object) =>
    fetch(`${address}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    })

  it('stops at configuration that cannot work, with one line for each variable (proves: OPS-02, AUTH-04)', async () => {
    const { code, out, err } = await runAlone(['serve'], { SECRET_KEY: '', PORT: 'abc', LOG_LEVEL: 'verbose' })
    assert.deepEqual([code, out], [1, ''])
    assert.deepEqual(
      err
        .trim()
        .split('\n')
        .map(line => line.split(' ')[0]),
      ['SECRET_KEY', 'PORT', 'LOG_LEVEL'],
    )
  })

  it('shows what it can do, and refuses what it does not know', async () => {
    const help = await run(['--help'])
    assert.equal(help.code, 0)
    for (const name of ['serve', 'migrate', 'tenant create', 'user create', 'platform-user create', 'doctor'])
      assert.match(help.out, new RegExp(`^ {2}${name} `, 'm'))
    assert.match((await run(['tenant', 'create', '--help'])).out, /--admin-password-stdin/)
    assert.equal((await run(['fly'])).code, 2)
    assert.match((await run(['user', 'create', '--colour', 'red'])).err, /Unknown option '--colour'/)
    assert.match((await run(['tenant', 'create', '--name', 'Acme'])).err, /--admin-username is needed/)
  })

  it('is kept compiled, so that the next command need not be', async () => {
    const missed = async () => {
      const env = { PATH: process.env.PATH!, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
      const child = spawn(process.execPath, [main, 'migrate', '--help'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      const [err] = await Promise.all([text(child.stderr), once(child, 'close')])
      assert.match(err, /reading cache from .* for StrippedTypeScript .*\/migrate\.ts/)
      return err.match(/no transpile cache/g)?.length ?? 0
    }
    await missed()
    assert.equal(await missed(), 0)
  })

  it('finds nothing wrong before the first start, and makes no database by looking', async () => {
    const { code, out } = await run(['doctor'])
    assert.equal(code, 0, out)
    assert.match(out, /database: there is none yet/)
    assert.ok(!existsSync(join(folder, 'data')), 'not even a folder')
  })

  it('makes a tenant, users and a platform user who can log in, and prints no password back', async () => {
    const admin = ['--admin-username', 'ada', '--admin-email', 'ada@acme.example', '--admin-full-name', 'Ada Example']
    const tenant = await run(['tenant', 'create', '--name', 'Acme Pharma', ...admin, '--admin-password', password])
    assert.deepEqual([tenant.code, tenant.err], [0, ''])
    assert.match(tenant.out, /Created the tenant Acme Pharma \(acme-pharma, id 2\) with the Admin ada/)
    assert.doesNotMatch(tenant.out, /full name/)
    const other = ['tenant', 'create', '--name', 'Other', '--admin-username', 'olga', '--admin-email', 'olga@o.example']
    const weak = await run([...other, '--admin-password-stdin'], { input: 'password1234\n' })
    assert.equal(weak.code, 1)
    assert.match(weak.err, /^admin\.password: This is one of the passwords/)
    const nameless = await run([...other, '--admin-password-stdin'], { input: `${password}\n` })
    assert.equal(nameless.code, 0, nameless.err)
    assert.match(nameless.out, /olga has no full name, and so cannot sign: enter it at PUT \/api\/users\/\{id\}/)
    const create = ['user', 'create', '--tenant', 'acme-pharma', '--email', 'q@acme.example', '--password-stdin']
    const quinn = [...create, '--username', 'quinn', '--role', 'QA', '--keep-password']
    const unnamed = await run(quinn, { input: `${password}\n` })
    assert.deepEqual([unnamed.code, unnamed.err], [1, '--full-name is needed\n'])
    const user = await run([...quinn, '--full-name', 'Quinn Example'], { input: `${password}\n` })
    assert.deepEqual([user.code, user.err], [0, ''])
    const bosses = [...create, '--username', 'x1', '--full-name', 'X', '--role', 'Boss']
    assert.match((await run(bosses, { input: `${password}\n` })).err, /has no role Boss/)
    const operator = await run(
      ['platform-user', 'create', '--username', 'pat', '--email', 'pat@host.example', '--password-stdin'],
      { input: password },
    )
    assert.equal(operator.code, 0, operator.err)
    for (const { out, err } of [tenant, user, operator, weak]) assert.doesNotMatch(out + err, /battery|password1234/)
    assert.match(operator.out, /otpauth:\/\/totp\/Attest:pat\?/)
    assert.match(operator.out, /█/)
    const secret = /Secret: ([A-Z2-7]{32})/.exec(operator.out)![1]!

    const { child, address } = await serve()
    assert.equal((await logIn(address, { username: 'quinn', password })).status, 200)
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const token = (await (await logIn(address, { username: 'pat', password, otp })).json()) as { access_token: string }
    const tenants = await fetch(`${address}/api/platform/tenants/`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    })
    assert.equal(((await tenants.json()) as { total: number }).total, 2)
    const admins = await logIn(address, { username: 'ada', password })
    const { access_token } = (await admins.json()) as { access_token: string }
    const me = await fetch(`${address}/api/auth/me`, { headers: { authorization: `Bearer ${access_token}` } })
    assert.equal(((await me.json()) as { full_name: string }).full_name, 'Ada Example')

    // The data are the running service's.
    const late = [...create, '--username', 'late', '--full-name', 'Late Comer']
    const refused = await run(late, { input: `${password}\n` })
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /The service is running on .*: stop it first, or let an Admin create the user at POST \/api\/users\//,
    )
    const ailing = await run(['doctor'])
    assert.equal(ailing.code, 1)
    assert.match(ailing.out, /FAIL {2}database: the service is running on this data/)
    for (let failure = 0; failure < 5; failure++)
      assert.equal((await logIn(address, { username: 'quinn', password: 'Wrong horse 1 battery' })).status, 401)
    assert.equal((await logIn(address, { username: 'quinn', password })).status, 401, 'locked')
    assert.match((await run(['user', 'unlock', '--username', 'quinn'])).err, /no lock lasts longer than 15 minutes/)

    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    // The database writes in its own folder whenever it runs, and the lock says who held it last.
    const left = () =>
      readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
        .filter(
          each =>
            each.isFile() && !/^(postgres\/|lock)/.test(join(each.parentPath, each.name).slice(folder.length + 6)),
        )
        .map(each => [each.name, readFileSync(join(each.parentPath, each.name), 'utf8')])
    const before = left()
    const healthy = await run(['doctor'])
    assert.equal(healthy.code, 0, healthy.out)
    assert.deepEqual(left(), before)
    assert.ok(before.some(([name]) => name === 'installation.json'))
    assert.deepEqual(
      healthy.out
        .trim()
        .split('\n')
        .map(line => line.slice(0, line.indexOf(':')))
        // The line about the converters depends on the programs of this machine.
        .filter(line => !line.endsWith(' converters')),
      [
        'ok    configuration',
        'ok    storage',
        'ok    database',
        'ok    migrations',
        'ok    isolation',
        'ok    installation',
        'ok    signing key',
        'ok    key of the audit trail',
        'ok    second factors',
        'ok    passkeys',
        'ok    providers for single sign-on',
        'ok    keys of signatures',
        'ok    projections',
        '-     changes of the configuration',
        '-     texts of documents',
        '-     not examined',
      ],
    )
    assert.match((await run(['migrate'])).out, /up to date/)
  })

  // proves: AUTH-05
  it('unlocks a user whom failed log-ins have locked, and makes no tenant from the environment where there is one', async () => {
    assert.match((await run(['user', 'unlock', '--username', 'nobody'])).err, /There is no user nobody/)
    const unlocked = await run(['user', 'unlock', '--username', 'q@acme.example'])
    assert.deepEqual([unlocked.code, unlocked.out, unlocked.err], [0, 'Unlocked q@acme.example.\n', ''])
    assert.match((await run(['user', 'unlock', '--username', 'quinn'])).out, /quinn is not locked/)
    const { child, address } = await serve({
      ...bootstrap,
      BOOTSTRAP_ADMIN_USERNAME: 'eve',
      BOOTSTRAP_ADMIN_EMAIL: 'eve@acme.example',
    })
    assert.equal((await logIn(address, { username: 'quinn', password })).status, 200)
    assert.equal((await logIn(address, { username: 'eve', password })).status, 401)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'close'), [0, null])
  })

  it('makes the first tenant from the environment', async () => {
    const database = await cloneDatabase()
    const first = { ...bootstrap, ...urlsOf(database) }
    const weak = begin(['serve'], { ...first, BOOTSTRAP_ADMIN_PASSWORD: 'k7 giraffe' }, 'first')
    const [err] = await Promise.all([text(weak.stderr), text(weak.stdout), once(weak, 'close')])
    assert.equal(weak.exitCode, 1)
    assert.equal(err, 'BOOTSTRAP_ADMIN_PASSWORD: The password must have at least 12 characters.\n')
    const { child, address } = await serve(first, 'first')
    assert.equal((await logIn(address, { username: 'ada', password })).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'close'), [0, null])
    await database.drop()
  })
})
