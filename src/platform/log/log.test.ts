import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type LogFormat } from './log.ts'

/** What a person can type, and a terminal or a reader of lines would obey. */
const hostile = 'first\nsecond\r\nthird\u2028fourth\u0085fifth\u001b[31mred\u0000'

const written = (format: LogFormat) => {
  const lines: string[] = []
  const log = createLog({ format, level: 'debug', write: line => lines.push(line) })
  return { log: log.child({ logger: 'server.access' }), lines }
}

describe('what somebody outside has typed', () => {
  it('stays within its line of JSON', () => {
    const { log, lines } = written('json')
    log.info({ path: hostile, username: hostile }, hostile)
    assert.equal(lines.length, 1)
    assert.ok(
      lines[0]!
        .slice(0, -1)
        .split('')
        .every(letter => letter >= ' '),
    )
    const { msg, path } = JSON.parse(lines[0]!)
    assert.deepEqual([msg, path], [hostile, hostile])
  })

  it('stays within its line of text, with nothing that a terminal obeys', () => {
    const { log, lines } = written('text')
    log.info({ path: hostile, username: hostile }, hostile)
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /^[^\p{Cc}\u2028\u2029]+\n$/u)
  })

  it('makes no line look like one of the log within a traceback', () => {
    const { log, lines } = written('text')
    log.error({ err: new Error(hostile) }, 'failed')
    const [, ...traceback] = lines[0]!.split('\n').slice(0, -1)
    assert.ok(traceback.length > 1)
    assert.ok(traceback.every(line => line.startsWith('    ') && !line.includes('\u001b')))
  })
})
