// A new epoch follows a log that cannot be continued, and says so in its first leaf.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { sealNow } from '../sealing/sealing.ts'
import { openNote, originOf } from './note.ts'
import { latestCheckpoint, readLog, startEpoch } from './queries.ts'

let world: World
let acme: number
before(async () => {
  world = await openWorld()
  acme = world.people.ada!.tenant_id
})
after(() => world.close())

const within = <T>(work: Parameters<typeof world.database.transaction<T>>[2]) =>
  world.database.transaction<T>({ tenantId: acme, userId: null }, 'read write', work)
const seal = () => sealNow(world.services, acme)
/** Writes an entry that waits for its place. */
const rename = async (name: string) => {
  const reply = await world.as('ada').post('/api/roles/', { name, description: name })
  assert.equal(reply.statusCode, 201, reply.body)
}

it('a new epoch begins with the entry that names the tree before, and its sequence numbers go on', async () => {
  await rename('First')
  const before = await seal()
  const { note } = (await within(tx => latestCheckpoint(tx)))!
  const last = openNote(note)!.body
  await rename('Waits since before')
  const known = { epoch: 1, size: before.size + 7, root: Buffer.alloc(32, 1).toString('base64') }
  const epoch = await within(tx => startEpoch(tx, { reason: 'Restored from a snapshot', anchored: known }))
  await rename('Waits since then')
  const after = await seal()
  const { log_id } = await within(readLog)
  assert.deepEqual([after.epoch, after.size, after.seq], [epoch, 3, before.seq + 3])

  const leaves = await world.rows<{ seq: string; action: string; changes: unknown; reason: string; leaf: string }>(
    `select l.seq, e.action, e.changes, e.reason, e.leaf from audit_leaves l join audit_entries e on e.id = l.entry_id
     where l.tenant_id = $1 and l.epoch = $2 order by l.seq`,
    [acme, epoch],
  )
  assert.deepEqual(
    leaves.map(({ seq, action }) => [Number(seq) - before.seq, action]),
    [
      [1, 'audit.epoch_started'],
      [2, 'role.created'],
      [3, 'role.created'],
    ],
  )
  assert.deepEqual(leaves[0]!.changes, {
    epoch: { from: 1, to: epoch },
    last_anchored: { from: null, to: known },
    last_checkpoint: { from: null, to: { epoch: 1, root: last.root.toString('base64'), size: before.size } },
    previous_origin: { from: null, to: originOf(log_id, 1) },
    previous_size: { from: null, to: before.size },
    seq: { from: null, to: before.seq + 1 },
  })
  assert.equal(leaves[0]!.reason, 'Restored from a snapshot')
  const first = (await within(tx => latestCheckpoint(tx, { epoch, size: 1 })))!
  assert.equal(openNote(first.note)!.body.origin, originOf(log_id, epoch))
})

it('what is hashed of that entry is the canonical JSON of it, as of every other', async () => {
  const { canonicalBytes } = await import('#platform/crypto/canonical.ts')
  for (const { written, read } of await world.rows<{ written: string; read: unknown }>(
    `select changes::text as written, changes as read from audit_entries where action = 'audit.epoch_started'`,
  ))
    assert.equal(written, canonicalBytes(read).toString())
})

it('no two epochs have one number, also where a database forgets that there was one', async () => {
  const began = await within(tx => startEpoch(tx, { reason: 'Restored' }))
  const second = async () =>
    Number((await world.rows<{ n: string }>('select floor(extract(epoch from clock_timestamp())) n'))[0]!.n)
  const begunIn = await second()
  // Sets the log back, as a restored backup would.
  await world.superuser.query(
    `begin; set local session_replication_role = replica; update audit_logs set epoch = 1, size = 0 where tenant_id = ${acme}; commit`,
  )
  // Epochs are numbered by the seconds of the database clock.
  await until(async () => (await second()) > begunIn)
  const again = await within(tx => startEpoch(tx, { reason: 'Restored once more' }))
  assert.ok(again > began, `${again} follows ${began}`)
  const later = await within(tx =>
    startEpoch(tx, { reason: 'Anchored', anchored: { epoch: again + 1000, size: 1, root: '' } }),
  )
  assert.ok(later > again + 1000)
})
