import { type RawBuilder, sql } from 'kysely'
import { narrowing, type Sort } from '#kernel/paging.ts'
import { builtForEach, builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { leavesIn, leavesOfBlocks, type Range } from './block-queries.ts'
import { matches, selectEntries, seqOf } from './queries.ts'
import type { EntryFilter } from './schema.ts'

export type EntrySort = Sort<'id' | 'occurred_at' | 'seq'>

/** A row for each entry, with `id` and, once it is sealed, `seq`. */
type Found = RawBuilder<unknown>

/** Entries without a place sort behind all others. */
const keyOf = {
  id: sql`f.id`,
  occurred_at: sql`k.occurred_at`,
  seq: sql`coalesce(f.seq, ${sql.lit(Number.MAX_SAFE_INTEGER)})`,
}

/** A page of the entries that any of these statements finds. */
export const listPage = (tx: Tx, found: readonly Found[], sort: EntrySort, limit: number, offset: number) =>
  selectPage(tx, found, sort, { limit, offset }).execute()

interface Part {
  limit: number
  offset: number
}

/** The same of all entries of these blocks: the page that people open first. */
export const listPageOfBlocks = builtForEach(
  (tx, sort: EntrySort, { from, to, blocks, limit, offset }: Part & Range & { blocks: readonly number[] }) =>
    selectPage(tx, [leavesAsFound({}, { from, to }, blocks)], sort, { limit, offset }),
)

const selectPage = (tx: Tx, found: readonly Found[], { field, direction }: EntrySort, { limit, offset }: Part) =>
  selectEntries(tx)
    .innerJoin(
      sql<{ id: number; seq: number | null; key: unknown }>`(
        select f.id, f.seq, ${keyOf[field]} as key from (${sql.join(found, sql` union all `)}) f ${field === 'occurred_at' ? sql`cross join lateral (select occurred_at from audit_entries where id = f.id offset 0) k` : sql``}
        order by key ${sql.raw(direction)}, f.id ${sql.raw(direction)} limit ${limit} offset ${offset})`.as('p'),
      'p.id',
      'audit_entries.id',
    )
    .select('p.seq')
    .orderBy('p.key', direction)
    .orderBy('p.id', direction)

const entriesOf = (tx: Tx, filter: EntryFilter) => tx.selectFrom('audit_entries').where(matches(filter))

/** Entries that had no place when the log had reached `seq`. */
const isUnsealedAt = (seq: number) =>
  sql<boolean>`audit_entries.id in (select entry_id from audit_pending union all select entry_id from audit_leaves where seq > ${seq})`

export const selectMatching = (tx: Tx, filter: EntryFilter): Found =>
  sql`${entriesOf(tx, filter).select(['id', seqOf.as('seq')])}`

export const selectInBlocks = (filter: EntryFilter, range: Range, blocks: readonly number[]): Found =>
  sql`select l.entry_id as id, l.seq from (${leavesIn(filter, range, blocks)}) l`

const leavesAsFound = (filter: EntryFilter, range: Range, blocks: readonly number[]): Found =>
  sql`select l.entry_id as id, l.seq from (${leavesOfBlocks(filter, range, blocks)}) l`

export const selectUnsealed = (tx: Tx, filter: EntryFilter, seq: number): Found =>
  sql`${entriesOf(tx, filter)
    .where(isUnsealedAt(seq))
    .select(['id', sql<number | null>`null::bigint`.as('seq')])}`

const selectExtent = (tx: Tx, filter: EntryFilter) =>
  entriesOf(tx, filter).select([
    sql<number>`count(*)`.as('n'),
    sql<number>`min(id)`.as('lowest_id'),
    sql<number>`max(id)`.as('highest_id'),
    sql<number>`(extract(epoch from min(occurred_at)) * 1000000)::bigint`.as('earliest'),
    sql<number>`(extract(epoch from max(occurred_at)) * 1000000)::bigint`.as('latest'),
  ])

export const countMatching = (tx: Tx, filter: EntryFilter) => selectExtent(tx, filter).executeTakeFirstOrThrow()

export async function countUnsealed(tx: Tx, filter: EntryFilter, seq: number) {
  if (narrowing(filter).length > 0) return selectExtent(tx, filter).where(isUnsealedAt(seq)).executeTakeFirstOrThrow()
  const [unsealed] = await countAllUnsealed(tx, { seq })
  return unsealed!
}
const countAllUnsealed = builtOnce((tx, { seq }: { seq: number }) => selectExtent(tx, {}).where(isUnsealedAt(seq)))
