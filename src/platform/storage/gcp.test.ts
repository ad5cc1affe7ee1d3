// Against a server of the tests' own: see test/support/fakes/gcs.ts.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { type Gcs, openGcs } from '#test/fakes/gcs.ts'
import { keepVariable } from '#test/world/environment.ts'
import { holdsNothing, storageContract } from './contract.ts'
import { openGcpStorage } from './gcp.ts'
import { MissingFile, newKey } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-gcp-test-'))
after(() => rmSync(root, { recursive: true }))
after(keepVariable('GOOGLE_APPLICATION_CREDENTIALS'))
async function openOn(gcs: Gcs, token?: string) {
  const folder = mkdtempSync(join(root, 'spool-'))
  const config = { bucket: 'attest', project: 'tests', api_endpoint: gcs.url }
  process.env.GOOGLE_APPLICATION_CREDENTIALS = gcs.credentials(token)
  return { storage: await openGcpStorage(config, folder), spooled: async () => readdirSync(join(folder, '.tmp')) }
}

storageContract('Google Cloud Storage', async () => {
  const gcs = await openGcs()
  return { ...(await openOn(gcs)), close: gcs.close }
})

describe('Google Cloud Storage', () => {
  let gcs: Gcs
  before(async () => {
    gcs = await openGcs()
  })
  after(() => gcs.close())
  const bytes = randomBytes(300_000)

  it('refuses who logs in wrongly, and has stored nothing', async () => {
    const { storage } = await openOn(gcs, 'that of another')
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    await assert.rejects(storage.keep(received, newKey(7)), /who is this\?/)
    await assert.rejects(storage.stat(newKey(7)), /who is this\?/)
    await assert.rejects(storage.open(newKey(7)), /who is this\?/)
    await assert.rejects(storage.check(), /who is this\?/)
    assert.equal(gcs.objects.size, 0)
  })

  it('fails plainly while it is down or cuts an upload, and takes the same file afterwards', async () => {
    const { storage, spooled } = await openOn(gcs)
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    const key = newKey(7)
    gcs.state.cutUploads = true
    await assert.rejects(storage.keep(received, key), /socket hang up|ECONNRESET|EPIPE/)
    gcs.state.cutUploads = false
    await gcs.stop()
    await assert.rejects(storage.keep(received, key), /ECONNREFUSED/)
    await assert.rejects(storage.check(), /ECONNREFUSED/)
    await assert.rejects(
      storage.open(key),
      (error: Error) => /ECONNREFUSED/.test(error.message) && !(error instanceof MissingFile),
    )
    await gcs.start()
    assert.equal(await storage.stat(key), undefined)
    await storage.keep(received, key)
    assert.deepEqual(await buffer(await storage.open(key)), bytes)
    assert.deepEqual(await spooled(), [])
  })

  it('keeps nothing that arrived otherwise than it was sent', async () => {
    const { storage } = await openOn(gcs)
    const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
    const key = newKey(7)
    gcs.state.change = altered
    await assert.rejects(storage.keep(received, key), /did not match|integrity/)
    delete gcs.state.change
    assert.equal(await storage.stat(key), undefined)
    await storage.discard(received)
  })

  it('never gives to the end what comes back otherwise', async () => {
    const { storage } = await openOn(gcs)
    const key = newKey(7)
    await storage.keep(await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length }), key)
    gcs.state.change = altered
    await assert.rejects(buffer(await storage.open(key)), /CONTENT_DOWNLOAD_MISMATCH|did not match/)
    delete gcs.state.change
  })

  it('takes and gives 256 MiB without holding them', async () => {
    const { storage } = await openOn(gcs)
    await holdsNothing(storage)
  })
})

function altered(bytes: Buffer) {
  const copy = Buffer.from(bytes)
  copy[bytes.length - 1]! ^= 1
  return copy
}
