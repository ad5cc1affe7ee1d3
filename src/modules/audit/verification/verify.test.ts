// Manipulations of the trail with all rights in the database, past all triggers, are found (proves: AUD-04).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openSigningKey } from '#platform/crypto/signing-key.ts'
import type { Tx } from '#platform/db/database.ts'
import { ok } from '#test/builders/documents.ts'
import { openTamperedWorld, type TamperedWorld } from '#test/faults/tampered-world.ts'
import { columns, tables, tamperings } from '#test/faults/tamperings.ts'
import { numbersFrom } from '#test/world/chance.ts'
import { Frontier } from '../log/merkle.ts'
import { openNote, signNote } from '../log/note.ts'
import { verifyLog } from './verify.ts'

const chance = numbersFrom(2026)
let tampered: TamperedWorld
before(async () => {
  tampered = await openTamperedWorld()
})
after(() => tampered.close())

const rows = <T extends object>(text: string, values: unknown[] = []) => tampered.world.rows<T>(text, values)
const as = (name: string) => tampered.world.as(name)

describe('the whole log, made again (proves: AUD-04)', () => {
  it('is valid where nobody changed it, with what was redacted and over epochs, and says what was held against what', async () => {
    const { valid, failures, checked, checkpoint } = ok(await as('otto').get('/api/audit/verify'))
    assert.deepEqual([valid, failures], [true, []])
    const [stored] = await rows<{ entries: number; checkpoints: number }>(
      `select (select count(*)::int from audit_leaves where tenant_id = $1) as entries,
        (select count(*)::int from audit_checkpoints where tenant_id = $1) as checkpoints`,
      [tampered.acme],
    )
    assert.deepEqual(checked, { ...stored!, tiles: 0, epochs: 2, redacted: 2 })
    assert.equal(openNote(checkpoint)!.body.size, ok(await as('otto').get('/api/audit/checkpoint')).size)
    assert.equal(ok(await as('rex').get('/api/audit/verify')).checked.tiles, 1)
  })

  it('is not valid, whatever was changed in the database, past every trigger, key and check: each kind once', async () => {
    const unseen: string[] = []
    for (const tampering of tamperings) {
      const seed = chance()
      const found = await tampered.tamper(tampering, seed)
      if (found.length === 0) unseen.push(`${tampering.what} (seed ${seed})`)
    }
    assert.deepEqual(unseen, [])
    assert.deepEqual(await tampered.whatIsFound({}), [])
    assert.deepEqual(await tampered.whatIsFound({ tile: true }), [])
  })

  it('is held against each column of each table of the trail, but for those of which it is said why not', async () => {
    const found = await rows<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relname ~ '^audit_' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    )
    const stored = found
      .filter(({ table }) => table !== 'audit_reviews')
      .map(({ table, column }) => `${table}.${column}`)
    const tried = tables.flatMap(table => Object.keys(columns[table]!).map(column => `${table}.${column}`))
    assert.deepEqual(stored.sort(), tried.sort())
  })

  it('is that of the moment when it begins, whatever is sealed meanwhile', async () => {
    const { world, acme } = tampered
    const binding = { tenantId: acme, userId: null }
    const before = ok(await as('otto').get('/api/audit/checkpoint'))
    let isFirst = true
    const { valid, checkpoint, failures } = await verifyLog({
      held: [world.services.auditKey],
      async read(work) {
        const answer = await world.database.transaction(binding, 'read only', work)
        if (isFirst) await world.seal()
        isFirst = false
        return answer
      },
    })
    assert.deepEqual([valid, failures, checkpoint], [true, [], before.note])
    assert.notEqual(ok(await as('otto').get('/api/audit/checkpoint')).size, before.size)
  })
})

/** Sets the log of a tenant back to an older checkpoint of its epoch, in every column. */
async function cutOff(tx: Tx, tenant: number) {
  const { rows: checkpoints } = await sql<{ epoch: number; size: number; first_seq: number }>`
    select c.epoch, c.size, p.first_seq from audit_checkpoints c join audit_epochs p using (tenant_id, epoch)
    where c.tenant_id = ${tenant} order by c.epoch desc, c.size desc limit 2`.execute(tx)
  const { epoch, size, first_seq } = checkpoints[1]!
  const seq = first_seq + size - 1
  const { rows: leaves } = await sql<{ leaf_hash: Buffer }>`
    select e.leaf_hash from audit_leaves l join audit_entries e on e.id = l.entry_id
    where l.tenant_id = ${tenant} and l.epoch = ${epoch} and l.seq <= ${seq} order by l.seq`.execute(tx)
  const frontier = new Frontier()
  for (const { leaf_hash } of leaves) frontier.add(leaf_hash)
  await sql`delete from audit_entries where tenant_id = ${tenant} and id in (select entry_id from audit_leaves where tenant_id = ${tenant} and seq > ${seq})`.execute(
    tx,
  )
  await sql`delete from audit_leaves where tenant_id = ${tenant} and seq > ${seq}`.execute(tx)
  await sql`delete from audit_checkpoints where tenant_id = ${tenant} and epoch = ${epoch} and size > ${size}`.execute(
    tx,
  )
  await sql`delete from audit_places where tenant_id = ${tenant}`.execute(tx)
  await sql`insert into audit_places select ${tenant}, f.* from audit_places_of(${tenant}, 1, ${seq}) f`.execute(tx)
  await sql`delete from audit_words where tenant_id = ${tenant}`.execute(tx)
  await sql`insert into audit_words (tenant_id, block, words, place, places)
    select ${tenant}, f.* from audit_words_of(${tenant}, 1, ${seq}) f`.execute(tx)
  await sql`update audit_logs set size = ${size}, seq = ${seq}, frontier = ${[...frontier.hashes]} where tenant_id = ${tenant}`.execute(
    tx,
  )
}

