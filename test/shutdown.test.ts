// How the service ends: as it is started, a process of its own, with people at work.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { closeEdges, openConnection, openEdge } from '#test/fakes/edge.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { steady } from '#test/world/steadily.ts'
import { pdf } from '#test/world/world.ts'

const password = 'Correct horse 1 battery'
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`

after(closeEdges)

describe('a service that is told to stop', { timeout: 600_000 }, () => {
  let folder: string
  let service: ServiceProcess | undefined
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest-shutdown-'))
  })
  after(async () => {
    service?.child.kill('SIGKILL')
    await service?.ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  /** The one that the test before has left running, or the next. */
  const start = async () => {
    if (service && service.child.exitCode === null && service.child.signalCode === null) return service
    service = await startService({
      DATA_DIR: join(folder, 'data'),
      BOOTSTRAP_TENANT: 'Acme',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: password,
    })
    return service
  }
  const logIn = async (address: string) => {
    const answer = await fetch(`${address}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  // proves: LOG-02, LOG-03
  it('has said where it listens, by the name of each part and with an empty request id', async () => {
    const { lines } = await start()
    for (const line of lines) assert.equal(line.request_id, '', JSON.stringify(line))
    assert.ok(
      lines.some(({ logger, msg }) => logger === 'attest.database' && /^migrated /.test(String(msg))),
      JSON.stringify(lines),
    )
    assert.ok(lines.some(({ logger, msg }) => logger === 'server' && /^listening on/.test(String(msg))))
  })

  it('fails no request, in flight or new on an open connection, and takes no new connection', async () => {
    const { child, address, port, until, ended } = await start()
    const token = await logIn(address)
    const agent = new Agent({ keepAlive: true, maxSockets: 20 })
    let served = 0
    let isTold = false
    /** Asks on the same connection again and again, as long as there is one. */
    const client = async () => {
      for (;;) {
        const [response] = await once(
          request({
            port,
            host: '127.0.0.1',
            path: '/api/documents/',
            agent,
            headers: { authorization: `Bearer ${token}` },
          }).end(),
          'response',
        )
        for await (const _ of response) {
        }
        assert.equal(response.statusCode, 200)
        served += 1
        if (isTold && response.headers.connection === 'close') return
      }
    }
    const clients = Array.from({ length: 20 }, client)
    while (served < 100) await new Promise(setImmediate)
    isTold = true
    child.kill('SIGTERM')
    await Promise.all(clients)
    agent.destroy()
    await until(/^closing on SIGTERM$/)
    const late = connect(port, '127.0.0.1')
    const [outcome] = await once(late, 'error')
    assert.equal((outcome as NodeJS.ErrnoException).code, 'ECONNREFUSED')
    assert.equal(await ended, 0)
    await until(/^closed$/)
  })

  it('takes an upload to its end, and keeps it', async () => {
    const { child, address, port, until, ended } = await start()
    const token = await logIn(address)
    const types = (await (
      await fetch(`${address}/api/document-types/`, { headers: { authorization: `Bearer ${token}` } })
    ).json()) as { items: { id: number }[] }
    const form = new FormData()
    form.set('title', 'Begun before the end')
    form.set('document_type', String(types.items[0]!.id))
    form.set('file', new Blob([new Uint8Array(pdf('x'.repeat(500_000)))]), 'record.pdf')
    const encoded = new Response(form)
    const bytes = Buffer.from(await encoded.arrayBuffer())
    const head = [
      'POST /api/documents/upload HTTP/1.1',
      'Host: here',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${encoded.headers.get('content-type')}`,
      `Content-Length: ${bytes.length}`,
    ].join('\r\n')
    const upload = openConnection(port, `${head}\r\n\r\n`)
    upload.socket.write(bytes.subarray(0, 300_000))
    // Once this is answered the first half of the other is there too.
    await fetch(`${address}/api/health`)
    child.kill('SIGTERM')
    await until(/^closing on SIGTERM$/)
    upload.socket.write(bytes.subarray(300_000))
    const answer = await upload.ended
    assert.match(answer, /^HTTP\/1\.1 201 /)
    assert.match(answer, /connection: close/i)
    assert.equal(await ended, 0)
    const again = await start()
    const { items } = (await (
      await fetch(`${again.address}/api/documents/`, {
        headers: { authorization: `Bearer ${await logIn(again.address)}` },
      })
    ).json()) as { items: { title: string }[] }
    assert.deepEqual(
      items.map(({ title }) => title),
      ['Begun before the end'],
    )
  })

  it('closes idle connections soon, and ends at once with code 1 when it is told a second time', async () => {
    const first = await start()
    const idle = openConnection(first.port, get('/api/health'))
    await idle.until(/"version"/)
    const begun = performance.now()
    // As Ctrl-C in a terminal under npm, which passes on what the terminal has sent already.
    first.child.kill('SIGINT')
    await first.until(/^closing on SIGINT$/)
    first.child.kill('SIGINT')
    await idle.ended
    assert.equal(await first.ended, 0)
    assert.ok(performance.now() - begun < 20_000)

    const second = await start()
    const busy = openConnection(
      second.port,
      'POST /api/auth/token HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    )
    await fetch(`${second.address}/api/health`)
    second.child.kill('SIGTERM')
    await second.until(/^closing on SIGTERM$/)
    second.child.kill('SIGTERM')
    assert.equal(await second.ended, 1)
    await busy.ended
  })
})

describe('the edge, when it closes', () => {
  it(
    'answers what comes on an open connection, as its last, and cuts off what does not end in its time, with a word',
    steady(async () => {
      const { app, lines, listen } = await openEdge({}, { drain_ms: 600, idle_ms: 300 })
      app.get('/never', () => new Promise(() => {}))
      const port = await listen()
      const open = openConnection(port, get('/nothing'))
      await open.until(/404/)
      const stuck = openConnection(port, get('/never'))
      await once(app.server, 'request')
      const begun = performance.now()
      const closed = app.close()
      open.socket.write(get('/nothing/else'))
      const text = await open.ended
      assert.match(text, /connection: close/i)
      assert.equal(text.match(/HTTP\/1\.1 404/g)?.length, 2)
      assert.equal(text.match(/^x-request-id: /gim)?.length, 2)
      assert.equal(await stuck.ended, '')
      await closed
      const took = performance.now() - begun
      assert.ok(took >= 590 && took < 30_000, `${took} ms`)
      const warnings = lines.filter(({ level }) => level === 'warning')
      assert.deepEqual(
        warnings.map(({ logger, msg }) => [logger, msg]),
        [['server', 'connections still in use after 0.6 s, cut off: 1']],
      )
      const cut = () => lines.find(({ path }) => path === '/never')
      while (!cut()) await new Promise(setImmediate)
      assert.equal(cut()!.status_code, 499)
    }),
  )
})
