// The load of a batch and its rehearsal: the same work, which a rehearsal undoes.
import type { ActionContext } from '#action'
import { AppError, conflict, messageOf } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { readSettings } from '#modules/accounts'
import { startJob, steppedJob } from '#modules/jobs'
import { isDatabaseError } from '#platform/db/database.ts'
import { inPart } from '#platform/db/trial.ts'
import { type BatchInput, endStudy, readCounts } from './check.ts'
import { factsOf, sheetsOf } from './facts.ts'
import { messages } from './messages.ts'
import {
  type BatchRow,
  findBatch,
  findRowsByKey,
  handOverFiles,
  listRowsToWork,
  lockBatch,
  type RowToWork,
  storeFindings,
  storeLoaded,
  updateBatch,
} from './queries.ts'
import { reconcileJob } from './reconcile.ts'
import type { AnySheet, BatchFacts, RowMessage, SheetName } from './sheet.ts'
import { sheets } from './sheets/index.ts'

/** A record locks few others, so that people go on working meanwhile. */
const rowsPerStep = 50
/** Those that the check found nothing against. */
const toLoad = ['ok', 'warning'] as const

interface State {
  sheet: number
  after: number
}

type Context = ActionContext<unknown>

/** A refusal of a record, or undefined for a fault that is not the row's: then the step is tried again. */
function refusalOf(error: unknown): RowMessage | undefined {
  if (error instanceof AppError)
    return {
      message: messages.row_refused({ reason: messageOf(error) as Message }),
      todo: messages.row_correct_and_check(),
    }
  const { code = '', constraint, message } = error as { code?: string; constraint?: string; message: string }
  // What the tables and their guards refuse; not a deadlock, a time limit or a lost connection.
  if (!isDatabaseError(error) || !/^(22|23|QA)/.test(code)) return undefined
  return {
    message: messages.row_refused_by_database({ reason: constraint ?? message }),
    todo: messages.row_report_fault(),
  }
}

/** The rows of one sheet become records, and their files theirs. */
async function loadRows(context: Context, sheet: AnySheet, rows: readonly RowToWork[], facts: BatchFacts) {
  const { tx } = context
  const loaded = await sheet.load(context, rows, facts)
  if (loaded.length !== rows.length) throw new Error(`${sheet.name} loaded ${loaded.length} of ${rows.length} rows`)
  await Promise.all([
    storeLoaded(
      tx,
      loaded.map((each, at) => ({ id: rows[at]!.id, ...each })),
    ),
    sheet.columns.some(({ takes }) => takes) &&
      handOverFiles(
        tx,
        rows.map(({ id }) => id),
      ),
  ])
}

/** Works on rows together, and where one is refused on each by itself. Returns the refused. */
async function workOnRows(
  rows: readonly RowToWork[],
  work: (rows: readonly RowToWork[]) => Promise<void>,
): Promise<Map<number, RowMessage>> {
  const refused = new Map<number, RowMessage>()
  try {
    await work(rows)
    return refused
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    if (rows.length === 1) return refused.set(rows[0]!.id, refusal)
  }
  for (const row of rows) for (const [id, refusal] of await workOnRows([row], work)) refused.set(id, refusal)
  return refused
}

/** Keys of the rows that these need, by sheet. */
function neededBy(rows: readonly { sheet: AnySheet; row: RowToWork }[]): Map<SheetName, Set<string>> {
  const keys = new Map<SheetName, Set<string>>()
  for (const { sheet, row } of rows)
    for (const { sheet: name, key } of sheet.references(row.values))
      keys.set(name, (keys.get(name) ?? new Set<string>()).add(key))
  return keys
}

/**
 * Refuses rows whose document, CAPA or person was refused before. Without it, a row could find another record of the same number, and a version
 * would come into a document that is not of the import.
 */
async function requireNeeded({ tx }: Context, batch: BatchRow, sheet: AnySheet, rows: readonly RowToWork[]) {
  const here = new Set(rows.map(({ id }) => id))
  for (const [name, keys] of neededBy(rows.map(row => ({ sheet, row }))))
    for (const { id, key, resource_id } of await findRowsByKey(tx, batch.id, name, [...keys]))
      if (resource_id === null && !here.has(id)) throw conflict(messages.row_needs_other_row({ sheet: name, key }))
}

const storeRefused = (context: Context, rows: readonly RowToWork[], refused: ReadonlyMap<number, RowMessage>) =>
  storeFindings(
    context.tx,
    rows.flatMap(({ id, messages: before, planned }) => {
      const refusal = refused.get(id)
      return refusal ? [{ id, status: 'error' as const, messages: [...before, refusal], planned }] : []
    }),
  )

/** The rows with all that they need and that is no record yet, by sheet, in the order of their load. */
async function withNeeded(
  context: Context,
  batch: BatchRow,
  first: AnySheet,
  rows: readonly RowToWork[],
): Promise<{ sheet: AnySheet; rows: RowToWork[] }[]> {
  const { tx } = context
  const found = new Map<number, RowToWork>(rows.map(row => [row.id, row]))
  const bySheet = new Map<SheetName, RowToWork[]>([[first.name, [...rows]]])
  let open = rows.map(row => ({ sheet: first, row }))
  while (open.length > 0) {
    const keys = neededBy(open)
    open = []
    for (const [name, wanted] of keys) {
      const sheet = sheets[name]
      if (!sheet) continue
      for (const row of await findRowsByKey(tx, batch.id, name, [...wanted])) {
        if (found.has(row.id) || row.resource_id !== null) continue
        if (row.status === 'error') throw conflict(messages.row_needs_other_row({ sheet: name, key: row.key }))
        found.set(row.id, row)
        bySheet.set(name, [...(bySheet.get(name) ?? []), row])
        open.push({ sheet, row })
      }
    }
  }
  return sheetsOf(batch).flatMap(sheet => {
    const its = bySheet.get(sheet.name)
    return its ? [{ sheet, rows: its.toSorted((a, b) => a.line - b.line) }] : []
  })
}

