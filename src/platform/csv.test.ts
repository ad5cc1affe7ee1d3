import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvOf } from './csv.ts'

const textOf = async (header: string[], ...parts: (string | number | null)[][][]) => {
  const chunks: Buffer[] = []
  for await (const chunk of csvOf(header, parts)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

describe('a CSV', () => {
  it('is in UTF-8 with its mark, ends each line with CR LF, and quotes what has to be quoted', async () => {
    const text = await textOf(
      ['Name', 'Größe'],
      [['Ann, the "first"', 1]],
      [
        ['two\r\nlines', null],
        ['王', -5],
      ],
    )
    assert.equal(text, '\uFEFFName,Größe\r\n"Ann, the ""first""",1\r\n"two\r\nlines",\r\n王,-5\r\n')
  })

  it('holds nothing that a spreadsheet would carry out', async () => {
    const formulas = ['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x","y")']
    const lines = await textOf(
      ['=A'],
      formulas.map(each => [each]),
    )
    const cells = lines
      .slice(1)
      .split(/\r\n(?=['"]|$)/)
      .filter(line => line !== '')
    assert.equal(cells.length, formulas.length + 1)
    for (const cell of cells) assert.match(cell, /^"?'/)
  })
})
