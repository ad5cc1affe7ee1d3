// What `npm test` runs, each with its time, to the end also when something fails:
//
//   types            tsc, of the program and of its pages
//   lint             biome, oxlint
//   generated files  those that are made from others are up to date
//   suites           every suite, on the embedded PostgreSQL
//   external         the suites that ask for a database, again on an external PostgreSQL: that of TEST_DATABASE_URL (a superuser's),
//                    else the oldest supported one that is installed, started on a folder of its own for the run. Those in which
//                    the server cannot matter are run once, and counted at the end: see external-suites.ts
//
//   npm test -- --static        only the first three (npm run check)
//   npm test -- --only TEXT     only the suites with TEXT in their path
//
// A suite says by the end of its name what it needs beyond that: see `needs`. It is left out where that is missing, and what was
// left out is said at the end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from './external-postgres.ts'
import { externalSuites } from './external-suites.ts'
import type { Totals } from './totals-reporter.ts'

const needs: Record<string, { what: string; variable: string; find?: () => string | undefined }> = {
  external: { what: 'an external PostgreSQL', variable: 'TEST_DATABASE_URL' },
  browser: {
    what: 'a browser',
    variable: 'TEST_CHROMIUM',
    find: () => ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync),
  },
  s3: {
    what: 'an S3 service, OpenStack Swift (apt install swift-proxy swift-account swift-container swift-object)',
    variable: 'TEST_SWIFT',
    find: () => {
      const here = ['proxy', 'account', 'container', 'object'].every(name =>
        existsSync(`/usr/bin/swift-${name}-server`),
      )
      return here ? '/usr/bin' : undefined
    },
  },
  clamav: {
    what: 'ClamAV (apt install clamav-daemon)',
    variable: 'TEST_CLAMD',
    find: () => ['/usr/sbin/clamd'].find(existsSync),
  },
  poppler: {
    what: 'pictures of the pages of a PDF (apt install poppler-utils)',
    variable: 'TEST_PDFTOPPM',
    find: () => ['/usr/bin/pdftoppm'].find(existsSync),
  },
  tesseract: {
    what: 'letters read off pictures (apt install tesseract-ocr tesseract-ocr-eng poppler-utils)',
    variable: 'TEST_TESSERACT',
    find: () => ['/usr/bin/tesseract'].find(program => existsSync(program) && existsSync('/usr/bin/pdftoppm')),
  },
  libreoffice: {
    what: 'LibreOffice (apt install libreoffice-writer-nogui libreoffice-calc-nogui)',
    variable: 'TEST_SOFFICE',
    find: () => ['/usr/bin/soffice'].find(existsSync),
  },
  smtp: { what: 'a mail server', variable: 'TEST_SMTP_URL' },
  onnx: {
    what: 'what runs models of ONNX (npm install --no-save @huggingface/transformers)',
    variable: 'TEST_TRANSFORMERS',
    find: () => [join(root, 'node_modules/@huggingface/transformers')].find(existsSync),
  },
}
const generated = ['tools/generate-tables.ts', 'tools/generate-docs.ts', 'tools/generate-client.ts']
const test_timeout_ms = 600_000
/** One more than a small machine has processors: some suites wait more than they work. */
const suites_at_once = 3

const root = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({
  options: { static: { type: 'boolean', default: false }, only: { type: 'string' } },
})
// Everything temporary of every step is below this, so that nothing outlives the run. Others may pass through it: a server that root
// starts runs as another user.
const prefix = 'attest-run-'
removeLeftovers()
const temporary = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
chmodSync(temporary, 0o711)
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  TMPDIR: temporary,
  // What hundreds of processes import is read and translated once.
  NODE_COMPILE_CACHE: join(temporary, 'compiled'),
  PATH: [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
}
// Node's own, when a test starts this: its children would report to that run.
delete environment.NODE_TEST_CONTEXT

