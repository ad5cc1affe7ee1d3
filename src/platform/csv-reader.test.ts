import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppError } from '#kernel/errors.ts'
import { readCsv } from './csv-reader.ts'

const cellsOf = (text: string) => readCsv(text, 'csv').map(({ cells }) => cells)

describe('a CSV that is read', () => {
  it('may be what each spreadsheet writes: with its mark, with commas, semicolons or tabs, and any end of lines', () => {
    const rows = [
      ['a', 'b'],
      ['1', '2'],
    ]
    for (const text of ['a,b\n1,2', '\uFEFFa;b\r\n1;2\r\n', 'a\tb\r1\t2\r', '"a","b"\n"1","2"\n'])
      assert.deepEqual(cellsOf(text), rows, JSON.stringify(text))
    assert.deepEqual(cellsOf('a;b,c\n1;2,3'), [
      ['a;b', 'c'],
      ['1;2', '3'],
    ])
  })

  it('has quoted separators, quotes and lines, empty cells, and no empty lines', () => {
    assert.deepEqual(cellsOf('a,b,c\n"x, ""y""","1\r\n2",\n\n , ,\n,z,'), [
      ['a', 'b', 'c'],
      ['x, "y"', '1\n2', ''],
      ['', 'z', ''],
    ])
    assert.deepEqual(cellsOf(''), [])
  })

  it('names the line that each record begins in', () => {
    const records = readCsv('a\n"1\n2\r\n3"\r\n\n4', 'csv')
    assert.deepEqual(
      records.map(({ line }) => line),
      [1, 2, 6],
    )
  })

  it('is refused where its quotes do not match, by the line', () => {
    for (const [text, line] of [
      ['a,b\n1,"2\n3', 2],
      ['a\n"1"x', 2],
      ['a\nx"1"', 2],
      ['a\n"1\n2" ', 2],
    ] as const)
      assert.throws(
        () => readCsv(text, 'csv'),
        (error: AppError) => {
          assert.deepEqual((error.detail as { params: object }[])[0]!.params, { line })
          return error.status === 422
        },
        text,
      )
  })

  it('of a megabyte takes no longer than its length', () => {
    const begun = performance.now()
    readCsv('a,b\n' + '"x""","y"\n'.repeat(100_000), 'csv')
    assert.throws(() => readCsv('"'.repeat(1_000_001), 'csv'))
    assert.ok(performance.now() - begun < 2000)
  })
})
