// The check of a batch: every row is read and judged, and nothing is written but what was found.
import type { ActionContext } from '#action'
import { readSettings } from '#modules/accounts'
import { steppedJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { factsOf, sheetsOf } from './facts.ts'
import { messages } from './messages.ts'
import {
  type BatchRow,
  countByStatus,
  findBatch,
  findFilesByPath,
  listCells,
  listDuplicates,
  listPlaces,
  listRowsToWork,
  lockBatch,
  noteUse,
  type RowToWork,
  readHashes,
  storeFindings,
  storeValues,
  updateBatch,
} from './queries.ts'
import { type BatchStatus, rowStatuses } from './schema.ts'
import type { AnySheet, BatchFacts, Checked, RowMessage } from './sheet.ts'
import { mapColumns } from './staging/mapping.ts'
import { readValues } from './staging/values.ts'

const rowsPerReading = 500
const rowsPerCheck = 100

export interface BatchInput {
  batch_id: number
}

interface State {
  /** All rows are read before any is judged, because rows name each other. */
  phase: 'read' | 'check'
  sheet: number
  after: number
}

export const checkJob = steppedJob<BatchInput, State>({
  name: 'migration.check',
  async step(context, { input: { batch_id }, state: { phase = 'read', sheet: at = 0, after = 0 } }) {
    const { tx, services } = context
    const batch = (await findBatch(tx, batch_id))!
    const sheet = sheetsOf(batch)[at]
    if (batch.status !== 'checking') return { state: { phase, sheet: at, after }, done: 0, skipped: 0, isOver: true }
    if (!sheet) {
      if (phase === 'read') return { state: { phase: 'check', sheet: 0, after: 0 }, done: 0, skipped: 0, isOver: false }
      await endStudy(context, batch, 'checked')
      return { state: { phase, sheet: at, after }, done: 0, skipped: 0, isOver: true }
    }
    const { time_zone } = await readSettings(tx)
    const lines =
      phase === 'read'
        ? await readPage(tx, batch, sheet, { after, time_zone })
        : await checkPage(tx, batch, sheet, {
            after,
            facts: factsOf(tx, batch, { now: services.clock.now(), time_zone }),
          })
    const isMore = lines.length === (phase === 'read' ? rowsPerReading : rowsPerCheck)
    const next = isMore ? { phase, sheet: at, after: lines.at(-1)! } : { phase, sheet: at + 1, after: 0 }
    return { state: next, done: phase === 'check' ? lines.length : 0, skipped: 0, isOver: false }
  },
})

/** Reads the values of a page of rows from their cells, and notes which files they name. Returns their lines. */
async function readPage(
  tx: Tx,
  batch: BatchRow,
  sheet: AnySheet,
  { after, time_zone }: { after: number; time_zone: string },
): Promise<number[]> {
  const { settings, sheets: staged } = batch
  const rows = await listCells(tx, batch.id, sheet.name, after, rowsPerReading)
  if (rows.length === 0) return []
  const mapped = mapColumns(sheet, staged[sheet.name]!.headings, settings)
  const uses: { path: string; taken_by: number | null }[] = []
  const read = rows.map(({ id, cells }) => {
    const { values, findings } = readValues(cells, mapped, { date_format: settings.date_format, time_zone })
    for (const { name, kind, takes } of sheet.columns) {
      const path = kind === 'file' ? values[name] : null
      if (typeof path === 'string') uses.push({ path, taken_by: takes ? id : null })
    }
    return { id, key: sheet.key(values), values, messages: findings }
  })
  await storeValues(tx, read)
  if (uses.length > 0) await noteUse(tx, batch.id, uses)
  return rows.map(({ line }) => line)
}

async function checkPage(
  tx: Tx,
  batch: BatchRow,
  sheet: AnySheet,
  { after, facts }: { after: number; facts: BatchFacts },
): Promise<number[]> {
  const rows = await listRowsToWork(tx, batch.id, sheet.name, { after, limit: rowsPerCheck })
  if (rows.length === 0) return []
  const findings = await judgeByBatch(tx, batch, sheet, rows)
  // A row that could not be read has nothing to be judged by.
  const readable = rows.filter(({ messages: found }) => found.length === 0)
  const judged = new Map<number, Checked>()
  const checked = readable.length > 0 ? await sheet.check(tx, readable, facts) : []
  for (const [at, each] of checked.entries()) judged.set(readable[at]!.id, each)
  await storeFindings(
    tx,
    rows.map(row => {
      const own = judged.get(row.id)
      const found = [...row.messages, ...findings.get(row.id)!, ...(own?.messages ?? [])]
      const isError = row.messages.length > 0 || findings.get(row.id)!.length > 0
      return {
        id: row.id,
        status: isError ? ('error' as const) : own!.status,
        messages: found,
        planned: own?.planned ?? null,
      }
    }),
  )
  return rows.map(({ line }) => line)
}

/** Findings about each row that the whole batch shows: a key that stands twice, and files that are missing, of a wrong type, or taken. */
async function judgeByBatch(tx: Tx, batch: BatchRow, sheet: AnySheet, rows: readonly RowToWork[]) {
  const found = new Map<number, RowMessage[]>(rows.map(({ id }) => [id, []]))
  const columns = sheet.columns.filter(({ kind }) => kind === 'file')
  const paths = rows.flatMap(({ values }) =>
    columns.flatMap(({ name }) => (typeof values[name] === 'string' ? [values[name]] : [])),
  )
  const [duplicates, files] = await Promise.all([
    listDuplicates(
      tx,
      batch.id,
      sheet.name,
      rows.map(({ key }) => key),
    ),
    paths.length > 0 ? findFilesByPath(tx, batch.id, paths) : [],
  ])
  const linesOf = new Map(duplicates.map(({ key, lines }) => [key, lines]))
  const fileOf = new Map(files.map(file => [file.path, file]))
  const takers = await listPlaces(
    tx,
    files.flatMap(({ row_id }) => row_id ?? []),
  )
  const placeOf = new Map(takers.map(({ id, sheet: name, line }) => [id, `${name} ${line}`]))
  for (const { id, line, key, values } of rows) {
    const add = (...each: RowMessage[]) => found.get(id)!.push(...each)
    const others = (linesOf.get(key) ?? []).filter(each => each !== line)
    if (others.length > 0)
      add({ message: messages.row_key_twice({ lines: others.slice(0, 20) }), todo: messages.row_remove_duplicate() })
    for (const { name: column, takes, takesLegacy } of columns) {
      const path = values[column]
      if (typeof path !== 'string') continue
      const file = fileOf.get(path)
      if (!file) add({ column, message: messages.row_file_missing({ path }), todo: messages.row_upload_file() })
      else if (file.is_legacy && !takesLegacy)
        add({ column, message: messages.row_file_legacy({ path }), todo: messages.row_convert_file() })
      else if (takes && file.row_id !== null && file.row_id !== id)
        add({
          column,
          message: messages.row_file_twice({ path, lines: [placeOf.get(file.row_id) ?? '-'] }),
          todo: messages.row_copy_file(),
        })
    }
  }
  return found
}

/** How many rows have each status. */
export async function readCounts(tx: Tx, batchId: number) {
  const counts = Object.fromEntries(rowStatuses.map(status => [status, 0])) as Record<
    (typeof rowStatuses)[number],
    number
  >
  for (const { status, count } of await countByStatus(tx, [batchId])) counts[status] += count
  return counts
}

/** The end of a check or rehearsal: what was found, and the hashes of what it was found about. */
export async function endStudy(
  { tx, record }: ActionContext<unknown>,
  { id, number, status: before }: BatchRow,
  ended: 'checked' | 'rehearsed',
) {
  await lockBatch(tx, id)
  const [counts, hashes] = await Promise.all([readCounts(tx, id), readHashes(tx, id)])
  // A rehearsal that found an error leaves the batch to be corrected.
  const status: BatchStatus = counts.error > 0 ? 'checked' : ended
  const { revision } = await updateBatch(tx, id, { status, counts, ...hashes })
  record(`migration_batch.${ended}`, id, {
    number,
    before: { status: before },
    after: { status, ...counts, ...hashes, revision },
  })
}
