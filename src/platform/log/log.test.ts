import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type LogFormat } from './log.ts'
import { requestContext } from './request-context.ts'

/** Input that a terminal or a reader of log lines would obey. */
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

describe('a line', () => {
  it('names one part of the program, and each key once (proves: LOG-03)', () => {
    const lines: string[] = []
    const log = createLog({ format: 'json', level: 'debug', write: line => lines.push(line), fields: { process: 7 } })
    log.child({ logger: 'server' }).child({ logger: 'server.access' }).info('x')
    assert.deepEqual(lines[0]!.match(/"\w+":/g)!.toSorted(), [
      '"level":',
      '"logger":',
      '"msg":',
      '"process":',
      '"request_id":',
      '"ts":',
    ])
    assert.equal(JSON.parse(lines[0]!).logger, 'server.access')
  })
})

describe('the lines of one request', () => {
  it('share who and which request it is, and nothing else of each other (proves: RID-03, LOG-03)', () => {
    const { log, lines } = written('json')
    requestContext.run({ request_id: 'abcdefgh' }, () => {
      log.error({ err: new RangeError('first') }, 'first')
      log.info({ path: '/second' }, 'second')
      requestContext.getStore()!.user_id = 7
      log.info('third')
    })
    log.info('fourth')
    const [, second, third, fourth] = lines.map(line => JSON.parse(line))
    const own = ({ ts, level, logger, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(own(second), { request_id: 'abcdefgh', path: '/second', msg: 'second' })
    assert.deepEqual(own(third), { request_id: 'abcdefgh', user_id: 7, msg: 'third' })
    assert.deepEqual(own(fourth), { request_id: '', msg: 'fourth' })
  })
})
