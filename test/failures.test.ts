// Failures outside of any request, and the cost of the tracker's client: on the service as it is started, a process of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { ConfigError, readConfig } from '#platform/config.ts'
import { openIngest } from '#test/fakes/ingest.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'

const root = new URL('..', import.meta.url).pathname
const secret = 'f0d1c2b3a495867718293a4b5c6d7e8f-failures'

/** Runs in the service's process before anything else: does to it what it is told to, and knows which packages were loaded. */
const inside = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      packages.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1])
      return found
    },
  })
  const does = {
    throw() { throw new Error('thrown at https://h/?token=VALUE') },
    reject() { Promise.reject(new TypeError('rejected with VALUE', { cause: 'VALUE' })) },
    rejectNothing() { Promise.reject() },
    packages() { process.send([...packages]) },
  }
  process.on('message', what => does[what]())
  process.channel.unref()
`

describe('the service', { concurrency: false }, () => {
  let folder: string
  let ingest: Awaited<ReturnType<typeof openIngest>>
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-failures-'))
    ingest = await openIngest()
    database = await cloneDatabase()
  })
  after(async () => {
    await ingest.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(environment: Record<string, string>) {
    ingest.clear()
    const preload = `data:text/javascript,${encodeURIComponent(inside)}`
    const child = spawn(process.execPath, ['--import', preload, 'src/main.ts', 'serve'], {
      cwd: root,
      env: {
        ...environmentOfPrograms(),
        // Which packages it loads is what is asked: from its sources.
        NODE_OPTIONS: '',
        SECRET_KEY: secret,
        DATA_DIR: folder,
        ...urlsOf(database),
        PORT: '0',
        LOG_FORMAT: 'json',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const lines: Record<string, unknown>[] = []
    const ended = Promise.all([once(child, 'exit'), once(child.stdout!, 'close')]).then(([[code]]) => code as number)
    await new Promise<void>((ready, failed) => {
      createInterface(child.stdout!).on('line', line => {
        lines.push(JSON.parse(line))
        if (line.includes('"listening on')) ready()
      })
      void ended.then(code => failed(new Error(`the service ended with ${code}: ${JSON.stringify(lines)}`)))
    })
    return {
      child,
      ended,
      lines,
      errors: () => lines.filter(({ level }) => level === 'error'),
    }
  }

  const isOfTracker = /sentry|opentelemetry/
  async function packagesOf({ child }: Awaited<ReturnType<typeof start>>) {
    child.send('packages')
    const [packages] = (await once(child, 'message')) as [(string | null)[]]
    return packages
  }

  // proves: LOG-05, TRK-02
  for (const [what, told] of Object.entries({
    throw: 'Error: thrown at https://h/?token=[Filtered]',
    reject: 'TypeError: rejected with VALUE',
    rejectNothing: 'Error: What was thrown is no error but a value of type undefined',
  })) {
    it(`ends with code 1 after one line and one event, when it meets: ${what}`, async () => {
      const service = await start({ ERRORTRACKER_DSN: ingest.dsn, BACKEND_RELEASE_SHA: 'abc1234' })
      const packages = await packagesOf(service)
      assert.ok(packages.some(name => isOfTracker.test(name ?? '')))
      assert.deepEqual(ingest.raw, [])
      service.child.send(what)
      assert.equal(await service.ended, 1)
      const [line, ...more] = service.errors()
      assert.deepEqual(more, [])
      assert.equal(line!.logger, 'app.errors')
      assert.equal(line!.request_id, '')
      assert.match(line!.exc as string, /\n\s+at /)
      assert.equal(ingest.events().length, 1)
      const [event] = ingest.events()
      assert.equal(event!.tags.request_id, '')
      assert.equal(event!.release, 'abc1234')
      const [{ type, value }] = event!.exception.values
      assert.equal(`${type}: ${value}`, told)
      assert.equal(service.lines.at(-1)!.msg, 'closed', 'it ends in order')
    })
  }

  it('ends as soon as ever, with code 1, when the tracker hangs', async () => {
    const service = await start({ ERRORTRACKER_DSN: ingest.dsn })
    ingest.state.answer = 'hang'
    try {
      const begun = performance.now()
      service.child.send('throw')
      assert.equal(await service.ended, 1)
      assert.ok(performance.now() - begun < 30_000)
      assert.equal(service.errors().length, 1)
    } finally {
      ingest.state.answer = 200
    }
  })

  // proves: TRK-01
  it("does not load the tracker's client where there is no DSN", async () => {
    const service = await start({ ERRORTRACKER_DSN: '' })
    const packages = await packagesOf(service)
    assert.ok(packages.includes('fastify'), 'packages are seen')
    assert.ok(!packages.some(name => isOfTracker.test(name ?? '')))
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
    assert.deepEqual(ingest.raw, [])
  })
})

// proves: LOG-01, LOG-02, TRK-01
describe('configuration that cannot work', () => {
  const wrong = (variables: Record<string, string>) => {
    try {
      readConfig({ SECRET_KEY: secret, ...variables })
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.lines
    }
    return []
  }

  for (const [name, values] of Object.entries({
    LOG_FORMAT: ['xml', 'JSON'],
    LOG_LEVEL: ['verbose', 'warn'],
    ERRORTRACKER_TRACES_SAMPLE_RATE: ['2', '-0.1', '1.01', '10%', 'NaN', '0x1', 'all'],
    ERRORTRACKER_DSN: [
      'on',
      'https://tracker.example/1',
      'https://KEYVALUE@tracker.example',
      'https://KEYVALUE@tracker.example/',
      'https://KEYVALUE@tracker.example/project',
      'ftp://KEYVALUE@tracker.example/1',
      'https://KEYVALUE@/1',
      'https://KEYVALUE@tracker.example:99999/1',
      'https://KEYVALUE@tracker.example/1?a=b',
      'https://KEY-VALUE@tracker.example/1',
    ],
  })) {
    it(`stops the start with a line for ${name}, which tells no secret`, () => {
      for (const value of values) {
        const lines = wrong({ [name]: value })
        assert.equal(lines.length, 1, value)
        assert.ok(lines[0]!.startsWith(name) && !lines[0]!.includes('VALUE'))
      }
    })
  }

  it('is not what Sentry and its like give out as a DSN', () => {
    for (const dsn of [
      'https://0123456789abcdef@o123.ingest.sentry.io/4505',
      'http://public@127.0.0.1:8000/1',
      'https://public:private@tracker.example/below/a/path/7',
      'http://public@[::1]:9000/1',
      '',
    ])
      assert.deepEqual(wrong({ ERRORTRACKER_DSN: dsn }), [], dsn)
    for (const rate of ['0', '1', '0.1', '.5', '1.0', ''])
      assert.deepEqual(wrong({ ERRORTRACKER_TRACES_SAMPLE_RATE: rate }), [], rate)
  })
})
