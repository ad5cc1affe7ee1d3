import { type ActionContext, type Actor, command, type PrepareContext, query } from '#action'
import { requireAll } from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { keepFile } from '#action/upload.ts'
import { dayIn } from '#kernel/day.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { readSettings, requireApprover } from '#modules/accounts'
import { startJob } from '#modules/jobs'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { seriesOfYear, takeNumber } from '#platform/db/numbers.ts'
import { giveSpaceBack, requireSpace, takeSpace } from '#platform/storage/quota.ts'
import { type ActName, actsOn } from './acts.ts'
import { checkJob } from './check.ts'
import { loadJob, rehearseJob, startReconciling } from './load.ts'
import { messages } from './messages.ts'
import {
  type BatchRow,
  batchSorts,
  beginStaging,
  countBatches,
  countFiles,
  countMatchingRows,
  deleteAllFiles,
  deleteFiles,
  fileSorts,
  findRow,
  forgetUse,
  insertBatch,
  insertFiles,
  listBatches,
  listFiles,
  listRows,
  lockBatch,
  readHashes,
  replaceRows,
  rowSorts,
  storeSample,
  updateBatch,
} from './queries.ts'
import {
  Acceptance,
  Batch,
  BatchCreate,
  BatchFilter,
  type BatchStatus,
  BatchSummary,
  BatchUpdate,
  Continue,
  Discard,
  FileFilter,
  FilesForm,
  FilesTaken,
  ManifestForm,
  Release,
  Row,
  RowFilter,
  RowParams,
  SamplePlan,
  SampleRequest,
  type Settings,
  type SettingsChange,
  StagedFileItem,
} from './schema.ts'
import { sheetNames } from './sheet.ts'
import { sheets } from './sheets/index.ts'
import { type ReceivedFile, receiveArchive } from './staging/files.ts'
import { type Manifest, readManifest } from './staging/manifest.ts'
import { starterOf } from './starter.ts'
import { readSubject } from './subject.ts'
import { present, requireBatch, rowOf, samplePlanOf, stateOf, summariesOf } from './view.ts'

type Context = ActionContext<unknown>

const defaults: Settings = {
  keep_numbers: true,
  training_counts: false,
  closed_cases: 'records',
  date_format: 'YYYY-MM-DD',
  columns: {},
}

/** Refuses what cannot be meant: sheets and columns that there are none of, and one heading for two columns. */
function settingsWith(before: Settings, change: SettingsChange): Settings {
  for (const [name, columns] of Object.entries(change.columns ?? {})) {
    const sheet = Object.hasOwn(sheets, name) ? sheets[name as keyof typeof sheets] : undefined
    if (!sheet)
      throw invalidField('settings.columns', messages.migration_unknown_sheet({ sheet: name, known: sheetNames }))
    const headings = new Set<string>()
    for (const [column, heading] of Object.entries(columns)) {
      if (!sheet.columns.some(each => each.name === column))
        throw invalidField('settings.columns', messages.migration_unknown_column({ sheet: name, column }))
      if (heading !== null && headings.has(heading))
        throw invalidField('settings.columns', messages.migration_heading_twice({ sheet: name, heading }))
      if (heading !== null) headings.add(heading)
    }
  }
  return { ...before, ...change }
}

