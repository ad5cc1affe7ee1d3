import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Static, type TSchema, Type } from 'typebox'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { faults, withStatus } from '#test/faults/openai-faults.ts'
import { until } from '#test/world/background.ts'
import { type AiConfig, readConfig } from '../config.ts'
import { type LanguageModel, ModelFailed, openLanguageModel } from './language-model.ts'

const canary = 'CANARY-OF-THE-QUESTION'
const question = { system: 'Answer briefly.', prompt: `What is SOP-0012 about? ${canary}`, max_output_tokens: 200 }
const timing = { circuit: { first_wait_ms: 60, longest_wait_ms: 200, patience_ms: 0 }, retry_ms: 5 }
/** For what is told while it rests: no moment in which the machine stands still is as long. */
const longRest = { ...timing, circuit: { first_wait_ms: 120_000, longest_wait_ms: 120_000, patience_ms: 0 } }

let server: Openai
const lines: string[] = []
const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line), error: () => {} }
const open = (more: Partial<AiConfig> = {}, environment = {}, times = timing): LanguageModel => {
  const { ai } = readConfig({
    SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
    ...server.environment,
    ...environment,
  })
  return openLanguageModel({ ai: { ...ai!, timeout_ms: 60_000, ...more } }, log, times)!
}
const failureOf = async (work: Promise<unknown>): Promise<ModelFailed> => {
  const thrown = await work.then(
    value => assert.fail(`answered ${JSON.stringify(value)}`),
    error => error,
  )
  assert.ok(thrown instanceof ModelFailed, String(thrown))
  assert.equal(thrown.cause, undefined)
  assert.doesNotMatch(`${thrown.stack} ${JSON.stringify(thrown)} ${lines.join()}`, /CANARY|test-key/)
  return thrown
}
/** Asks until it is no longer resting. */
async function rested<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + 30_000; ; await setTimeout(5))
    try {
      return await ask()
    } catch (error) {
      const isResting = error instanceof ModelFailed && error.kind === 'resting'
      if (!isResting || performance.now() > deadline) throw error
    }
}
/** An outage that nobody tries again by themselves, once it is let. */
function held() {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  server.misbehave(async (request, response) => {
    await promise
    await withStatus(429, { 'retry-after': '40' })(request, response)
  })
  return letGo
}

before(async () => {
  server = await openOpenai()
  // Loads the library first, because its loading must not count against the time limit.
  await open().answer(question)
  server.requests.length = 0
})
after(() => server.close())
afterEach(() => {
  server.requests.length = 0
  server.answer('It is about gowning.')
})

describe('a question to a language model', () => {
  for (const provider of ['openai', 'anthropic', 'openai-compatible']) {
    it(`is answered by ${provider} in pieces, with what it took`, async () => {
      const model = open({}, { AI_PROVIDER: provider })
      server.answer({ text: 'It is about gowning, and about nothing else.', usage: { input: 31, output: 9 } })
      const pieces: string[] = []
      const { duration_ms, ...told } = await model.answer({ ...question, onText: piece => pieces.push(piece) })
      assert.deepEqual(told, {
        text: 'It is about gowning, and about nothing else.',
        is_cut: false,
        input_tokens: 31,
        output_tokens: 9,
      })
      assert.ok(duration_ms >= 0 && pieces.length > 1)
      assert.equal(pieces.join(''), told.text)
      const [asked, ...more] = server.requests
      assert.equal(more.length, 0)
      assert.deepEqual([asked!.system, asked!.prompt], [question.system, question.prompt])
      assert.equal(asked!.body.max_tokens, 200)
      server.answer({ text: 'It is about', finish_reason: 'length' })
      assert.equal((await model.answer(question)).is_cut, true)
      server.answer({ text: '', finish_reason: 'content_filter' })
      assert.equal((await failureOf(model.answer(question))).kind, 'refused')
    })
  }

  it('carries the key and what the protocol needs, and nothing that says who asks or keeps what was asked', async () => {
    await open().answer(question)
    const { authorization, ...headers } = server.requests[0]!.headers
    assert.equal(authorization, 'Bearer test-key')
    assert.deepEqual(Object.keys(headers).sort(), [
      ...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length', 'content-type', 'host'],
      ...['sec-fetch-mode', 'user-agent'],
    ])
    assert.equal(headers['user-agent'], 'node')
    await open({}, { AI_PROVIDER: 'openai' }).answer(question)
    assert.equal(server.requests[1]!.path, '/v1/chat/completions')
    assert.equal(server.requests[1]!.body.store, undefined)
  })

  it('asks for no more than the installation allows', async () => {
    await open({ most_output_tokens: 50 }).answer(question)
    assert.equal(server.requests[0]!.body.max_tokens, 50)
  })

  it('is counted by our own estimate where what a provider tells cannot be', async () => {
    const model = open()
    const least = (await model.answer(question)).input_tokens
    for (const usage of [
      null,
      { input: -5, output: -1 },
      { input: 1e15, output: 1e15 },
      { input: 0, output: 0 },
      { input: 1.5, output: 1.5 },
    ]) {
      server.answer({ text: 'It is about gowning.', usage })
      const { input_tokens, output_tokens } = await model.answer(question)
      assert.ok(input_tokens >= least && input_tokens < 200, `${JSON.stringify(usage)}: ${input_tokens}`)
      assert.ok(output_tokens >= 5 && output_tokens < 50, `${JSON.stringify(usage)}: ${output_tokens}`)
    }
  })

  it('is answered in whole characters, without what no text may hold', async () => {
    server.answer({ text: '', pieces: ['a\0b ', '\ud83d', '\ude00', ' \udc00 ', 'end\ud83d'] })
    const pieces: string[] = []
    const { text } = await open().answer({ ...question, onText: piece => pieces.push(piece) })
    assert.equal(text, 'ab \u{1f600} \ufffd end\ufffd')
    assert.equal(pieces.join(''), text)
    assert.ok(pieces.every(piece => piece.isWellFormed()))
  })
})

