// The steps of `npm test`, to the end also when something fails:
//
//   types            tsc, of the program and of its pages
//   lint             biome, oxlint
//   generated files  those that are made from others are up to date
//   requirements     each has a test that names it: see trace.ts, which is told how the tests of a whole run went
//   suites           every suite, on the embedded PostgreSQL, while the first four run beside them
//   external         on an external PostgreSQL again, what another server is most likely to change: that of TEST_DATABASE_URL (a
//                    superuser's), else the oldest supported one that is installed, started on a folder of its own for the run
//
//   npm test -- --static           only the first four (npm run check)
//   npm test -- --only TEXT        only the suites with TEXT in their path
//   npm test -- --changed          the first four, and the suites that say most about what was changed: see suites/changed.ts
//   npm test -- --changed=COMMIT   the same of what was changed since then
//   npm test -- --whole            as CI (CI=true): the suites that need other programs or minutes, enough of them again on the external
//                                  PostgreSQL to send it most statements of all of them, the others explained by it, and more rounds of
//                                  what is tried by chance
//   npm test -- --whole --twice    the same, and all that asks for a database again on the external PostgreSQL
//   npm run coverage               the suites on the embedded PostgreSQL, and which lines of the program they ran
//
// A suite says by the end of its name what it needs beyond that: see suites/plan.ts. It is left out where that is missing, and what was
// left out is said at the end.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { settingsOfRun } from '#test/world/postgres.ts'
import { findPostgres, startPostgres } from './external-postgres.ts'
import { changedFiles, suitesOf } from './suites/changed.ts'
import { coverageOf } from './suites/coverage.ts'
import { isUsual } from './suites/external.ts'
import { listSuites, planSuites } from './suites/plan.ts'
import { bundlePrograms } from './suites/programs.ts'
import { runSuites } from './suites/run.ts'
import { coveringSuites, isExplainable, readNoted } from './suites/statements.ts'
import { temporaryParent } from './suites/temporary.ts'
import type { Totals } from './suites/totals-reporter.ts'
import { files as traceFiles, folder as traceFolder } from './trace/results.ts'

const generated = ['tools/generate-tables.ts', 'tools/generate-docs.ts', 'tools/generate-client.ts']

const root = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({
  // An option that may have a value, and need not.
  args: process.argv.slice(2).map(each => (each === '--changed' ? '--changed=' : each)),
  options: {
    static: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: Boolean(process.env.CI) },
    twice: { type: 'boolean', default: false },
    only: { type: 'string' },
    changed: { type: 'string' },
  },
})
// Everything temporary of every step is below this, so that nothing outlives the run. Others may pass through it: a server that root
// starts runs as another user.
const prefix = 'attest-run-'
const parent = temporaryParent()
removeLeftovers()
const temporary = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
chmodSync(temporary, 0o711)
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  TMPDIR: temporary,
  // Code is translated once for all processes, also for the next run.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/attest'),
  PATH: [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
}
if (options.whole) environment.CI = 'true'
// Node's own, when a test starts this: its children would report to that run.
delete environment.NODE_TEST_CONTEXT

function remove(folder: string) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Removes the remains of killed runs, whose process is gone. */
function removeLeftovers() {
  for (const name of globSync(`${prefix}*`, { cwd: parent })) {
    const pid = Number(name.slice(prefix.length).split('-')[0])
    const folder = join(parent, name)
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
const unsteady: string[] = []
const failed: string[] = []
let interrupted: NodeJS.Signals | undefined
const running = new Set<ReturnType<typeof spawn>>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted ??= signal
    for (const each of running) each.kill(signal)
  })
}

