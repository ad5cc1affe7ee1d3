import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '#test/world/world.ts'
import { emptyRoot, Frontier, type Hash, inclusionPlaces, leafHash, proofOf, verifyInclusion } from '../log/merkle.ts'
import { originOf, verifierKey, verifyNote } from '../log/note.ts'
import { latestCheckpoint, readLog } from '../log/queries.ts'
import { hashesOf, placeName } from '../log/tiles.ts'
import { sealNow } from './sealing.ts'

let world: World
let acme: number
before(async () => {
  world = await openWorld()
  acme = world.people.ada!.tenant_id
})
after(() => world.close())

const read = <T>(tenantId: number, work: Parameters<typeof world.database.transaction<T>>[2]) =>
  world.database.transaction<T>({ tenantId, userId: null }, 'read only', work)

/** Writes entries of people in one transaction. */
const write = (count: number, tenantId = acme) =>
  world.database.transaction({ tenantId, userId: null }, 'read write', async tx => {
    const entry = {
      ...{ username: 'ada', user_role: 'Admin', outcome: 'success', action: 'role.created', resource_type: 'role' },
      ...{ resource_id: 1, changes: '{}', request_id: '', client_addr: '' },
    }
    for (let left = count; left > 0; left -= 500)
      await tx
        .insertInto('audit_entries')
        .values(Array.from({ length: Math.min(left, 500) }, () => entry))
        .execute()
  })

/** The leaf hashes of the tenant's newest tree, computed from the texts. */
const leavesOf = async (tenantId: number) =>
  (
    await world.rows<{ leaf: string }>(
      `select leaf from audit_leaves l join audit_entries e on e.id = l.entry_id
       where l.tenant_id = $1 and l.epoch = (select epoch from audit_logs where tenant_id = $1) order by seq`,
      [tenantId],
    )
  ).map(({ leaf }) => leafHash(Buffer.from(leaf)))

const rootOf = (leaves: Hash[]) => {
  const tree = new Frontier()
  for (const leaf of leaves) tree.add(leaf)
  return tree.root
}

describe('sealing (proves: AUD-04)', () => {
  it('gives each entry a place without gaps, and signs the root of all of them', async () => {
    await write(3)
    const sealed = await sealNow(world.services, acme)
    const places = await world.rows<{ seq: string }>('select seq from audit_leaves where tenant_id = $1 order by seq', [
      acme,
    ])
    assert.deepEqual(
      places.map(({ seq }) => Number(seq)),
      places.map((_, index) => index + 1),
    )
    assert.deepEqual(sealed, { epoch: 1, size: places.length, seq: places.length })
    assert.deepEqual(await world.rows('select from audit_pending where tenant_id = $1', [acme]), [])
    const log = await read(acme, readLog)
    const { note } = (await read(acme, tx => latestCheckpoint(tx)))!
    const origin = originOf(log.log_id, 1)
    const vkey = verifierKey(origin, Buffer.from(world.services.auditKey.public_key, 'base64'))
    const root = rootOf(await leavesOf(acme))
    assert.deepEqual(verifyNote(note, [vkey]), { origin, size: places.length, root })
    assert.notDeepEqual(root, emptyRoot)
    assert.deepEqual(await sealNow(world.services, acme), sealed, 'nothing is new')
  })

  it('keeps the hashes that proofs are made of, in whatever portions the leaves came', async () => {
    for (const count of [1, 200, 700, 6000, 255, 1, 2]) {
      await write(count)
      await sealNow(world.services, acme)
    }
    const { size, epoch } = await read(acme, readLog)
    const leaves = await leavesOf(acme)
    assert.equal(leaves.length, size)
    const root = rootOf(leaves)
    const tiles = await world.rows<{ level: number; count: string }>(
      'select level, count(*) from audit_tiles where tenant_id = $1 group by level',
      [acme],
    )
    assert.deepEqual(
      tiles.map(({ level, count }) => [level, Number(count)]),
      [[0, Math.floor(size / 256)]],
    )
    for (const index of [0, 1, 255, 256, 4095, 4096, size - 1, size - 2, Math.floor(size / 2)]) {
      const places = inclusionPlaces(index, size)
      const hashes = await read(acme, tx => hashesOf(tx, epoch, places.flat()))
      const proof = proofOf(places, place => hashes.get(placeName(place))!)
      assert.ok(verifyInclusion({ leaf: leaves[index]!, index, size, root }, proof), `leaf ${index}`)
    }
    await assert.rejects(
      read(acme, tx => hashesOf(tx, epoch, [{ level: 0, index: size }])),
      RangeError,
    )
  })
})
