// The connection of a request that was refused before its body was read: of every route, at every stage.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { pathOf } from '#test/builders/samples.ts'
import { openConnection, openEdge } from '#test/fakes/edge.ts'
import { checkRefusal } from '#test/world/refusals.ts'
import { openWorld, type World } from '#test/world/world.ts'

interface Refusal {
  method: string
  path: string
  headers?: Record<string, string>
  body: Buffer
}
/** How a body is sent: with its length or in chunks, at once or once the answer is there. */
const ways = [
  { isChunked: false, isLate: false },
  { isChunked: true, isLate: false },
  { isChunked: false, isLate: true },
  { isChunked: true, isLate: true },
] as const

const second = 'GET /api/nothing HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'
/** Far more than it takes on a busy machine; a connection that is stuck would be so for ten minutes. */
const patience_ms = 20_000
const without_answer_ms = 300

function chunksOf(body: Buffer) {
  const size = 60_000
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

function bodyOfFirst(text: string) {
  const begin = text.indexOf('\r\n\r\n') + 4
  const length = Number(/^content-length: (\d+)$/im.exec(text.slice(0, begin))![1])
  return Buffer.from(text.slice(begin, begin + length), 'latin1').toString()
}

/** Sends the request and a good one behind it, and answers how that went; `undefined` of a connection that is stuck. */
async function converse(port: number, refusal: Refusal, { isChunked, isLate }: (typeof ways)[number]) {
  const { method, path, headers = {}, body } = refusal
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: here',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
  ]
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  let isStuck = false
  let hasSent = false
  let error = ''
  const rest = () => {
    if (hasSent) return
    hasSent = true
    socket.write(isChunked ? chunksOf(body) : body)
    socket.write(second)
  }
  socket.setEncoding('latin1')
  socket.on('data', chunk => {
    text += chunk
    rest()
  })
  socket.on('error', ({ message }) => {
    error = message
  })
  const timer = setTimeout(() => {
    isStuck = true
    socket.destroy()
  }, patience_ms)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // Some are refused for what is in the body, and wait for it.
  const late = setTimeout(rest, isLate ? without_answer_ms : 0)
  await new Promise<void>(done => socket.once('close', () => done()))
  clearTimeout(timer)
  clearTimeout(late)
  const [first, ...others] = statusesOf(text)
  const [firstHead = ''] = text.split('\r\n\r\n')
  const isLast = /^connection: close$/im.test(firstHead)
  if (first !== undefined && first >= 400) checkRefusal(first, bodyOfFirst(text), `${method} ${path}`)
  const isWell = !isStuck && first !== undefined && (isLast ? others.length === 0 : others[0] === 404)
  const what = `${method} ${path} ${isChunked ? 'in chunks' : 'with a length'} ${isLate ? 'late' : 'at once'}`
  return { first, isWell, isLast, what: `${what}: ${[first, ...others].join()} ${isStuck ? 'stuck' : error}` }
}

