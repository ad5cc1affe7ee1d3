import type { PrepareContext } from '#action'
import { nameOfTenant, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { originOf } from '../log/note.ts'
import { latestCheckpoint, readLog } from '../log/queries.ts'
import type { Sealed } from '../sealing/sealing.ts'
import type { Range } from '../trail/block-queries.ts'
import { countSealed } from '../trail/list.ts'
import type { EntryFilter } from '../trail/schema.ts'
import { beyondRange, entriesInOrder, leavesInOrder, listEpochs, type Selection } from './queries.ts'

/** An export holds one page in memory, however many entries there are. */
const entriesPerPage = 500

/** The scope of an export is fixed before its first byte. */
export async function readScope(tx: Tx, filter: EntryFilter, { epoch, size, seq }: Sealed) {
  const { seq_from = 1, seq_to = seq } = filter
  const range: Range = { from: seq_from, to: Math.min(seq_to, seq) }
  const beyond = beyondRange(filter)
  const all = { n: Math.max(0, range.to - range.from + 1), blocks: [] }
  const selection: Selection = { filter: beyond, range, ...(beyond ? await countSealed(tx, beyond, range) : all) }
  const { log_id } = await readLog(tx)
  const checkpoint = await latestCheckpoint(tx, { epoch, size })
  return {
    filter,
    range,
    selection,
    count: selection.n,
    log_id,
    epoch,
    origin: originOf(log_id, epoch),
    size,
    root: checkpoint?.root.toString('base64') ?? null,
    epochs: await listEpochs(tx),
    tenant: await nameOfTenant(tx),
    zone: (await readSettings(tx)).time_zone,
  }
}
export type Scope = Awaited<ReturnType<typeof readScope>>

/** Each page has a short transaction of its own, so that none stays open for a slow reader. */
async function* pagesOf<T extends { seq: number }>(
  { read }: Pick<PrepareContext, 'read'>,
  { selection }: Scope,
  page: (tx: Tx, selection: Selection, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  const { to } = selection.range
  for (let { from } = selection.range; from <= to; ) {
    const found = await read(tx => page(tx, { ...selection, range: { from, to } }, entriesPerPage))
    if (found.length > 0) yield found
    if (found.length < entriesPerPage) return
    from = found.at(-1)!.seq + 1
  }
}

export const entryPages = (context: Pick<PrepareContext, 'read'>, scope: Scope) =>
  pagesOf(context, scope, entriesInOrder)
export const leafPages = (context: Pick<PrepareContext, 'read'>, scope: Scope) => pagesOf(context, scope, leavesInOrder)
