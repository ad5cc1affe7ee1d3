import { type RawBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { readLog } from '../log/queries.ts'
import { type Block, countByBlock, isOfBlocks, leavesIn, type Range } from './block-queries.ts'
import { matches } from './filter.ts'
import { selectEntries, seqOf } from './queries.ts'
import { reversed, type Span, spansOfPage } from './ranks.ts'
import type { EntryFilter } from './schema.ts'

type EntrySort = Sort<'id' | 'occurred_at' | 'seq'>

/** A row for each entry, with `id` and, once it is sealed, `seq`. */
type Found = RawBuilder<unknown>

/** Entries without a place sort behind all others. */
const keyOf = {
  id: sql`f.id`,
  occurred_at: sql`k.occurred_at`,
  seq: sql`coalesce(f.seq, ${sql.lit(Number.MAX_SAFE_INTEGER)})`,
}

const page = (tx: Tx, found: Found, { field, direction }: EntrySort, limit: number, offset: number) =>
  selectEntries(tx)
    .innerJoin(
      sql<{ id: number; seq: number | null; key: unknown }>`(
        select f.id, f.seq, ${keyOf[field]} as key from (${found}) f ${field === 'occurred_at' ? sql`cross join lateral (select occurred_at from audit_entries where id = f.id offset 0) k` : sql``}
        order by key ${sql.raw(direction)}, f.id ${sql.raw(direction)} limit ${limit} offset ${offset})`.as('p'),
      'p.id',
      'audit_entries.id',
    )
    .select('p.seq')
    .orderBy('p.key', direction)
    .orderBy('p.id', direction)
    .execute()

const count = (tx: Tx, filter: EntryFilter) =>
  tx
    .selectFrom('audit_entries')
    .where(matches(filter))
    .select([
      sql<number>`count(*)`.as('n'),
      sql<number>`min(id)`.as('lowest_id'),
      sql<number>`max(id)`.as('highest_id'),
      sql<number>`(extract(epoch from min(occurred_at)) * 1000000)::bigint`.as('earliest'),
      sql<number>`(extract(epoch from max(occurred_at)) * 1000000)::bigint`.as('latest'),
    ])

/** Entries that had no place when the log had reached `seq`. */
const isRest = (seq: number) =>
  sql<boolean>`audit_entries.id in (select entry_id from audit_pending union all select entry_id from audit_leaves where seq > ${seq})`

async function countRest(tx: Tx, filter: EntryFilter, seq: number) {
  if (filter.seq_from !== undefined || filter.seq_to !== undefined) return []
  const rest = await count(tx, filter).where(isRest(seq)).executeTakeFirstOrThrow()
  return rest.n > 0 ? [rest] : []
}

/** Counts matching entries: sealed ones by blocks, the rest one by one. */
async function extentOf(tx: Tx, filter: EntryFilter) {
  const { seq } = await readLog(tx)
  const range: Range = { from: 1, to: seq }
  const [blocks, rest] = await Promise.all([countByBlock(tx, filter, range), countRest(tx, filter, seq)])
  return { range, spans: [...blocks, ...rest] as Counted[] }
}

const sum = (spans: readonly { n: number }[]) => spans.reduce((total, { n }) => total + n, 0)

/** Counts the matching places of the range, by block if possible. */
export async function countSealed(tx: Tx, filter: EntryFilter, range: Range) {
  if (isOfBlocks(filter)) {
    const blocks = await countByBlock(tx, filter, range)
    return { n: sum(blocks), blocks }
  }
  const within = {
    seq_from: Math.max(range.from, filter.seq_from ?? 1),
    seq_to: Math.min(range.to, filter.seq_to ?? range.to),
  }
  const { n } = await count(tx, { ...filter, ...within }).executeTakeFirstOrThrow()
  return { n, blocks: [] }
}

export async function countEntries(tx: Tx, filter: EntryFilter): Promise<number> {
  if (isOfBlocks(filter)) return sum((await extentOf(tx, filter)).spans)
  return (await count(tx, filter).executeTakeFirstOrThrow()).n
}

/** A count without a block is that of entries without a place. */
type Counted = Omit<Block, 'block'> & { block?: number }
type Ranked = Span & { block: number | undefined }

const boundsOf: Record<EntrySort['field'], (counted: Counted) => [number, number]> = {
  id: ({ lowest_id, highest_id }) => [lowest_id, highest_id],
  occurred_at: ({ earliest, latest }) => [earliest, latest],
  seq: ({ block = Number.MAX_SAFE_INTEGER }) => [block, block],
}

/** A page of the matching entries, and their total. */
export async function listEntries(tx: Tx, filter: EntryFilter, sort: EntrySort, limit: number, offset: number) {
  const matching = tx.selectFrom('audit_entries').where(matches(filter))
  if (!isOfBlocks(filter)) {
    const found = sql`${matching.select(['id', seqOf.as('seq')])}`
    const [items, total] = await Promise.all([page(tx, found, sort, limit, offset), countEntries(tx, filter)])
    return { items, total }
  }
  const { range, spans } = await extentOf(tx, filter)
  const total = sum(spans)
  const ranked = spans.map((span): Ranked => {
    const [low, high] = boundsOf[sort.field](span)
    const ranked = { block: span.block, n: span.n, low, high }
    return sort.direction === 'asc' ? ranked : reversed(ranked)
  })
  const { within, offset: offsetWithin } = spansOfPage(ranked, offset, limit)
  if (within.length === 0) return { items: [], total }
  const blocks = within.flatMap(({ block }) => (block === undefined ? [] : [block]))
  const found = [
    ...(blocks.length > 0 ? [sql`select l.entry_id as id, l.seq from (${leavesIn(filter, range, blocks)}) l`] : []),
    ...(within.some(({ block }) => block === undefined)
      ? [sql`${matching.where(isRest(range.to)).select(['id', sql<number | null>`null::bigint`.as('seq')])}`]
      : []),
  ]
  return { items: await page(tx, sql.join(found, sql` union all `), sort, limit, offsetWithin), total }
}