describe('an answer that is none', () => {
  const kinds: [keyof typeof faults, string][] = [
    ['hang', 'too_slow'],
    ['hangAfterHeaders', 'too_slow'],
    ['hangMidStream', 'too_slow'],
    ['dripForEver', 'too_slow'],
    ['reset', 'unreachable'],
    ['resetMidStream', 'unreachable'],
    ['page', 'malformed'],
    ['notJson', 'malformed'],
    ['truncated', 'malformed'],
    ['errorMidStream', 'malformed'],
    ['wrongLength', 'unreachable'],
    ['empty', 'malformed'],
    ['noChoices', 'malformed'],
    ['endless', 'malformed'],
    ['hugeLine', 'malformed'],
    ['bomb', 'malformed'],
  ]
  for (const [name, kind] of kinds) {
    it(`is told as ${kind}, in our words, within the time that there is: ${name}`, async () => {
      server.misbehave(faults[name])
      // Only what would never end is to meet the end of its time.
      const model = open({ timeout_ms: kind === 'too_slow' ? 800 : 60_000, most_output_tokens: 200 })
      const begun = performance.now()
      const before_mb = process.memoryUsage.rss() / 1024 / 1024
      const failure = await failureOf(model.answer(question))
      assert.deepEqual([failure.kind, failure.message.length > 10], [kind, true], failure.message)
      assert.ok(performance.now() - begun < 30_000, `${performance.now() - begun} ms`)
      assert.ok(process.memoryUsage.rss() / 1024 / 1024 - before_mb < 100)
    })
  }

  it('is given up with its connection', async () => {
    server.misbehave(faults.hangMidStream)
    await failureOf(open({ timeout_ms: 100 }).answer(question))
    server.misbehave(undefined)
    await until(async () => (await server.connections()) === 0)
  })

  const statuses: [number, string][] = [
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [422, 'refused'],
    [429, 'busy'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [529, 'unreachable'],
  ]
  it("is told by its status, without a word of the provider's", async () => {
    for (const [status, kind] of statuses) {
      server.misbehave(withStatus(status))
      assert.equal((await failureOf(open().answer(question))).kind, kind, String(status))
    }
  })

  it('takes the key nowhere else', async () => {
    const heard: unknown[] = []
    const other = createServer((request, response) => {
      heard.push(request.headers)
      response.end()
    })
    await new Promise<void>(done => other.listen(0, '127.0.0.1', done))
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/chat/completions`
    for (const status of [301, 302, 303, 307, 308]) {
      server.misbehave(withStatus(status, { location }))
      assert.equal((await failureOf(open().answer(question))).kind, 'refused')
      await open().reach(AbortSignal.timeout(30_000))
    }
    assert.deepEqual(heard, [])
    await new Promise(done => other.close(done))
  })

  it('is none where a tool is called instead, or the model declines', async () => {
    server.answer({ text: '', tool_call: { name: 'delete_everything', arguments: '{}' }, finish_reason: 'tool_calls' })
    assert.equal((await failureOf(open().answer(question))).kind, 'malformed')
    server.answer({ text: 'It is about gowning.', refusal: 'CANARY: I will not' })
    assert.equal((await failureOf(open().answer(question))).kind, 'refused')
  })
})

describe('what failed', () => {
  it('is asked again up to twice, and not once a piece was passed on', async () => {
    server.misbehave(withStatus(500), 2)
    assert.equal((await open().answer(question)).text, 'It is about gowning.')
    assert.equal(server.requests.length, 3)
    server.requests.length = 0
    server.misbehave(withStatus(503))
    await failureOf(open().answer(question))
    assert.equal(server.requests.length, 3)
    server.requests.length = 0
    server.misbehave(faults.resetMidStream)
    const pieces: string[] = []
    await failureOf(open().answer({ ...question, onText: piece => pieces.push(piece) }))
    assert.deepEqual([pieces.join(''), server.requests.length], ['The first ', 1])
    server.requests.length = 0
    server.misbehave(withStatus(401))
    await failureOf(open().answer(question))
    assert.equal(server.requests.length, 1)
  })

  it('is asked again when it says, where that is soon', async () => {
    server.misbehave(withStatus(429, { 'retry-after': '1' }), 1)
    const begun = performance.now()
    await open().answer(question)
    assert.ok(performance.now() - begun >= 990)
    server.misbehave(withStatus(429, { 'retry-after': '40' }))
    const failure = await failureOf(open().answer(question))
    assert.deepEqual([failure.kind, failure.retry_after_s], ['busy', 40])
    assert.equal(server.requests.length, 3)
  })

  it('rests: who asks meanwhile is told at once, and nobody is asked', async () => {
    const model = open({ timeout_ms: 400 }, {}, longRest)
    server.misbehave(faults.hang)
    assert.equal((await failureOf(model.answer(question))).kind, 'too_slow')
    assert.equal(model.state().status, 'Degraded')
    server.answer('It is about gowning.')
    server.requests.length = 0
    const begun = performance.now()
    const { kind, retry_after_s } = await failureOf(model.answer(question))
    assert.equal(kind, 'resting')
    assert.ok(retry_after_s! > 60 && retry_after_s! <= 120, String(retry_after_s))
    assert.ok(performance.now() - begun < 30_000, 'and not when it has rested')
    assert.equal(server.requests.length, 0)
  })

  it('is tried by one question once it has rested, while the others are told at once', async () => {
    const model = open()
    server.misbehave(withStatus(500))
    await failureOf(model.answer(question))
    server.requests.length = 0
    const letGo = held()
    const trying = failureOf(rested(() => model.answer(question)))
    await until(() => server.requests.length === 1)
    assert.deepEqual(
      (await Promise.all(Array.from({ length: 20 }, () => failureOf(model.answer(question))))).map(each => each.kind),
      Array.from({ length: 20 }, () => 'resting'),
    )
    letGo()
    assert.equal((await trying).kind, 'busy')
    assert.equal(server.requests.length, 1)
    assert.equal(model.state().status, 'Degraded')
    server.answer('It is about gowning.')
    assert.equal((await rested(() => model.answer(question))).text, 'It is about gowning.')
    assert.equal(model.state().status, 'Operational')
  })

  it('for those with little time is not what failed for those who have more', async () => {
    const model = open({}, {}, longRest)
    const { promise, resolve } = Promise.withResolvers<string>()
    server.answer(() => promise)
    const late = await failureOf(model.answer({ ...question, timeout_ms: 150 }))
    assert.deepEqual([late.kind, late.message], ['too_slow', 'It did not answer within 0.15 s'])
    assert.equal((await failureOf(model.answer({ ...question, timeout_ms: 150 }))).kind, 'resting')
    assert.equal(model.state().status, 'Degraded')
    resolve('It is about gowning.')
    assert.equal((await model.answer(question)).text, 'It is about gowning.')
  })

  it('is over with the first piece of an answer, however long that takes', async () => {
    const model = open()
    server.misbehave(withStatus(500), 3)
    await failureOf(model.answer(question))
    server.answer({ text: 'one two three four five', pieces: ['one', 'two', 'three', 'four'], drip_ms: 100 })
    const { promise: began, resolve } = Promise.withResolvers<void>()
    const slow = rested(() => model.answer({ ...question, onText: () => resolve() }))
    await began
    assert.equal(model.state().status, 'Operational')
    assert.equal((await model.answer(question)).text, 'onetwothreefour')
    await slow
  })

  it('is not what somebody gave up who had no more time', async () => {
    const model = open()
    server.misbehave(faults.hang)
    const reason = new Error('gone')
    const gone = new AbortController()
    const asked = model.answer({ ...question, signal: gone.signal })
    await until(() => server.requests.length === 1)
    gone.abort(reason)
    await assert.rejects(asked, reason)
    assert.equal(model.state().status, 'Operational')
    server.answer('It is about gowning.')
    await model.answer(question)
  })
})

it('no more questions are under way than are allowed; who comes then is told at once', async () => {
  const model = open({ most_at_once: 3 })
  const letGo = held()
  const underWay = Array.from({ length: 3 }, () => failureOf(model.answer(question)))
  await until(() => server.requests.length === 3)
  // Those under way are not let go before it is told.
  const failure = await failureOf(model.answer(question))
  assert.deepEqual([failure.kind, failure.status, failure.retry_after_s], ['busy', undefined, 5])
  assert.equal(model.state().status, 'Operational')
  letGo()
  for (const { status } of await Promise.all(underWay)) assert.equal(status, 429)
  assert.equal(server.requests.length, 3)
  server.answer('It is about gowning.')
  await rested(() => model.answer(question))
})

it('one tenant does not take all places for questions', async () => {
  const model = open({ most_at_once: 4 })
  const letGo = held()
  const ask = (tenant_id: number) => failureOf(model.answer({ ...question, tenant_id }))
  const underWay = Array.from({ length: 3 }, () => ask(1))
  await until(() => server.requests.length === 3)
  assert.equal((await ask(1)).kind, 'busy')
  underWay.push(ask(2))
  await until(() => server.requests.length === 4)
  assert.equal((await ask(3)).kind, 'busy')
  letGo()
  for (const { status } of await Promise.all(underWay)) assert.equal(status, 429)
})

describe('a value that is asked for', () => {
  const strict = { additionalProperties: false }
  const Severity = Type.Object(
    {
      severity: Type.Enum(['minor', 'major', 'critical']),
      confidence: Type.Number({ minimum: 0, maximum: 1 }),
      rationale: Type.String({ minLength: 1, maxLength: 500, format: 'words' }),
    },
    strict,
  )
  const value = { severity: 'major', confidence: 0.8, rationale: 'A batch is held.' } as const
  const ask = <S extends TSchema>(model: LanguageModel, schema: S): Promise<{ value: Static<S> }> =>
    model.structured({ ...question, schema })

  for (const provider of ['openai', 'anthropic', 'openai-compatible']) {
    it(`comes from ${provider} as its schema has it`, async () => {
      server.answer(JSON.stringify(value))
      const model = open({}, { AI_PROVIDER: provider })
      assert.deepEqual((await ask(model, Severity)).value, value)
      assert.deepEqual(server.requests[0]!.schema, {
        type: 'object',
        required: ['severity', 'confidence', 'rationale'],
        additionalProperties: false,
        properties: {
          severity: { type: 'string', enum: ['minor', 'major', 'critical'] },
          confidence: { type: 'number' },
          rationale: { type: 'string' },
        },
      })
    })
  }

  it('is also found between fences and among words', async () => {
    for (const text of [
      `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
      `\`\`\`\n${JSON.stringify(value)}\n\`\`\`\n`,
      `Here it is: ${JSON.stringify(value)} I hope that helps.`,
    ]) {
      server.answer(text)
      assert.deepEqual((await ask(open(), Severity)).value, value)
    }
  })

  it('is asked for once more where it is not valid, and then no more', async () => {
    for (const wrong of [
      'I cannot say.',
      '{"severity": "major"',
      JSON.stringify({ ...value, severity: 'catastrophic' }),
      JSON.stringify({ ...value, confidence: 7 }),
      JSON.stringify({ ...value, rationale: ' ' }),
      JSON.stringify({ ...value, approve: true }),
      JSON.stringify([value]),
      '{"__proto__": {"severity": "major", "confidence": 1, "rationale": "x"}}',
    ]) {
      server.requests.length = 0
      let asked = 0
      server.answer(() => (++asked === 1 ? wrong : JSON.stringify(value)))
      assert.deepEqual((await ask(open(), Severity)).value, value, wrong)
      server.answer(wrong)
      server.requests.length = 0
      assert.equal((await failureOf(ask(open(), Severity))).kind, 'malformed', wrong)
      assert.equal(server.requests.length, 2)
    }
  })

  it('is asked for in the way that the endpoint knows', async () => {
    const model = open()
    const knows = (...types: unknown[]) =>
      server.answer(({ body, system }) => {
        const { type } = (body.response_format ?? {}) as { type?: string }
        if (types.includes(type))
          return JSON.stringify(system.includes('JSON Schema') || type === 'json_schema' ? value : {})
        throw new Error('400')
      })
    knows('json_object', undefined)
    assert.deepEqual((await ask(model, Severity)).value, value)
    assert.equal(server.requests.length, 2)
    knows(undefined)
    assert.deepEqual((await ask(model, Severity)).value, value)
    assert.deepEqual((await ask(model, Severity)).value, value)
    assert.equal(server.requests.length, 5)
    // A refusal of every way says nothing about the ways.
    const other = open()
    server.misbehave(withStatus(400))
    assert.equal((await failureOf(ask(other, Severity))).status, 400)
    knows('json_schema')
    assert.deepEqual((await ask(other, Severity)).value, value)
    assert.equal(server.requests.length, 9)
  })

  it('comes in the time of one answer, however often it is asked for', async t => {
    const timeout_ms = 120_000
    const now = performance.now.bind(performance)
    let gone_ms = 0
    t.mock.method(performance, 'now', () => now() + gone_ms)
    const begun = now()
    // The first answer takes all but a second, and the second one never comes: as long as the first would be too long to wait here.
    server.answer(() => {
      if (gone_ms > 0) return new Promise<string>(() => {})
      gone_ms = timeout_ms - 1000
      return 'I cannot say.'
    })
    assert.equal((await failureOf(ask(open({ timeout_ms }), Severity))).kind, 'too_slow')
    assert.ok(now() - begun < timeout_ms / 2)
  })
})

