// A bucket of a real S3 service (test/support/fakes/swift.ts) that goes down, keeps silent or refuses, seen from outside.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { papers } from '#test/builders/documents.ts'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { openWorld, type World } from '#test/world/world.ts'

const failure = {
  detail: 'The file storage does not work at the moment. Try again, and quote the reference when you contact support.',
  code: 'storage_error',
  params: {},
}

describe('with the files in a bucket', () => {
  const openSwift = shareSwift()
  let swift: Swift
  before(async () => {
    swift = await openSwift()
    ;(await bucketOf(swift, 'sops')).destroy()
  })
  after(() => swift?.close())

  const open = async (different: Record<string, string> = {}) => {
    const world = await openWorld({
      STORAGE_TYPE: 's3',
      S3_BUCKET: 'sops',
      S3_ENDPOINT: swift.endpoint,
      S3_ACCESS_KEY_ID: swiftLogin.access_key_id,
      S3_SECRET_ACCESS_KEY: swiftLogin.secret_access_key,
      ...different,
    })
    await giveSecondFactor(world, 'pat')
    return world
  }
  const storageOf = async (world: World) => {
    const report = (await world.as('pat').get('/api/status')).json()
    const { status, detail } = report.dependencies.find(({ name }: { name: string }) => name === 'Storage')
    return [status, detail, report.storage.writable]
  }
  const spooled = (world: World) => readdirSync(join(world.services.config.upload_dir, '.tmp'))
  const upload = async (world: World) =>
    world.as('alan').upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') })

  /** ERR-02: a fixed sentence and the reference, and nothing that the store said. */
  function assertFailed(reply: Awaited<ReturnType<typeof upload>>) {
    assert.equal(reply.statusCode, 503, reply.body)
    assert.deepEqual(reply.json(), { ...failure, request_id: reply.headers['x-request-id'] })
  }

  const added = (before: Set<string>) => swift.stored().filter(each => !before.has(each))

  it('uploads and downloads fail with a sentence while it is down, keep nothing, and work again with it (proves: DOC-08, HLTH-03)', async () => {
    const world = await open()
    const { id } = await papers(world).upload()
    const download = () => world.as('alan').get(`/api/documents/${id}/download`)
    assert.equal((await download()).statusCode, 200)
    assert.deepEqual(await storageOf(world), ['Operational', null, true])
    const objects = new Set(swift.stored())
    await swift.stop()
    assertFailed(await upload(world))
    assertFailed(await download())
    // A good result is kept for some seconds; another process of the service has not looked yet.
    const other = await open()
    assert.deepEqual(await storageOf(other), ['Down', 'The connection was refused', false])
    assert.equal((await world.as('alan').get(`/api/documents/${id}`)).statusCode, 200)
    await swift.start()
    assert.deepEqual(added(objects), [])
    assert.equal((await world.rows('select from documents')).length, 1)
    assert.deepEqual(spooled(world), [])
    assert.equal((await download()).statusCode, 200)
    assert.equal((await upload(world)).statusCode, 201)
    await other.close()
    await world.close()
  })

  it('the report does not wait for one that keeps silent (proves: HLTH-03)', async () => {
    const world = await open()
    swift.pause()
    try {
      assert.deepEqual(await storageOf(world), ['Down', 'No answer within 2 s', false])
    } finally {
      swift.goOn()
    }
    await world.close()
  })

  for (const [what, different, detail] of [
    ['a wrong secret', { S3_SECRET_ACCESS_KEY: 'guessed' }, 'It refuses the log-in, or the log-in lacks rights'],
    ['a bucket that is not there', { S3_BUCKET: 'elsewhere' }, 'Its bucket is not there'],
  ] as const)
    it(`${what}: nothing is stored, nobody is told what the store said, and the report says which it is (proves: DOC-08)`, async () => {
      const world = await open(different)
      const objects = new Set(swift.stored())
      const reply = await upload(world)
      assertFailed(reply)
      assert.deepEqual(added(objects), [])
      assert.deepEqual(await world.rows('select from documents'), [])
      assert.deepEqual(spooled(world), [])
      assert.deepEqual(await storageOf(world), ['Down', detail, false])
      await world.close()
    })
})
