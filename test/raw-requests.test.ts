// Requests as no client library sends them, byte by byte over a socket: what Node and Fastify would answer by themselves.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { checkRefusal } from '#test/world/refusals.ts'
import { openWorld, type World } from '#test/world/world.ts'

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

describe('a request on the wire', () => {
  let world: World
  let port: number
  before(async () => {
    world = await openWorld()
    await world.server.listen({ host: '127.0.0.1', port: 0 })
    port = (world.server.server.address() as { port: number }).port
  })
  after(() => world.close())

  /** Everything that comes back until the connection ends. The socket is left half open, as long as the service wants it. */
  const send = async (...chunks: (string | Buffer)[]) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.on('data', chunk => received.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    for (const chunk of chunks) socket.write(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)
    await promise
    return answersOf(Buffer.concat(received).toString('latin1'))
  }

  function answersOf(text: string): Answer[] {
    const answers: Answer[] = []
    let rest = text
    while (rest !== '') {
      const end = rest.indexOf('\r\n\r\n')
      assert.ok(end > 0, `no head in ${JSON.stringify(rest.slice(0, 200))}`)
      const [first, ...lines] = rest.slice(0, end).split('\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first!)?.[1])
      assert.ok(status, first)
      const headers = Object.fromEntries(
        lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const length = Number(headers['content-length'] ?? 0)
      answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
      rest = rest.slice(end + 4 + length)
    }
    return answers
  }

  /** One request, one answer, and the connection ends. */
  const one = async (...chunks: (string | Buffer)[]) => {
    const answers = await send(...chunks)
    assert.equal(answers.length, 1, JSON.stringify(answers))
    const [answer] = answers as [Answer]
    assert.match(answer.headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{8,64}$/, JSON.stringify(answer))
    if (answer.status >= 400) checkRefusal(answer.status, answer.body, String(chunks[0]).slice(0, 100))
    return answer
  }
  const get = (path: string, ...headers: string[]) =>
    `${[`GET ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`
  const post = (body: string, ...headers: string[]) =>
    `${['POST /api/auth/token HTTP/1.1', 'Host: here', 'Connection: close', 'Content-Type: application/json', ...headers].join('\r\n')}\r\n\r\n${body}`

  /** Which are a 422 where they are read. */
  const chunks = '2\r\n{}\r\n0\r\n\r\n'

  // proves: RID-01, ERR-01, ERR-04, ERR-05
  for (const [what, request, status] of [
    ['with a path that cannot be decoded', get('/api/documents/%zz'), 400],
    ['with half a letter in its path', get('/api/documents/%ff'), 400],
    ['with NUL in its path', get('/api/documents/%00'), 401],
    ['with an endless parameter', get(`/api/documents/${'1'.repeat(500)}`), 404],
    ['with an endless path', get(`/${'x'.repeat(10_000)}`), 404],
    ['to nowhere', get('/api/nothing'), 404],
    ['with a whole address for a path', get('http://elsewhere.example/api/nothing'), 404],
    ['with more of a head than anybody sends', get('/api/health', `X: ${'x'.repeat(20_000)}`), 431],
    ['that is no HTTP', 'hello\r\n\r\n', 400],
    ['in a version that does not exist', 'GET / HTTP/9.9\r\nHost: here\r\n\r\n', 400],
    ['by a method that does not exist', 'BREW / HTTP/1.1\r\nHost: here\r\n\r\n', 400],
    [
      'by a method that nobody asks for',
      'PROPFIND /api/documents/ HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['in the words of TLS', Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), 400],
    ['without a Host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['with two lengths', post('{}', 'Content-Length: 2', 'Content-Length: 3'), 400],
    ['with a length and chunks', post(chunks, 'Content-Length: 5', 'Transfer-Encoding: chunked'), 400],
    ['with a length that is no number', post('{}', 'Content-Length: two'), 400],
    ['with one length twice', post('{}', 'Content-Length: 2', 'Content-Length: 2'), 400],
    ['with a length that has a sign', post('{}', 'Content-Length: +2'), 400],
    ['with lengths in a list', post('{}', 'Content-Length: 2, 2'), 400],
    ['with chunks in another case and a length', post(chunks, 'Transfer-Encoding: cHuNkEd', 'Content-Length: 5'), 400],
    ['with a blank before its colon', post(chunks, 'Transfer-Encoding : chunked'), 400],
    ['with an encoding that is none', post(chunks, 'Transfer-Encoding: xchunked'), 400],
    ['with chunks that are not the last encoding', post(chunks, 'Transfer-Encoding: chunked, identity'), 400],
    ['with two encodings', post(chunks, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'), 400],
    ['with a tab before its encoding', post(chunks, 'X: a', 'Transfer-Encoding:\x0bchunked'), 400],
    [
      'with a chunk larger than a number',
      post('ffffffffffffffff1\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'),
      400,
    ],
    ['with a chunk that is shorter than it says', post('1\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'), 400],
    ['with a bare line feed behind a chunk', post('2\n{}\n0\n\n', 'Transfer-Encoding: chunked'), 400],
    ['with a bare carriage return in a header', get('/api/health', 'X: a\rTransfer-Encoding: chunked'), 400],
    ['with a broken chunk', post('zz\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'), 400],
    ['with a header that is folded', get('/api/health', 'X-Request-ID: abcdefgh', ' ijkl'), 400],
    ['with NUL in a header', get('/api/health', 'X: a\0b'), 400],
    ['with a bare line feed in a header', get('/api/health', 'X: a\nb'), 400],
    ['with a body that is no JSON', post('{', 'Content-Length: 1'), 400],
    ['with a body that is none', post('', 'Content-Length: 0'), 400],
    ['with a body larger than may be', post('', 'Content-Length: 99999999'), 413],
    ['with a body of another type', post('{}', 'Content-Length: 2').replace('application/json', 'text/csv'), 415],
    ['with chunks as they should be', post(chunks, 'Transfer-Encoding: chunked'), 422],
    ['without a token', get('/api/documents/'), 401],
    ['with two tokens', get('/api/documents/', 'Authorization: Bearer a', 'Authorization: Bearer b'), 401],
  ] as const) {
    it(`${what} is answered ${status}, in the one shape and with a request id`, async () => {
      assert.equal((await one(request)).status, status)
    })
  }

  // proves: RID-01
  it('is answered with a request id in success, in a preflight and whatever it expects', async () => {
    assert.equal((await one(get('/api/health'))).status, 200)
    assert.equal((await one(get('/api/health', 'Expect: the-unexpected'))).status, 200)
    assert.equal((await one('GET /api/health HTTP/1.0\r\n\r\n')).status, 200)
    const preflight = [
      'OPTIONS /api/documents/ HTTP/1.1',
      'Host: here',
      'Connection: close',
      'Origin: http://localhost:3000',
      'Access-Control-Request-Method: GET',
    ]
    assert.equal((await one(`${preflight.join('\r\n')}\r\n\r\n`)).status, 204)
  })

  // proves: RID-02
  it('keeps the request id that it brings, where it is 8 to 64 letters, digits, points, dashes or underscores', async () => {
    for (const given of ['12345678', 'a.B_c-9x', 'x'.repeat(64)])
      assert.equal((await one(get('/api/health', `X-Request-ID: ${given}`))).headers['x-request-id'], given)
    // Blanks around a value are not of it (RFC 9110, 5.5).
    assert.equal((await one(get('/api/health', 'X-Request-ID: \t12345678 \t'))).headers['x-request-id'], '12345678')
    assert.equal((await one(get('/api/documents/%zz', 'X-Request-ID: 12345678'))).headers['x-request-id'], '12345678')
  })

  // proves: RID-02
  it('is given another one of 32 hexadecimal digits where its own is anything else', async () => {
    const utf8 = (text: string) => Buffer.from(text).toString('latin1')
    const headers = [
      [],
      ['X-Request-ID: 1234567'],
      [`X-Request-ID: ${'x'.repeat(65)}`],
      ['X-Request-ID:'],
      ['X-Request-ID: 1234 5678'],
      ['X-Request-ID: 12345678,'],
      ['X-Request-ID: 12345678;x'],
      ['X-Request-ID: <script>'],
      [`X-Request-ID: ${utf8('kennung-ä')}`],
      [`X-Request-ID: ${utf8('١٢٣٤٥٦٧٨')}`],
      ['X-Request-ID: 12345678', 'X-Request-ID: 87654321'],
      ['X-Request-ID: 12345678', 'X-Request-ID: 12345678'],
    ]
    const seen = new Set<string>()
    for (const each of headers) {
      const id = (await one(get('/api/health', ...each))).headers['x-request-id']!
      assert.match(id, /^[0-9a-f]{32}$/, each.join())
      seen.add(id)
    }
    assert.equal(seen.size, headers.length)
  })

  // proves: RID-03
  it('that cannot be read has its request id in the log too', async () => {
    for (const [request, status] of [
      ['hello\r\n\r\n', 400],
      [get('/api/documents/%zz'), 400],
    ] as const) {
      const from = world.lines.length
      const { headers } = await one(request)
      const lines = world.lines.slice(from).filter(({ logger }) => logger === 'server.access')
      assert.deepEqual(
        lines.map(({ request_id, status_code }) => ({ request_id, status_code })),
        [{ request_id: headers['x-request-id'], status_code: status }],
      )
    }
  })

  it('is answered after one that was, when the next on its connection makes no sense', async () => {
    const answers = await send('GET /api/health HTTP/1.1\r\nHost: here\r\n\r\nnonsense\r\n\r\n')
    // The first may have been given up, for nothing of it was sent yet; an answer within an answer there is never.
    assert.ok(answers.length >= 1 && answers.length <= 2)
    assert.equal(answers.at(-1)!.status, 400)
  })
})
