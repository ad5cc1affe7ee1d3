// Files that are uploaded before the record that they belong to.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { behindTheApi, type Json, ok } from '#test/builders/documents.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const dayMs = 24 * 3_600_000
const bytes = pdf('photo of the leak')
const file = { bytes, name: 'leak.pdf' }
const upload = async (by = 'uma', fields: Record<string, string> = {}): Promise<Json> =>
  ok(await world.as(by).upload('/api/uploads/', fields, file))
const report = (attachment_ids: number[], by = 'uma', headers: Record<string, string> = {}) =>
  world
    .as(by)
    .post(
      '/api/deviations/',
      { title: 'Leak', description: 'Below the pump', severity: 'minor', attachment_ids },
      headers,
    )
const eraseExpired = () =>
  world.app.schedules
    .find(({ name }) => name === 'uploads.erase_expired')!
    .round(world.services, new AbortController().signal)
const keyOf = async (id: number) =>
  (await world.rows<{ key: string }>('select file_key as key from uploads where id = $1', [id]))[0]!.key
const spaceUsed = async () => Number((await world.rows<{ n: string }>('select sum(bytes) as n from storage_use'))[0]!.n)
const events = async (id: number) =>
  (
    await world.rows<{ action: string }>(
      `select action from audit_entries where resource_type = 'upload' and resource_id = $1 order by id`,
      [id],
    )
  ).map(({ action }) => action)