/** `work` is given where to write. What runs `beside` another step is printed once it is over. */
async function step(
  name: string,
  work: (out: 'inherit' | 'pipe', said: string[]) => Promise<Totals | undefined>,
  { beside = false } = {},
) {
  if (interrupted) return
  const said: string[] = []
  if (!beside) console.log(`\n=== ${name}`)
  const started = performance.now()
  const result: Step = { name, seconds: 0 }
  try {
    const totals = await work(beside ? 'pipe' : 'inherit', said)
    if (totals) result.totals = totals
  } catch (error) {
    result.failure = (error as Error).message
  }
  result.seconds = (performance.now() - started) / 1000
  steps.push(result)
  if (beside) console.log(`\n=== ${name}\n${said.join('')}`)
  console.log(lineOf(result))
}

const lineOf = ({ name, seconds, failure }: Step) =>
  `=== ${name}: ${failure ? `FAILED (${failure})` : 'ok'}, ${seconds.toFixed(1)} s`

async function runProgram(
  command: string,
  parameters: string[],
  {
    more = {},
    out = 'inherit',
    said = [],
  }: { more?: NodeJS.ProcessEnv; out?: 'inherit' | 'pipe'; said?: string[] } = {},
) {
  const child = spawn(command, parameters, {
    cwd: root,
    env: { ...environment, ...more },
    stdio: ['inherit', out, out],
  })
  running.add(child)
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const [code, signal] = await once(child, 'close')
  running.delete(child)
  if (code !== 0) throw new Error(`${command.split('/').at(-1)} ended with ${signal ?? code}`)
}

/** All of them run, also after one has failed: the next person wants to see everything at once. */
const runAll =
  (...commands: [string, ...string[]][]) =>
  async (out: 'inherit' | 'pipe', said: string[]) => {
    const failures: string[] = []
    for (const [command, ...parameters] of commands) {
      await runProgram(command, parameters, { more: onOneThread, out, said }).catch(({ message }: Error) =>
        failures.push(message),
      )
    }
    if (failures.length > 0) throw new Error(failures.join(', '))
    return undefined
  }

const memory_of_checks_gib = 4
/**
 * tsc and oxlint are programs in Go. On several processors each of their threads works out for itself the types that the others need too,
 * which takes three times the work. Where there is room for all that they make, they need not look for what is no longer used.
 */
const onOneThread: NodeJS.ProcessEnv = {
  GOMAXPROCS: '1',
  ...(totalmem() >= 2 * memory_of_checks_gib * 2 ** 30 && { GOGC: 'off', GOMEMLIMIT: `${memory_of_checks_gib}GiB` }),
}
const typeCheck = (project: string): [string, ...string[]] => ['tsc', '-p', project, '--checkers', '1']

async function checkWithoutRunning(beside: boolean) {
  await step('types', runAll(typeCheck('.'), typeCheck('web')), { beside })
  await step('lint', runAll(['biome', 'check', '.'], ['oxlint', '--type-aware', '--deny-warnings', '.']), { beside })
  await step(
    'generated files',
    runAll(...generated.map(tool => [process.execPath, tool, '--check'] as [string, ...string[]])),
    { beside },
  )
  await step('requirements', runAll([process.execPath, 'tools/trace.ts', '--check']), { beside })
}

/** `server`: by which name their results are kept, where all suites are run. */
async function suites(files: string[], server: string, more: NodeJS.ProcessEnv): Promise<Totals> {
  const { totals, failure, ...run } = await runSuites(files, {
    node: parameters => runProgram(process.execPath, parameters, { more }),
    temporary,
    resultsFile: isAll ? resultsOf(server) : undefined,
    coverageFile: options.coverage ? coverageFile : undefined,
    wasInterrupted: () => interrupted !== undefined,
  })
  sum(totals)
  unsteady.push(...run.unsteady.map(each => `${each} (${server})`))
  for (const [file, names] of Object.entries(totals.failures)) failed.push(`${file}: ${names.join(' > ')} (${server})`)
  if (failure !== undefined) throw new Error(failure)
  return totals
}

