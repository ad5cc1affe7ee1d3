// A tenant fills the disk that all of them share. proves: SVC-01, DOC-07, HLTH-03
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { filesOf, groups, migrationsOf } from '#test/builders/migrations.ts'
import { findDrift, rebuildProjections } from '#test/builders/projections.ts'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { filesBelow } from '#test/world/stored-files.ts'
import { openWorld, type World } from '#test/world/world.ts'

const MiB = 1024 * 1024
const file = (bytes: number) => ({ bytes: Buffer.alloc(bytes, 'a line of text \n'), name: 'notes.txt' })

describe('the storage quota of a tenant', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await giveSecondFactor(world, 'pat')
  })
  after(() => world.close())

  const path = () => `/api/platform/tenants/${world.people.ada!.tenant_id}`
  const allow = async (storage_quota_mb: number | null): Promise<Json> =>
    ok(await world.as('pat').put(path(), { storage_quota_mb, change_reason: 'The contract says so' }))
  const tenant = async (): Promise<Json> => ok(await world.as('pat').get(path()))
  const typeOf = async (by: string) =>
    ok(await world.as(by).get('/api/document-types/')).items.find(({ name }: Json) => name === 'SOP').id
  const upload = async (bytes: number, by = 'alan') =>
    world.as(by).upload('/api/documents/upload', { title: 'Notes', document_type: await typeOf(by) }, file(bytes))
  const stored = () => filesBelow(world.services.config.upload_dir)

  it('is set by the platform alone, which sees how much of it is used, and is written down', async () => {
    assert.equal((await world.as('ada').put(path(), { storage_quota_mb: 5 })).statusCode, 403)
    for (const storage_quota_mb of [0, -1, 1.5, '5', 2 ** 40])
      assert.equal((await world.as('pat').put(path(), { storage_quota_mb })).statusCode, 422)
    const before = await tenant()
    assert.equal(before.storage_quota_mb, null)
    ok(await upload(1000))
    const after = await allow(1)
    assert.equal(after.storage_quota_mb, 1)
    assert.equal(after.storage_bytes, before.storage_bytes + 1000)
    assert.equal(after.storage_files, before.storage_files + 1)
    const list = ok(await world.as('pat').get('/api/platform/tenants/'))
    assert.deepEqual(list.items.find(({ slug }: Json) => slug === 'acme').storage_bytes, after.storage_bytes)
    const [entry] = await world.rows<{ changes: Json }>(
      `select changes from audit_entries where action = 'tenant.updated' order by id desc limit 1`,
    )
    assert.deepEqual(entry!.changes.storage_quota_mb, { from: null, to: 1 })
  })

  it('holds for one of two uploads at the same moment that together exceed it', async () => {
    const both = await Promise.all([upload(600 * 1024), upload(600 * 1024)])
    assert.deepEqual(both.map(({ statusCode }) => String(statusCode)).toSorted(), ['201', '413'])
    const refused = both.find(({ statusCode }) => statusCode === 413)!.json()
    assert.equal(refused.code, 'storage_quota_exceeded')
    assert.deepEqual([refused.params.quota_mb, refused.params.file_bytes], [1, 600 * 1024])
    assert.ok((await tenant()).storage_bytes <= MiB)
    assert.deepEqual(await findDrift(world, world.people.ada!.tenant_id), [])
  })

  it('holds for every way in which a file comes in, and nothing of a refused file stays', async () => {
    await allow(null)
    const { id } = await papers(world).upload()
    const deviation = await cases(world).deviation()
    const capa = await cases(world).capa()
    const template = ok(
      await world.as('quinn').post('/api/templates/', {
        ...{ name: 'Short', category: 'SOP', body: '# {{title}}\n\nAs done.', variables: [] },
      }),
    )
    const imports = migrationsOf(world)
    const batch = await imports.begin()
    await allow(1)
    const left = MiB - (await tenant()).storage_bytes
    ok(await upload(left - 100))
    const kept = stored()
    const document_type_id = await typeOf('alan')
    const ways: Record<string, () => ReturnType<typeof upload>> = {
      '/api/documents/upload': () => upload(101),
      '/api/documents/{id}/versions': () => papers(world).addVersion(id, {}, 'alan', file(101)),
      '/api/deviations/{id}/attachments': () =>
        world.as('petra').upload(`/api/deviations/${deviation.id}/attachments`, {}, file(101)),
      '/api/uploads/': () => world.as('uma').upload('/api/uploads/', {}, file(101)),
      '/api/capa/{id}/attachments': () => world.as('quinn').upload(`/api/capa/${capa.id}/attachments`, {}, file(101)),
      '/api/migrations/{id}/manifest': () =>
        imports.manifest(batch, 'groups.csv', groups('A group with a long name'.padEnd(101, '.'))),
      '/api/migrations/{id}/files': () => imports.files(batch, filesOf('a.pdf')),
    }
    const { paths } = ok(await world.server.inject({ url: '/docs/json' }))
    const forms = Object.entries<Json>(paths).flatMap(([url, methods]) =>
      Object.values<Json>(methods).some(({ requestBody }) => requestBody?.content?.['multipart/form-data'])
        ? [url]
        : [],
    )
    assert.deepEqual(forms.toSorted(), Object.keys(ways).toSorted())
    ways['/api/templates/use'] = () =>
      world.as('alan').post('/api/templates/use', {
        template_id: template.id,
        title: 'Short',
        create_document: true,
        document_type_id,
      })
    for (const [way, send] of Object.entries(ways)) {
      const reply = await send()
      assert.equal(reply.statusCode, 413, `${way}: ${reply.body}`)
      assert.equal(reply.json().code, 'storage_quota_exceeded', way)
      assert.deepEqual(stored(), kept, way)
    }
    ok(await upload(100))
    assert.equal((await tenant()).storage_bytes, MiB)
    assert.equal((await upload(1)).statusCode, 413)
  })

  it('leaves the other tenants alone, and ends with the quota', async () => {
    ok(await upload(1000, 'rob'))
    await allow(null)
    ok(await upload(1000))
  })

  it('is counted in the report and without a name in the metrics', async () => {
    await allow(1)
    const { storage } = ok(await world.as('pat').get('/api/status'))
    assert.equal(storage.tenants_nearly_full, 1)
    assert.ok(storage.used_bytes > MiB)
  })

  it('is found where somebody changed the count in the database, and counted again', async () => {
    const { tenant_id } = world.people.ada!
    await world.rows('update storage_use set bytes = 0 where tenant_id = $1', [tenant_id])
    const [drift] = await findDrift(world, tenant_id)
    assert.match(drift!, /^storage-use: \d+ files with 0 bytes are counted/)
    await rebuildProjections(world, tenant_id, ['storage-use'])
    assert.deepEqual(await findDrift(world, tenant_id), [])
    assert.equal((await upload(1000)).statusCode, 413)
  })
})