/** What a step of a rehearsal tried, in transactions of its own that were undone. */
interface Tried {
  rows: RowToWork[]
  refused: Map<number, RowMessage>
}

export const rehearseJob = steppedJob<BatchInput, State, Tried>({
  name: 'migration.rehearse',
  async prepare({ services, actor, origin }, { input: { batch_id }, state: { sheet: at = 0, after = 0 } }) {
    const { runner, database, clock } = services
    const found = await database.transaction(actor, 'read only', async tx => {
      const batch = (await findBatch(tx, batch_id))!
      const sheet = sheetsOf(batch)[at]
      if (batch.status !== 'rehearsing' || !sheet) return undefined
      const rows = await listRowsToWork(tx, batch.id, sheet.name, { after, limit: rowsPerStep, statuses: toLoad })
      return { batch, sheet, rows, time_zone: (await readSettings(tx)).time_zone }
    })
    if (!found || found.rows.length === 0) return { rows: [], refused: new Map() }
    const { batch, sheet, rows, time_zone } = found
    const refused = await workOnRows(rows, some =>
      runner.rehearseWork(actor, origin, async context => {
        const facts = factsOf(context.tx, batch, { now: clock.now(), time_zone })
        for (const each of await withNeeded(context, batch, sheet, some))
          await loadRows(context, each.sheet, each.rows, facts)
      }),
    )
    return { rows, refused }
  },
  async step(context, { input: { batch_id }, state: { sheet: at = 0, after = 0 }, prepared: { rows, refused } }) {
    const batch = (await findBatch(context.tx, batch_id))!
    const isOver = batch.status !== 'rehearsing'
    if (isOver || !sheetsOf(batch)[at]) {
      if (!isOver) await endStudy(context, batch, 'rehearsed')
      return { state: { sheet: at, after }, done: 0, skipped: 0, isOver: true }
    }
    if (refused.size > 0) await storeRefused(context, rows, refused)
    const isMore = rows.length === rowsPerStep
    const next = isMore ? { sheet: at, after: rows.at(-1)!.line } : { sheet: at + 1, after: 0 }
    return { state: next, done: rows.length, skipped: 0, isOver: false }
  },
})

export const loadJob = steppedJob<BatchInput, State>({
  name: 'migration.load',
  async step(context, { input: { batch_id }, state: { sheet: at = 0, after = 0 } }) {
    const { tx, services } = context
    const batch = (await findBatch(tx, batch_id))!
    const sheet = sheetsOf(batch)[at]
    if (batch.status !== 'loading' || !sheet) {
      if (batch.status === 'loading') await endLoad(context, batch)
      return { state: { sheet: at, after }, done: 0, skipped: 0, isOver: true }
    }
    const { time_zone } = await readSettings(tx)
    const facts = factsOf(tx, batch, { now: services.clock.now(), time_zone })
    const rows = await listRowsToWork(tx, batch.id, sheet.name, {
      ...{ after, limit: rowsPerStep },
      // A load that goes on tries again what was refused.
      statuses: ['ok', 'warning', 'error'],
    })
    const refused =
      rows.length > 0
        ? await workOnRows(rows, some =>
            inPart(tx, async () => {
              await requireNeeded(context, batch, sheet, some)
              await loadUndoing(context, sheet, some, facts)
            }),
          )
        : new Map<number, RowMessage>()
    if (refused.size > 0) await storeRefused(context, rows, refused)
    const isMore = rows.length === rowsPerStep
    const next = isMore ? { sheet: at, after: rows.at(-1)!.line } : { sheet: at + 1, after: 0 }
    return { state: next, done: rows.length - refused.size, skipped: refused.size, isOver: false }
  },
})

/** Entries of a part that was refused are dropped. */
async function loadUndoing(context: Context, sheet: AnySheet, rows: readonly RowToWork[], facts: BatchFacts) {
  const recorded: Parameters<Context['record']>[] = []
  const committed: (() => void)[] = []
  await loadRows(
    {
      ...context,
      record: (...event) => void recorded.push(event),
      afterCommit: work => void committed.push(work),
    },
    sheet,
    rows,
    facts,
  )
  for (const event of recorded) context.record(...event)
  for (const work of committed) context.afterCommit(work)
}

/** Compares the records with their rows, or says that some were refused. */
async function endLoad(context: Context, batch: BatchRow) {
  const { tx, record } = context
  const { id, number, status: before } = batch
  await lockBatch(tx, id)
  const counts = await readCounts(tx, id)
  const { error, ok, warning } = counts
  const rows = Object.values(counts).reduce((sum, each) => sum + each, 0)
  const left = error + ok + warning
  const status = left > 0 ? 'failed' : 'reconciling'
  const job = left > 0 ? undefined : await startReconciling(context, { id, rows })
  const { revision } = await updateBatch(tx, id, { status, ...(job && { job_id: job.id }) })
  record('migration_batch.state_changed', id, { number, before: { status: before }, after: { status, left, revision } })
}

export const startReconciling = (context: Context, { id, rows }: { id: number; rows: number }) =>
  startJob(context, reconcileJob, { input: { batch_id: id }, total: rows })
