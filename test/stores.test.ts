// A store in a bucket that is down, seen from outside.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openTcpServer } from './fault-proxy.ts'
import { giveSecondFactor } from './samples.ts'
import { openWorld, type World } from './world.ts'

for (const [type, variables] of [
  ['s3', { S3_BUCKET: 'sops', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'do-not-tell-anybody' }],
  ['gcp', { GCP_BUCKET: 'sops' }],
] as const) {
  describe(`with STORAGE_TYPE=${type} and a store that is down`, () => {
    let world: World
    const folder = mkdtempSync(join(tmpdir(), 'attest-stores-test-'))
    before(async () => {
      const nobody = await openTcpServer(() => {})
      await nobody.close()
      const url = `http://127.0.0.1:${nobody.port}`
      // The library of Google's store looks for its credentials by itself.
      process.env.GOOGLE_APPLICATION_CREDENTIALS = join(folder, 'credentials.json')
      const credentials = {
        type: 'external_account',
        audience: 'attest',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${url}/token`,
        credential_source: { file: join(folder, 'credentials.json') },
      }
      writeFileSync(process.env.GOOGLE_APPLICATION_CREDENTIALS, JSON.stringify(credentials))
      world = await openWorld({ STORAGE_TYPE: type, S3_ENDPOINT: url, GCP_API_ENDPOINT: url, ...variables })
      await giveSecondFactor(world, 'pat')
    })
    after(async () => {
      await world.close()
      rmSync(folder, { recursive: true })
    })

    it('an upload is an error of the service, and nothing of it stays (proves: DOC-08)', async () => {
      const document_type = await world.typeId('SOP')
      const reply = await world.as('alan').upload('/api/documents/upload', { title: 'Cleaning', document_type })
      assert.equal(reply.statusCode, 500, reply.body)
      assert.doesNotMatch(reply.body, /do-not-tell|127\.0\.0\.1|sops/)
      assert.deepEqual(await world.rows('select id from documents'), [])
      assert.deepEqual(readdirSync(join(world.services.config.upload_dir, '.tmp')), [])
    })

    it('the report says so, and the rest works', async () => {
      const report = (await world.as('pat').get('/api/status')).json()
      assert.deepEqual(report.storage, { type, writable: false })
      const { status, detail } = report.dependencies.find(({ name }: { name: string }) => name === 'Storage')
      assert.equal(status, 'Down')
      assert.match(detail, /refused|No answer within 2 s/)
      assert.equal((await world.as('alan').get('/api/documents/')).statusCode, 200)
    })
  })
}
