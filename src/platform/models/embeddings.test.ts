import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { readConfig } from '../config.ts'
import type { Embeddings } from './embeddings.ts'
import { openEmbeddings } from './open-embeddings.ts'

const dimensions = 64
const timing = {
  circuit: { first_wait_ms: 100, longest_wait_ms: 400, patience_ms: 0 },
  ...{ query_ms: 60_000, passage_ms: 60_000, retry_ms: 5 },
}
const impatient = { ...timing, query_ms: 200, passage_ms: 400 }
/** No moment in which the machine stands still is as long. */
const longRest = { first_wait_ms: 120_000, longest_wait_ms: 120_000, patience_ms: 0 }
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, place) => sum + value * b[place]!, 0)

// proves: SRCH-01
describe('vectors of an OpenAI-compatible service', () => {
  let server: Openai
  before(async () => {
    server = await openOpenai()
  })
  afterEach(() => {
    server.misbehave(undefined)
    server.requests.length = 0
  })
  after(() => server.close())

  const open = async (more: Record<string, string> = {}, times = timing) =>
    (await openEmbeddings(
      readConfig({
        SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
        EMBEDDINGS_PROVIDER: 'openai-compatible',
        EMBEDDINGS_BASE_URL: server.url,
        EMBEDDINGS_API_KEY: server.key,
        EMBEDDINGS_MODEL: 'test-model',
        EMBEDDINGS_DIMENSIONS: String(dimensions),
        ...more,
      }),
      times,
    )) as Embeddings
  const inputs = () => server.requests.map(({ body }) => body.input as string[])

  it('are asked for in batches, of unit length, in the order of the texts', async () => {
    const embeddings = await open()
    assert.equal(embeddings.id, 'openai-compatible:test-model:64')
    const texts = Array.from({ length: 130 }, (_, index) => `passage number ${index}`)
    const vectors = await embeddings.embed(texts, 'passage')
    assert.deepEqual(
      inputs().map(({ length }) => length),
      [64, 64, 2],
    )
    const [alone] = await embeddings.embed(['passage number 129'], 'passage')
    assert.deepEqual(vectors[129], alone)
    assert.ok(Math.abs(cosine(alone!, alone!) - 1) < 1e-5)
    assert.equal(server.requests[0]!.body.dimensions, undefined)
  })

  it('are put in order by their index', async () => {
    server.misbehave((_, response) => {
      const vector = (place: number) => Array.from({ length: dimensions }, (__, each) => Number(each === place))
      send(response, {
        data: [
          { index: 1, embedding: vector(1) },
          { index: 0, embedding: vector(0) },
        ],
      })
    })
    const [first, second] = await (await open()).embed(['a', 'b'], 'passage')
    assert.deepEqual([first![0], second![1]], [1, 1])
  })

  it('show a model what it was trained with', async () => {
    const embeddings = await open({ EMBEDDINGS_MODEL: 'multilingual-e5-small' })
    await embeddings.embed(['gowning'], 'passage')
    await embeddings.embed(['gowning'], 'query')
    assert.deepEqual(inputs(), [['passage: gowning'], ['query: gowning']])
  })

  it('of a query that was just asked are not asked for again', async () => {
    const embeddings = await open()
    const [first] = await embeddings.embed(['gowning'], 'query')
    const [again] = await embeddings.embed(['gowning'], 'query')
    assert.deepEqual([first, server.requests.length], [again, 1])
  })

  const bad: Record<string, (response: ServerResponse, count: number) => void> = {
    'too few': response => send(response, { data: [] }),
    'too many': (response, count) => send(response, { data: Array.from({ length: count + 1 }, () => of(dimensions)) }),
    'other dimensions': (response, count) => send(response, { data: Array.from({ length: count }, () => of(63)) }),
    'no numbers': (response, count) =>
      send(response, { data: Array.from({ length: count }, () => ({ embedding: Array(dimensions).fill('1') })) }),
    'beyond all numbers': (response, count) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        `{"data":[${Array(count)
          .fill(`{"embedding":[${Array(dimensions).fill('1e300').join()}]}`)
          .join()}]}`,
      ),
    'no direction': (response, count) =>
      send(response, { data: Array.from({ length: count }, () => of(dimensions, 0)) }),
    'one twice': (response, count) =>
      send(response, { data: Array.from({ length: count }, () => ({ index: 0, ...of(dimensions) })) }),
    'no JSON': response => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": ['),
    'another shape': response => send(response, ['data']),
    'no end': response => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (response.write(`{"data":"${'x'.repeat(65_536)}`) && !response.destroyed);
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    },
    'a page for people': response => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    'sent on to another': response => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    'a failure': response => response.writeHead(500).end('passage secret'),
    'a hang': () => {},
    'a cut': response => response.destroy(),
  }
  for (const [what, misbehave] of Object.entries(bad))
    it(`are none where the answer is ${what}, in words of our own, and are had again afterwards`, async () => {
      const embeddings = await open({}, impatient)
      server.misbehave((_, response) => misbehave(response, 2))
      await assert.rejects(
        embeddings.embed(['passage secret one', 'passage secret two'], 'passage'),
        (error: Error) => {
          assert.equal(error.name, 'ModelFailed', String(error))
          assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /secret/)
          return true
        },
      )
      assert.equal(embeddings.state().status, 'Down')
      server.misbehave(undefined)
      await until(() => embeddings.embed(['gowning', 'cleaning'], 'passage'))
      assert.equal(embeddings.state().status, 'Operational')
    })

  it('are asked for again where it was busy for a moment', async () => {
    server.misbehave((_, response) => void response.writeHead(503).end(), 2)
    await (await open()).embed(['gowning'], 'passage')
    assert.equal(server.requests.length, 3)
  })

  it('are not asked for before the time that it told', async () => {
    const embeddings = await open({}, { ...timing, circuit: { ...timing.circuit, longest_wait_ms: 120_000 } })
    server.misbehave((_, response) => void response.writeHead(429, { 'retry-after': '120' }).end())
    const kinds = async () => embeddings.embed(['gowning'], 'passage').catch(({ kind }) => kind)
    assert.deepEqual([await kinds(), await kinds(), server.requests.length], ['busy', 'busy', 1])
  })

  it('that hang cost who asks their time once: the next are told at once, and passages wait for nobody', async () => {
    const embeddings = await open({}, { ...timing, query_ms: 200, circuit: longRest })
    server.misbehave(() => {})
    await assert.rejects(embeddings.embed(['one'], 'query'), { kind: 'too_slow' })
    await assert.rejects(embeddings.embed(['two'], 'query'), { kind: 'too_slow' })
    assert.equal(server.requests.length, 1, 'the second was not asked for')
    server.misbehave(undefined)
    assert.equal((await embeddings.embed(['three'], 'passage')).length, 1)
  })

  it('are had of all texts but the one that it refuses, and of none where it refuses all', async () => {
    const embeddings = await open()
    const refuse = (isRefused: (texts: string[]) => boolean) => (_: IncomingMessage, response: ServerResponse) => {
      const texts = inputs().at(-1)!
      if (isRefused(texts)) response.writeHead(400).end()
      else send(response, { data: texts.map(() => of(dimensions)) })
    }
    server.misbehave(refuse(texts => texts.some(text => text.includes('long'))))
    const vectors = await embeddings.embed(['a', 'b', 'long', 'd', 'e'], 'passage')
    assert.deepEqual(
      vectors.map(vector => vector.some(value => value !== 0)),
      [true, true, false, true, true],
    )
    server.misbehave(refuse(() => true))
    await assert.rejects(embeddings.embed(['a', 'b'], 'passage'), { kind: 'refused' })
  })

  it('of the model before are had as long as the provider is the same', async () => {
    const embeddings = await open({ EMBEDDINGS_MODEL: 'other' })
    const former = embeddings.former('openai-compatible:test-model:64')!
    await former.embed(['gowning'], 'query')
    assert.equal(server.requests[0]!.body.model, 'test-model')
    assert.equal(embeddings.former('openai-compatible:test-model:64'), former)
    assert.equal(embeddings.former('onnx:some/model:384'), undefined)
  })
})

