// No emulator of Google Cloud Storage can be installed from a package of Debian or npm: what answers here is a server of the test's own
// that speaks as much of the JSON API as is used, with the log-in by which one cloud's machines come to another (a token for a token).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { CRC32C } from '@google-cloud/storage'
import { page_files, storageContract } from './contract.ts'
import { openGcpStorage } from './gcp.ts'
import { MissingFile, newKey } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-gcp-test-'))
after(() => rmSync(root, { recursive: true }))
const right_token = 'the token of this machine'

const crc32cOf = (bytes: Buffer) => {
  const crc32c = new CRC32C()
  crc32c.update(bytes)
  return crc32c.toString()
}

/** One bucket. `state` is how it misbehaves. */
async function openFake() {
  const objects = new Map<string, Buffer>()
  const state: { change?: (bytes: Buffer) => Buffer; cutUploads?: boolean } = {}
  const described = (name: string, bytes: Buffer) => ({
    name,
    bucket: 'attest',
    generation: '1',
    size: String(bytes.length),
    crc32c: crc32cOf(bytes),
  })
  async function answer(incoming: IncomingMessage): Promise<[number, Buffer | object, Record<string, string>?]> {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://fake')
    if (pathname === '/token') {
      const given = new URLSearchParams(await text(incoming)).get('subject_token')
      if (given !== right_token) return [401, { error: 'invalid_grant', error_description: 'who is this?' }]
      return [200, { access_token: 'open-sesame', issued_token_type: 'x', token_type: 'Bearer', expires_in: 3600 }]
    }
    if (incoming.headers.authorization !== 'Bearer open-sesame') return failed(401, 'Invalid Credentials')
    if (pathname === '/upload/storage/v1/b/attest/o') {
      if (state.cutUploads) {
        incoming.once('data', () => incoming.socket.destroy())
        return new Promise(() => {})
      }
      const name = searchParams.get('name')!
      const bytes = mediaOf(incoming.headers['content-type']!, await buffer(incoming))
      assert.equal(searchParams.get('ifGenerationMatch'), '0')
      if (objects.has(name)) return failed(412, 'At least one of the pre-conditions you specified did not hold.')
      objects.set(name, state.change?.(bytes) ?? bytes)
      return [200, described(name, objects.get(name)!)]
    }
    if (pathname === '/storage/v1/b/attest/o') {
      const rest = [...objects.keys()]
        .sort()
        .filter(name => name.startsWith(searchParams.get('prefix')!) && name > (searchParams.get('pageToken') ?? ''))
      const page = rest.slice(0, page_files)
      const items = page.map(name => ({ ...described(name, objects.get(name)!), updated: new Date().toISOString() }))
      return [200, { items, ...(rest.length > page.length && { nextPageToken: page.at(-1) }) }]
    }
    const [, from, to] = /^\/storage\/v1\/b\/attest\/o\/([^/]+)\/rewriteTo\/b\/attest\/o\/([^/]+)$/.exec(pathname) ?? []
    if (from && to) {
      const copied = objects.get(decodeURIComponent(from))
      if (!copied) return failed(404, 'No such object')
      objects.set(decodeURIComponent(to), copied)
      return [200, { done: true, resource: described(decodeURIComponent(to), copied) }]
    }
    const name = decodeURIComponent(/^\/storage\/v1\/b\/attest\/o\/(.+)$/.exec(pathname)?.[1] ?? '')
    const bytes = objects.get(name)
    if (!bytes) return failed(404, `No such object: attest/${name}`)
    if (incoming.method === 'DELETE') {
      objects.delete(name)
      return [204, Buffer.alloc(0)]
    }
    if (searchParams.get('alt') !== 'media') return [200, described(name, bytes)]
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? '') ?? []
    const part = start ? bytes.subarray(Number(start), Number(end) + 1) : (state.change?.(bytes) ?? bytes)
    return [
      start ? 206 : 200,
      part,
      { 'x-goog-hash': `crc32c=${crc32cOf(bytes)}`, 'x-goog-stored-content-encoding': 'identity' },
    ]
  }
  async function serve(incoming: IncomingMessage, reply: ServerResponse) {
    const [status, body, headers] = await answer(incoming)
    const isBytes = Buffer.isBuffer(body)
    reply.writeHead(status, { 'content-type': isBytes ? 'application/octet-stream' : 'application/json', ...headers })
    reply.end(isBytes ? body : JSON.stringify(body))
  }
  const server = createServer((incoming, reply) => void serve(incoming, reply))
  const listen = (port: number) => new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }
  return { url, objects, state, stop, start: () => listen(port) }
}

