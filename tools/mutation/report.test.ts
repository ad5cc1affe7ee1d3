import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { equivalents } from './equivalent.ts'
import { readReport, type StrykerReport } from './report.ts'
import { targets } from './targets.ts'

const root = new URL('../../', import.meta.url)
const source = 'const a = 1\nif (a > 0 &&\n  a < 9) go()\n'
const mutant = (status: StrykerReport['files'][string]['mutants'][number]['status'], replacement: string) => ({
  ...{ mutatorName: 'ConditionalExpression', status, replacement },
  location: { start: { line: 2, column: 5 }, end: { line: 3, column: 8 } },
})

it('a survivor is named by its line and its text, and counts unless it is explained', () => {
  const mutants = [
    mutant('Killed', 'false'),
    mutant('Timeout', 'x'),
    mutant('Survived', 'true'),
    mutant('NoCoverage', 'y'),
  ]
  const report = { files: { 'a.ts': { source, mutants } } }
  const why = 'It is never less'
  const explained = [{ file: 'a.ts', original: 'a > 0 && a < 9', replacement: 'y', why }]
  assert.deepEqual(readReport(report, explained), [
    {
      ...{ name: 'a.ts', mutants: 4, found: 2, explained: 1, score: 66.6 },
      survivors: [{ line: 2, mutator: 'ConditionalExpression', original: 'a > 0 && a < 9', replacement: 'true' }],
    },
  ])
})

it('what is explained stands in its file, and what is mutated is there with its suites', () => {
  for (const { file, original } of equivalents) {
    const text = readFileSync(new URL(file, root), 'utf8').replace(/\s+/g, ' ')
    assert.ok(text.includes(original), `${file} has no ${original} any more`)
  }
  for (const { mutate, suites } of targets)
    for (const file of [...mutate, ...suites]) assert.ok(existsSync(new URL(file, root)), file)
})