describe('a checkpoint that was kept (proves: AUD-04)', () => {
  it('finds a log that was cut off with all that was said of its end, which alone looks like one that nobody changed', async () => {
    const { note: kept } = ok(await as('otto').get('/api/audit/checkpoint'))
    const cut = (tx: Tx, { mine }: { mine: number }) => cutOff(tx, mine)
    assert.deepEqual(await tampered.whatIsFound({}, cut), [])
    assert.deepEqual(await tampered.whatIsFound({ kept }, cut), ['kept_checkpoint'])
    assert.deepEqual(await tampered.whatIsFound({ kept }), [])
  })

  it('is one that the service signed', async () => {
    const { note } = ok(await as('otto').get('/api/audit/checkpoint'))
    const ask = (checkpoint: string) => as('otto').get(`/api/audit/verify?checkpoint=${encodeURIComponent(checkpoint)}`)
    assert.equal(ok(await ask(note)).valid, true)
    const theirs = ok(await as('rex').get('/api/audit/checkpoint')).note
    for (const wrong of ['x', theirs, note.replace(/\n\d+\n/, '\n1\n')])
      assert.equal((await ask(wrong)).statusCode, 422, wrong)
  })
})

describe('the keys of checkpoints (proves: AUD-04)', () => {
  const otherKey = () => openSigningKey(`${tampered.world.folder}/other`)
  const rotation = (tx: Tx, tenant: number, before: string, after: string) =>
    sql`with told as (insert into audit_entries (tenant_id, username, user_role, outcome, action, resource_type, changes, request_id, client_addr, transaction_id, id)
        values (${tenant}, 'system', 'System', 'success', 'audit.key_rotated', 'audit',
          ${JSON.stringify({ public_key: { from: before, to: after } })}::json, '', '', gen_random_uuid(), 900000) returning tenant_id, id)
      insert into audit_pending (tenant_id, entry_id) select tenant_id, id from told`.execute(tx)

  it('are those of the service: a log that was made anew and signed with another is found, also where the database knows that key', async () => {
    const key = await otherKey()
    const found = await tampered.whatIsFound({}, async (tx, { mine }) => {
      await sql`insert into audit_keys (key_id, public_key) values (${key.key_id}, ${key.public_key})`.execute(tx)
      const { rows: all } = await sql<{
        at: string
        note: string
      }>`select ctid::text as at, note from audit_checkpoints where tenant_id = ${mine}`.execute(tx)
      for (const { at, note } of all) {
        const { body } = openNote(note)!
        const forged = signNote(body, [{ name: body.origin, key }])
        await sql`update audit_checkpoints set note = ${forged} where ctid = ${at}::tid`.execute(tx)
      }
    })
    assert.deepEqual(found.sort(), ['key', 'signature'])
  })

  it('are others after a rotation, of which the trail tells; and the newest checkpoint is soon of the new one', async () => {
    const [key, { auditKey }] = [await otherKey(), tampered.world.services]
    const held = [key]
    const known = (tx: Tx) =>
      sql`insert into audit_keys (key_id, public_key) values (${key.key_id}, ${key.public_key})`.execute(tx)
    const untold = await tampered.whatIsFound({ held }, async tx => void (await known(tx)))
    assert.deepEqual(untold.sort(), ['key', 'signature'])
    const told = async (tx: Tx, { mine, other }: { mine: number; other: number }) => {
      await known(tx)
      for (const tenant of [mine, other]) await rotation(tx, tenant, auditKey.public_key, key.public_key)
    }
    assert.deepEqual(await tampered.whatIsFound({ held }, told), [])
    const late = await tampered.whatIsFound({ held }, async (tx, tenants) => {
      await told(tx, tenants)
      // As if checkpoints were still signed with the previous key.
      await sql`delete from audit_pending where entry_id = 900000`.execute(tx)
      await sql`insert into audit_leaves (tenant_id, seq, entry_id, epoch) select tenant_id, seq + 1, 900000, epoch from audit_logs where tenant_id = ${tenants.mine}`.execute(
        tx,
      )
    })
    assert.ok(late.includes('key'), late.join())
  })
})
