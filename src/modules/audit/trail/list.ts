import { narrowing } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { readLog } from '../log/queries.ts'
import { type Block, countByBlock, isOfBlocks, type Range } from './block-queries.ts'
import {
  countMatching,
  countUnsealed,
  type EntrySort,
  listPage,
  listPageOfBlocks,
  selectInBlocks,
  selectMatching,
  selectUnsealed,
} from './list-queries.ts'
import type { EntryFilter } from './schema.ts'

/** Counts the matching entries that had no place when the log had reached `seq`. */
async function countRest(tx: Tx, filter: EntryFilter, seq: number) {
  if (filter.seq_from !== undefined || filter.seq_to !== undefined) return []
  const rest = await countUnsealed(tx, filter, seq)
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
  const { n } = await countMatching(tx, { ...filter, ...within })
  return { n, blocks: [] }
}

export async function countEntries(tx: Tx, filter: EntryFilter): Promise<number> {
  if (isOfBlocks(filter)) return sum((await extentOf(tx, filter)).spans)
  return (await countMatching(tx, filter)).n
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
  if (!isOfBlocks(filter)) {
    const found = [selectMatching(tx, filter)]
    const [items, total] = await Promise.all([listPage(tx, found, sort, limit, offset), countEntries(tx, filter)])
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
  const isUnsealedIn = within.some(({ block }) => block === undefined)
  if (narrowing(filter).length === 0 && !isUnsealedIn)
    return { items: await listPageOfBlocks(tx, sort, { ...range, blocks, limit, offset: offsetWithin }), total }
  const found = [
    ...(blocks.length > 0 ? [selectInBlocks(filter, range, blocks)] : []),
    ...(isUnsealedIn ? [selectUnsealed(tx, filter, range.to)] : []),
  ]
  return { items: await listPage(tx, found, sort, limit, offsetWithin), total }
}

/** A number of entries whose keys lie between `low` and `high`, both included; they are counted, but not read. */
interface Span {
  n: number
  low: number
  high: number
}

/**
 * Finds the spans that can contain entries of a page, in ascending order of keys, and the offset within them. Spans may overlap, so one is
 * left out only if all of it lies before or behind the page.
 */
function spansOfPage<T extends Span>(spans: readonly T[], offset: number, limit: number) {
  const byLow = spans.toSorted((a, b) => a.low - b.low)
  const byHigh = spans.toSorted((a, b) => a.high - b.high)
  /** The most entries up to its last one. */
  const upTo = new Map<T, number>()
  let sum = 0
  let next = 0
  for (const span of byHigh) {
    for (; next < byLow.length && byLow[next]!.low <= span.high; next++) sum += byLow[next]!.n
    upTo.set(span, sum)
  }
  const within: T[] = []
  /** The entries that must come before its first one. */
  let ahead = 0
  let skipped = 0
  next = 0
  for (const span of byLow) {
    for (; byHigh[next]!.high < span.low; next++) ahead += byHigh[next]!.n
    if (upTo.get(span)! <= offset) skipped += span.n
    else if (ahead < offset + limit) within.push(span)
  }
  return { within, offset: offset - skipped }
}

/** The same span in descending order. */
const reversed = <T extends Span>(span: T): T => ({ ...span, low: -span.high, high: -span.low })
