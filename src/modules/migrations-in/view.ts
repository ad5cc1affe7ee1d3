import type { ActionContext, Actor } from '#action'
import { allowedActs } from '#action/allowed.ts'
import { notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import { actsOn } from './acts.ts'
import {
  type BatchRow,
  countByStatus,
  countSamples,
  findBatch,
  listSampleIds,
  type RowCount,
  readFileCounts,
  type ShownRow,
} from './queries.ts'
import { type BatchState, sampleOf } from './rules.ts'
import { type Batch, type Row, rowStatuses } from './schema.ts'
import { type RowMessage, type SheetName, sheetNames } from './sheet.ts'
import { sheets } from './sheets/index.ts'
import { mapColumns } from './staging/mapping.ts'

type Counts = Batch['counts']

const noCounts = () => Object.fromEntries(rowStatuses.map(status => [status, 0])) as Counts
const countsIn = (found: readonly RowCount[]): Counts => {
  const counts = noCounts()
  for (const { status, count } of found) counts[status] += count
  return counts
}
const sumOf = (counts: Counts) => Object.values(counts).reduce((sum, each) => sum + each, 0)

export async function requireBatch(tx: Tx, id: number): Promise<BatchRow> {
  const batch = await findBatch(tx, id)
  if (!batch) throw notFound('Import')
  return batch
}

const isRunning = ({ job }: Pick<BatchRow, 'job'>) => job !== null && ['queued', 'running'].includes(job.status)

/** What decides about the acts on a batch. */
export async function stateOf(tx: Tx, batch: BatchRow): Promise<BatchState & { found: RowCount[]; done: number }> {
  const [found, samples] = await Promise.all([countByStatus(tx, [batch.id]), countSamples(tx, batch.id)])
  const { id, number, status, started_by, checked_counts: counts } = batch
  return {
    ...{ id, number, status, started_by, counts, found },
    is_running: isRunning(batch),
    rows: sumOf(countsIn(found)),
    done: samples.reduce((sum, each) => sum + each.done, 0),
    samples: { differ: samples.reduce((sum, { differ }) => sum + differ, 0) },
  }
}

const sheetsThere = ({ sheets: staged }: Pick<BatchRow, 'sheets'>) =>
  sheetNames.filter(name => staged[name] !== undefined)

const summaryOf = (batch: BatchRow, found: readonly RowCount[]) => {
  const { id, number, title, source_system, status, started_by, started_at, job, accepted, released } = batch
  const counts = countsIn(found)
  return {
    ...{ id, number, title, source_system, status, started_by, started_at, job, accepted, released, counts },
    rows: sumOf(counts),
    updated_at: batch.updated_at,
    revision: batch.revision,
  }
}

export async function summariesOf(tx: Tx, batches: readonly BatchRow[]) {
  const counts = await countByStatus(
    tx,
    batches.map(({ id }) => id),
  )
  return batches.map(batch =>
    summaryOf(
      batch,
      counts.filter(({ batch_id }) => batch_id === batch.id),
    ),
  )
}

function sheetOf(batch: BatchRow, name: SheetName, found: readonly RowCount[]): Batch['sheets'][number] {
  const { manifest, headings } = batch.sheets[name]!
  const counts = countsIn(found.filter(({ sheet }) => sheet === name))
  const sheet = sheets[name]
  const mapped = sheet ? mapColumns(sheet, headings, batch.settings) : []
  return {
    ...{ name, manifest, headings, counts },
    rows: sumOf(counts),
    columns: mapped.map(({ column, at, isByHand }) => ({
      name: column.name,
      kind: column.kind,
      is_required: column.required ?? false,
      choices: [...(column.choices ?? [])],
      help: column.help,
      heading: at === undefined ? null : headings[at]!,
      is_mapped_by_hand: isByHand,
    })),
    unread_headings: headings.filter((heading, at) => heading !== '' && !mapped.some(each => each.at === at)),
    missing: mapped.flatMap(({ column, at }) => (column.required && at === undefined ? [column.name] : [])),
  }
}

export async function present(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx'> & { actor: Actor },
  id: number,
): Promise<Batch> {
  const batch = await requireBatch(tx, id)
  const [state, files] = await Promise.all([stateOf(tx, batch), readFileCounts(tx, id)])
  const names = sheetsThere(batch)
  const rowsOf = (name: SheetName) => sumOf(countsIn(state.found.filter(({ sheet }) => sheet === name)))
  return {
    ...summaryOf(batch, state.found),
    settings: batch.settings,
    sheets: names.map(name => sheetOf(batch, name, state.found)),
    ignored_sheets: batch.ignored_sheets as string[],
    files,
    content_revision: batch.content_revision,
    manifest_sha256: batch.manifest_sha256,
    files_sha256: batch.files_sha256,
    report_sha256: batch.report_sha256,
    samples: {
      proposed: names.reduce((sum, name) => sum + (rowsOf(name) > 0 ? sampleOf(rowsOf(name)).size : 0), 0),
      done: state.done,
      differ: state.samples.differ,
    },
    reconciliation: batch.reconciliation,
    release_remarks: batch.release_remarks,
    discarded: batch.discarded,
    you: await allowedActs(actsOn(actor, state)),
  }
}

/** The rows of each sheet that are proposed for the comparison with the source. */
export async function samplePlanOf(tx: Tx, batch: BatchRow) {
  const [counts, done] = await Promise.all([countByStatus(tx, [batch.id]), countSamples(tx, batch.id)])
  return Promise.all(
    sheetsThere(batch).flatMap(sheet => {
      const rows = sumOf(countsIn(counts.filter(each => each.sheet === sheet)))
      if (rows === 0) return []
      const { code, size } = sampleOf(rows)
      return [
        (async () => ({
          ...{ sheet, rows, code, size },
          done: done.find(each => each.sheet === sheet)?.done ?? 0,
          row_ids: await listSampleIds(tx, batch.id, sheet, batch.id, size),
        }))(),
      ]
    }),
  )
}

const links: Record<string, string> = {
  user: '/api/users/',
  group: '/api/groups/',
  document: '/api/documents/',
  deviation: '/api/deviations/',
  capa: '/api/capa/',
  training_assignment: '/api/training/assignments/',
  curriculum: '/api/training/curricula/',
}

/** A message as it was stored, to be said in the language of the reader. */
const findingOf = ({ column, message, todo }: RowMessage) => ({
  column: column ?? null,
  message: message as Message,
  code: message.code,
  params: { ...message.params },
  todo: todo as Message,
})

/** Where the record is read; a version and an approval are read with their document, an action with its CAPA. */
function linkOf({ resource_type, resource_id, document_id, capa_id }: ShownRow): string | null {
  if (document_id !== null) return `${links.document}${document_id}`
  if (capa_id !== null) return `${links.capa}${capa_id}`
  const link = resource_type !== null && links[resource_type]
  return link ? `${link}${resource_id}` : null
}

export function rowOf(found: ShownRow, proposed: ReadonlySet<number>): Row {
  const { resource_type, resource_id, document_id: _document, capa_id: _capa, messages, ...row } = found
  return {
    ...row,
    messages: messages.map(findingOf),
    record:
      resource_type === null || resource_id === null
        ? null
        : { type: resource_type, id: resource_id, link: linkOf(found) },
    is_proposed_sample: proposed.has(row.id),
  }
}
