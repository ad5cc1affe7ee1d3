// A run of suites, and what failed in it once more.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../trace/results.ts'
import { groupSuites, isProcess, writeProcesses } from './processes.ts'
import type { Totals } from './totals-reporter.ts'

const test_timeout_ms = 900_000
/** Twice what a small machine has of processors: with one more than it has, a tenth of their time was spent waiting. */
const suites_at_once = 4
/** More than these that fail are no chance. */
const most_again = 6
/**
 * Suites make much that is soon garbage, in four processes beside each other: the young generation begins as large as it becomes, and no
 * threads of its collector fight over the processors. A larger one would hide a file that is held in memory.
 */
const memory = ['--min-semi-space-size=16', '--single-threaded-gc']
const covered = [
  '--experimental-test-coverage',
  '--test-coverage-include=src/**/*.ts',
  '--test-coverage-exclude=**/*.test.ts',
]

interface SuitesRun {
  totals: Totals
  /** The tests that failed beside the other suites and passed alone, in words. */
  unsteady: string[]
  /** In words; undefined where everything passed. */
  failure: string | undefined
}
export interface How {
  /** Runs Node, and throws where it does not end with 0. */
  node(parameters: string[]): Promise<void>
  /** For files that nobody else looks at. */
  temporary: string
  /** Where each result is kept, a line of JSON each. */
  resultsFile?: string | undefined
  /** Where the first run tells which lines of the program it ran, in the format of lcov. */
  coverageFile?: string | undefined
  wasInterrupted(): boolean
  /** Which suites share a process. */
  group?(files: string[]): string[][]
}

/**
 * Runs `files`. What fails in up to six processes is run a second time, each suite in a process of its own, one after the other with
 * nothing beside it: what passes then is told as unsteady, and what fails has failed. A machine that stood still for a second is no
 * defect of the program; a suite that is unsteady is one, to be mended, and says so in every run that meets it.
 */
export async function runSuites(files: string[], how: How): Promise<SuitesRun> {
  const groups = how.group ? how.group(files) : groupSuites(files, suites_at_once)
  const processes = writeProcesses(groups, join(how.temporary, 'processes'))
  const first = await runOnce(processes, suites_at_once, how, how)
  const reasonOf = reasonsOf(first.totals, processes)
  const failed = [...reasonOf.keys()]
  const failedProcesses = [...processes.values()].filter(suites => suites.some(suite => reasonOf.has(suite)))
  const isRunnable = failed.every(file => files.includes(file))
  if (failed.length === 0 || failedProcesses.length > most_again || !isRunnable || how.wasInterrupted())
    return { ...first, unsteady: [] }
  console.log(`\n=== once more, alone: ${failed.join(', ')}`)
  const resultsFile = how.resultsFile && join(how.temporary, 'results-again.jsonl')
  const again = writeProcesses(
    failed.map(file => [file]),
    join(how.temporary, 'again'),
  )
  const second = await runOnce(again, 1, how, { resultsFile })
  if (how.resultsFile && resultsFile) replaceResults(how.resultsFile, resultsFile, failed)
  const failures = Object.fromEntries(reasonsOf(second.totals, again))
  const unsteady = failed.filter(file => !(file in failures)).map(file => `${file}: ${reasonOf.get(file)!.join(' > ')}`)
  const totals = { ...first.totals, failed: second.totals.failed, failures }
  totals.passed = totals.tests - totals.failed - totals.skipped - totals.todo
  return { totals, unsteady, failure: second.failure && failureOf(totals, second.failure) }
}

/** By suite, the names of what failed. Where a process ended before its time, that is each of its suites. */
function reasonsOf({ failures }: Totals, processes: Map<string, string[]>): Map<string, string[]> {
  const reasons = new Map<string, string[]>()
  for (const [file, names] of Object.entries(failures)) if (!isProcess(file)) reasons.set(file, names)
  for (const [program, suites] of processes) {
    // A process fails with each of its suites: only where none of them did, it was the process itself.
    if (program in failures && !suites.some(suite => reasons.has(suite)))
      for (const suite of suites) reasons.set(suite, ['the process ended'])
  }
  return reasons
}

async function runOnce(
  processes: Map<string, string[]>,
  at_once: number,
  { node, temporary }: How,
  { resultsFile, coverageFile }: Pick<How, 'resultsFile' | 'coverageFile'>,
) {
  const totalsFile = join(temporary, 'totals.json')
  rmSync(totalsFile, { force: true })
  const reporters = {
    spec: 'stdout',
    './tools/suites/totals-reporter.ts': totalsFile,
    ...(resultsFile && { './tools/suites/results-reporter.ts': resultsFile }),
    ...(coverageFile && { lcov: coverageFile }),
  }
  const ended = await node([
    ...memory,
    '--test',
    `--test-concurrency=${at_once}`,
    `--test-timeout=${test_timeout_ms}`,
    '--test-global-setup=test/support/world/global-setup.ts',
    '--import=./test/support/world/untracked-promises.ts',
    '--import=./test/support/world/open-handles.ts',
    ...Object.entries(reporters).flatMap(([name, destination]) => [
      `--test-reporter=${name}`,
      `--test-reporter-destination=${destination}`,
    ]),
    ...(coverageFile ? covered : []),
    ...processes.keys(),
  ]).then(
    () => undefined,
    (error: Error) => error,
  )
  const text = existsSync(totalsFile) ? readFileSync(totalsFile, 'utf8') : ''
  if (!text) throw ended ?? new Error('the run ended without its totals')
  const totals: Totals = JSON.parse(text)
  if (totals.tests === 0) throw new Error('no test ran')
  for (const [program, [suite, ...others]] of processes) {
    if (others.length === 0) totals.seconds[suite!] = totals.seconds[program] ?? 0
    delete totals.seconds[program]
  }
  return { totals, failure: ended && failureOf(totals, ended.message) }
}

const failureOf = ({ tests, failed }: Totals, otherwise: string) =>
  failed > 0 ? `${failed} of ${tests} tests failed` : otherwise

/** Replaces results, because `npm run trace` reads the last result of each test. */
function replaceResults(file: string, again: string, suites: string[]) {
  const lines = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const others = lines(file).filter(line => !suites.includes((JSON.parse(line) as Result).file))
  writeFileSync(file, [...others, ...lines(again), ''].join('\n'))
}
