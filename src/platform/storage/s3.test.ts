// Differences between stores with S3's protocol, on a server of the test's own: whether one refuses to replace a file by itself.
// The common behaviour is tested on a real store, in s3.s3.test.ts.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { until } from '#test/world/background.ts'
import { page_files, storageContract } from './contract.ts'
import { openS3Client, openS3Storage } from './s3.ts'
import { KeyTaken, newKey } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-s3-fake-test-'))
after(() => rmSync(root, { recursive: true }))

/** As AWS since 2024, which `refuses`; or as stores that pay no attention to `If-None-Match`. */
async function openFake({ refuses }: { refuses: boolean }) {
  const objects = new Map<string, Buffer>()
  const state = { drops: false }
  async function serve(incoming: IncomingMessage, reply: ServerResponse) {
    const key = incoming.url!.split('?')[0]!
    const body = await buffer(incoming)
    const end = (status: number, headers = {}, answer: Buffer | string = '') =>
      reply.writeHead(status, headers).end(answer)
    const fail = (status: number, code: string) => end(status, {}, `<Error><Code>${code}</Code></Error>`)
    const found = objects.get(key)
    if (incoming.method === 'GET' && incoming.url!.includes('list-type=2')) {
      const query = new URL(incoming.url!, 'http://fake').searchParams
      return end(200, {}, listed(query.get('prefix')!, query.get('continuation-token') ?? ''))
    }
    const copied = incoming.headers['x-amz-copy-source']
    if (incoming.method === 'PUT' && copied) {
      objects.set(key, objects.get(`/${String(copied)}`)!)
      return end(200, {}, '<CopyObjectResult><ETag>1</ETag></CopyObjectResult>')
    }
    if (incoming.method === 'PUT') {
      if (refuses && incoming.headers['if-none-match'] === '*' && found) return fail(412, 'PreconditionFailed')
      const declared = incoming.headers['x-amz-content-sha256']
      if (declared !== createHash('sha256').update(body).digest('hex')) return fail(400, 'XAmzContentSHA256Mismatch')
      if (!state.drops) objects.set(key, body)
      return end(200)
    }
    if (incoming.method === 'DELETE') {
      objects.delete(key)
      return end(204)
    }
    if (!found) return incoming.method === 'HEAD' ? end(404) : fail(404, 'NoSuchKey')
    const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? '') ?? []
    const part = start ? found.subarray(Number(start), Number(last) + 1) : found
    return end(start ? 206 : 200, { 'content-length': part.length }, incoming.method === 'HEAD' ? '' : part)
  }
  /** The first that come after what was listed last, as many as on a page. */
  function listed(prefix: string, after: string) {
    const keys = [...objects.keys()].map(key => key.slice('/attest/'.length)).sort()
    const rest = keys.filter(key => key.startsWith(prefix) && key > after)
    const page = rest.slice(0, page_files)
    const contents = page.map(key => {
      const size = objects.get(`/attest/${key}`)!.length
      return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${new Date().toISOString()}</LastModified></Contents>`
    })
    const more = rest.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return `<ListBucketResult><IsTruncated>${more !== ''}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`
  }
  const server = createServer((incoming, reply) => void serve(incoming, reply))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const folder = mkdtempSync(join(root, 'spool-'))
  const storage = await openS3Storage(
    {
      bucket: 'attest',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      access_key_id: 'somebody',
      secret_access_key: 'something',
    },
    folder,
  )
  return {
    storage,
    objects,
    state,
    spooled: async () => readdirSync(join(folder, '.tmp')),
    async close() {
      await storage.close!()
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

storageContract('S3, on a store that refuses to replace', () => openFake({ refuses: true }))
storageContract('S3, on a store that replaces', () => openFake({ refuses: false }))

describe('S3', () => {
  for (const refuses of [true, false]) {
    it(`says that a key is taken, on a store that ${refuses ? 'refuses to replace' : 'replaces'}, and leaves nothing of its trial`, async () => {
      const { storage, objects, close } = await openFake({ refuses })
      const receive = () => storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
      const key = newKey(7)
      await storage.keep(await receive(), key)
      const second = await receive()
      await assert.rejects(storage.keep(second, key), KeyTaken)
      await storage.discard(second)
      assert.deepEqual([...objects.keys()], [`/attest/${key}`])
      await close()
    })
  }

  it('does not call kept what the store has not', async () => {
    const { storage, state, close } = await openFake({ refuses: true })
    const received = await storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
    await storage.check()
    state.drops = true
    await assert.rejects(storage.keep(received, newKey(7)), /took 10 bytes of \S+ and has none/)
    await storage.discard(received)
    await close()
  })

  // test/faults/bucket.test.ts shows what that costs, with a shorter silence.
  it('says within 30 s that the store is silent, and has asked it twice by then', async () => {
    const login = { access_key_id: 'somebody', secret_access_key: 'something' }
    let asked = 0
    const silent = createServer(() => {
      asked += 1
    })
    await new Promise<void>(done => silent.listen(0, '127.0.0.1', done))
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const config = { bucket: 'attest', region: 'us-east-1', endpoint, ...login }
    const look = (client: ReturnType<typeof openS3Client>) => client.send(new HeadBucketCommand({ Bucket: 'attest' }))
    const impatient = openS3Client(config, { timeout_ms: 50 })
    await assert.rejects(look(impatient), { name: 'SilentStore' })
    assert.equal(asked, 2)
    const put = new PutObjectCommand({ Bucket: 'attest', Key: 'a', Body: 'a text' })
    const begun = performance.now()
    await assert.rejects(impatient.send(put), { name: 'SilentStore' })
    assert.ok(performance.now() - begun < 5_000, 'the library waited for leave to send the body')
    impatient.destroy()

    const usual = openS3Client(config)
    const looking = assert.rejects(look(usual))
    await until(() => asked > 4)
    silent.closeAllConnections()
    silent.close()
    await looking
    // The library reads its handler's options with its first request.
    const handler = usual.config.requestHandler as unknown as { httpHandlerConfigs(): { socketTimeout: number } }
    const begins_ms = 3_000 // with which it begins to count
    assert.ok(2 * (handler.httpHandlerConfigs().socketTimeout + begins_ms) < 30_000)
    assert.equal(await usual.config.maxAttempts(), 3)
    usual.destroy()
  })
})
