import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ok } from '#test/builders/documents.ts'
import { told } from '#test/builders/told.ts'
import { type ModelAnswer, type Openai, openOpenai } from '#test/fakes/openai.ts'
import { whenRead } from '#test/faults/openai-faults.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'

interface Event {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the assertions are what checks it
  data: any
}

const eventsOf = (body: string): Event[] =>
  body
    .split('\n\n')
    .filter(block => block.startsWith('event: '))
    .map(block => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block)!
      return { name: name!, data: JSON.parse(data!) }
    })

describe('an answer that is told while it is made', () => {
  let world: World
  let model: Openai
  let port: number
  before(async () => {
    model = await openOpenai()
    world = await openWorld(model.environment)
    await told(world).effective({ title: 'Gowning', pages: ['Gloves are changed every two hours.'] })
    await world.server.listen({ host: '127.0.0.1', port: 0 })
    port = (world.server.server.address() as { port: number }).port
  })
  after(async () => {
    await world.close()
    await model.close()
  })
  beforeEach(() => {
    model.requests.length = 0
    model.answer('Gloves are changed every two hours [1].')
  })

  const accept = { accept: 'text/event-stream' }
  const message = 'How often are gloves changed?'
  const stream = async (body: object = { message }, url = '/api/ai/chat') => world.as('alan').post(url, body, accept)
  const lastCall = async () =>
    (
      await world.rows<{ status: string; error: string | null; tokens: string }>(
        'select * from ai_calls order by id desc limit 1',
      )
    )[0]!

  it('comes as pieces, and then whole as it would have been, with its citations', async () => {
    const text = 'Gloves are changed every two hours [1]. They are changed by everybody, every two hours [1].'
    model.answer(text)
    const reply = await stream()
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-type']), /^text\/event-stream/)
    assert.equal(reply.headers['x-accel-buffering'], 'no')
    assert.equal(reply.headers['cache-control'], 'no-store')
    const events = eventsOf(reply.body)
    const done = events.pop()!
    assert.equal(done.name, 'done')
    assert.ok(events.length > 1 && events.every(({ name }) => name === 'piece'))
    assert.equal(events.map(({ data }) => data.text).join(''), text)
    const { request_id: _ours, ...whole } = ok(await world.as('alan').post('/api/ai/chat', { message }))
    const { request_id, ...streamed } = done.data
    assert.deepEqual(streamed, whole)
    assert.equal(request_id, reply.headers['x-request-id'])
    assert.equal(whole.grounded, true)
  })

  it('shows nothing that no document supports, and what comes before the first source once that is there', async () => {
    model.answer(() => ({ pieces: ['Paris is the capital ', 'of France [1]. ', 'It lies on the Seine [7].'] }))
    const events = eventsOf((await stream()).body)
    assert.deepEqual(
      events.map(({ name }) => name),
      ['done'],
    )
    const { data } = events.at(-1)!
    assert.deepEqual([data.grounded, data.answer], [false, 'The documents that you may read do not say this.'])
    model.answer(() => ({
      pieces: ['In short: ', 'gloves are changed ', 'every two hours [1]. ', 'Not more ', 'often.'],
    }))
    const pieces = eventsOf((await stream()).body).filter(({ name }) => name === 'piece')
    assert.match(pieces[0]!.data.text, /^In short: gloves are changed every two hours \[1\]/)
    assert.ok(pieces.length > 1, 'the rest comes as it is written')
    assert.equal(
      pieces.map(each => each.data.text).join(''),
      'In short: gloves are changed every two hours [1]. Not more often.',
    )
    model.answer('NOT_IN_SOURCES')
    assert.deepEqual(
      eventsOf((await stream()).body).map(({ name }) => name),
      ['done'],
    )
  })

  it('loads and opens nothing in any of its pieces', async () => {
    model.answer(() => ({
      pieces: ['Gloves [1] !', '[x', '](htt', 'ps://evil.ex', 'ample/?d=two-hours) <im', 'g src=x> end'],
    }))
    const shown = eventsOf((await stream()).body)
      .filter(({ name }) => name === 'piece')
      .map(({ data }) => data.text)
      .join('')
    assert.doesNotMatch(shown, /\]\(|<\w|evil|two-hours/)
    assert.match(shown, /^Gloves \[1\] .* end$/)
  })

  it('of generate and of analyze as well', async () => {
    const made = eventsOf((await stream({ prompt: message, document_type: 'SOP' }, '/api/ai/generate')).body)
    assert.deepEqual([made.at(-1)!.name, made.at(-1)!.data.document], ['done', null])
    const [{ id }] = (await world.rows('select min(id)::int as id from documents')) as [{ id: number }]
    const examined = eventsOf((await stream({ document_id: id, instructions: 'All' }, '/api/ai/analyze')).body)
    assert.deepEqual([examined.at(-1)!.name, examined.at(-1)!.data.left_out], ['done', null])
  })

  it('is refused as ever before its first piece: 401, 403, 404, 422, 503', async () => {
    const refused = async (name: string, body: object) => {
      const reply = await world.as(name).post('/api/ai/chat', body, accept)
      assert.match(String(reply.headers['content-type']), /^application\/json/)
      return reply.statusCode
    }
    assert.equal(await refused('uma', { message }), 403)
    assert.equal(await refused('alan', { message, context_documents: [999_999_999] }), 404)
    assert.equal(await refused('alan', { nonsense: 1 }), 422)
    model.misbehave((_request, response) => {
      response.writeHead(400).end()
    })
    assert.equal(await refused('alan', { message }), 503)
  })

  it('ends with an event that says so where it breaks off after its first piece', async () => {
    model.misbehave((_request, response) => {
      const chunk = (content: string) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Gloves are changed every two hours [1]. They are '))
      void whenRead(() => response.destroy())
    })
    const reply = await stream()
    assert.equal(reply.statusCode, 200)
    const events = eventsOf(reply.body)
    assert.deepEqual(
      events.map(({ name }) => name),
      ['piece', 'error'],
    )
    assert.deepEqual(Object.keys(events[1]!.data), ['status', 'detail', 'code', 'params', 'request_id'])
    assert.equal(events[1]!.data.status, 503)
    assert.equal((await lastCall()).status, 'failed')
  })

  it('gives signs of life while the model thinks', async () => {
    const lively = await openWorld(model.environment, { heartbeat_ms: 20 })
    await told(lively).effective({ title: 'Gowning', pages: ['Gloves are changed every two hours.'] })
    const address = await lively.server.listen({ host: '127.0.0.1', port: 0 })
    const thinking = Promise.withResolvers<void>()
    model.answer(async (): Promise<ModelAnswer> => {
      await thinking.promise
      return { text: 'Gloves are changed every two hours [1].' }
    })
    const reply = await fetch(`${address}/api/ai/chat`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await lively.tokenOf('alan')}`,
        'content-type': 'application/json',
        ...accept,
      },
      body: JSON.stringify({ message }),
    })
    let body = ''
    for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
      body += piece
      if (body.startsWith(':\n\n:\n\n')) thinking.resolve()
    }
    assert.match(body, /^:\n\n/)
    assert.equal(eventsOf(body).at(-1)!.name, 'done')
    await lively.close()
  })

  it('ends the call of the model when the one who asked has gone, and that is on the trail', async () => {
    // After a failure a model is left alone for a moment.
    await until(async () => (await world.as('alan').post('/api/ai/chat', { message })).statusCode === 200)
    model.answer(() => ({ text: `${'Gloves are changed every two hours [1]. '.repeat(200)}`, drip_ms: 20 }))
    const token = await world.tokenOf('alan')
    const asked = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/ai/chat',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...accept },
    })
    asked.on('error', () => {})
    const got = Promise.withResolvers<void>()
    asked.on('response', response => {
      let text = ''
      response.on('error', () => {})
      response.on('data', piece => {
        text += piece
        if (text.includes('event: piece')) got.resolve()
      })
    })
    asked.end(JSON.stringify({ message }))
    await got.promise
    asked.destroy()
    await until(async () => (await lastCall()).status === 'failed')
    const call = await lastCall()
    assert.equal(call.error, 'The caller did not wait for the answer')
    assert.ok(Number(call.tokens) > 0, 'what was sent and came counts')
    await until(async () => (await model.connections()) === 0)
    assert.deepEqual(
      world.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('ends it as well for who waits for the whole', async () => {
    const asked = new AbortController()
    model.answer(() => ({ text: 'Gloves are changed every two hours [1]. '.repeat(200), drip_ms: 20 }))
    const reply = fetch(`http://127.0.0.1:${port}/api/ai/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await world.tokenOf('alan')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
      signal: asked.signal,
    }).catch(() => undefined)
    await until(() => model.requests.length > 0)
    asked.abort()
    await reply
    await until(async () => (await lastCall()).status === 'failed')
    assert.equal((await lastCall()).error, 'The caller did not wait for the answer')
  })

  it('is described', async () => {
    const { paths } = (await world.server.inject('/docs/json')).json()
    const { content } = paths['/api/ai/chat'].post.responses['200']
    assert.deepEqual(Object.keys(content), ['application/json', 'text/event-stream'])
    assert.match(content['text/event-stream'].schema.description, /`piece`.*`done`.*`error`/)
  })

  // proves: SVC-09
  it('counts as a request under way until its end, and a service that stops waits for it', async () => {
    const other = await openWorld({ ...model.environment, SERVER_LIMIT_CONCURRENCY: '1' })
    await told(other).effective({ title: 'Gowning', pages: ['Gloves are changed every two hours.'] })
    await other.server.listen({ host: '127.0.0.1', port: 0 })
    const base = `http://127.0.0.1:${(other.server.server.address() as { port: number }).port}`
    const goOn = Promise.withResolvers<void>()
    model.answer(async () => {
      await goOn.promise
      return { text: 'Gloves are changed every two hours [1].', drip_ms: 20 }
    })
    const asked = fetch(`${base}/api/ai/chat`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await other.tokenOf('alan')}`,
        'content-type': 'application/json',
        ...accept,
      },
      body: JSON.stringify({ message }),
    })
    await until(() => model.requests.length > 0)
    assert.equal((await fetch(`${base}/api/health`)).status, 503)
    const closing = other.close()
    goOn.resolve()
    const body = await (await asked).text()
    assert.equal(eventsOf(body).at(-1)!.name, 'done')
    await closing
  })
})
