// A bucket that takes connections and requests, and never answers: what it costs who needs it, and everybody else.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { sweep } from '#modules/storage'
import { until } from '#test/world/background.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

/** More than there are connections to the database, had each of them taken one along. */
const at_once = 12
/** In production 10 s, which src/platform/storage/s3.test.ts checks. */
const silence_ms = 2_000
/** The store is asked twice by each upload and each download, and for each of the two lists of the sweep. */
const asked_at_most = 2 * (2 * at_once + 2)
/** Twice the silence and, on a busy machine, the work around it. */
const told_within_ms = 20_000

/** As much of S3 as one file needs. Where it `isSilent` it reads what it is asked. */
async function openBucket() {
  const objects = new Map<string, Buffer>()
  const state = { isSilent: false, unanswered: 0 }
  async function serve(request: IncomingMessage, reply: ServerResponse) {
    const body = await buffer(request)
    if (state.isSilent) {
      state.unanswered += 1
      return
    }
    const key = request.url!.split('?')[0]!
    const end = (status: number, answer: Buffer | string = '') => void reply.writeHead(status).end(answer)
    if (request.url!.includes('list-type=2'))
      return end(200, '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
    if (request.method === 'PUT') {
      objects.set(key, body)
      return end(200)
    }
    if (request.method === 'DELETE') return end(204)
    const found = objects.get(key)
    if (!found) return end(404, request.method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>')
    reply.writeHead(200, { 'content-length': found.length }).end(request.method === 'HEAD' ? '' : found)
  }
  const server = createServer((request, reply) => void serve(request, reply))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('while the bucket never answers', { timeout: 600_000 }, () => {
  let world: World
  let bucket: Awaited<ReturnType<typeof openBucket>>
  before(async () => {
    bucket = await openBucket()
    const environment = {
      STORAGE_TYPE: 's3',
      S3_ENDPOINT: bucket.url,
      S3_BUCKET: 'sops',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    }
    world = await openWorld(environment, { patience: { timeout_ms: silence_ms } })
  })
  after(async () => {
    await world.close()
    bucket.close()
  })

  it('uploads, downloads and the sweep are told so in the end, nothing of them stays, and all else goes on', async t => {
    const document_type = await world.typeId('SOP')
    const upload = (title: string) =>
      world.as('alan').upload('/api/documents/upload', { title, document_type }, { bytes: pdf(title), name: 'a.pdf' })
    const kept = await upload('Kept')
    assert.equal(kept.statusCode, 201, kept.body)
    const { id } = kept.json()
    const download = () => world.as('alan').get(`/api/documents/${id}/download`)
    assert.equal((await download()).statusCode, 200)

    bucket.state.isSilent = true
    const begun = performance.now()
    const numbered = (count: number) => Array.from({ length: count }, (_, number) => number)
    let isOver = false
    const waiting = Promise.all([
      Promise.all(numbered(at_once).map(number => upload(`Lost ${number}`))),
      Promise.all(numbered(at_once).map(download)),
      world.round(sweep.schedule),
    ]).finally(() => {
      isOver = true
    })
    await until(() => bucket.state.unanswered >= at_once, told_within_ms)
    for (const request of [
      () => world.as('alan').get('/api/documents/'),
      () => world.as('alan').get(`/api/documents/${id}`),
      () =>
        world.as('uma').post('/api/deviations/', { title: 'Stain', description: 'On the line.', severity: 'minor' }),
      () => world.as('uma').get('/api/health'),
    ]) {
      const reply = await request()
      assert.ok(reply.statusCode < 300, reply.body)
    }
    const held = () =>
      world.rows(
        `select state, query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      )
    // Between two statements of a download is a moment, and the bucket is silent for seconds.
    await until(async () => (await held()).length === 0)
    assert.equal(isOver, false, 'it was silent all the time')

    const [uploads, downloads, { failed }] = await waiting
    const took_ms = performance.now() - begun
    for (const reply of [...uploads, ...downloads]) {
      assert.equal(reply.statusCode, 503, reply.body)
      assert.match(reply.json().detail, /^The file storage does not work at the moment/)
    }
    assert.ok(failed > 0, 'the sweep has not failed')
    assert.ok(took_ms < told_within_ms, `${took_ms} ms`)
    assert.ok(bucket.state.unanswered <= asked_at_most, `${bucket.state.unanswered} requests`)
    t.diagnostic(`told after ${(took_ms / 1000).toFixed(1)} s, ${bucket.state.unanswered} requests without an answer`)

    bucket.state.isSilent = false
    assert.equal((await download()).statusCode, 200)
    assert.equal((await upload('Again')).statusCode, 201)
    assert.deepEqual(
      (await world.rows<{ title: string }>('select title from document_versions')).map(({ title }) => title).sort(),
      ['Again', 'Kept'],
    )
    assert.deepEqual(readdirSync(join(world.services.config.upload_dir, '.tmp')), [])
  })
})
