// A store in a bucket that is down and a folder that is full, seen from outside.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { openTcpServer } from '#test/faults/fault-proxy.ts'
import { mountSmallDisk, noSmallDisk } from '#test/faults/small-disk.ts'
import { keepVariable } from '#test/world/environment.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

for (const [type, variables] of [
  ['s3', { S3_BUCKET: 'sops', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'do-not-tell-anybody' }],
  ['gcp', { GCP_BUCKET: 'sops' }],
] as const) {
  describe(`with STORAGE_TYPE=${type} and a store that is down`, () => {
    let world: World
    let putBack: () => void
    const folder = mkdtempSync(join(tmpdir(), 'attest-stores-test-'))
    before(async () => {
      const nobody = await openTcpServer(() => {})
      await nobody.close()
      const url = `http://127.0.0.1:${nobody.port}`
      // The library of Google's store looks for its credentials by itself.
      const file = join(folder, 'credentials.json')
      putBack = keepVariable('GOOGLE_APPLICATION_CREDENTIALS')
      process.env.GOOGLE_APPLICATION_CREDENTIALS = file
      const credentials = {
        type: 'external_account',
        audience: 'attest',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${url}/token`,
        credential_source: { file },
      }
      writeFileSync(file, JSON.stringify(credentials))
      world = await openWorld({ STORAGE_TYPE: type, S3_ENDPOINT: url, GCP_API_ENDPOINT: url, ...variables })
      await giveSecondFactor(world, 'pat')
    })
    after(async () => {
      putBack()
      await world.close()
      rmSync(folder, { recursive: true })
    })

    it('an upload is an error of the service, and nothing of it stays (proves: DOC-08)', async () => {
      const document_type = await world.typeId('SOP')
      const reply = await world.as('alan').upload('/api/documents/upload', { title: 'Cleaning', document_type })
      assert.equal(reply.statusCode, 503, reply.body)
      assert.doesNotMatch(reply.body, /do-not-tell|127\.0\.0\.1|sops/)
      assert.deepEqual(await world.rows('select id from documents'), [])
      assert.deepEqual(readdirSync(join(world.services.config.upload_dir, '.tmp')), [])
    })

    it('the report says so, and the rest works', async () => {
      const report = (await world.as('pat').get('/api/status')).json()
      assert.deepEqual(report.storage, { type, writable: false, used_bytes: 0, tenants_nearly_full: 0 })
      const { status, detail } = report.dependencies.find(({ name }: { name: string }) => name === 'Storage')
      assert.equal(status, 'Down')
      assert.match(detail, /refused|No answer within 2 s/)
      assert.equal((await world.as('alan').get('/api/documents/')).statusCode, 200)
    })
  })
}

describe('with a folder whose disk is full', () => {
  let folder: string
  let disk: ReturnType<typeof mountSmallDisk>
  let world: World
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-full-test-'))
  })
  after(async () => {
    await world?.close()
    disk?.unmount()
    rmSync(folder, { recursive: true })
  })

  it('an upload is an error of the service, leaves no row and no byte, and the next one that fits is taken (proves: DOC-08, HLTH-03)', async test => {
    disk = mountSmallDisk(folder, '4m')
    if (!disk) return test.skip(noSmallDisk)
    const upload_dir = join(folder, 'uploads')
    world = await openWorld({ UPLOAD_DIR: upload_dir })
    await giveSecondFactor(world, 'pat')
    const document_type = await world.typeId('SOP')
    const upload = (text: string) =>
      world
        .as('alan')
        .upload('/api/documents/upload', { title: 'Cleaning', document_type }, { bytes: pdf(text), name: 'a.pdf' })
    const found = () => readdirSync(upload_dir, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
    const refused = await upload('x'.repeat(6_000_000))
    assert.equal(refused.statusCode, 503, refused.body)
    assert.match(refused.json().detail, /^The file storage does not work at the moment/)
    assert.equal(refused.json().request_id, refused.headers['x-request-id'])
    assert.deepEqual(await world.rows('select from documents'), [])
    assert.deepEqual(found(), [])
    assert.equal((await upload('x'.repeat(1_000_000))).statusCode, 201)
    assert.equal(found().length, 1)

    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (let n = 0; ; n++) writeFileSync(join(folder, `filler-${size}-${n}`), Buffer.alloc(size))
      } catch {}
    }
    const report = (await world.as('pat').get('/api/status')).json()
    const { status, detail } = report.dependencies.find(({ name }: { name: string }) => name === 'Storage')
    assert.deepEqual([status, detail, report.storage.writable], ['Down', 'It is full', false])
    assert.deepEqual(readdirSync(join(upload_dir, '.tmp')), [])
  })
})
