import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { lineWriter } from './lines.ts'

describe('the lines of a log', () => {
  it('are written together with those of the same moment, in their order', async () => {
    const written: string[] = []
    const write = lineWriter(
      new Writable({
        decodeStrings: false,
        write(text, _, done) {
          written.push(text)
          done()
        },
      }),
    )
    write('first\n')
    write('second\n')
    while (written.length === 0) await setTimeout(1)
    write('third\n')
    while (written.length === 1) await setTimeout(1)
    assert.deepEqual(written, ['first\nsecond\n', 'third\n'])
  })

  for (const [end, how] of [
    ['process.exit(3)', 'that ends itself'],
    ["throw new Error('nobody catches this')", 'that an error ends'],
    ['', 'that has nothing left to do'],
  ] as const)
    it(`are all written by a process ${how}`, async () => {
      const program = `import { lineWriter } from '${new URL('lines.ts', import.meta.url).href}'
        const write = lineWriter(process.stdout)
        write('first\\n')
        setImmediate(() => { write('last\\n'); ${end} })`
      const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]).catch(
        error => error,
      )
      assert.equal(ended.stdout, 'first\nlast\n')
    })
})
