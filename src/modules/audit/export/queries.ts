import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { blockOf } from '../places/blocks.ts'
import { type Block, isOfBlocks, leavesIn, type Range } from '../trail/block-queries.ts'
import { countSealed } from '../trail/list.ts'
import { matches, selectEntries } from '../trail/queries.ts'
import type { AuditEntry, EntryFilter } from '../trail/schema.ts'
import type { BundleEntry, BundleRedaction } from './bundle-format.ts'

/** The filter without its range; undefined if it selects all entries of the range. */
export function beyondRange({ seq_from: _from, seq_to: _to, ...rest }: EntryFilter): EntryFilter | undefined {
  return Object.values(rest).some(value => value !== undefined) ? rest : undefined
}

/** The entries of an export: all of the range, or those that the filter finds in these blocks. */
export interface Selection {
  range: Range
  filter: EntryFilter | undefined
  n: number
  blocks: readonly Block[]
}

/** Selects the fewest blocks that contain a whole page. */
function blocksOfPage(blocks: readonly Block[], from: number, limit: number): number[] {
  const found: number[] = []
  let n = 0
  for (const each of blocks) {
    if (each.block < blockOf(from)) continue
    found.push(each.block)
    // An earlier page may have read all entries of the first block.
    if (each.block > blockOf(from)) n += each.n
    if (n >= limit) break
  }
  return found
}

const leaves = (tx: Tx, { from, to }: Range) =>
  tx.selectFrom('audit_leaves').select(['seq', 'epoch', 'entry_id']).where('seq', '>=', from).where('seq', '<=', to)

function leavesOf(tx: Tx, { filter, range, blocks }: Selection, limit: number): RawBuilder<unknown> {
  if (filter === undefined) return sql`${leaves(tx, range)}`
  if (isOfBlocks(filter)) return leavesIn(filter, range, blocksOfPage(blocks, range.from, limit))
  const ids = tx.selectFrom('audit_entries').where(matches(filter)).select('id')
  return sql`${leaves(tx, range).where('entry_id', 'in', ids)}`
}

const idsInOrder = (tx: Tx, selection: Selection, limit: number) =>
  sql<{ seq: number; epoch: number; entry_id: number }>`(
    select l.* from (${leavesOf(tx, selection, limit)}) l order by l.seq limit ${limit})`.as('l')

/** An entry with its place, as it was hashed: without the full name, which it does not hold. */
export type OrderedEntry = Omit<AuditEntry, 'user'> & {
  seq: number
  user: Omit<AuditEntry['user'], 'full_name' | 'full_name_as_of'>
}

/** A page of entries in the form for readers. */
export const entriesInOrder = (tx: Tx, selection: Selection, limit: number): Promise<OrderedEntry[]> =>
  selectEntries(tx)
    .innerJoin(idsInOrder(tx, selection, limit), 'l.entry_id', 'audit_entries.id')
    .select('l.seq')
    .orderBy('l.seq')
    .execute() as Promise<OrderedEntry[]>

const opened = (part: 'person' | 'detail') => sql<{ salt: string; opening: string } | null>`
  case when ${sql.ref(`e.${part}_salt`)} is not null then jsonb_build_object('salt', encode(${sql.ref(`e.${part}_salt`)}, 'hex'), 'opening',
    ${sql.raw(`audit_${part}`)}(e)) end`

/** A page of entries as they were hashed. */
export const leavesInOrder = (tx: Tx, selection: Selection, limit: number): Promise<BundleEntry[]> =>
  tx
    .selectFrom('audit_entries as e')
    .innerJoin(idsInOrder(tx, selection, limit), 'l.entry_id', 'e.id')
    .innerJoin('audit_epochs as p', 'p.epoch', 'l.epoch')
    .select([
      'l.seq',
      'l.epoch',
      sql<number>`l.seq - p.first_seq`.as('leaf_index'),
      'e.leaf',
      opened('person').as('person'),
      opened('detail').as('detail'),
    ])
    .orderBy('l.seq')
    .execute()

/** The redactions of the selection, which are rare enough to be read at once. */
export const redactionsIn = (tx: Tx, { filter, range }: Selection): Promise<BundleRedaction[]> =>
  tx
    .selectFrom('audit_redactions as r')
    .innerJoin('audit_leaves', 'audit_leaves.entry_id', 'r.entry_id')
    .select(['seq', sql<BundleRedaction['part']>`r.part`.as('part'), 'r.redacted_at', 'r.reason'])
    .where('seq', '>=', range.from)
    .where('seq', '<=', range.to)
    .$if(filter !== undefined, query =>
      query.where(e =>
        e.exists(
          e
            .selectFrom('audit_entries')
            .select(sql`1`.as('one'))
            .whereRef('audit_entries.id', '=', 'r.entry_id')
            .where(matches(filter!)),
        ),
      ),
    )
    .orderBy('seq')
    .orderBy('r.part')
    .execute()

type Epoch = Awaited<ReturnType<typeof listEpochs>>[number]
export const listEpochs = (tx: Tx) =>
  tx.selectFrom('audit_epochs').select(['epoch', 'first_seq']).orderBy('epoch').execute()

/** The epochs that have entries in the range. */
export async function epochsIn(tx: Tx, { filter, range, n }: Selection, epochs: readonly Epoch[]): Promise<number[]> {
  const found: number[] = []
  for (const [at, { epoch, first_seq }] of epochs.entries()) {
    const within = {
      from: Math.max(range.from, first_seq),
      to: Math.min(range.to, (epochs[at + 1]?.first_seq ?? Number.POSITIVE_INFINITY) - 1),
    }
    if (within.from > within.to) continue
    const isWhole = within.from === range.from && within.to === range.to
    const count = isWhole ? n : filter ? (await countSealed(tx, filter, within)).n : 1
    if (count > 0) found.push(epoch)
  }
  return found
}