export const list = query({
  summary: 'List imports',
  description: 'The newest first, each with how many of its rows have which status, and its running job.',
  permission: 'migration.read',
  input: { query: BatchFilter },
  response: Page(BatchSummary),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, batchSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => summariesOf(tx, await listBatches(tx, query, sort, limit, offset)),
      () => countBatches(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read an import',
  description:
    'Its sheets with the headings that were found and the column that each is read as, counts of rows, files, samples, the running job, who accepted and released it, and what you may do next.',
  permission: 'migration.read',
  isPolled: true,
  input: { params: IdParams },
  response: Batch,
  run: ({ tx, actor }, { params }) => present({ tx, actor }, params.id),
})

export const create = command({
  summary: 'Begin an import',
  description: 'A batch of what another system has. Nothing of it is a record before another person accepts it.',
  permission: 'migration.manage',
  input: { body: BatchCreate },
  response: Batch,
  async run({ tx, actor, services, record }, { body: { title, source_system, settings: chosen = {} } }) {
    const { time_zone } = await readSettings(tx)
    const settings = settingsWith(defaults, chosen)
    const number = await takeNumber(tx, seriesOfYear('MIG', dayIn(time_zone, services.clock.now())))
    const { id } = await insertBatch(tx, { number, title, source_system, settings })
    record('migration_batch.created', id, { number, after: { title, source_system, settings, status: 'staging' } })
    return present({ tx, actor }, id)
  },
})

/** The batch under its lock, if the act is possible now. */
async function lockFor({ tx, actor }: Pick<Context, 'tx' | 'actor'>, id: number, act: ActName): Promise<BatchRow> {
  await lockBatch(tx, id)
  return requireAct(tx, actor, id, act)
}

async function requireAct(tx: Tx, actor: Actor, id: number, act: ActName): Promise<BatchRow> {
  const batch = await requireBatch(tx, id)
  await requireAll(actsOn(actor, await stateOf(tx, batch))[act])
  return batch
}

export const update = command({
  summary: 'Change an import',
  description:
    'Its title, source and settings, among them the heading that each column is read from. What was found about its rows holds no more: check it again.',
  permission: 'migration.manage',
  input: { params: IdParams, body: BatchUpdate },
  response: Batch,
  async run(context, { params: { id }, body: { title, source_system, settings: chosen, change_reason } }) {
    const { tx, actor, record } = context
    const before = await lockFor(context, id, 'update')
    await refuseStale(context, 'migration_batch', before)
    const settings = chosen ? settingsWith(before.settings, chosen) : before.settings
    const after = { title: title ?? before.title, source_system: source_system ?? before.source_system, settings }
    const { revision } = await beginStaging(tx, id, after)
    record('migration_batch.updated', id, {
      number: before.number,
      before: { title: before.title, source_system: before.source_system, settings: before.settings },
      after: { ...after, revision },
      ...(change_reason && { reason: change_reason }),
    })
    return present({ tx, actor }, id)
  },
})

export const uploadManifest = command({
  summary: 'Upload the manifest of an import',
  description:
    'A workbook (XLSX) with a sheet for each kind of record, or a CSV file in UTF-8 of one sheet. Its rows replace those that the same sheets had before.',
  permission: 'migration.manage',
  input: { params: IdParams, form: ManifestForm },
  response: Batch,
  takes: ['xlsx', 'csv'],
  async prepare(context, { params: { id }, form, file }): Promise<{ manifest: Manifest; file_key: string }> {
    await context.read(tx => requireAct(tx, context.actor, id, 'stage'))
    const manifest = await readManifest(context, file, form.sheet)
    return { manifest, ...(await keepFile(context, file)) }
  },
  async run(context, { params: { id }, file }) {
    const { tx, actor, record, prepared } = context
    const { manifest, file_key } = prepared
    const batch = await lockFor(context, id, 'stage')
    const staged = { ...batch.sheets }
    for (const { name, headings, rows } of manifest.sheets) {
      await replaceRows(tx, id, name, rows)
      staged[name] = { manifest: file.name, headings }
    }
    const { name: path, sha256, size_bytes: file_size, content_type } = file
    const replaced = await deleteFiles(tx, id, 'manifest', [path])
    await takeSpace(tx, file_size)
    for (const each of replaced) await giveSpaceBack(tx, each.file_size)
    await insertFiles(tx, [{ batch_id: id, kind: 'manifest', path, file_key, sha256, file_size, content_type }])
    const { revision } = await beginStaging(tx, id, { sheets: staged, ignored_sheets: manifest.ignored })
    record('migration_batch.manifest_staged', id, {
      number: batch.number,
      before: { status: batch.status },
      after: {
        status: 'staging',
        ...{ manifest: path, sha256, file_size, revision },
        rows: Object.fromEntries(manifest.sheets.map(({ name, rows }) => [name, rows.length])),
      },
    })
    return present({ tx, actor }, id)
  },
})

/** Files of one path in one archive: the last one counts, as if the archive were unpacked. */
const lastOfEach = (files: readonly ReceivedFile[]) => [...new Map(files.map(file => [file.path, file])).values()]

/** Gives the files their rows, in the place of files that had the same paths. */
export async function stageFiles(context: Context, batch: BatchRow, received: readonly ReceivedFile[]) {
  const { tx, record } = context
  const files = lastOfEach(received)
  const replaced = await deleteFiles(
    tx,
    batch.id,
    'content',
    files.map(({ path }) => path),
  )
  const bytes = files.reduce((sum, { file_size }) => sum + file_size, 0)
  await takeSpace(tx, bytes, files.length)
  if (replaced.length > 0)
    await giveSpaceBack(
      tx,
      replaced.reduce((sum, { file_size }) => sum + file_size, 0),
      replaced.length,
    )
  await insertFiles(
    tx,
    files.map(file => ({ batch_id: batch.id, kind: 'content', ...file })),
  )
  const { revision } = await beginStaging(tx, batch.id)
  record('migration_batch.files_staged', batch.id, {
    number: batch.number,
    before: { status: batch.status },
    after: { status: 'staging', files: files.length, bytes, replaced: replaced.length, revision },
  })
  return { taken: files.length, replaced: replaced.length, revision }
}

export const uploadFiles = command({
  summary: 'Upload files of an import',
  description:
    'A ZIP archive. Each file in it is inspected and scanned for viruses as an upload is; .doc, .xls, .ppt, .msg and .dwg are kept as they are, as attachments. A file replaces the one of the same path. Upload as many archives as needed, or have the operator bring in a folder by `qms import-folder`.',
  permission: 'migration.manage',
  input: { params: IdParams, form: FilesForm },
  response: FilesTaken,
  takes: ['zip'],
  async prepare(context: PrepareContext, { params: { id }, file }) {
    const { actor, services, read, ifRefused, inSeparateTransaction } = context
    await read(tx => requireAct(tx, actor, id, 'stage'))
    await read(tx => requireSpace(tx, file.size_bytes))
    const found = await receiveArchive(services, actor.tenantId, file, ({ file_key }) =>
      ifRefused(() => services.storage.remove(file_key)),
    )
    for (const { auditEntry } of found.refused)
      if (auditEntry) {
        const { event, ...entry } = auditEntry
        await inSeparateTransaction(async ({ record }) => record(event, null, entry))
      }
    if (found.files.length > 0)
      await read(tx =>
        requireSpace(
          tx,
          found.files.reduce((sum, { file_size }) => sum + file_size, 0),
        ),
      )
    return found
  },
  async run(context, { params: { id } }) {
    const { files, refused } = context.prepared
    const batch = await lockFor(context, id, 'stage')
    const staged = await stageFiles(context, batch, files)
    return {
      ...staged,
      refused: refused.map(({ path, message }) => ({ path, message, code: message.code })),
    }
  },
})

export const files = query({
  summary: 'List the files of an import',
  permission: 'migration.read',
  input: { params: IdParams, query: FileFilter },
  response: Page(StagedFileItem),
  async run({ tx }, { params: { id }, query }) {
    await requireBatch(tx, id)
    const { field, direction } = parseSort(query.sort, fileSorts, { field: 'path', direction: 'asc' })
    return pageOf(
      query,
      (limit, offset) => listFiles(tx, id, query, { field, direction }, limit, offset),
      () => countFiles(tx, id, query),
    )
  },
})

/** Puts the batch into a state in which a job works on it, and starts the job on behalf of a person. */
async function begin(
  context: Context,
  batch: BatchRow,
  {
    status,
    job,
    rows,
    onBehalfOf,
  }: { status: BatchStatus; job: typeof checkJob; rows: number; onBehalfOf?: Actor | undefined },
) {
  const { tx, record } = context
  const { id } = await startJob(context, job, {
    input: { batch_id: batch.id },
    total: rows,
    ...(onBehalfOf && { onBehalfOf }),
  })
  const { revision } = await updateBatch(tx, batch.id, { status, job_id: id })
  record('migration_batch.state_changed', batch.id, {
    number: batch.number,
    before: { status: batch.status },
    after: { status, revision },
  })
}

const rowsOf = async (tx: Tx, batch: BatchRow) => (await stateOf(tx, batch)).rows

export const check = command({
  summary: 'Check the rows of an import',
  description:
    'Starts a job that reads and judges every row and writes no record. `GET /api/migrations/{id}` shows its progress, and the rows what was found and what to do about it.',
  permission: 'migration.manage',
  input: { params: IdParams },
  response: Batch,
  async run(context, { params: { id } }) {
    const { tx, actor } = context
    const batch = await lockFor(context, id, 'check')
    await forgetUse(tx, id)
    await begin(context, batch, { status: 'checking', job: checkJob, rows: await rowsOf(tx, batch) })
    return present({ tx, actor }, id)
  },
})

export const rehearse = command({
  summary: 'Rehearse the load of an import',
  description:
    'Starts a job that really makes the records of each step, asks all rules and guards of the database, and undoes it. Rows that are refused get an error.',
  permission: 'migration.manage',
  input: { params: IdParams },
  response: Batch,
  async run(context, { params: { id } }) {
    const { tx, actor } = context
    const batch = await lockFor(context, id, 'rehearse')
    await begin(context, batch, { status: 'rehearsing', job: rehearseJob, rows: await rowsOf(tx, batch) })
    return present({ tx, actor }, id)
  },
})

const proposedOf = async (tx: Tx, batch: BatchRow) =>
  new Set((await samplePlanOf(tx, batch)).flatMap(({ row_ids }) => row_ids))

export const rows = query({
  summary: 'List the rows of an import',
  description: 'Each with what was found about it and what to do, and with the record exactly as it would be.',
  permission: 'migration.read',
  input: { params: IdParams, query: RowFilter },
  response: Page(Row),
  async run({ tx }, { params: { id }, query }) {
    const batch = await requireBatch(tx, id)
    const proposed = await proposedOf(tx, batch)
    const sort = parseSort(query.sort, rowSorts, { field: 'line', direction: 'asc' })
    return pageOf(
      query,
      async (limit, offset) =>
        (await listRows(tx, id, { ...query, proposed }, sort, limit, offset)).map(row => rowOf(row, proposed)),
      () => countMatchingRows(tx, id, { ...query, proposed }),
    )
  },
})

async function requireRow(tx: Tx, batch: BatchRow, rowId: number) {
  const row = await findRow(tx, batch.id, rowId)
  if (!row) throw notFound('Row')
  return row
}

export const row = query({
  summary: 'Read a row of an import',
  permission: 'migration.read',
  input: { params: RowParams },
  response: Row,
  async run({ tx }, { params: { id, row_id } }) {
    const batch = await requireBatch(tx, id)
    return rowOf(await requireRow(tx, batch, row_id), await proposedOf(tx, batch))
  },
})

export const samplePlan = query({
  summary: 'Read which rows of an import to compare with their source',
  description:
    'By ISO 2859-1, general inspection level II: how many rows of each sheet, and which. The choice is by chance, and stays the same for the batch.',
  permission: 'migration.read',
  input: { params: IdParams },
  response: SamplePlan,
  async run({ tx }, { params }) {
    return { level: 'II' as const, sheets: await samplePlanOf(tx, await requireBatch(tx, params.id)) }
  },
})

export const sample = command({
  summary: 'Record the comparison of a row with its source',
  description:
    'By another person than the one who began the import. While a sample differs, the import cannot be accepted.',
  permission: 'migration.accept',
  input: { params: RowParams, body: SampleRequest },
  response: Row,
  async run(context, { params: { id, row_id }, body: { finding, comment = null } }) {
    const { tx, services, record } = context
    if (finding === 'differs' && comment === null)
      throw invalidField('comment', messages.migration_sample_comment_required())
    await requireRow(tx, await requireBatch(tx, id), row_id)
    const batch = await lockFor(context, id, 'sample')
    const before = await requireRow(tx, batch, row_id)
    if (before.status === 'error') throw conflict(messages.migration_row_not_sampled())
    await storeSample(tx, row_id, { finding, comment, at: services.clock.now().toISOString() })
    const { done, samples } = await stateOf(tx, batch)
    const { revision } = await updateBatch(tx, id, { samples: { done, differ: samples.differ } })
    const { sheet, line, key } = before
    record('migration_batch.sampled', id, {
      number: batch.number,
      after: { sheet, line, key, finding, revision },
      reason: comment,
    })
    return rowOf(await requireRow(tx, batch, row_id), await proposedOf(tx, batch))
  },
})

const intents = {
  accept: 'I have reviewed this import and its report, and accept it',
  release: 'I have reviewed the comparison of the loaded records with their rows, and release this import',
}

/** The content and the findings are still those of the report that was read. */
async function refuseChanged(tx: Tx, batch: BatchRow, report_sha256: string) {
  const hashes = await readHashes(tx, batch.id)
  const isSame =
    batch.report_sha256 === report_sha256 &&
    (['manifest_sha256', 'files_sha256', 'report_sha256'] as const).every(name => hashes[name] === batch[name])
  if (!isSame) throw conflict(messages.migration_changed(batch))
}

export const accept = command({
  summary: 'Accept an import',
  description:
    'Signed, by another person than the one who began it: `password` (and `otp`), a fresh log-in, or a signing challenge. The signature covers the manifest, the files, the counts, the settings and the report by their hashes. Then the records are loaded.',
  permission: 'migration.accept',
  input: { params: IdParams, body: Acceptance },
  response: Batch,
  async prepare(context: PrepareContext, { params: { id }, body }): Promise<RecordProof> {
    await context.read(async tx => {
      const batch = await requireAct(tx, context.actor, id, 'accept')
      await requireApprover(tx, context.actor, batch)
      await refuseChanged(tx, batch, body.report_sha256)
    })
    return proveToSign(context, { type: 'migration_batch', id }, body)
  },
  async run(context, { params: { id }, body: { report_sha256, intent = intents.accept } }) {
    const { tx, actor, record, prepared: proof } = context
    const batch = await lockFor(context, id, 'accept')
    await requireApprover(tx, actor, batch)
    await refuseChanged(tx, batch, report_sha256)
    const signature_id = await signRecord(context, (await readSubject(tx, id))!, {
      signature_type: 'approval',
      intent,
      occasion: { kind: 'migration', ref: 'acceptance' },
      proof,
    })
    const { revision } = await updateBatch(tx, id, { status: 'accepted' })
    record('migration_batch.accepted', id, {
      number: batch.number,
      before: { status: batch.status },
      after: {
        ...{ status: 'accepted', title: batch.title, signature_id, report_sha256, revision },
        ...{ manifest_sha256: batch.manifest_sha256, files_sha256: batch.files_sha256 },
      },
      notify: [batch.started_by.id],
    })
    await startLoading(context, { ...batch, status: 'accepted' })
    return present({ tx, actor }, id)
  },
})

/** The records are made on behalf of the person who began the batch, as the audit trail then says. */
const startLoading = async (context: Context, batch: BatchRow) =>
  begin(context, batch, {
    status: 'loading',
    job: loadJob,
    rows: await rowsOf(context.tx, batch),
    onBehalfOf: await starterOf(context.tx, batch),
  })

export const proceed = command({
  summary: 'Continue the load of an import',
  description:
    'For a load or a comparison that stopped before its end: rows that were refused are tried again. A batch that is loaded already is compared with its records once more.',
  permission: 'migration.manage',
  input: { params: IdParams, body: Continue },
  response: Batch,
  async run(context, { params: { id } }) {
    const { tx, actor, record } = context
    const batch = await lockFor(context, id, 'continue')
    await refuseStale(context, 'migration_batch', batch)
    if (['reconciling', 'loaded'].includes(batch.status)) {
      const { id: job_id } = await startReconciling(context, { id, rows: await rowsOf(tx, batch) })
      const { revision } = await updateBatch(tx, id, { status: 'reconciling', job_id })
      record('migration_batch.state_changed', id, {
        number: batch.number,
        before: { status: batch.status },
        after: { status: 'reconciling', revision },
      })
    } else await startLoading(context, batch)
    return present({ tx, actor }, id)
  },
})

function requireRemarks({ reconciliation }: BatchRow, remarks: string | undefined) {
  const { differences, damaged_files } = reconciliation!
  const count = differences + damaged_files
  if (count > 0 && remarks === undefined)
    throw invalidField('remarks', messages.migration_remarks_required({ differences: count }))
}

export const release = command({
  summary: 'Release an import',
  description:
    'Signed, once every record was read back and compared with its row, and every file hashed: `password` (and `otp`), a fresh log-in, or a signing challenge. The signature names the comparison by its hash.',
  permission: 'migration.accept',
  input: { params: IdParams, body: Release },
  response: Batch,
  async prepare(context: PrepareContext, { params: { id }, body }): Promise<RecordProof> {
    await context.read(async tx => {
      const batch = await requireAct(tx, context.actor, id, 'release')
      await requireApprover(tx, context.actor, batch)
      requireRemarks(batch, body.remarks)
    })
    return proveToSign(context, { type: 'migration_batch', id }, body)
  },
  async run(context, { params: { id }, body: { remarks, intent = intents.release } }) {
    const { tx, actor, record, prepared: proof } = context
    const batch = await lockFor(context, id, 'release')
    await requireApprover(tx, actor, batch)
    requireRemarks(batch, remarks)
    const { sha256 } = batch.reconciliation!
    const signature_id = await signRecord(context, (await readSubject(tx, id))!, {
      signature_type: 'release',
      intent,
      occasion: { kind: 'migration', ref: `release/${sha256}` },
      proof,
    })
    const { revision } = await updateBatch(tx, id, { status: 'released', ...(remarks && { release_remarks: remarks }) })
    record('migration_batch.released', id, {
      number: batch.number,
      before: { status: batch.status },
      after: { status: 'released', title: batch.title, signature_id, reconciliation_sha256: sha256, revision },
      reason: remarks ?? null,
      notify: [batch.started_by.id],
    })
    return present({ tx, actor }, id)
  },
})

export const discard = command({
  summary: 'Discard an import',
  description:
    'Before its acceptance: nothing of it was ever a record. Its files are removed; its rows, counts and report stay.',
  permission: 'migration.manage',
  input: { params: IdParams, body: Discard },
  response: Batch,
  async run(context, { params: { id }, body: { reason } }) {
    const { tx, actor, record } = context
    const batch = await lockFor(context, id, 'discard')
    const gone = await deleteAllFiles(tx, id)
    if (gone.length > 0)
      await giveSpaceBack(
        tx,
        gone.reduce((sum, { file_size }) => sum + file_size, 0),
        gone.length,
      )
    const { revision } = await updateBatch(tx, id, { status: 'discarded', discard_reason: reason })
    record('migration_batch.discarded', id, {
      number: batch.number,
      before: { status: batch.status },
      after: { status: 'discarded', files: gone.length, revision },
      reason,
    })
    return present({ tx, actor }, id)
  },
})
