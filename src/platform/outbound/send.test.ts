import assert from 'node:assert/strict'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { selfSigned } from '#test/fakes/certificate.ts'
import { openDns } from '#test/fakes/dns.ts'
import { OutboundError } from './failure.ts'
import { openOutbound } from './send.ts'

const limits = { most_bytes: 1000, timeout_ms: 2000 }
const listen = (server: Server) => new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
const portOf = (server: Server) => (server.address() as AddressInfo).port

// proves: EVT-02
describe('a request to an address of a tenant', () => {
  const certificate = selfSigned('127.0.0.1')
  const seen: { method: string; url: string; headers: object; body: string }[] = []
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += String(chunk)
    })
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      if (request.url === '/slow') return
      if (request.url === '/moved') return response.writeHead(302, { location: 'https://10.0.0.1/' }).end()
      response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=b' })
      response.end(request.url === '/large' ? 'x'.repeat(5000) : 'hello')
    })
  })
  let address: string
  before(async () => {
    await listen(server)
    address = `https://127.0.0.1:${portOf(server)}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const allowed = openOutbound({ networks: ['127.0.0.1'], ca: certificate.cert })
  const failureOf = async (work: Promise<unknown>) => {
    try {
      await work
      return 'sent'
    } catch (error) {
      assert.ok(error instanceof OutboundError, String(error))
      assert.ok(!error.message.includes('127.0.0.1'), error.message)
      return error.failure
    }
  }

  it('reaches a network that the operator allows, with a body and without a cookie', async () => {
    const reply = await allowed.send(`${address}/a?b=c`, {
      ...{ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'säge', ...limits },
    })
    assert.deepEqual([reply.status, await reply.text(), reply.headers.get('set-cookie')], [200, 'hello', null])
    const { method, url, body } = seen.at(-1)!
    assert.deepEqual([method, url, body], ['POST', '/a?b=c', 'säge'])
  })

  it('reaches no other, however the address is spelled', async () => {
    const sent = seen.length
    const closed = openOutbound({ networks: [], ca: certificate.cert })
    const port = portOf(server)
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
    ])
      assert.equal(await failureOf(closed.send(`https://${host}:${port}/`, limits)), 'not_public', host)
    assert.equal(await failureOf(closed.send('https://nobody.invalid/', limits)), 'no_address')
    assert.equal(await failureOf(allowed.send('https://127.0.0.2/', limits)), 'not_public')
    assert.equal(seen.length, sent)
  })

  it('is refused before anything is asked where the address is not plain https', async () => {
    for (const wrong of [
      ...['http://8.8.8.8/', 'ftp://8.8.8.8/', 'file:///etc/passwd', 'https://a:b@8.8.8.8/', 'https://8.8.8.8:25/'],
      ...['nonsense', '', `https://8.8.8.8/${'x'.repeat(2100)}`],
    ])
      assert.equal(await failureOf(allowed.send(wrong, limits)), 'refused', wrong)
  })

  it('follows nobody elsewhere, reads no more than it may, and does not wait for ever', async () => {
    assert.equal((await allowed.send(`${address}/moved`, limits)).status, 302)
    assert.equal(await failureOf(allowed.send(`${address}/large`, limits)), 'too_large')
    assert.equal(await failureOf(allowed.send(`${address}/slow`, { ...limits, timeout_ms: 100 })), 'timeout')
  })

  it('trusts no certificate but those that it is told to', async () => {
    const strict = openOutbound({ networks: ['127.0.0.1'] })
    assert.equal(await failureOf(strict.send(address, limits)), 'tls')
  })

  it('goes through a proxy to the checked address, and to no other', async () => {
    const asked: string[] = []
    const sockets: Socket[] = []
    const proxy = createPlainServer().on('connect', (request, socket: Socket) => {
      asked.push(request.url!)
      const [host, port] = request.url!.split(':')
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        onward.pipe(socket).pipe(onward)
      })
      sockets.push(socket, onward)
      for (const each of [socket, onward]) each.on('error', () => {})
    })
    await listen(proxy)
    const options = { networks: ['127.0.0.1'], ca: certificate.cert, proxy: `http://127.0.0.1:${portOf(proxy)}` }
    const through = openOutbound(options)
    assert.equal(await (await through.send(`${address}/`, limits)).text(), 'hello')
    assert.deepEqual(asked, [`127.0.0.1:${portOf(server)}`])
    assert.equal(await failureOf(through.send('https://10.0.0.1/', limits)), 'not_public')
    assert.equal(asked.length, 1)
    for (const each of sockets) each.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })

  it('reads the texts of a name, or none', async () => {
    const dns = await openDns()
    dns.texts.set('known.example', ['one', 'two'])
    const { readTexts } = openOutbound({ networks: [], dns_servers: [dns.server] })
    assert.deepEqual((await readTexts('known.example')).sort(), ['one', 'two'])
    assert.deepEqual(await readTexts('unknown.example'), [])
    await dns.close()
  })
})
