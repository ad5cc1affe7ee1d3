import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from '#kernel/clock.ts'
import { openMailServer } from '#test/faults/fault-proxy.ts'
import { until } from '#test/world/background.ts'
import { greetMailServer } from './mail-server.ts'
import { openProbe, sentenceOf } from './probe.ts'
import { overall } from './rules.ts'

const quiet = { info() {}, warn() {}, error() {} }
const notes = { clock: systemClock, log: quiet }

describe('a probe', () => {
  it('is one visit for all who ask meanwhile, and another for who asks afterwards', async () => {
    let visits = 0
    const visit = async () => {
      visits += 1
      await setImmediate()
      return {}
    }
    const probe = openProbe({ name: 'Storage', budget_ms: 60_000, visit }, notes)
    const found = await Promise.all([probe.look(), probe.look(), probe.look()])
    assert.deepEqual([visits, ...found.map(({ status }) => status)], [1, 'Operational', 'Operational', 'Operational'])
    await probe.look()
    assert.equal(visits, 2)
  })

  it('keeps what was found well for its time, and looks again at what was not', async () => {
    let visits = 0
    let fails = true
    const visit = async () => {
      visits += 1
      if (fails) throw Object.assign(new Error('postgres://secret'), { code: 'EROFS' })
      return {}
    }
    const probe = openProbe({ name: 'Storage', budget_ms: 60_000, keep_ms: 60_000, visit }, notes)
    const [first, second] = [await probe.look(), await probe.look()]
    assert.deepEqual([first.status, first.detail], ['Down', 'It can be read, but not written to'])
    assert.deepEqual([visits, second.since], [2, first.since])
    fails = false
    const third = await probe.look()
    assert.equal(await probe.look(), third)
    assert.deepEqual([visits, third.status, third.detail], [3, 'Operational', null])
  })

  it('says that what takes more than half of its budget is slow', async t => {
    const now = performance.now.bind(performance)
    const visit = async () => {
      t.mock.method(performance, 'now', () => now() + 31_000)
      return {}
    }
    const { status, detail } = await openProbe({ name: 'Storage', budget_ms: 60_000, visit }, notes).look()
    assert.deepEqual([status, detail], ['Degraded', 'It answers, but slowly'])
  })

  it('tells the visit to give up at the end of its time', async () => {
    let reason: unknown
    const visit = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(signal.reason)
        })
      })
    const { status, detail, response_time_ms } = await openProbe(
      { name: 'AI integration', budget_ms: 30, visit },
      notes,
    ).look()
    assert.deepEqual([status, detail, response_time_ms], ['Down', 'No answer within 0.03 s', null])
    await until(() => reason !== undefined)
    assert.equal((reason as Error).name, 'TimeoutError')
  })
})

describe('what went wrong', () => {
  it("is said in words of our own, never in the error's, whose text may hold a host or an account", () => {
    for (const [error, sentence] of [
      [
        new Error('password authentication failed for user "x"', { cause: { code: '28P01' } }),
        'The log-in was refused',
      ],
      [new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), 'The connection was refused'],
      [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'Its certificate or its encryption is not accepted'],
      [{ code: 'toString' }, 'It answers with an error'],
      [new Error('secret'), 'It answers with an error'],
      [undefined, 'It answers with an error'],
    ] as const)
      assert.equal(sentenceOf(error), sentence)
  })
})

describe('the whole', () => {
  it('is Down without the database, and Degraded where any other dependency is not well', () => {
    const of = (database: 'Operational' | 'Degraded' | 'Down', other: typeof database | 'Not configured') =>
      overall([
        { name: 'Database', status: database },
        { name: 'Email service', status: other },
      ])
    assert.equal(of('Operational', 'Operational'), 'Operational')
    assert.equal(of('Operational', 'Not configured'), 'Operational')
    assert.equal(of('Operational', 'Degraded'), 'Degraded')
    assert.equal(of('Operational', 'Down'), 'Degraded')
    assert.equal(of('Degraded', 'Operational'), 'Degraded')
    assert.equal(of('Down', 'Operational'), 'Down')
  })
})

describe('a mail server', () => {
  const greet = async (greeting: string, protocol = 'smtp') => {
    const server = await openMailServer({ greeting })
    try {
      return await greetMailServer(`${protocol}://127.0.0.1:${server.port}`, AbortSignal.timeout(60_000))
    } finally {
      await server.close()
    }
  }

  it('is well when it greets and answers EHLO, in one line or in many', async () => {
    assert.deepEqual(await greet('220 ready\r\n'), {})
    assert.deepEqual(await greet('220-one\r\n220-two\r\n220 three\r\n'), {})
  })

  it('is not when it refuses, speaks something else, or another protocol than it should', async () => {
    await assert.rejects(greet('554 no service for you\r\n'), { message: 'It refuses with 554' })
    await assert.rejects(greet('421 too many connections\r\n'), { message: 'It refuses with 421' })
    await assert.rejects(greet('HTTP/1.1 400 Bad Request\r\n\r\n'), { message: 'It does not speak SMTP' })
    await assert.rejects(greet('x'.repeat(20_000)), { message: 'It does not speak SMTP' })
    await assert.rejects(greet('220 ready\r\n', 'smtps'), error => /encryption/.test(sentenceOf(error)))
  })
})
