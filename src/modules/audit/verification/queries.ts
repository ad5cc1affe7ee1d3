import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { placesPerBlock } from '../places/blocks.ts'
import { wordsDrift } from '../places/queries.ts'

/** Each read has a short transaction of its own, so that none is open while a page is hashed. */
export type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

interface StoredEpoch {
  epoch: number
  first_seq: number
  first_entry_id: number | null
  /** The first entry of the epoch confirms its number, first place and reason. The first epoch needs none. */
  is_told: boolean
}

/** Reads the state of the log in one statement, so that a concurrent batch is in all of it or in none. */
export interface StoredLog {
  log_id: string
  epoch: number
  size: number
  seq: number
  frontier: Buffer[]
  last_leaf: number
  tiles: number
  epochs: StoredEpoch[]
  newest_epoch: number | null
  newest_size: number | null
  newest_note: string | null
}

/** Answers undefined if the log of the tenant is gone. */
export const readStored = async (tx: Tx): Promise<StoredLog | undefined> =>
  (
    await sql<StoredLog>`
      select l.log_id, l.epoch, l.size, l.seq, l.frontier,
        (select coalesce(max(seq), 0) from audit_leaves) as last_leaf, (select count(*) from audit_tiles) as tiles,
        (select coalesce(json_agg(json_build_object('epoch', p.epoch, 'first_seq', p.first_seq, 'first_entry_id', p.first_entry_id, 'is_told',
          case when p.epoch = 1 then num_nonnulls(p.first_entry_id, p.reason) = 0
            else coalesce(e.action = 'audit.epoch_started' and e.reason = p.reason and e.changes #>> '{epoch,to}' = p.epoch::text
              and e.changes #>> '{seq,to}' = p.first_seq::text, false) end) order by p.epoch), '[]')
          from audit_epochs p left join audit_entries e on e.tenant_id = p.tenant_id and e.id = p.first_entry_id) as epochs,
        c.epoch as newest_epoch, c.size as newest_size, c.note as newest_note
      from audit_logs l left join lateral (select * from audit_checkpoints order by epoch desc, size desc limit 1) c on true`.execute(
      tx,
    )
  ).rows[0]

/** The key rotations in the trail, as pairs in both directions. */
export const listRotations = async (tx: Tx) =>
  (
    await sql<{ before: string | null; after: string | null; is_sealed: boolean }>`
      select e.changes #>> '{public_key,from}' as before, e.changes #>> '{public_key,to}' as after,
        exists (select from audit_leaves l where l.tenant_id = e.tenant_id and l.entry_id = e.id) as is_sealed
      from audit_entries e where e.action = 'audit.key_rotated'`.execute(tx)
  ).rows

export interface LeafToVerify {
  seq: number
  epoch: number
  entry_id: number
  /** Null if the entry is missing. */
  leaf: string | null
  leaf_hash: Buffer | null
  action: string | null
  occurred_at: string | null
  changes: Record<string, { to: unknown }> | null
  /** The columns match the leaf, and redacted parts are empty. */
  says: boolean
  /** The parts that are missing. */
  gone: string[]
  redactions: { part: string; reason: string; redacted_by: string; recorded_in: number }[]
}

const commitOf = (part: 'person' | 'detail', name: string) =>
  sql`case when e.${sql.raw(`${part}_salt`)} is null then substring(e.leaf from ${`"${name}":"(sha256:[0-9a-f]{64})"`})
    else audit_commitment(e.${sql.raw(`${part}_salt`)}, audit_${sql.raw(part)}(e)) end`

/** Lists leaves in order, behind `after` and up to `last`. */
export const listLeaves = async (tx: Tx, log_id: string, after: number, last: number, limit: number) =>
  (
    await sql<LeafToVerify>`
      select l.seq, l.epoch, l.entry_id, e.leaf, e.leaf_hash, e.action, e.occurred_at,
        case when e.action = 'audit.epoch_started' then e.changes end as changes,
        coalesce(e.leaf = audit_leaf(e, ${log_id}::uuid, ${commitOf('person', 'actor_commit')}, ${commitOf('detail', 'detail_commit')})
          and (e.person_salt is not null or num_nonnulls(e.username, e.user_role, e.client_addr) = 0)
          and (e.detail_salt is not null or num_nonnulls(e.changes, e.resource_number, e.resource_revision, e.reason) = 0), false) as says,
        array_remove(array[case when e.person_salt is null then 'person' end, case when e.detail_salt is null then 'detail' end], null) as gone,
        case when e.person_salt is null or e.detail_salt is null then
          (select coalesce(json_agg(json_build_object('part', part, 'reason', reason, 'redacted_by', redacted_by, 'recorded_in', recorded_in)), '[]')
            from audit_redactions r where r.tenant_id = l.tenant_id and r.entry_id = l.entry_id) else '[]' end as redactions
      from audit_leaves l left join audit_entries e on e.tenant_id = l.tenant_id and e.id = l.entry_id
      where l.seq > ${after} and l.seq <= ${last} order by l.seq limit ${limit}`.execute(tx)
  ).rows

/** Reads the redaction that an entry records. */
export const findRecordedRedaction = async (tx: Tx, id: number) =>
  (
    await sql<{ entries: number[] | null; parts: string[] | null; redacted_by: string; reason: string | null }>`
      select changes #> '{entries,to}' as entries, changes #> '{parts,to}' as parts, changes #>> '{redacted_by,to}' as redacted_by, reason
      from audit_entries where action = 'audit.redacted' and id = ${id}`.execute(tx)
  ).rows