describe('the configuration of vectors', () => {
  const read = (more: Record<string, string>) =>
    readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', ...more }).embeddings

  it('is none where no model is named', () => {
    assert.deepEqual([read({}), read({ EMBEDDINGS_PROVIDER: 'none' })], [undefined, undefined])
  })

  it('knows how long the vectors of the models of OpenAI are, and asks for shorter ones', () => {
    const openai = {
      EMBEDDINGS_PROVIDER: 'openai',
      EMBEDDINGS_API_KEY: 'k',
      EMBEDDINGS_MODEL: 'text-embedding-3-small',
    }
    const found = {
      provider: 'openai',
      model: 'text-embedding-3-small',
      base_url: 'https://api.openai.com/v1',
      api_key: 'k',
    }
    assert.deepEqual(read(openai), { ...found, dimensions: 1536, asks_for_dimensions: false })
    const short = read({ ...openai, EMBEDDINGS_DIMENSIONS: '512' })
    assert.deepEqual(short, { ...found, dimensions: 512, asks_for_dimensions: true })
  })

  it('says at the start what is missing', async () => {
    const lines = (more: Record<string, string>) => {
      try {
        read(more)
        return []
      } catch (error) {
        return (error as { lines: string[] }).lines.map(line => line.split(' ')[0])
      }
    }
    assert.deepEqual(lines({ EMBEDDINGS_PROVIDER: 'magic' }), ['EMBEDDINGS_PROVIDER'])
    assert.deepEqual(lines({ EMBEDDINGS_PROVIDER: 'openai' }), [
      'EMBEDDINGS_API_KEY',
      'EMBEDDINGS_MODEL',
      'EMBEDDINGS_DIMENSIONS',
    ])
    assert.deepEqual(lines({ EMBEDDINGS_PROVIDER: 'openai-compatible' }), [
      'EMBEDDINGS_BASE_URL',
      'EMBEDDINGS_MODEL',
      'EMBEDDINGS_DIMENSIONS',
    ])
    assert.deepEqual(lines({ EMBEDDINGS_PROVIDER: 'onnx', EMBEDDINGS_MODEL: 'm', EMBEDDINGS_FOLDER: '/nowhere' }), [
      'EMBEDDINGS_DIMENSIONS',
      'EMBEDDINGS_FOLDER',
    ])
    const onnx = { provider: 'onnx', model: 'm', folder: '/nowhere', dimensions } as const
    await assert
      .rejects(openEmbeddings({ embeddings: onnx }), {
        lines: [/^EMBEDDINGS_PROVIDER is onnx, and what runs such models is not installed/],
      } as never)
      .catch(() => {})
  })
})

const of = (length: number, value = 0.5) => ({ embedding: Array(length).fill(value) })
const send = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function until(work: () => Promise<unknown>) {
  for (const deadline = performance.now() + 30_000; ; await new Promise(done => setTimeout(done, 20)))
    try {
      return await work()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
}
