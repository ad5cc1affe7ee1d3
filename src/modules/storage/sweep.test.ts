// Files that no record names: what is swept up, and what never is.
import assert from 'node:assert/strict'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, afterEach, before, describe, it } from 'node:test'
import { systemActor } from '#modules/accounts'
import { type FileStorage, newKey } from '#platform/storage/storage.ts'
import { cases } from '#test/builders/cases.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { fileHolders, storageSweep, sweep } from './index.ts'

const hours = 60 * 60 * 1000
const days = 24 * hours

let world: World
let acme: number
before(async () => {
  world = await openWorld()
  storage = world.services.storage
  acme = Number((await world.rows<{ id: string }>(`select id from tenants where slug = 'acme'`))[0]!.id)
})
after(() => world.close())
afterEach(() => {
  world.clock.moved_ms = 0
})

let storage: FileStorage
const keep = async (key: string, bytes = Buffer.from('nobody names this')) =>
  storage.keep(await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length }), key)
const isThere = async (key: string) => (await storage.stat(key)) !== undefined
async function look() {
  assert.equal((await world.round(sweep.schedule)).failed, 0)
}
async function documentWithFile() {
  const { id } = await papers(world).upload()
  const [row] = await world.rows<{ file_key: string }>(
    'select file_key from document_versions where document_id = $1',
    [id],
  )
  return { id, key: row!.file_key }
}
const entries = () =>
  world.rows<{ username: string; changes: Record<string, { to: unknown }> }>(
    `select username, changes from audit_entries where action = 'storage.swept' order by id`,
  )