/** Lists checkpoints in order, behind one and up to another, inclusive. */
export const listCheckpoints = (
  tx: Tx,
  after: { epoch: number; size: number },
  last: { epoch: number; size: number },
  limit: number,
) =>
  tx
    .selectFrom('audit_checkpoints')
    .select(['epoch', 'size', 'root', 'note'])
    .where(sql<boolean>`(epoch, size) > (${after.epoch}::int, ${after.size}::bigint)`)
    .where(sql<boolean>`(epoch, size) <= (${last.epoch}::int, ${last.size}::bigint)`)
    .orderBy('epoch')
    .orderBy('size')
    .limit(limit)
    .execute()

export const findTiles = (tx: Tx, epoch: number, wanted: readonly { level: number; tile: number }[]) =>
  tx
    .selectFrom('audit_tiles')
    .select(['level', 'tile', 'hashes', 'root'])
    .where('epoch', '=', epoch)
    .where(
      sql<boolean>`(level, tile) in (select * from unnest(${wanted.map(({ level }) => level)}::int[], ${wanted.map(({ tile }) => tile)}::bigint[]))`,
    )
    .execute()

const lastPlace = '9223372036854775807'

/** Checks that lists find in a block, or in all blocks from it on, exactly the entries that are there. */
export const isListed = async (tx: Tx, block: number, { andBehind }: { andBehind: boolean }): Promise<boolean> => {
  const [first, last] = [block * placesPerBlock + 1, andBehind ? lastPlace : (block + 1) * placesPerBlock]
  const isOfBlocks = sql`(block = ${block}::int or (${andBehind} and block > ${block}::int))`
  const { rows } = await sql`
    select from (select * from audit_places where ${isOfBlocks}) p
      full join audit_places_of(current_tenant(), ${first}::bigint, ${last}::bigint) f using (dimension, value, block)
    where row(p.places, p.lowest_id, p.highest_id, p.earliest, p.latest)
      is distinct from row(f.places, f.lowest_id, f.highest_id, f.earliest, f.latest)
    union all
    select from (${wordsDrift(isOfBlocks, sql`${first}::bigint`, sql`${last}::bigint`)}) w limit 1`.execute(tx)
  return rows.length === 0
}

/** Entries without a place that do not wait for one, and then those that have waited for a minute. */
export const listUnsealed = async (tx: Tx, limit: number) =>
  (
    await sql<{ id: number; waits: boolean }>`
      select e.id, p.entry_id is not null as waits from audit_entries e
      left join audit_leaves l on l.tenant_id = e.tenant_id and l.entry_id = e.id
      left join audit_pending p on p.tenant_id = e.tenant_id and p.entry_id = e.id
      where l.entry_id is null and (p.entry_id is null or e.occurred_at < now() - interval '1 minute') order by waits, e.id limit ${limit}`.execute(
      tx,
    )
  ).rows

export const countWaiting = async (tx: Tx): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from audit_pending`.execute(tx)).rows[0]!.n

/** Waiting entries that have a place already, or do not exist. */
export const listWronglyPending = async (tx: Tx, limit: number) =>
  (
    await sql<{ entry_id: number }>`
      select p.entry_id from audit_pending p
      where not exists (select from audit_entries e where e.tenant_id = p.tenant_id and e.id = p.entry_id)
        or exists (select from audit_leaves l where l.tenant_id = p.tenant_id and l.entry_id = p.entry_id)
      order by p.entry_id limit ${limit}`.execute(tx)
  ).rows

/** Redactions whose part is still there, or whose entry does not exist. */
export const listNotRedacted = async (tx: Tx, limit: number) =>
  (
    await sql<{ entry_id: number }>`
      select r.entry_id from audit_redactions r left join audit_entries e on e.tenant_id = r.tenant_id and e.id = r.entry_id
      where e.id is null or case r.part when 'person' then e.person_salt is not null else e.detail_salt is not null end limit ${limit}`.execute(
      tx,
    )
  ).rows

/** The place of an entry, the hashed text, and the openings of its commitments. */
export const readProvable = (tx: Tx, id: number) =>
  tx
    .selectFrom('audit_entries as e')
    .innerJoin('audit_leaves as l', join =>
      join.onRef('l.tenant_id', '=', 'e.tenant_id').onRef('l.entry_id', '=', 'e.id'),
    )
    .innerJoin('audit_epochs as p', join =>
      join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.epoch', '=', 'l.epoch'),
    )
    .select(['e.id as entry_id', 'e.leaf', 'e.leaf_hash', 'l.seq', 'l.epoch'])
    .select([
      sql<number>`l.seq - p.first_seq`.as('index'),
      openingOf('person').as('person'),
      openingOf('detail').as('detail'),
    ])
    .where('e.id', '=', id)
    .executeTakeFirst()

const openingOf = (part: 'person' | 'detail') => {
  const [salt, opening] = [sql.ref(`e.${part}_salt`), sql.raw(`audit_${part}(e)`)]
  return sql<{
    salt: string
    opening: string
  } | null>`case when ${salt} is not null then json_build_object('salt', encode(${salt}, 'hex'), 'opening', ${opening}) end`
}

export const isWritten = async (tx: Tx, id: number) =>
  (await tx.selectFrom('audit_entries').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
