// The limits for clients before log-in: connections, time, bytes.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, describe, it } from 'node:test'
import { closeEdges, openConnection, openEdge } from '#test/fakes/edge.ts'
import { steady } from '#test/world/steadily.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`

after(closeEdges)

describe('the cap of requests in flight', () => {
  const cap = 8

  async function openCapped() {
    const edge = await openEdge({ SERVER_LIMIT_CONCURRENCY: String(cap) })
    let most = 0
    let now = 0
    const held: (() => void)[] = []
    edge.app.get('/work', async () => {
      most = Math.max(most, ++now)
      await new Promise<void>(done => held.push(done))
      now -= 1
      return { whole: 'x'.repeat(10_000) }
    })
    return { ...edge, port: await edge.listen(), held, most: () => most }
  }
  const ask = (port: number, agent: Agent, path = '/work') =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((done, failed) => {
      request({ port, host: '127.0.0.1', path, agent }, response => {
        let body = ''
        response.setEncoding('utf8').on('data', chunk => {
          body += chunk
        })
        response.on('end', () => done({ status: response.statusCode!, headers: response.headers, body }))
      })
        .on('error', failed)
        .end()
    })

  // proves: SVC-09, RID-01
  it('answers whole or 503 at four times as many, the 503 before the application, and all again at once', async () => {
    const { app, lines, port, held, most } = await openCapped()
    const agent = new Agent({ keepAlive: true, maxSockets: 4 * cap })
    const release = setInterval(() => {
      for (const done of held.splice(0)) done()
    }, 5)
    const seen = { 200: 0, 503: 0 }
    const begun = performance.now()
    const client = async () => {
      for (let round = 0; round < 25; round++) {
        const { status, headers, body } = await ask(port, agent)
        if (status === 200) {
          assert.equal(JSON.parse(body).whole.length, 10_000)
          assert.ok(headers['x-request-id'])
          seen[200] += 1
        } else {
          assert.equal(status, 503)
          assert.equal(body, 'Service Unavailable')
          assert.equal(headers['x-request-id'], undefined)
          assert.equal(headers.connection, 'close')
          seen[503] += 1
        }
      }
    }
    await Promise.all(Array.from({ length: 4 * cap }, client))
    assert.ok(seen[200] > 0 && seen[503] > 0, JSON.stringify(seen))
    assert.equal(most(), cap, 'so many were worked on at once, and no more')
    assert.equal(lines.filter(({ logger }) => logger === 'server.access').length, seen[200])
    const warnings = lines.filter(({ level }) => level === 'warning')
    const seconds = (performance.now() - begun) / 1000
    assert.ok(
      warnings.length >= 1 && warnings.length <= 1 + seconds / 10,
      'one warning in ten seconds, not one for each',
    )
    assert.match(String(warnings[0]!.msg), /8 requests are in flight/)
    const after = await Promise.all(Array.from({ length: cap }, () => ask(port, agent)))
    assert.deepEqual(
      after.map(({ status }) => status),
      Array(cap).fill(200),
    )
    clearInterval(release)
    agent.destroy()
    await app.close()
  })

  it('gives the place of a client that went away to the next', async () => {
    const { app, port, held } = await openCapped()
    const gone = Array.from({ length: cap }, () => openConnection(port, get('/work')))
    while (held.length < cap) await new Promise(setImmediate)
    const agent = new Agent()
    assert.equal((await ask(port, agent)).status, 503)
    for (const { socket } of gone) socket.destroy()
    for (const done of held.splice(0)) done()
    let status: number
    do ({ status } = await ask(port, agent, '/nothing'))
    while (status === 503)
    assert.equal(status, 404)
    await app.close()
  })

  it('is off unless it is set', async () => {
    const { app } = await openEdge()
    app.get('/work', async () => ({}))
    const answers = await Promise.all(Array.from({ length: 500 }, () => app.inject('/work')))
    assert.ok(answers.every(({ statusCode }) => statusCode === 200))
    await app.close()
  })
})

