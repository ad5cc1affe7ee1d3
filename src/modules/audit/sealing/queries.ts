import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Tile } from '../log/tiles.ts'

/** The tenants with entries that wait, and the first such entry of each. */
export const selectTenantsToSeal = async (tx: Tx) =>
  (await sql<{ tenant_id: number; entry_id: number }>`select tenant_id, entry_id from tenants_to_seal()`.execute(tx))
    .rows

/** Takes the first entries that wait, by their ids. */
export const takePending = (tx: Tx, limit: number) =>
  take(tx, sql`select ctid from audit_pending order by entry_id limit ${limit}`)

/** Takes the entry with which the epoch begins. */
export const takeFirstOf = (tx: Tx, epoch: number) =>
  take(
    tx,
    sql`select p.ctid from audit_epochs e join audit_pending p on p.entry_id = e.first_entry_id where e.epoch = ${epoch}`,
  )

/** Deletes by ctid, because the planner has no useful statistics of a table that is mostly empty. */
const take = async (tx: Tx, which: RawBuilder<unknown>) =>
  (
    await sql<{ id: number; leaf: string; leaf_hash: Buffer }>`
      with taken as (
        delete from audit_pending where ctid = any (array(${which})) returning tenant_id, entry_id)
      select e.id, e.leaf, e.leaf_hash from taken t join audit_entries e on e.tenant_id = t.tenant_id and e.id = t.entry_id order by e.id`.execute(
      tx,
    )
  ).rows

/** Places begin after the sequence number `after`, in the order of the ids. */
export const insertLeaves = (tx: Tx, epoch: number, after: number, ids: readonly number[]) =>
  sql`insert into audit_leaves (seq, entry_id, epoch)
    select ${after}::bigint + place, id, ${epoch}::int from unnest(${ids}::bigint[]) with ordinality as t (id, place)`.execute(
    tx,
  )

export const insertTiles = async (tx: Tx, epoch: number, tiles: readonly Tile[]) => {
  if (tiles.length > 0)
    await tx
      .insertInto('audit_tiles')
      .values(tiles.map(tile => ({ epoch, ...tile })))
      .execute()
}

export const updateLog = (tx: Tx, log: { size: number; seq: number; frontier: Buffer[] }) =>
  tx.updateTable('audit_logs').set(log).execute()

export const insertCheckpoint = (tx: Tx, checkpoint: { epoch: number; size: number; root: Buffer; note: string }) =>
  tx.insertInto('audit_checkpoints').values(checkpoint).execute()