const coverageFile = join(root, 'coverage/lcov.info')
const traced = join(root, traceFolder)
const servers: string[] = []
function resultsOf(server: string) {
  mkdirSync(traced, { recursive: true })
  servers.push(server)
  return join(traced, traceFiles.results(server))
}

function keepRun() {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  let commit = 'no commit'
  try {
    commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain') ? ', with changes' : ''}`
  } catch {
    // Not everybody has git, nor got the files by it.
  }
  const run = { at: new Date().toISOString(), commit, servers, left_out: leftOut }
  writeFileSync(join(traced, traceFiles.run), JSON.stringify(run))
}

const all: Totals = { tests: 0, passed: 0, failed: 0, skipped: 0, todo: 0, reasons: [], failures: {}, seconds: {} }
function sum(totals: Totals) {
  for (const count of ['tests', 'passed', 'failed', 'skipped', 'todo'] as const) all[count] += totals[count]
  all.reasons = [...new Set([...all.reasons, ...totals.reasons])]
  for (const [file, seconds] of Object.entries(totals.seconds)) all.seconds[file] = (all.seconds[file] ?? 0) + seconds
}

/** Where the suites of one server note which statements they send. */
const notesOf = (server: string) => folderFor(`statements-${server}`)

function folderFor(what: string) {
  const folder = join(temporary, what)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Those of `files` that are needed to ask the external server for all that all of them asked of the embedded one. */
function chooseRepeated(files: string[]) {
  const { sentBy, statements } = readNoted(notesOf('embedded'))
  const always = files.filter(isUsual)
  const { chosen } = coveringSuites(files, {
    always,
    sentBy,
    secondsOf: suite => all.seconds[suite] ?? 0,
    isExplained: digest => isExplainable(statements.get(digest)!),
  })
  const left = files.length - new Set([...always, ...chosen]).size
  notAgain.push(
    `${left} suites, on the embedded PostgreSQL alone: others send the external one their statements, or it explains them`,
  )
  return [...new Set([...always, ...chosen])].sort()
}

/** Has the external server explain what `files` sent to the embedded one, and no suite sent to it. */
async function explainOthers(files: string[], more: NodeJS.ProcessEnv) {
  const embedded = readNoted(notesOf('embedded'))
  const sent = new Set(files.flatMap(file => [...(embedded.sentBy.get(file) ?? [])]))
  const again = readNoted(notesOf('external')).statements
  const others = [...sent].filter(digest => !again.has(digest)).map(digest => embedded.statements.get(digest)!)
  const [explained, neither] = [others.filter(isExplainable), others.filter(each => !isExplainable(each))]
  console.log(
    `${sent.size} statements were sent to the embedded PostgreSQL: ${sent.size - others.length} to the external one too, ${explained.length} are explained by it`,
  )
  if (neither.length > 0) {
    notAgain.push(`${neither.length} statements, which were sent to the embedded PostgreSQL by chance`)
    for (const { text } of neither) console.log(`  neither: ${text.slice(0, 200)}`)
  }
  const file = join(temporary, 'explained.json')
  writeFileSync(file, JSON.stringify(explained.map(({ text }) => text)))
  await runProgram(process.execPath, ['tools/suites/explain-statements.ts', file], { more })
}

async function runExternal(
  files: string[],
  { found, after }: { found: NodeJS.ProcessEnv; after?(more: NodeJS.ProcessEnv): Promise<void> },
) {
  const on = async (name: string, url: string) => {
    const more = { ...found, TEST_DATABASE_URL: url }
    const totals = await suites(files, name, more)
    await after?.(more)
    return totals
  }
  const given = environment.TEST_DATABASE_URL
  if (given) return step('external: the server of TEST_DATABASE_URL', () => on('external', given))
  const installed = findPostgres()
  if (!installed) {
    leftOut.push(
      `suites on an external PostgreSQL (${files.length} test files): no server found (apt install postgresql, or set TEST_DATABASE_URL)`,
    )
    return
  }
  return step(`external: PostgreSQL ${installed.major} of ${installed.bin}`, async () => {
    const server = await startPostgres(installed.bin, temporary, settingsOfRun)
    try {
      return await on(`postgresql-${installed.major}`, server.url)
    } finally {
      await server.stop()
    }
  })
}

const isAll = options.only === undefined && options.changed === undefined
/** To bundle the programs takes as long as two of them take to load from their sources. */
const least_to_bundle = 20
/** Whether the suites of the external server are chosen by the statements that those of the embedded one sent. */
const isCompared = isAll && options.whole && !options.twice

function chooseSuites(): string[] {
  const suites = listSuites()
  if (options.changed !== undefined) {
    const { files, since } = changedFiles(options.changed || undefined)
    const chosen = suitesOf(files, suites)
    console.log(
      `${files.length} files differ from ${since}: ${chosen.length} of ${suites.length} suites say most about them`,
    )
    leftOut.push(`${suites.length - chosen.length} suites that are farther from what was changed: npm test`)
    return chosen
  }
  const chosen = suites.filter(file => file.includes(options.only ?? ''))
  if (chosen.length === 0) throw new Error(`no suite has '${options.only}' in its path`)
  return chosen
}

try {
  let checks: Promise<void> | undefined
  if (options.static) await checkWithoutRunning(false)
  else {
    const { here, external, left, found, ...lacking } = planSuites(chooseSuites(), {
      environment,
      isWhole: options.whole || options.only !== undefined,
    })
    leftOut.push(...lacking.leftOut)
    if (isAll)
      console.log(
        `${here.length + external.length} suites, some twenty minutes on two processors; npm test -- --changed runs those that say most about a change`,
      )
    if (options.only === undefined) checks = checkWithoutRunning(true)
    if (here.length + external.length >= least_to_bundle && !options.coverage)
      environment.TEST_PROGRAMS = await bundlePrograms(folderFor('programs'))
    if (options.coverage) mkdirSync(dirname(coverageFile), { recursive: true })
    // TEST_DATABASE_URL is for the external run alone.
    if (here.length > 0)
      await step(`suites on the embedded PostgreSQL (${here.length} files)`, () =>
        suites(here, 'embedded', {
          ...found,
          TEST_DATABASE_URL: '',
          ...(isCompared && { TEST_STATEMENTS: notesOf('embedded') }),
        }),
      )
    await checks
    if (external.length > 0 && !options.coverage) {
      if (isCompared) {
        await runExternal(chooseRepeated(external), {
          found: { ...found, TEST_STATEMENTS: notesOf('external') },
          after: more => explainOthers(external, more),
        })
      } else await runExternal(external, { found })
    }
    if (servers.length > 0) keepRun()
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

if (options.coverage && existsSync(coverageFile)) console.log(`\n${coverageOf(readFileSync(coverageFile, 'utf8'))}`)
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
const slowest = Object.entries(all.seconds)
  .sort(([, a], [, b]) => b - a)
  .slice(0, 12)
if (isAll && slowest.length > 0)
  console.log(`slowest, in seconds: ${slowest.map(([file, seconds]) => `${file} ${seconds.toFixed(0)}`).join(', ')}`)
for (const each of failed) console.log(`FAILED: ${each}`)
for (const each of unsteady) console.log(`UNSTEADY, to be mended: ${each}`)
for (const each of notAgain) console.log(`ONCE: ${each}`)
for (const each of leftOut) console.log(`LEFT OUT: ${each}`)
if (interrupted) console.log(`INTERRUPTED by ${interrupted}`)
const hasFailed = interrupted !== undefined || steps.some(({ failure }) => failure)
console.log(hasFailed ? 'FAILED' : leftOut.length > 0 ? 'PASSED, but not everything was run: see LEFT OUT' : 'PASSED')
process.exitCode = hasFailed ? 1 : 0
