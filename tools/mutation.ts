// Whether the tests would find a mistake: StrykerJS makes one small mistake at a time in what decides and what proves (see
// mutation/targets.ts), and runs the suites of it. A mutant that no suite finds is a survivor: a test is missing, or the mutant
// behaves as the original does, which mutation/equivalent.ts says with its reason.
//
//   npm run mutation                     all of it, some tens of minutes
//   npm run mutation -- --only engine    the targets with this in their name
//   npm run mutation -- --json FILE      the report for programs as well
//
// StrykerJS is not installed with the project: it is fetched into a temporary folder. Where that cannot be, nothing is measured, and
// the exit code is 2; it is 1 where a survivor is not explained.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { equivalents } from './mutation/equivalent.ts'
import { type FileReport, readReport, type StrykerReport } from './mutation/report.ts'
import { type Target, targets } from './mutation/targets.ts'

const version = '10.0.0'
const packages = ['core', 'tap-runner'].map(name => `@stryker-mutator/${name}@${version}`)

const root = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' }, json: { type: 'string' } } })
const temporary = mkdtempSync(join(tmpdir(), 'attest-mutation-'))
const environment = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NODE_COMPILE_CACHE: join(temporary, 'compiled'),
  // A suite that is ended at its first failure clears nothing away.
  TMPDIR: temporary,
}
const stryker = join(temporary, 'stryker')
const copy = join(temporary, 'copy')

function fetchStryker(): boolean {
  mkdirSync(stryker)
  writeFileSync(join(stryker, 'package.json'), '{"private":true}')
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
  return (
    spawnSync('npm', words, { cwd: stryker, env: environment, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  )
}

/** Stryker writes its mutants into the files themselves: those of a copy. */
function copyProject() {
  mkdirSync(copy)
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0')) {
    if (file && file !== 'node_modules' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
}

function mutate({ name, mutate, suites }: Target): FileReport[] {
  const config = join(temporary, `${name}.json`)
  const report = join(temporary, `${name}-report.json`)
  const settings = {
    ...{ mutate, inPlace: true, coverageAnalysis: 'perTest', concurrency: 1 },
    ...{ testRunner: 'tap', plugins: [join(stryker, 'node_modules/@stryker-mutator/tap-runner/dist/src/index.js')] },
    tap: {
      testFiles: suites,
      nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true,
    },
    ...{
      reporters: ['json', 'progress-append-only'],
      jsonReporter: { fileName: report },
      tempDirName: join(temporary, 'backup'),
    },
    // The compiler of TypeScript 7 has no interface that Stryker could ask.
    ...{ tsconfigFile: 'none', checkers: [], allowEmpty: true, timeoutMS: 20_000, logLevel: 'warn' },
  }
  writeFileSync(config, JSON.stringify(settings))
  const program = join(stryker, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const { status } = spawnSync(process.execPath, [program, 'run', config], {
    cwd: copy,
    env: { ...environment, NODE_TEST_CONTEXT: undefined },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status}`)
  return readReport(JSON.parse(readFileSync(report, 'utf8')) as StrykerReport, equivalents)
}

try {
  if (!fetchStryker()) {
    console.log(`LEFT OUT: mutation testing: ${packages.join(' and ')} could not be fetched`)
    process.exitCode = 2
  } else {
    copyProject()
    const files: FileReport[] = []
    for (const target of targets.filter(({ name }) => name.includes(options.only))) {
      for (const file of mutate(target)) {
        files.push(file)
        const { name, mutants, found, explained, survivors } = file
        console.log(`${name}: ${found} of ${mutants - explained} found (${file.score} %), ${explained} explained`)
        for (const { line, mutator, original, replacement } of survivors)
          console.log(`  ${name}:${line} ${mutator}: ${original} -> ${replacement}`)
      }
    }
    const sum = (count: 'mutants' | 'found' | 'explained') => files.reduce((total, file) => total + file[count], 0)
    const asked = sum('mutants') - sum('explained')
    console.log(`${sum('found')} of ${asked} mutants found (${((100 * sum('found')) / asked).toFixed(1)} %)`)
    if (options.json) writeFileSync(options.json, JSON.stringify({ stryker: version, files }, undefined, 2))
    if (files.some(({ survivors }) => survivors.length > 0)) process.exitCode = 1
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