function remove(folder: string) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Of runs that were killed, and could not clean up: their process is gone. */
function removeLeftovers() {
  for (const name of globSync(`${prefix}*`, { cwd: tmpdir() })) {
    const pid = Number(name.slice(prefix.length).split('-')[0])
    const folder = join(tmpdir(), name)
    if (pid && !isAlive(pid) && statSync(folder).uid === process.getuid?.()) remove(folder)
  }
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

interface Step {
  name: string
  seconds: number
  failure?: string
  totals?: Totals
}
const steps: Step[] = []
const leftOut: string[] = []
const notAgain: string[] = []
let interrupted: NodeJS.Signals | undefined
let current: ReturnType<typeof spawn> | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted ??= signal
    current?.kill(signal)
  })
}

async function step(name: string, work: () => Promise<Totals | undefined>) {
  if (interrupted) return
  console.log(`\n=== ${name}`)
  const started = performance.now()
  const result: Step = { name, seconds: 0 }
  try {
    const totals = await work()
    if (totals) result.totals = totals
  } catch (error) {
    result.failure = (error as Error).message
  }
  result.seconds = (performance.now() - started) / 1000
  steps.push(result)
  console.log(lineOf(result))
}

const lineOf = ({ name, seconds, failure }: Step) =>
  `=== ${name}: ${failure ? `FAILED (${failure})` : 'ok'}, ${seconds.toFixed(1)} s`

async function run(command: string, parameters: string[], more: NodeJS.ProcessEnv = {}) {
  current = spawn(command, parameters, { cwd: root, env: { ...environment, ...more }, stdio: 'inherit' })
  const [code, signal] = await once(current, 'exit')
  current = undefined
  if (code !== 0) throw new Error(`${command.split('/').at(-1)} ended with ${signal ?? code}`)
}

/** All of them run, also after one has failed: the next person wants to see everything at once. */
async function runAll(...commands: [string, ...string[]][]) {
  const failures: string[] = []
  for (const [command, ...parameters] of commands) {
    await run(command, parameters).catch(({ message }: Error) => failures.push(message))
  }
  if (failures.length > 0) throw new Error(failures.join(', '))
  return undefined
}