/** So many at a time that one which is stuck keeps nobody waiting. */
async function each<T, R>(things: T[], work: (thing: T) => Promise<R>, atOnce = 48) {
  const waiting = things.values()
  const results: R[] = []
  const one = async () => {
    for (const thing of waiting) results.push(await work(thing))
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return results
}

describe('a request that is refused before its body was read', () => {
  let world: World
  let port: number
  before(async () => {
    world = await openWorld({ MAX_UPLOAD_MB: '1' })
    await world.server.listen({ host: '127.0.0.1', port: 0 })
    port = (world.server.server.address() as { port: number }).port
  })
  after(() => world.close())

  const json = { 'content-type': 'application/json' }
  const large = Buffer.alloc(100_000, 'x')
  const tokenOf = async (name: string) => ({ authorization: `Bearer ${await world.tokenOf(name)}` })

  const part = (name: string, value: string | Buffer, file?: string) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"${file ? `; filename="${file}"` : ''}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ])
  const formOf = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--b--\r\n')])
  const form = { 'content-type': 'multipart/form-data; boundary=b' }

  function requireWell(results: Awaited<ReturnType<typeof converse>>[], atLeast: number) {
    const bad = results.filter(({ isWell }) => !isWell)
    assert.ok(results.length >= atLeast, `${results.length} connections`)
    const some = bad
      .slice(0, 10)
      .map(({ what }) => what)
      .join('\n')
    assert.equal(bad.length, 0, `${bad.length} of ${results.length} connections are stuck or cut off:\n${some}`)
  }

  it('leaves its connection to the next one, or ends it with the answer, on every route and at every stage', async () => {
    const [mays, mayNot] = [await tokenOf('ada'), await tokenOf('uma')]
    const cases = world.app.routes.flatMap(({ method, url }, index) => {
      const to = { method: String(method), path: pathOf(url, 1) }
      const stages: Refusal[] = [
        { ...to, headers: json, body: large },
        { ...to, headers: { ...form, ...mayNot }, body: formOf(part('file', large, 'a.pdf')) },
        { ...to, headers: { 'content-type': 'text/csv', ...mays }, body: large },
        { ...to, headers: { ...json, ...mays }, body: Buffer.from(`{"no_such_field": "${'x'.repeat(1000)}"}`) },
        { ...to, headers: { ...json, ...mays }, body: Buffer.from('{"a":') },
      ]
      return stages.map((refusal, stage) => ({ refusal, way: ways[(index + stage) % ways.length]! }))
    })
    const results = await each(cases, ({ refusal, way }) => converse(port, refusal, way))
    requireWell(results, 5 * 100)
    const seen = new Set(results.map(({ first }) => first))
    for (const status of [400, 401, 403, 415, 422]) assert.ok(seen.has(status), `${status} was among them`)
  })

  it('is of every kind, whatever its body and however that is sent', async () => {
    const mays = await tokenOf('ada')
    const upload = { method: 'POST', path: '/api/documents/upload', headers: { ...form, ...mays } }
    const post = { method: 'POST', path: '/api/users/', headers: { ...json, ...mays } }
    const file = part('file', `%PDF-1.4\n${'x'.repeat(300_000)}`, 'a.pdf')
    const refusals: [number, Refusal][] = [
      [413, { ...post, body: Buffer.alloc(1_200_000, 'x') }],
      [413, { ...upload, body: formOf(part('file', Buffer.alloc(3_000_000, 'x'), 'a.pdf')) }],
      [413, { ...upload, body: formOf(part('file', Buffer.alloc(1_200_000, 'x'), 'a.pdf')) }],
      [400, { ...post, body: Buffer.from(`{"title": "${'x'.repeat(200_000)}`) }],
      [422, { ...post, body: Buffer.from(`{"no_such_field": "${'x'.repeat(200_000)}"}`) }],
      [415, { ...post, headers: { ...form, ...mays }, body: formOf(file) }],
      [404, { method: 'POST', path: '/api/nothing', headers: json, body: Buffer.from(`{"a": "${large.toString()}"}`) }],
      [400, { method: 'POST', path: '/api/documents/%zz', headers: json, body: large }],
      [422, { ...upload, body: formOf(part('other', large, 'a.pdf'), file) }],
      [422, { ...upload, body: formOf(part('file', large, 'a.exe')) }],
      [422, { ...upload, body: formOf(part('title', 'a'), part('title', 'b'), file) }],
      [422, { ...upload, body: formOf(part('title', 'x'.repeat(100_000)), file) }],
      [422, { ...upload, body: formOf(part('title', 'a')) }],
      [422, { ...upload, body: formOf(part('__proto__', large, 'a.pdf')) }],
      [422, { ...upload, body: formOf(file, part('file', large, 'b.pdf')) }],
      [422, { ...upload, body: formOf(...Array.from({ length: 30 }, (_, count) => part(`f${count}`, 'x')), file) }],
      [422, { ...upload, headers: { ...mays, 'content-type': 'multipart/form-data' }, body: large }],
      [422, { ...upload, headers: { ...json, ...mays }, body: large }],
    ]
    const cases = refusals.flatMap(([status, refusal]) => ways.map(way => ({ status, refusal, way })))
    const results = await each(cases, async ({ status, refusal, way }) => ({
      ...(await converse(port, refusal, way)),
      status,
    }))
    requireWell(results, 4 * 18)
    // A form without a boundary, or no form at all, is refused as one thing or the other.
    for (const { first, status, what } of results)
      assert.ok(first === status || (status === 422 && (first === 400 || first === 415)), `${what}, not ${status}`)
  })
})

describe('a client that is still sending', () => {
  it('gets the answer whole, and its connection is not reset before', async () => {
    const edge = await openEdge({ MAX_UPLOAD_MB: '1' })
    edge.app.post('/body', async () => ({ taken: true }))
    const port = await edge.listen()
    for (const path of ['/nothing', '/body']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 20000000\r\n\r\n`
      const { socket, ended, until } = openConnection(port, head)
      const errors: Error[] = []
      socket.on('error', error => errors.push(error))
      socket.pause()
      // All of it, before a byte of the answer is read: what many a client library does.
      for (let sent = 0; sent < 20_000_000; sent += 1_000_000)
        await new Promise<void>(done => socket.write(Buffer.alloc(1_000_000, 'x'), () => done()))
      socket.resume()
      assert.match(await until(/\r\n\r\n\{.*\}$/s), /^HTTP\/1\.1 4\d\d .*connection: close/is)
      await ended
      assert.deepEqual(errors, [], path)
    }
    await edge.app.close()
  })

  it('or says nothing more after the answer is let go, within a bound', async () => {
    const bounds = { unread_ms: 300, linger_ms: 2_000, linger_silence_ms: 200, linger_bytes: 10_000_000 }
    const edge = await openEdge({}, bounds)
    const port = await edge.listen()
    const head = (length: number) => `POST /nothing HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\nx`
    // One that would go on for ever, one that is silent, and one that keeps a connection with a short body it does not send.
    const endless = openConnection(port, head(9_000_000_000))
    const more = setInterval(() => endless.socket.write(Buffer.alloc(100_000, 'x')), 20)
    const silent = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    silent.write(head(9_000_000_000))
    const short = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    short.write(head(1000))
    for (const socket of [silent, short]) socket.on('error', () => {}).resume()
    const isClosed = () => new Promise<boolean>(done => edge.app.server.getConnections((_, count) => done(count === 0)))
    await Promise.all([silent, short].map(socket => new Promise(done => socket.once('data', done))))
    while (!(await isClosed())) await new Promise(setImmediate)
    clearInterval(more)
    for (const socket of [endless.socket, silent, short]) socket.destroy()
    await edge.app.close()
  })

  it('keeps nobody waiting who stops the service', async () => {
    const edge = await openEdge({}, { idle_ms: 100 })
    const port = await edge.listen()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write('POST /nothing HTTP/1.1\r\nHost: here\r\nContent-Length: 9000000000\r\n\r\nx')
    await new Promise(done => socket.once('data', done))
    const begun = performance.now()
    await edge.app.close()
    assert.ok(performance.now() - begun < 4_000, 'not the five seconds of silence that it is allowed otherwise')
    socket.destroy()
  })
})
