// No emulator of Google Cloud Storage can be installed from a package of Debian or npm: this is a server of the tests' own that speaks
// as much of the JSON API as is used, with the log-in by which one cloud's machines come to another (a token for a token). Files lie on
// the disk and pass through in pieces, so that whoever holds one in memory can be told from who does not.
import assert from 'node:assert/strict'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CRC32C } from '@google-cloud/storage'
import { page_files } from '#platform/storage/contract.ts'

const right_token = 'the token of this machine'

interface Stored {
  path: string
  size_bytes: number
  crc32c: string
}
type Answer = [status: number, body: object | Readable | undefined, headers?: Record<string, string>]

/** One bucket, `attest`. `state` is how it misbehaves. */
export async function openGcs() {
  const folder = mkdtempSync(join(tmpdir(), 'attest-gcs-'))
  const objects = new Map<string, Stored>()
  const state: { change?: (bytes: Buffer) => Buffer; cutUploads?: boolean } = {}
  let count = 0

  async function take(incoming: IncomingMessage): Promise<Stored> {
    const path = join(folder, String(count++))
    await pipeline(mediaOf(incoming), createWriteStream(path))
    if (state.change) writeFileSync(path, state.change(readFileSync(path)))
    const crc32c = new CRC32C()
    let size_bytes = 0
    for await (const chunk of createReadStream(path)) {
      crc32c.update(chunk as Buffer)
      size_bytes += (chunk as Buffer).length
    }
    return { path, size_bytes, crc32c: crc32c.toString() }
  }

  async function answer(incoming: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://here')
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
      const stored = await take(incoming)
      assert.equal(searchParams.get('ifGenerationMatch'), '0')
      if (objects.has(name)) return failed(412, 'At least one of the pre-conditions you specified did not hold.')
      objects.set(name, stored)
      return [200, described(name, stored)]
    }
    if (pathname === '/storage/v1/b/attest/o') return [200, listed(searchParams)]
    const [, from, to] =
      /^\/storage\/v1\/b\/attest\/o\/([^/]+)\/rewriteTo\/b\/attest\/o\/([^/]+)$/
        .exec(pathname)
        ?.map(decodeURIComponent) ?? []
    if (from && to) {
      const copied = objects.get(from)
      if (!copied) return failed(404, 'No such object')
      objects.set(to, copied)
      return [200, { done: true, resource: described(to, copied) }]
    }
    const name = decodeURIComponent(/^\/storage\/v1\/b\/attest\/o\/(.+)$/.exec(pathname)?.[1] ?? '')
    const stored = objects.get(name)
    if (!stored) return failed(404, `No such object: attest/${name}`)
    if (incoming.method === 'DELETE') {
      objects.delete(name)
      return [204, undefined]
    }
    if (searchParams.get('alt') !== 'media') return [200, described(name, stored)]
    return give(stored, incoming.headers.range)
  }

  function give({ path, crc32c }: Stored, range = ''): Answer {
    const headers = { 'x-goog-hash': `crc32c=${crc32c}`, 'x-goog-stored-content-encoding': 'identity' }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    if (start) return [206, createReadStream(path, { start: Number(start), end: Number(end) }), headers]
    return [200, state.change ? Readable.from([state.change(readFileSync(path))]) : createReadStream(path), headers]
  }

  function listed(query: URLSearchParams) {
    const after = query.get('pageToken') ?? ''
    const rest = [...objects.keys()].sort().filter(name => name.startsWith(query.get('prefix')!) && name > after)
    const page = rest.slice(0, page_files)
    const items = page.map(name => ({ ...described(name, objects.get(name)!), updated: new Date().toISOString() }))
    return { items, ...(rest.length > page.length && { nextPageToken: page.at(-1) }) }
  }

  async function serve(incoming: IncomingMessage, reply: ServerResponse) {
    const [status, body, headers] = await answer(incoming)
    const isFile = body instanceof Readable
    reply.writeHead(status, { 'content-type': isFile ? 'application/octet-stream' : 'application/json', ...headers })
    if (isFile) await pipeline(body, reply)
    else reply.end(body && JSON.stringify(body))
  }
  // Requests that the client or a stop has cut off are ignored.
  const server = createServer((incoming, reply) => void serve(incoming, reply).catch(() => reply.destroy()))
  const listen = (port: number) => new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }

  /** A credentials file that logs in here, for GOOGLE_APPLICATION_CREDENTIALS. */
  function credentials(token = right_token) {
    const path = mkdtempSync(join(folder, 'login-'))
    writeFileSync(join(path, 'token'), token)
    const login = {
      type: 'external_account',
      audience: 'attest',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${url}/token`,
      credential_source: { file: join(path, 'token') },
    }
    writeFileSync(join(path, 'credentials.json'), JSON.stringify(login))
    return join(path, 'credentials.json')
  }
  return {
    url,
    objects,
    state,
    credentials,
    stop,
    start: () => listen(port),
    async close() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}
export type Gcs = Awaited<ReturnType<typeof openGcs>>

const failed = (code: number, message: string): Answer => [code, { error: { code, message, errors: [] } }]

const described = (name: string, { size_bytes, crc32c }: Stored) => ({
  name,
  bucket: 'attest',
  generation: '1',
  size: String(size_bytes),
  crc32c,
})

/** The second part of a multipart/related body, in pieces. */
async function* mediaOf(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const boundary = /boundary="?([^";]+)/.exec(incoming.headers['content-type']!)![1]!
  const end = `\r\n--${boundary}--`
  let isInMedia = false
  let held = Buffer.alloc(0)
  for await (const chunk of incoming) {
    held = Buffer.concat([held, chunk as Buffer])
    if (!isInMedia) {
      const second = held.indexOf(`--${boundary}`, boundary.length)
      const start = second < 0 ? -1 : held.indexOf('\r\n\r\n', second)
      if (start < 0) continue
      isInMedia = true
      held = held.subarray(start + 4)
    }
    // The end of the body may be in what comes next, or begin here.
    const sure = Math.max(0, held.length - end.length - 4)
    yield held.subarray(0, sure)
    held = held.subarray(sure)
  }
  yield held.subarray(0, held.lastIndexOf(end))
}