async function runSuites(files: string[], more: NodeJS.ProcessEnv): Promise<Totals> {
  const totalsFile = join(temporary, 'totals.json')
  rmSync(totalsFile, { force: true })
  const failure = await run(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${suites_at_once}`,
      `--test-timeout=${test_timeout_ms}`,
      '--test-global-setup=test/global-setup.ts',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./tools/totals-reporter.ts',
      `--test-reporter-destination=${totalsFile}`,
      ...files,
    ],
    more,
  ).then(
    () => undefined,
    (error: Error) => error,
  )
  const text = existsSync(totalsFile) ? readFileSync(totalsFile, 'utf8') : ''
  if (!text) throw failure ?? new Error('the run ended without its totals')
  const totals: Totals = JSON.parse(text)
  if (totals.tests === 0) throw new Error('no test ran')
  sum(totals)
  if (failure) throw new Error(totals.failed > 0 ? `${totals.failed} of ${totals.tests} tests failed` : failure.message)
  return totals
}

const all: Totals = { tests: 0, passed: 0, failed: 0, skipped: 0, todo: 0, reasons: [] }
function sum(totals: Totals) {
  for (const count of ['tests', 'passed', 'failed', 'skipped', 'todo'] as const) all[count] += totals[count]
  all.reasons = [...new Set([...all.reasons, ...totals.reasons])]
}

/** A word that is no need is part of the suite's own name, as in engine.properties.test.ts. */
function need(file: string) {
  const word = /\.(\w+)\.test\.ts$/.exec(file)?.[1]
  return word !== undefined && word in needs ? word : undefined
}

/** The suites that can run, and the variables that tell them where they find what they need. */
function plan() {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'], { cwd: root })
    .filter(file => file.includes(options.only ?? ''))
    .sort()
  const found: NodeJS.ProcessEnv = {}
  const here: string[] = []
  for (const [suffix, suites] of Map.groupBy(files, need)) {
    if (suffix === undefined) {
      here.push(...suites)
      continue
    }
    const needed = needs[suffix]!
    if (suffix === 'external') continue
    const value = environment[needed.variable] ?? needed.find?.()
    if (value) {
      found[needed.variable] = value
      here.push(...suites)
    } else leftOut.push(`suites that need ${needed.what} (${suites.length} test files): ${needed.variable} is not set`)
  }
  const { again, left } = externalSuites(here)
  const external = [...files.filter(file => need(file) === 'external'), ...again].sort()
  return { here: here.sort(), external, left, found }
}

async function runExternal(files: string[], found: NodeJS.ProcessEnv) {
  const given = environment.TEST_DATABASE_URL
  if (given) {
    return step('external: the server of TEST_DATABASE_URL', () =>
      runSuites(files, { ...found, TEST_DATABASE_URL: given }),
    )
  }
  const installed = findPostgres()
  if (!installed) {
    leftOut.push(
      `suites on an external PostgreSQL (${files.length} test files): no server found (apt install postgresql, or set TEST_DATABASE_URL)`,
    )
    return
  }
  return step(`external: PostgreSQL ${installed.major} of ${installed.bin}`, async () => {
    const server = await startPostgres(installed.bin, temporary)
    try {
      return await runSuites(files, { ...found, TEST_DATABASE_URL: server.url })
    } finally {
      await server.stop()
    }
  })
}

try {
  if (!options.only) {
    await step('types', () => runAll(['tsc', '-p', '.'], ['tsc', '-p', 'web']))
    await step('lint', () => runAll(['biome', 'check', '.'], ['oxlint', '--type-aware', '--deny-warnings', '.']))
    await step('generated files', () =>
      runAll(...generated.map(tool => [process.execPath, tool, '--check'] as [string, ...string[]])),
    )
  }
  if (!options.static) {
    const { here, external, left, found } = plan()
    if (here.length + external.length === 0) throw new Error(`no suite has '${options.only}' in its path`)
    // TEST_DATABASE_URL is for the external run alone.
    if (here.length > 0)
      await step(`suites on the embedded PostgreSQL (${here.length} files)`, () =>
        runSuites(here, { ...found, TEST_DATABASE_URL: '' }),
      )
    if (external.length > 0) await runExternal(external, found)
    for (const { reason, count } of left) notAgain.push(`${count} suites, on the embedded PostgreSQL alone: ${reason}`)
  }
} catch (error) {
  steps.push({ name: 'the run', seconds: 0, failure: (error as Error).message })
} finally {
  remove(temporary)
  if (interrupted) {
    // Programs whose parents were killed with the run may have been about to write one more file.
    await setTimeout(1_000)
    remove(temporary)
  }
}

console.log('')
for (const each of steps) console.log(lineOf(each))
if (all.tests > 0) {
  for (const reason of all.reasons) console.log(`SKIPPED: ${reason}`)
  for (const [name, count] of [
    ['tests', all.tests],
    ['pass', all.passed],
    ['fail', all.failed],
    ['skipped', all.skipped],
    ['todo', all.todo],
  ])
    console.log(`ℹ ${name} ${count}`)
}
for (const each of notAgain) console.log(`ONCE: ${each}`)
for (const each of leftOut) console.log(`LEFT OUT: ${each}`)
if (interrupted) console.log(`INTERRUPTED by ${interrupted}`)
const hasFailed = interrupted !== undefined || steps.some(({ failure }) => failure)
console.log(hasFailed ? 'FAILED' : leftOut.length > 0 ? 'PASSED, but not everything was run: see LEFT OUT' : 'PASSED')
process.exitCode = hasFailed ? 1 : 0