describe('the sweep of the store (proves: DOC-08)', () => {
  it('moves what no record names to the trash after 24 hours and removes it after 30 days, with an entry each', async () => {
    const { id, key } = await documentWithFile()
    const orphan = newKey(acme)
    await keep(orphan)
    await look()
    assert.ok(await isThere(orphan), 'an upload of this moment has no row yet')
    world.clock.moved_ms = 25 * hours
    await look()
    assert.deepEqual([await isThere(orphan), await isThere(`trash/${orphan}`), await isThere(key)], [false, true, true])
    world.clock.moved_ms = 29 * days
    await look()
    assert.ok(await isThere(`trash/${orphan}`))
    world.clock.moved_ms = 31 * days
    await look()
    await look()
    assert.deepEqual([await isThere(orphan), await isThere(`trash/${orphan}`)], [false, false])
    const [trashed, removed, ...more] = await entries()
    assert.deepEqual(more, [])
    assert.equal(trashed!.username, 'system')
    const said = (changes: object) => Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, to]))
    assert.deepEqual(said(trashed!.changes), { trashed_files: 1, trashed_bytes: 17, trashed_keys: [orphan] })
    const gone = { removed_files: 1, removed_bytes: 17, removed_keys: [`trash/${orphan}`] }
    assert.deepEqual(said(removed!.changes), gone)
    assert.equal((await world.as('alan').get(`/api/documents/${id}/download`)).statusCode, 200)
  })

  it('loses no upload whose file it takes before its row is there, because the clock jumped meanwhile', async t => {
    const kept = storage.keep
    t.mock.method(
      storage,
      'keep',
      async (...file: Parameters<FileStorage['keep']>) => {
        await kept(...file)
        world.clock.moved_ms = 25 * hours
        await look()
        world.clock.moved_ms = 0
      },
      { times: 1 },
    )
    const { id, key } = await documentWithFile()
    assert.deepEqual([await isThere(key), await isThere(`trash/${key}`)], [false, true])
    assert.equal((await world.as('alan').get(`/api/documents/${id}/download`)).statusCode, 200)
    assert.deepEqual([await isThere(key), await isThere(`trash/${key}`)], [true, false])
  })

  it('looks into no other folder: not that of another tenant, not the spool, not what others have put there', async () => {
    const foreign = newKey(acme * 1000)
    await keep(foreign)
    const receiving = await storage.receive(Readable.from([Buffer.from('live')]), { max_bytes: 10 })
    const found = await sweep.find({
      tenantId: acme,
      services: { ...world.services, clock: { now: () => new Date(Date.now() + 2 * days) } },
      read: work => world.database.transaction({ tenantId: acme, userId: null }, 'read only', work),
    })
    assert.deepEqual([found.trash, found.remove, found.put_back], [[], [], []])
    await look()
    assert.ok(await isThere(foreign))
    await storage.keep(receiving, newKey(acme * 1000))
  })

  it('brings back from the trash what a record names', async () => {
    const { id, key } = await documentWithFile()
    await storage.move(key, `trash/${key}`)
    await look()
    assert.deepEqual([await isThere(key), await isThere(`trash/${key}`)], [true, false])
    assert.equal((await world.as('alan').get(`/api/documents/${id}/download`)).statusCode, 200)
    assert.deepEqual((await entries()).at(-1)!.changes.put_back_keys?.to, [`trash/${key}`])
  })

  it('puts a file back that a record names meanwhile', async () => {
    const orphan = newKey(acme)
    await keep(orphan)
    // The row comes between the look before the transaction and the look in it.
    let looks = 0
    const late = storageSweep([{ table: 'late', named: async (_tx, keys) => (looks++ === 0 ? [] : keys) }])
    const body = { trash: [{ key: orphan, size_bytes: 17 }], remove: [], put_back: [] }
    const run = world.services.runner.run(
      late.removeOrphans,
      systemActor(acme),
      { body },
      { origin: { requestId: '', clientAddr: '' } },
    )
    await assert.rejects(run, { status: 409 })
    assert.equal(looks, 2)
    assert.deepEqual([await isThere(orphan), await isThere(`trash/${orphan}`)], [true, false])
    await storage.remove(orphan)
  })

  it('does not touch a store of which most is unknown, and says so in the log', async () => {
    const orphans = Array.from({ length: 30 }, () => newKey(acme))
    for (const key of orphans) await keep(key)
    world.clock.moved_ms = 2 * days
    const before = (await entries()).length
    await look()
    for (const key of orphans) assert.ok(await isThere(key))
    assert.equal((await entries()).length, before)
    assert.match(
      String(world.lines.findLast(({ level }) => level === 'error')?.msg),
      /The store is not swept: .* Is it the store of this database/,
    )
    for (const key of orphans) await storage.remove(key)
  })

  it('lists the files of a tenant while something is recorded there, once in thirty days, and where its trash has files', async t => {
    const globex = world.people.rob!.tenant_id
    await look()
    const { list } = storage
    const listed = t.mock.method(storage, 'list', (prefix: string) => list.call(storage, prefix))
    const listedAfter = async (passed: number) => {
      world.clock.moved_ms = passed
      listed.mock.resetCalls()
      await look()
      return listed.mock.calls.map(({ arguments: [prefix] }) => prefix).filter(prefix => prefix === `${globex}/`)
    }
    assert.equal((await listedAfter(1 * days)).length, 1, 'its people were made today')
    assert.equal((await listedAfter(8 * days)).length, 1, 'it was looked at for the last time yesterday')
    assert.equal((await listedAfter(12 * days)).length, 0)
    await keep(`trash/${newKey(globex)}`)
    assert.equal((await listedAfter(13 * days)).length, 1)
    for await (const { key } of list.call(storage, `trash/${globex}/`)) await storage.remove(key)
    assert.equal((await listedAfter(14 * days)).length, 0)
    assert.equal((await listedAfter(44 * days)).length, 1)
  })

  it('clears the spool of what was given up', async () => {
    const given_up = await storage.receive(Readable.from([Buffer.from('half of a fi')]), { max_bytes: 100 })
    const yesterday = Date.now() / 1000 - 25 * 60 * 60
    utimesSync(given_up.path, yesterday, yesterday)
    const receiving = await storage.receive(Readable.from([Buffer.from('live')]), { max_bytes: 10 })
    await look()
    assert.deepEqual(readdirSync(join(world.services.config.upload_dir, '.tmp')), [receiving.path.split('/').at(-1)])
    await storage.discard(receiving)
  })

  it('leaves the file of an attachment where it is', async () => {
    const { id } = await cases(world).deviation()
    const path = `/api/deviations/${id}/attachments`
    const attachment = ok(await world.as('uma').upload(path, {}))
    world.clock.moved_ms = 25 * hours
    await look()
    assert.equal((await world.as('uma').get(`${path}/${attachment.id}/download`)).statusCode, 200)
  })

  it('asks every table whose rows name files', async () => {
    const tables = await world.rows<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name like '%file\\_key' order by 1`,
    )
    assert.deepEqual([...new Set(tables.map(({ name }) => name))], fileHolders.map(({ table }) => table).sort())
  })
})
