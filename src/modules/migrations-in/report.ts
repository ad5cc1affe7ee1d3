// The report of a batch: every row with what was found about it, and what it came to.
import { Readable } from 'node:stream'
import { type PrepareContext, query } from '#action'
import { FileContent, type MadeFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { invalid, issueAt } from '#kernel/errors.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInBoth } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { headings, numberOf, type Print, momentInBoth as printedMoment, together } from '#kernel/print.ts'
import { IdParams } from '#kernel/schema.ts'
import { readerLanguage, readSettings } from '#modules/accounts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Block } from '#platform/pdf/rendition.ts'
import { NotPages } from '#platform/pdf/thread.ts'
import { messages, printed } from './messages.ts'
import { type BatchRow, listFilesAfter, listRowsAfter, type ShownRow } from './queries.ts'
import { type Batch, ReportFilter } from './schema.ts'
import { present, requireBatch, rowOf } from './view.ts'

const rowsPerPage = 500
const filesPerPage = 1_000
/** Nobody reads more on paper, and the CSV has all rows. */
const maxPrintedRows = 2_000

const nobody: ReadonlySet<number> = new Set()

async function* everyRow({ read }: Pick<PrepareContext, 'read'>, batchId: number): AsyncGenerator<ShownRow[]> {
  for (let after = { sheet: '', line: 0 }; ; ) {
    const rows = await read(tx => listRowsAfter(tx, batchId, after, rowsPerPage))
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerPage) return
    const { sheet, line } = rows.at(-1)!
    after = { sheet, line }
  }
}

async function* everyFile({ read }: Pick<PrepareContext, 'read'>, batchId: number) {
  for (let after = 0; ; ) {
    const files = await read(tx => listFilesAfter(tx, batchId, after, filesPerPage))
    yield* files
    if (files.length < filesPerPage) return
    after = files.at(-1)!.id
  }
}

const columns: [title: string, of: (row: ShownRow) => string | number | null][] = [
  ['Sheet', ({ sheet }) => sheet],
  ['Line', ({ line }) => line],
  ['Key', ({ key }) => key],
  ['Status', ({ status }) => status],
  ['Columns', ({ messages: found }) => found.flatMap(({ column }) => column ?? []).join(', ')],
  ['Findings', ({ messages: found }) => found.map(({ message }) => message.text).join('\n')],
  ['What to do', ({ messages: found }) => [...new Set(found.map(({ todo }) => todo.text))].join('\n')],
  ['Record', ({ resource_type, resource_id }) => (resource_id === null ? null : `${resource_type} ${resource_id}`)],
  [
    'Differences',
    ({ differences }) =>
      differences.map(each => `${each.column}: ${each.row ?? '-'} / ${each.record ?? '-'}`).join('\n'),
  ],
  ['Sample', ({ sample }) => sample?.finding ?? null],
  ['Sampled by', ({ sample }) => sample?.by.username ?? null],
  ['Sample comment', ({ sample }) => sample?.comment ?? null],
]

async function* csvRows(context: PrepareContext, batchId: number): AsyncGenerator<CsvRow[]> {
  for await (const rows of everyRow(context, batchId)) yield rows.map(row => columns.map(([, of]) => of(row)))
}

/** Written while it is read, because a batch may have 100,000 rows. */
async function* jsonOf(context: PrepareContext, batch: Batch, made_at: string): AsyncGenerator<Buffer> {
  const { you: _you, job: _job, sheets, ...facts } = batch
  const shortened = sheets.map(({ columns: _columns, ...sheet }) => sheet)
  const head = JSON.stringify({ made_at, batch: { ...facts, sheets: shortened } })
  yield Buffer.from(`${head.slice(0, -1)},"files":[`)
  let separator = ''
  for await (const { path, sha256, size, is_legacy } of everyFile(context, batch.id)) {
    yield Buffer.from(`${separator}${JSON.stringify({ path, sha256, size, is_legacy })}`)
    separator = ',\n'
  }
  yield Buffer.from('],"rows":[')
  separator = ''
  for await (const rows of everyRow(context, batch.id)) {
    const said = rows.map(row => {
      const { messages: found, is_proposed_sample: _proposed, ...rest } = rowOf(row, nobody)
      return {
        ...rest,
        messages: found.map(({ message, todo, ...each }) => ({ ...each, message: message.text, todo: todo.text })),
      }
    })
    yield Buffer.from(separator + said.map(each => JSON.stringify(each)).join(',\n'))
    separator = ',\n'
  }
  yield Buffer.from(']}\n')
}

const table = [
  { title: headings.sheet, share: 1.6 },
  { title: headings.line, share: 1 },
  { title: headings.key, share: 2.5 },
  { title: headings.status, share: 1.3 },
  { title: headings.finding, share: 4.5 },
  { title: headings.what_to_do, share: 4.5 },
]
/** A row must fit on a page. */
const maxCell = 400

const rank: Record<string, number> = { error: 0, differs: 1, warning: 2 }

/** The rows with findings first, as far as they are printed. */
async function rowsToPrint(context: PrepareContext, batchId: number): Promise<ShownRow[]> {
  const found: ShownRow[] = []
  const others: ShownRow[] = []
  for await (const rows of everyRow(context, batchId))
    for (const row of rows) {
      const list = row.status in rank || row.messages.length > 0 ? found : others
      if (list.length < maxPrintedRows) list.push(row)
    }
  found.sort((a, b) => (rank[a.status] ?? 3) - (rank[b.status] ?? 3))
  return [...found, ...others].slice(0, maxPrintedRows)
}