describe('the state of a model', () => {
  it('is that it answers and takes the key', async () => {
    const now = () => AbortSignal.timeout(30_000)
    assert.deepEqual(await open().reach(now()), { status: 'Operational' })
    assert.deepEqual(await open({ api_key: 'another' }).reach(now()), {
      status: 'Down',
      detail: 'It does not accept the key',
    })
    for (const provider of ['openai', 'anthropic'])
      assert.equal((await open({}, { AI_PROVIDER: provider }).reach(now())).status, 'Operational')
    server.misbehave(withStatus(404))
    assert.deepEqual(await open({ api_key: 'another' }).reach(now()), {
      status: 'Operational',
      detail: 'It answers, and has no list of models to try the key with',
    })
    server.misbehave(withStatus(502))
    assert.deepEqual(await open().reach(now()), { status: 'Degraded', detail: 'It answers with status 502' })
    assert.equal(server.requests.length, 0)
  })

  it('is also how the latest question went', async () => {
    const model = open()
    server.misbehave(withStatus(401))
    await failureOf(model.answer(question))
    server.misbehave(undefined)
    assert.deepEqual(await model.reach(AbortSignal.timeout(30_000)), {
      status: 'Down',
      detail: 'It does not accept the key',
    })
    await model.answer(question)
    assert.equal((await model.reach(AbortSignal.timeout(30_000))).status, 'Operational')
  })
})

it('tokens are counted at more than they are', () => {
  const { countTokens } = open()
  // Two common tokenizers make 12 tokens and more of them.
  assert.ok(countTokens('The quick brown fox jumps over the lazy dog near the river bank.') >= 14)
  assert.equal(countTokens(''), 0)
  assert.ok(countTokens('1234567890') >= 10)
  assert.ok(countTokens('\u6279\u8bb0\u5f55') >= 6)
})