const failed = (code: number, message: string): [number, object] => [code, { error: { code, message, errors: [] } }]

/** The second part of a multipart/related body. */
function mediaOf(contentType: string, body: Buffer) {
  const boundary = /boundary="?([^";]+)/.exec(contentType)![1]!
  const start = body.indexOf('\r\n\r\n', body.indexOf(`--${boundary}`, boundary.length)) + 4
  return body.subarray(start, body.lastIndexOf(`\r\n--${boundary}--`))
}

type Fake = Awaited<ReturnType<typeof openFake>>

async function openOn(fake: Fake, token = right_token) {
  const folder = mkdtempSync(join(root, 'spool-'))
  const credentials_file = join(folder, 'credentials.json')
  writeFileSync(join(folder, 'token'), token)
  writeFileSync(
    credentials_file,
    JSON.stringify({
      type: 'external_account',
      audience: 'attest',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${fake.url}/token`,
      credential_source: { file: join(folder, 'token') },
    }),
  )
  process.env.GOOGLE_APPLICATION_CREDENTIALS = credentials_file
  const config = { bucket: 'attest', project: 'tests', api_endpoint: fake.url }
  return { storage: await openGcpStorage(config, folder), spooled: async () => readdirSync(join(folder, '.tmp')) }
}

storageContract('Google Cloud Storage', async () => {
  const fake = await openFake()
  return { ...(await openOn(fake)), close: fake.stop }
})

describe('Google Cloud Storage', () => {
  let fake: Fake
  before(async () => {
    fake = await openFake()
  })
  after(() => fake.stop())
  const bytes = randomBytes(300_000)

  it('refuses who logs in wrongly, and has stored nothing', async () => {
    const { storage } = await openOn(fake, 'that of another')
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    await assert.rejects(storage.keep(received, newKey(7)), /who is this\?/)
    await assert.rejects(storage.stat(newKey(7)), /who is this\?/)
    await assert.rejects(storage.open(newKey(7)), /who is this\?/)
    await assert.rejects(storage.check(), /who is this\?/)
    assert.equal(fake.objects.size, 0)
  })

  it('fails plainly while it is down or cuts an upload, and takes the same file afterwards', async () => {
    const { storage, spooled } = await openOn(fake)
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    const key = newKey(7)
    fake.state.cutUploads = true
    await assert.rejects(storage.keep(received, key), /socket hang up|ECONNRESET|EPIPE/)
    fake.state.cutUploads = false
    await fake.stop()
    await assert.rejects(storage.keep(received, key), /ECONNREFUSED/)
    await assert.rejects(storage.check(), /ECONNREFUSED/)
    await assert.rejects(
      storage.open(key),
      (error: Error) => /ECONNREFUSED/.test(error.message) && !(error instanceof MissingFile),
    )
    await fake.start()
    assert.equal(await storage.stat(key), undefined)
    await storage.keep(received, key)
    assert.deepEqual(await buffer(await storage.open(key)), bytes)
    assert.deepEqual(await spooled(), [])
  })

  it('keeps nothing that arrived otherwise than it was sent', async () => {
    const { storage } = await openOn(fake)
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    const key = newKey(7)
    fake.state.change = altered
    await assert.rejects(storage.keep(received, key), /did not match|integrity/)
    delete fake.state.change
    assert.equal(await storage.stat(key), undefined)
    await storage.discard(received)
  })

  it('never gives to the end what comes back otherwise', async () => {
    const { storage } = await openOn(fake)
    const key = newKey(7)
    await storage.keep(await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length }), key)
    fake.state.change = altered
    await assert.rejects(buffer(await storage.open(key)), /CONTENT_DOWNLOAD_MISMATCH|did not match/)
    delete fake.state.change
  })
})

function altered(bytes: Buffer) {
  const copy = Buffer.from(bytes)
  copy[bytes.length - 1]! ^= 1
  return copy
}