// proves: DEV-01, CAPA-01
describe('an upload', () => {
  it('becomes an attachment of the record that is made with it, and is counted once', async () => {
    const before = await spaceUsed()
    const reply = await world.as('uma').upload('/api/uploads/', { description: 'As it was found' }, file)
    const made = ok(reply)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual(made.file, { name: 'leak.pdf', size: bytes.length, content_type: 'application/pdf', sha256 })
    assert.equal(reply.headers.location, `/api/uploads/${made.id}`)
    assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), dayMs)
    assert.deepEqual(ok(await world.as('uma').get(`/api/uploads/${made.id}`)), made)
    const second = await upload()
    const { id, attachments } = ok(await report([second.id, made.id]))
    assert.equal(attachments.length, 2)
    const { items } = ok(await world.as('uma').get(`/api/deviations/${id}/attachments`))
    assert.deepEqual(
      items.map(({ description }: Json) => description),
      [null, 'As it was found'],
    )
    const download = await world.as('otto').get(`/api/deviations/${id}/attachments/${items[1].id}/download`)
    assert.deepEqual(download.rawPayload, bytes)
    assert.equal((await world.as('uma').get(`/api/uploads/${made.id}`)).statusCode, 404)
    assert.deepEqual(await events(made.id), ['upload.created', 'upload.used'])
    assert.equal(await spaceUsed(), before + 2 * bytes.length)
    const { items: trail } = ok(await world.as('otto').get('/api/audit/?action=attachment.created'))
    assert.equal(trail.length, 2)
  })

  it('is as good for a new CAPA', async () => {
    const { id } = await upload('alan')
    const capa = ok(await world.as('alan').post('/api/capa/', { ...capas(world).body(), attachment_ids: [id] }))
    const { items } = ok(await world.as('alan').get(`/api/capa/${capa.id}/attachments`))
    assert.equal(items[0].file.name, 'leak.pdf')
  })

  // proves: SVC-01
  it('is of the person who uploaded it: nobody else reads or uses it, in their tenant or another', async () => {
    const { id } = await upload()
    for (const by of ['ada', 'quinn', 'rex']) {
      assert.equal((await world.as(by).get(`/api/uploads/${id}`)).statusCode, 404, by)
      const reply = await report([id], by)
      assert.deepEqual([reply.statusCode, reply.json().code], [404, 'not_found'], by)
    }
    const before = await world.rows('select id from deviations')
    const reply = await report([id, 999_999])
    assert.deepEqual([reply.statusCode, reply.json().params.ids], [404, [999_999]])
    assert.deepEqual(await world.rows('select id from deviations'), before, 'no record without its files')
    ok(await report([id]))
  })

  it('is used by one of two reports at the same moment, and by one report that is sent twice', async () => {
    const { id } = await upload()
    const replies = await Promise.all([report([id]), report([id])])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other),
      [201, 404],
    )
    const again = await upload()
    const key = { 'idempotency-key': 'on-a-bad-network' }
    const [first, second] = await Promise.all([report([again.id], 'uma', key), report([again.id], 'uma', key)])
    assert.deepEqual([first!.statusCode, second!.body], [201, first!.body])
  })

  it('is looked at as every file is, and takes the space of its tenant', async () => {
    const wrong = await world.as('uma').upload('/api/uploads/', {}, { bytes: Buffer.from('MZ nothing'), name: 'a.pdf' })
    assert.ok([415, 422].includes(wrong.statusCode), wrong.body)
    const tenant = world.people.uma!.tenant_id
    const setQuota = async (quota_mb: number | null, more_bytes: number) => {
      await behindTheApi(world, 'tenants', 'update tenants set storage_quota_mb = $2 where id = $1', [tenant, quota_mb])
      const counted = 'update storage_use set bytes = bytes + $2 where tenant_id = $1'
      await behindTheApi(world, 'storage_use', counted, [tenant, more_bytes])
    }
    await setQuota(1, 1_048_576)
    const full = await world.as('uma').upload('/api/uploads/', {}, file)
    await setQuota(null, -1_048_576)
    assert.deepEqual([full.statusCode, full.json().code], [413, 'storage_quota_exceeded'])
  })

  it('is erased after a day with its file, and what was used stays', async () => {
    const used = await upload()
    const kept = await keyOf(used.id)
    ok(await report([used.id]))
    const { id } = await upload()
    const key = await keyOf(id)
    const before = await spaceUsed()
    world.clock.moved_ms = dayMs - 60_000
    await eraseExpired()
    assert.ok(await world.services.storage.stat(key))
    world.clock.moved_ms = dayMs + 60_000
    try {
      assert.equal((await report([id])).statusCode, 404, 'also before the schedule has come')
      assert.equal((await eraseExpired()).failed, 0)
      assert.deepEqual(
        [await world.services.storage.stat(key), await world.rows('select id from uploads where id = $1', [id])],
        [undefined, []],
      )
      assert.ok(await world.services.storage.stat(kept))
      assert.deepEqual(await events(id), ['upload.created', 'upload.expired'])
      assert.ok((await spaceUsed()) <= before - bytes.length)
    } finally {
      world.clock.moved_ms = 0
    }
  })

  it('has a file that the sweep of the store keeps, before and after a record uses it', async () => {
    const { id } = await upload()
    const key = await keyOf(id)
    const { fileHolders } = await import('#modules/storage')
    const named = async () => {
      const found = await Promise.all(
        fileHolders.map(({ named }) =>
          world.database.transaction({ tenantId: world.people.uma!.tenant_id, userId: null }, 'read only', tx =>
            named(tx, [key]),
          ),
        ),
      )
      return found.flat()
    }
    assert.deepEqual(await named(), [key])
    ok(await report([id]))
    assert.deepEqual(await named(), [key], 'named by the attachment from then on')
  })

  it('waits with at most ninety-nine others of the same person', async () => {
    const { id: uma, tenant_id } = world.people.uma!
    await world.superuser.query(`set session_replication_role = replica;
      insert into uploads (tenant_id, file_key, file_name, file_size, content_type, sha256, created_at, created_by)
      select ${tenant_id}, 'x' || n, 'x.pdf', 1, 'application/pdf', repeat('0', 64), now(), ${uma} from generate_series(1, 100) n;
      set session_replication_role = origin`)
    const reply = await world.as('uma').upload('/api/uploads/', {}, file)
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'uploads_too_many'])
    await world.superuser.query(`set session_replication_role = replica; delete from uploads where file_key like 'x%';
      set session_replication_role = origin`)
  })
})
