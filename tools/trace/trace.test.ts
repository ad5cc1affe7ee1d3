import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makePdf } from '#platform/pdf/make.ts'
import { claimsOf } from './claims.ts'
import { regulations } from './clauses.ts'
import { defectsOf, matrixOf } from './matrix.ts'
import { blocksOf, markdownOf } from './print.ts'
import { requirements } from './requirements.ts'
import { type LastRun, type Outcome, readLastRun } from './results.ts'

const suite = [
  "import { it } from 'node:test'",
  '',
  `// ${'proves'}: DOC-03, SVC-01`,
  "describe('a download', () => {",
  `  it('has its type (${'proves'}: DOC-02)', () => {})`,
  '  it.each(',
  `    'over two lines | ${'proves'}: DOC-01',`,
  '  )',
  `  // ${'proves'}: DOC-04`,
  '  for (const each of all) it(`of each`, () => {})',
  '})',
].join('\n')

describe('what a test proves', () => {
  it('stands above it or in its title, and is about the test or the suite there', () => {
    const claims = claimsOf('a.test.ts', suite)
    assert.deepEqual(
      claims.map(({ id, line, title }) => [id, line, title]),
      [
        ['DOC-03', 4, 'a download'],
        ['SVC-01', 4, 'a download'],
        ['DOC-02', 5, 'has its type'],
        ['DOC-01', 6, 'over two lines |'],
        ['DOC-04', 10, 'of each'],
      ],
    )
  })

  it('is of the whole file above everything, and an error where it names nothing or is about nothing', () => {
    const [claim] = claimsOf('a.test.ts', `// ${'proves'}: DOC-03\nimport { it } from 'node:test'\n`)
    assert.deepEqual(claim, { id: 'DOC-03', file: 'a.test.ts', title: 'a.test.ts' })
    assert.throws(() => claimsOf('a.test.ts', `// ${'proves'}: a lot\nit('x')`), /a.test.ts:1/)
    assert.throws(() => claimsOf('a.test.ts', `it('x')\n// ${'proves'}: DOC-03`), /a.test.ts:2/)
  })
})

const runOf = (results: [line: number, outcome: Exclude<Outcome, 'not run'>][]): LastRun => ({
  at: '2026-01-02T03:04:05Z',
  commit: 'abc',
  left_out: ['suites that need a browser'],
  results: results.map(([line, outcome]) => ({ file: 'a.test.ts', line, outcome, seconds: 1, server: 'embedded' })),
})
const tests = new Map([['a.test.ts', suite]])

describe('the matrix', () => {
  it('says of a requirement the worst of its tests, and that what nobody ran was not run', () => {
    const { requirements: all } = matrixOf(
      tests,
      runOf([
        [4, 'passed'],
        [5, 'passed'],
        [5, 'failed'],
        [6, 'skipped'],
      ]),
    )
    const outcome = (id: string) => all.find(each => each.id === id)!.outcome
    assert.deepEqual(['DOC-03', 'DOC-02', 'DOC-01', 'DOC-04', 'DOC-05'].map(outcome), [
      'passed',
      'failed',
      'skipped',
      'not run',
      'not run',
    ])
  })

  it('says of a clause the worst of the requirements that prove it, and nothing where a procedure does', () => {
    const lines = suite.split('\n').map((_, index): [number, 'passed'] => [index + 1, 'passed'])
    const { clauses } = matrixOf(tests, runOf(lines))
    assert.equal(clauses.find(({ clause }) => clause === '11.10(d)')!.outcome, 'not run')
    assert.equal(clauses.find(({ clause }) => clause === '15')!.outcome, undefined)
  })

  it('has defects where a requirement has no test, and where a test names what is no requirement', () => {
    const defects = defectsOf(new Map([['b.test.ts', `it('x (${'proves'}: DOC-99)')`]]))
    assert.ok(defects.includes('b.test.ts:1 proves DOC-99, which is no requirement'))
    assert.equal(defects.filter(each => / has no test: /.test(each)).length, Object.keys(requirements).length)
  })

  it('has each clause once, in Markdown and on paper', async () => {
    const matrix = matrixOf(tests, runOf([[5, 'failed']]))
    const text = markdownOf(matrix)
    for (const clauses of Object.values(regulations))
      for (const { clause } of clauses) assert.equal(text.split(`\n| ${clause} |`).length, 2, clause)
    assert.match(text, /### DOC-02: failed\n\n.*\n\n- failed \(embedded\): has its type \(`a.test.ts:5`\)/)
    assert.match(text, /Left out, and not run: suites that need a browser\./)
    const { pages } = await makePdf({
      source: { kind: 'sheets', blocks: blocksOf(matrix) },
      info: { title: 'x', subject: 'x', author: 'x', created_at: '2026-01-02T03:04:05Z' },
    })
    assert.ok(pages > 2)
  })
})

it('knows a run by what its reporter wrote: suites and tests by their lines, as they ended', async () => {
  const root = mkdtempSync(join(tmpdir(), 'attest-trace-'))
  try {
    mkdirSync(join(root, '.trace'))
    const file = join(root, 'b.test.mjs')
    writeFileSync(
      file,
      [
        "import { describe, it } from 'node:test'",
        "describe('a suite', () => {",
        "  it('passes', () => {})",
        "  it('fails', () => { throw new Error('on purpose') })",
        "  it('is skipped', { skip: true }, () => {})",
        '})',
      ].join('\n'),
    )
    const reporter = join(import.meta.dirname, '../suites/results-reporter.ts')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status } = spawnSync(
      process.execPath,
      [
        '--test',
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${join(root, '.trace/results-here.jsonl')}`,
        file,
      ],
      { cwd: root, env },
    )
    assert.equal(status, 1)
    assert.equal(readLastRun(root), undefined, 'a run that did not come to its end')
    writeFileSync(
      join(root, '.trace/run.json'),
      JSON.stringify({ at: 'now', commit: 'c', left_out: [], servers: ['here'] }),
    )
    const results = readLastRun(root)!.results.filter(each => each.file === 'b.test.mjs')
    assert.deepEqual(
      results.map(({ line, outcome, server }) => [line, outcome, server]).sort((a, b) => Number(a[0]) - Number(b[0])),
      [
        [2, 'failed', 'here'],
        [3, 'passed', 'here'],
        [4, 'failed', 'here'],
        [5, 'skipped', 'here'],
      ],
    )
  } finally {
    rmSync(root, { recursive: true })
  }
})
