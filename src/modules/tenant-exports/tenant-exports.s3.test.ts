// The archive of an export in a bucket of a real S3 service (test/support/fakes/swift.ts). proves: EXIT-01
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { S3Client } from '@aws-sdk/client-s3'
import { ok, papers } from '#test/builders/documents.ts'
import { unzip } from '#test/builders/dossiers.ts'
import { readyExport } from '#test/builders/export-samples.ts'
import { accepted } from '#test/builders/samples.ts'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { openWorld, type World } from '#test/world/world.ts'

const Bucket = 'exports'
const openSwift = shareSwift()
let swift: Swift
let client: S3Client
let world: World
before(async () => {
  swift = await openSwift()
  client = await bucketOf(swift, Bucket)
  world = await openWorld({
    STORAGE_TYPE: 's3',
    S3_BUCKET: Bucket,
    S3_ENDPOINT: swift.endpoint,
    S3_ACCESS_KEY_ID: swiftLogin.access_key_id,
    S3_SECRET_ACCESS_KEY: swiftLogin.secret_access_key,
  })
})
after(async () => {
  await world?.close()
  client?.destroy()
  await swift?.close()
})

it('is made of files in the bucket, lies in it, is given in parts, and is gone from it', async () => {
  const { file } = await papers(world).upload()
  const id = await readyExport(world)
  const path = `/api/tenant-exports/${id}`
  const { bytes, sha256 } = ok(await world.as('ada').get(path))
  const { rawPayload: whole } = await world.as('ada').get(`${path}/download`)
  assert.deepEqual([whole.length, createHash('sha256').update(whole).digest('hex')], [bytes, sha256])
  const files = await unzip(whole)
  assert.equal(files.get(`files/${file.sha256}`)!.length, file.size)
  const part = await world.as('ada').get(`${path}/download`, { range: 'bytes=10-19' })
  assert.deepEqual([part.statusCode, part.rawPayload], [206, whole.subarray(10, 20)])
  assert.ok(swift.holds(whole))
  await accepted(world.as('ada').delete(path))
  // The answer does not wait for the bucket; the schedule removes what is left.
  await world.tick()
  assert.ok(!swift.holds(whole))
})
