// The content of removed files in a bucket of a real S3 service (test/support/fakes/swift.ts) that keeps versions. proves: DOC-08, OPS-02
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { deleteRestored } from './index.ts'

const Bucket = 'removals'
const url = '/api/file-removals/'
const openSwift = shareSwift()
let swift: Swift
let client: S3Client
let world: World
before(async () => {
  swift = await openSwift()
  client = await bucketOf(swift, Bucket, { keepsVersions: true })
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

/** An attached file, whose removal two people have signed. */
async function approved() {
  const { id: deviation } = await cases(world).deviation()
  const path = `/api/deviations/${deviation}/attachments`
  const bytes = pdf(`scan ${randomBytes(16).toString('hex')}`)
  const { id: attachment_id }: Json = ok(await world.as('uma').upload(path, {}, { bytes, name: 'scan.pdf' }))
  assert.ok(swift.holds(bytes))
  const [{ file_key }] = (await world.rows('select file_key from attachments where id = $1', [attachment_id])) as [Json]
  const { id }: Json = ok(await world.as('petra').post(url, { attachment_id, reason: 'It names a patient', password }))
  const approve = () =>
    world.as('quinn').post(`${url}${id}/approve`, { decision_reason: 'Confirmed with the author', password })
  return { id: id as number, bytes, key: file_key as string, approve }
}
const statusOf = async (id: number) => ok(await world.as('quinn').get(`${url}${id}`)).status

it('no version of a removed file stays in the bucket', async () => {
  const { id, bytes, key, approve } = await approved()
  // As a sweep or a restore leaves it: an older version below the one that the record names.
  await client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes }))
  ok(await approve())
  await world.work()
  assert.deepEqual([await statusOf(id), swift.holds(bytes)], ['removed', false])
})

it('the content goes once the bucket answers again, and is not called gone before', async () => {
  const { id, bytes, approve } = await approved()
  await swift.stop()
  ok(await approve())
  assert.equal((await world.work({ mayFail: true })).failed, 1)
  assert.equal(await statusOf(id), 'approved')
  await swift.start()
  assert.ok(swift.holds(bytes))
  await world.rows(`delete from pgboss.job where data ->> 'job' = 'file_removals.delete_content'`)
  await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
  await world.work()
  assert.deepEqual([await statusOf(id), swift.holds(bytes)], ['removed', false])
})

it('content that a restore of the bucket brings back goes again with all its versions', async () => {
  const { id, bytes, key, approve } = await approved()
  ok(await approve())
  await world.work()
  for (const Key of [key, `trash/${key}`]) await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes }))
  assert.ok(swift.holds(bytes))
  assert.equal((await world.round(deleteRestored)).done, 1)
  assert.deepEqual([await statusOf(id), swift.holds(bytes)], ['removed', false])
  assert.equal((await world.round(deleteRestored)).done, 0)
})
