// Imports of what a company has: staged, checked, rehearsed, accepted, loaded, reconciled and released.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { migrationsOf } from '#test/builders/migrations.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let imports: ReturnType<typeof migrationsOf>
before(async () => {
  world = await openWorld()
  imports = migrationsOf(world)
})
after(() => world.close())

const count = async (table: string, where = 'true') =>
  Number((await world.rows<{ n: string }>(`select count(*) as n from ${table} where ${where}`))[0]!.n)

// proves: MIG-01
describe('an import', () => {
  it('is a record only once another person accepted it, and is compared and released then', async () => {
    const before = await count('documents')
    const id = await imports.rehearsed('FS-001', 'FS-002', 'FS-003')
    const batch = await imports.read(id)
    assert.equal(batch.status, 'rehearsed', JSON.stringify(await imports.rows(id, '&status=error')))
    assert.equal(await count('documents'), before)
    assert.deepEqual(batch.you.may, ['update', 'stage', 'check', 'rehearse', 'discard'])
    const [row] = await imports.rows(id, '&sheet=documents')
    assert.equal(row!.planned.number, 'FS-001')
    assert.equal(row!.record, null)
    const { sheets: plan } = ok(await world.as('quinn').get(imports.url(id, '/sample-plan')))
    const proposed = plan.flatMap(({ row_ids }: { row_ids: number[] }) => row_ids)
    const idsOf = async (query: string) => (await imports.rows(id, query)).map(each => each.id).sort((a, b) => a - b)
    assert.deepEqual(
      await idsOf('&is_proposed=true'),
      proposed.sort((a: number, b: number) => a - b),
    )
    assert.equal((await idsOf('&is_proposed=false')).length, batch.rows - proposed.length)

    assert.equal(
      (await world.as('ada').post(imports.url(id, '/accept'), { report_sha256: batch.report_sha256, password }))
        .statusCode,
      403,
    )
    const accepted = ok(await imports.accept(id))
    assert.equal(accepted.status, 'loading')
    await world.work()
    const loaded = await imports.read(id)
    assert.equal(loaded.status, 'loaded', JSON.stringify(await imports.rows(id, '&status=error')))
    assert.deepEqual(
      { ...loaded.reconciliation, sha256: '', at: '' },
      { records: 9, differences: 0, files: 6, damaged_files: 0, sha256: '', at: '' },
    )
    assert.equal(await count('documents'), before + 3)
    const found = ok(await world.as('uma').get('/api/documents/?q=FS-002'))
    assert.equal(found.items[0].number, 'FS-002')
    for (const sheet of ['documents', 'versions']) {
      const [{ record }] = (await imports.rows(id, `&sheet=${sheet}&q=FS-002`)) as [Json]
      assert.equal(record.link, `/api/documents/${found.items[0].id}`, sheet)
    }

    const released = ok(await world.as('quinn').post(imports.url(id, '/release'), { password }))
    assert.equal(released.status, 'released')
    assert.deepEqual(released.you.may, [])
    for (const { signature_id } of [released.accepted, released.released]) {
      const signature = ok(await world.as('quinn').get(`/api/signatures/${signature_id}`))
      assert.equal(signature.verification.valid, true, JSON.stringify(signature.verification.checks))
      assert.equal(signature.resource_number, batch.number)
    }
  })
})