const cut = (text: string) => (text.length > maxCell ? `${text.slice(0, maxCell)}…` : text)

const printedRow = (row: ShownRow): Print[] => [
  row.sheet,
  String(row.line),
  cut(row.key ?? '-'),
  printed.migration_word({ word: row.status }),
  row.differences.length > 0
    ? cut(row.differences.map(each => `${each.column}: ${each.row ?? '-'} / ${each.record ?? '-'}`).join('; '))
    : together(
        row.messages.slice(0, 5).map(({ message }) => message),
        ' ',
      ),
  together(
    row.messages.slice(0, 5).map(({ todo }) => todo),
    ' ',
  ),
]

const stepOf = (step: Batch['accepted'], zone: string): Print =>
  step === null ? '-' : together([personInWords(step.by), printedMoment(zone, new Date(step.at))], ', ')

async function pdfOf(context: PrepareContext, batch: Batch, name: string): Promise<MadeFile> {
  const { actor, services } = context
  const now = services.clock.now()
  const { time_zone: zone } = await context.read(readSettings)
  const rows = await rowsToPrint(context, batch.id)
  const person = personInWords({ username: actor.username, full_name: actor.fullName })
  const moment = momentInBoth(zone, now)
  const { number, counts, reconciliation } = batch
  const facts: [Print, Print][] = [
    [headings.title, batch.title],
    [headings.source_system, batch.source_system],
    [headings.status, printed.migration_word({ word: batch.status })],
    [
      headings.started,
      together([personInWords(batch.started_by), printedMoment(zone, new Date(batch.started_at))], ', '),
    ],
    [headings.rows, printed.migration_counts({ rows: batch.rows, errors: counts.error, warnings: counts.warning })],
    [headings.files, numberOf(batch.files.count)],
    [headings.manifest_sha256, batch.manifest_sha256 ?? '-'],
    [headings.files_sha256, batch.files_sha256 ?? '-'],
    [headings.report_sha256, batch.report_sha256 ?? '-'],
    [headings.samples, `${batch.samples.done} / ${batch.samples.proposed}`],
    [headings.accepted, stepOf(batch.accepted, zone)],
    [headings.released, stepOf(batch.released, zone)],
    ...(reconciliation
      ? ([
          [
            headings.comparison,
            printed.migration_compared({ ...reconciliation, damaged: reconciliation.damaged_files }),
          ],
        ] as [Print, Print][])
      : []),
    [headings.generated, kernel.printed_by({ person, moment })],
  ]
  const blocks: Block[] = [
    { kind: 'title', text: printed.migration_report_title({ number }) },
    { kind: 'facts', facts },
    { kind: 'table', columns: table, rows: rows.map(printedRow) },
    ...(rows.length < batch.rows
      ? [{ kind: 'note' as const, text: printed.migration_more_rows({ shown: rows.length, rows: batch.rows }) }]
      : []),
    { kind: 'note', text: printed.migration_history_note() },
  ]
  const language = await readerLanguage(context)
  const { bytes } = await services.pdf
    .turn(actor.tenantId, () =>
      services.pdf.write({
        language,
        blocks,
        bands: {
          head: { left: printed.migration_report_title({ number }), right: batch.source_system },
          foot: kernel.printed_footer_at({ person, moment }),
        },
        info: { title: name, subject: batch.title, author: person, created_at: now.toISOString() },
      }),
    )
    .catch(error => {
      throw error instanceof NotPages
        ? invalid(issueAt(['query', 'format'], messages.migration_report_too_long()))
        : error
    })
  return makeFile(context, Readable.from([bytes]), { name: `${name}.pdf`, content_type: 'application/pdf' })
}

const nameOf = ({ number }: Pick<BatchRow, 'number'>, now: Date) =>
  `Migration report ${number} ${now.toISOString().slice(0, 10)}`

export const report = query({
  summary: 'Export the report of an import',
  description:
    'Every row, what was found about it and what to do, with counts and hashes: `json` (the default), `csv`, or `pdf` with the rows that have findings first. The export is recorded.',
  permission: 'migration.read',
  isCostly: true,
  input: { params: IdParams, query: ReportFilter },
  response: FileContent,
  async prepare(context, { params: { id }, query: { format = 'json' } }): Promise<MadeFile> {
    const { actor, services } = context
    const now = services.clock.now()
    const batch = await context.read((tx: Tx) => present({ tx, actor }, id))
    const name = nameOf(batch, now)
    const file =
      format === 'pdf'
        ? await pdfOf(context, batch, name)
        : format === 'csv'
          ? await makeFile(
              context,
              csvOf(
                columns.map(([title]) => title),
                csvRows(context, id),
              ),
              { name: `${name}.csv`, content_type: 'text/csv' },
            )
          : await makeFile(context, jsonOf(context, batch, now.toISOString()), {
              name: `${name}.json`,
              content_type: 'application/json',
            })
    await context.inSeparateTransaction(async ({ record }) =>
      record('migration_batch.report_exported', id, {
        number: batch.number,
        after: { format, rows: batch.rows, report_sha256: batch.report_sha256 },
      }),
    )
    return file
  },
  async run({ tx, prepared }, { params }) {
    await requireBatch(tx, params.id)
    return prepared
  },
})