describe('a slow client', () => {
  const short = { check_ms: 20, head_ms: 500, body_ms: 500, upload_ms: 2500, keep_alive_ms: 200, silence_ms: 60_000 }
  const open = async (more: Partial<typeof short> = {}) => {
    const edge = await openEdge({}, { ...short, ...more })
    edge.app.post('/body', async () => ({ taken: true }))
    const schema = { consumes: ['multipart/form-data'] }
    edge.app.post('/upload', { schema }, async request => {
      for await (const part of request.parts()) if (part.type === 'file') await part.toBuffer()
      return { taken: true }
    })
    return { ...edge, port: await edge.listen() }
  }
  /** One byte now and then, as slowly as the silence of a connection allows, until the other end has had enough. */
  async function trickle(port: number, first: string) {
    const connection = openConnection(port, first)
    const timer = setInterval(() => connection.socket.write('x'), 50)
    const begun = performance.now()
    const text = await connection.ended
    clearInterval(timer)
    return { text, after_ms: performance.now() - begun }
  }
  const idOf = (text: string) => /x-request-id: (\S+)/i.exec(text)?.[1]

  // proves: RID-01, ERR-01
  it(
    'with its head or its body is told so and let go, and others are served meanwhile',
    steady(async () => {
      const { app, lines, port } = await open()
      const body = 'POST /body HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n'
      const slow = [
        ...Array.from({ length: 50 }, () => trickle(port, 'GET / HTTP/1.1\r\nX: ')),
        ...Array.from({ length: 50 }, () => trickle(port, body)),
      ]
      const healthy = openConnection(port, 'GET /nothing HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
      assert.match(await healthy.ended, /^HTTP\/1\.1 404 /)
      for (const { text, after_ms } of await Promise.all(slow)) {
        assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/)
        assert.match(text, /connection: close/i)
        assert.match(
          text,
          /\{"detail":"The request did not arrive in time[^{]*"code":"request_timeout","params":\{\}\}$/,
        )
        assert.match(idOf(text) ?? '', /^[0-9a-f]{32}$/)
        assert.ok(after_ms < 30_000, `${after_ms} ms`)
      }
      const late = lines.filter(({ logger, status_code }) => logger === 'server.access' && status_code === 408)
      assert.equal(late.length, 100, 'one line each')
      assert.deepEqual(
        lines.filter(({ level }) => level === 'error'),
        [],
      )
      await app.close()
    }),
  )

  it(
    'with an upload has longer',
    steady(async () => {
      const { app, port } = await open()
      const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
      const head = `POST /upload HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n`
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
      const { socket, ended } = openConnection(port, head + chunk(form))
      const begun = performance.now()
      const timer = setInterval(() => {
        socket.write(chunk('x'))
        if (performance.now() - begun > 3 * short.body_ms) {
          clearInterval(timer)
          socket.write(`${chunk('\r\n--b--\r\n')}0\r\n\r\n`)
        }
      }, 50)
      assert.match(await ended, /^HTTP\/1\.1 200 /)
      const { text, after_ms } = await trickle(
        port,
        head.replace('Transfer-Encoding: chunked', 'Content-Length: 99999') + form,
      )
      assert.match(text, /^HTTP\/1\.1 408 /)
      assert.ok(after_ms >= short.upload_ms - 10 && after_ms < 30_000, `${after_ms} ms`)
      await app.close()
    }),
  )

  it(
    'that says nothing more, or does not read, is let go',
    steady(async () => {
      const { app, port } = await open({ silence_ms: 600 })
      app.server.keepAliveTimeoutBuffer = 0
      const idle = openConnection(port, get('/nothing'))
      await idle.until(/404/)
      const begun = performance.now()
      await idle.ended
      assert.ok(performance.now() - begun < 30_000)
      const deaf = openConnection(port)
      deaf.socket.pause()
      const closed = new Promise<void>(done =>
        app.server.once('connection', socket => socket.once('close', () => done())),
      )
      deaf.socket.write(get('/docs/static/swagger-ui-bundle.js').repeat(20))
      await closed
      deaf.socket.destroy()
      await app.close()
    }),
  )

  // proves: RID-01
  it('that breaks off in the middle of its body leaves one access line of its own and no error', async () => {
    const { app, lines, port } = await open({ head_ms: 60_000, body_ms: 60_000, upload_ms: 60_000 })
    const heads = [
      'POST /body HTTP/1.1\r\nHost: here\r\nX-Request-ID: broken.off\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{"a":',
      'POST /upload HTTP/1.1\r\nHost: here\r\nX-Request-ID: broken.off\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ]
    for (const head of heads) {
      for (const how of ['end', 'destroy'] as const) {
        const from = lines.length
        const { socket, ended } = openConnection(port, head)
        await new Promise(done => app.server.once('request', done))
        socket[how]()
        const text = await ended
        if (how === 'end') {
          assert.match(text, /^HTTP\/1\.1 400 /)
          assert.equal(idOf(text), 'broken.off')
        }
        while (lines.length === from) await new Promise(setImmediate)
        await new Promise(done => app.server.getConnections(done))
        const told = lines.slice(from)
        assert.deepEqual(
          told.map(({ logger, request_id }) => [logger, request_id]),
          [['server.access', 'broken.off']],
          JSON.stringify(told),
        )
        assert.deepEqual([told[0]!.status_code, told[0]!.client_addr], [400, '127.0.0.1'])
      }
    }
    await app.close()
  })
})

describe('a connection', () => {
  it('is closed with its last answer after so many requests, whatever its client would like', async () => {
    const { app, listen } = await openEdge({}, { requests_per_connection: 3 })
    const text = await openConnection(await listen(), get('/nothing').repeat(5)).ended
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), Array(3).fill('HTTP/1.1 404'))
    assert.equal(text.match(/^connection: close/gim)?.length, 1)
    await app.close()
  })
})

describe('a head', () => {
  // proves: RID-01
  it('of 16 KiB is the largest, the path in it included', async () => {
    const { app, listen } = await openEdge()
    const port = await listen()
    for (const [request, status] of [
      [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`, 431],
      [`GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
      [`GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`, 404],
    ] as const) {
      const text = await openConnection(port, request).ended
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(text, /x-request-id: [0-9a-f]{32}/i)
    }
    await app.close()
  })
})
