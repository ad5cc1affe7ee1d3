import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Ending } from '../files/media-type.ts'
import { openTextExtractor } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-texts-'))
after(() => rmSync(folder, { recursive: true }))
const works = openTextExtractor()

async function read(content: Buffer | string, ending: Ending, signal?: AbortSignal) {
  const path = join(folder, `file.${ending}`)
  writeFileSync(path, content)
  return works.extract({ path, ending }, signal)
}
const textOf = async (content: Buffer | string, ending: Ending) =>
  (await read(content, ending)).blocks.map(({ text }) => text).join('\n\n')

describe('plain text (proves: SRCH-01)', () => {
  it('is read with its paragraphs, and without what cannot be seen or stored', async () => {
    const { status, reason, blocks } = await read(
      'Put on\0 the \tgown.\r\n\r\n\r\nThen the \u202egloves\u200b.\ud83d',
      'txt',
    )
    assert.deepEqual({ status, reason }, { status: 'extracted', reason: null })
    assert.deepEqual(blocks, [{ page: null, heading: null, text: 'Put on the gown.\n\nThen the gloves.\ufffd' }])
  })

  it('is read from a table row by row, whatever stands between its cells', async () => {
    assert.equal(
      await textOf('Number;Größe\r\n1;"two ""large""; boxes"\r\n;\r\n2;"a\nb"', 'csv'),
      'Number | Größe\n1 | two "large"; boxes\n2 | a b',
    )
  })

  it('is no text where there is nothing but blanks', async () => {
    const { status, reason } = await read(' \n\t ', 'txt')
    assert.deepEqual({ status, reason }, { status: 'no_text', reason: 'There is no text in the file.' })
  })

  it('is not read from a film', async () => {
    const { status, reason } = await read('ftyp', 'mp4')
    assert.deepEqual({ status, reason }, { status: 'no_text', reason: 'No text is read from files of this kind.' })
  })
})
