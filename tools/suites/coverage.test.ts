import assert from 'node:assert/strict'
import { it } from 'node:test'
import { coverageOf } from './coverage.ts'

const record = (file: string, [functions, branches, lines]: [string, string, string]) => {
  const counts = (kind: string, of: string) => of.split('/').map((n, place) => `${kind}${place === 0 ? 'H' : 'F'}:${n}`)
  return [
    `TN:`,
    `SF:${file}`,
    'DA:1,2',
    ...counts('FN', functions),
    ...counts('BR', branches),
    ...counts('L', lines),
    'end_of_record',
  ]
}

it('coverage is told of all files together, and of those with the most lines that were not run', () => {
  const lcov = [
    ...record('src/a.ts', ['1/2', '3/4', '10/20']),
    ...record('src/whole.ts', ['0/0', '1/1', '80/80']),
    ...record('src/b.ts', ['1/1', '2/3', '9/12']),
  ].join('\n')
  assert.deepEqual(coverageOf(lcov).split('\n'), [
    '3 files: lines 88.4 %, branches 75.0 %, functions 66.7 %',
    '    10 lines not run (50.0 %) src/a.ts',
    '     3 lines not run (75.0 %) src/b.ts',
  ])
})
