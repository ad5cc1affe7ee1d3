import { type Insertable, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised, sentMoment } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Cell } from '#platform/text-extraction/index.ts'
import type { BatchFilter, BatchStatus, FileFilter, Reconciliation, RowFilter, RowStatus, Settings } from './schema.ts'
import type { Difference, RowMessage, SheetName, StagedFile, StagedRow, Values } from './sheet.ts'
import type { StagedSheets } from './staging/mapping.ts'

export const batchSorts = ['id', 'number', 'title', 'status', 'updated_at'] as const

export interface JobOfBatch {
  id: number
  kind: 'migration.check' | 'migration.rehearse' | 'migration.load' | 'migration.reconcile'
  status: 'queued' | 'running' | 'completed' | 'failed'
  total: number
  done: number
  skipped: number
  percent: number
  error: string | null
}
interface Step {
  by: Person
  at: string
  signature_id: number
}

const step = (act: 'accepted' | 'released', meaning: 'approval' | 'release') =>
  sql<Step | null>`case when ${sql.ref(`b.${act}_at`)} is not null then jsonb_build_object('by', ${personOf(`b.${act}_by`)},
    'at', ${sentMoment(`b.${act}_at`)}, 'signature_id', (select max(s.id) from signatures s
      where s.migration_batch_id = b.id and s.signature_type = ${sql.lit(meaning)} and s.occasion_kind = 'migration')) end`

const batches = (tx: Tx) =>
  tx
    .selectFrom('migration_batches as b')
    .select(['b.id', 'b.number', 'b.title', 'b.source_system', 'b.ignored_sheets', 'b.manifest_sha256'])
    .select(['b.files_sha256', 'b.report_sha256', 'b.release_remarks', 'b.content_revision', 'b.revision'])
    .select(['b.created_at as started_at', 'b.updated_at'])
    .select([
      sql<BatchStatus>`b.status`.as('status'),
      sql<Settings>`b.settings`.as('settings'),
      sql<StagedSheets>`b.sheets`.as('sheets'),
      sql<Person>`${personOf('b.created_by')}`.as('started_by'),
      sql<Record<RowStatus, number> | null>`b.counts`.as('checked_counts'),
      sql<Reconciliation | null>`b.reconciliation`.as('reconciliation'),
      step('accepted', 'approval').as('accepted'),
      step('released', 'release').as('released'),
      sql<{ by: Person; at: string; reason: string } | null>`case when b.discarded_at is not null then
        jsonb_build_object('by', ${personOf('b.discarded_by')}, 'at', ${sentMoment('b.discarded_at')}, 'reason', b.discard_reason) end`.as(
        'discarded',
      ),
      sql<JobOfBatch | null>`(select jsonb_build_object('id', j.id, 'kind', j.kind, 'status', j.status, 'total', j.total, 'done', j.done,
        'skipped', j.skipped, 'error', j.error, 'percent', case when j.status = 'completed' then 100 when j.total = 0 then 0
          else least(100, (j.done + j.skipped)::bigint * 100 / j.total) end) from background_jobs j where j.id = b.job_id)`.as(
        'job',
      ),
    ])

const matching = (tx: Tx, { status, q }: BatchFilter) =>
  tx
    .selectFrom('migration_batches')
    .$if(status !== undefined, query => query.where('status', 'in', status!))
    .$if(q !== undefined, query =>
      query.where(e =>
        e.or([
          e('number', 'ilike', contains(q!)),
          e('title', 'ilike', contains(q!)),
          e('source_system', 'ilike', contains(q!)),
        ]),
      ),
    )

export const listBatches = (
  tx: Tx,
  filter: BatchFilter,
  { field, direction }: Sort<(typeof batchSorts)[number]>,
  limit: number,
  offset: number,
) =>
  batches(tx)
    .where('b.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`b.${field}`, direction)
    .orderBy('b.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countBatches = (tx: Tx, filter: BatchFilter) => countRows(matching(tx, filter))

export const findBatch = (tx: Tx, id: number) => batches(tx).where('b.id', '=', id).executeTakeFirst()
export type BatchRow = NonNullable<Awaited<ReturnType<typeof findBatch>>>

/** Jobs of the batch wait for it, and the acts of people for each other. Records that name the batch do not. */
export const lockBatch = (tx: Tx, id: number) =>
  sql`select from migration_batches where id = ${id} for no key update`.execute(tx)

export const insertBatch = (
  tx: Tx,
  { settings, ...values }: { number: string; title: string; source_system: string; settings: Settings },
) =>
  tx
    .insertInto('migration_batches')
    .values({ ...values, settings: JSON.stringify(settings) })
    .returning('id')
    .executeTakeFirstOrThrow()

interface BatchChange {
  title?: string
  source_system?: string
  settings?: Settings
  sheets?: StagedSheets
  ignored_sheets?: readonly string[]
  status?: BatchStatus
  counts?: object | null
  manifest_sha256?: string | null
  files_sha256?: string | null
  report_sha256?: string | null
  samples?: object | null
  reconciliation?: Reconciliation | null
  job_id?: number
  release_remarks?: string
  discard_reason?: string
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
const jsonColumns: readonly string[] = ['settings', 'sheets', 'ignored_sheets', 'counts', 'samples', 'reconciliation']

export const updateBatch = (tx: Tx, id: number, change: BatchChange) =>
  tx
    .updateTable('migration_batches')
    .set({
      ...Object.fromEntries(
        Object.entries(change).map(([name, value]) => [name, jsonColumns.includes(name) ? json(value) : value]),
      ),
      ...revised,
    })
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()

/** What is staged changed, so what was found about it holds no more. */
export const beginStaging = (tx: Tx, id: number, change: BatchChange = {}) =>
  tx
    .updateTable('migration_batches')
    .set({
      ...Object.fromEntries(
        Object.entries(change).map(([name, value]) => [name, jsonColumns.includes(name) ? json(value) : value]),
      ),
      ...{ status: 'staging', counts: null, manifest_sha256: null, files_sha256: null, report_sha256: null },
      content_revision: sql<number>`content_revision + 1`,
      ...revised,
    })
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()

/** The row as a signature covers it. */
export const findWhole = (tx: Tx, id: number) =>
  tx.selectFrom('migration_batches').selectAll().where('id', '=', id).executeTakeFirst()

// Rows

export interface RowCount {
  batch_id: number
  sheet: SheetName
  status: RowStatus
  count: number
}

export const countByStatus = async (tx: Tx, batchIds: readonly number[]): Promise<RowCount[]> =>
  (await tx
    .selectFrom('migration_rows')
    .select(['batch_id', 'sheet', 'status', e => e.fn.countAll<number>().as('count')])
    .where('batch_id', '=', sql<number>`any(${batchIds}::bigint[])`)
    .groupBy(['batch_id', 'sheet', 'status'])
    .execute()) as RowCount[]

const rowsPerInsert = 1_000

/** The rows of a sheet in the place of those before. A row that says the same as before keeps its sample. */
export async function replaceRows(
  tx: Tx,
  batchId: number,
  sheet: SheetName,
  rows: readonly { line: number; cells: readonly Cell[] }[],
) {
  // The check before noted which row takes which file.
  await sql`update migration_files f set row_id = null from migration_rows r
    where r.id = f.row_id and r.batch_id = ${batchId} and r.sheet = ${sheet}`.execute(tx)
  const { rows: samples } =
    await sql<object>`delete from migration_rows where batch_id = ${batchId} and sheet = ${sheet}
    returning case when sampled_at is not null then jsonb_build_object('cells', cells, 'sampled_by', sampled_by, 'sampled_at', sampled_at,
      'sample_finding', sample_finding, 'sample_comment', sample_comment) end as sample`.execute(tx)
  for (let from = 0; from < rows.length; from += rowsPerInsert)
    await sql`insert into migration_rows (batch_id, sheet, line, cells)
      select ${batchId}, ${sheet}, line, cells from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + rowsPerInsert))}::jsonb)
        as r (line integer, cells jsonb)`.execute(tx)
  const kept = samples.flatMap(row => (row as { sample: object | null }).sample ?? [])
  if (kept.length === 0) return
  await sql`update migration_rows r set sampled_by = k.sampled_by, sampled_at = k.sampled_at, sample_finding = k.sample_finding,
      sample_comment = k.sample_comment
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb)
      as k (cells jsonb, sampled_by bigint, sampled_at timestamptz, sample_finding text, sample_comment text)
    where r.batch_id = ${batchId} and r.sheet = ${sheet} and r.cells = k.cells`.execute(tx)
}

export const listCells = async (tx: Tx, batchId: number, sheet: SheetName, after: number, limit: number) =>
  (await tx
    .selectFrom('migration_rows')
    .select(['id', 'line', 'cells'])
    .where('batch_id', '=', batchId)
    .where('sheet', '=', sheet)
    .where('line', '>', after)
    .orderBy('line')
    .limit(limit)
    .execute()) as { id: number; line: number; cells: Cell[] }[]

export const storeValues = (
  tx: Tx,
  rows: readonly { id: number; key: string; values: Values; messages: readonly RowMessage[] }[],
) =>
  sql`update migration_rows r set key = n.key, "values" = n."values", planned = null, messages = n.messages, differences = null,
      status = case when jsonb_array_length(n.messages) > 0 then 'error' else 'new' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id bigint, key text, "values" jsonb, messages jsonb)
    where r.id = n.id`.execute(tx)

export interface RowToWork extends StagedRow {
  status: RowStatus
  messages: RowMessage[]
}

const toWork = (tx: Tx) =>
  tx
    .selectFrom('migration_rows')
    .select(['id', 'sheet', 'line', 'key', 'values', 'planned', 'status', 'messages', 'resource_type', 'resource_id'])

export const listRowsToWork = async (
  tx: Tx,
  batchId: number,
  sheet: SheetName,
  { after, limit, statuses }: { after: number; limit: number; statuses?: readonly RowStatus[] },
) =>
  (await toWork(tx)
    .where('batch_id', '=', batchId)
    .where('sheet', '=', sheet)
    .where('line', '>', after)
    .$if(statuses !== undefined, query => query.where('status', 'in', statuses!))
    .orderBy('line')
    .limit(limit)
    .execute()) as unknown as RowToWork[]

export const findRowsByKey = async (tx: Tx, batchId: number, sheet: SheetName, keys: readonly string[]) =>
  (await toWork(tx)
    .where('batch_id', '=', batchId)
    .where('sheet', '=', sheet)
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .orderBy('line')
    .execute()) as unknown as RowToWork[]

/** The lines of each of these keys that stands in several. */
export const listDuplicates = async (tx: Tx, batchId: number, sheet: SheetName, keys: readonly string[]) =>
  (
    await sql<{ key: string; lines: number[] }>`select key, array_agg(line order by line) as lines from migration_rows
      where batch_id = ${batchId} and sheet = ${sheet} and key = any(${keys}::text[]) group by key having count(*) > 1`.execute(
      tx,
    )
  ).rows

export const storeFindings = (
  tx: Tx,
  rows: readonly { id: number; status: RowStatus; messages: readonly RowMessage[]; planned: object | null }[],
) =>
  sql`update migration_rows r set status = n.status, messages = n.messages, planned = n.planned
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id bigint, status text, messages jsonb, planned jsonb)
    where r.id = n.id`.execute(tx)

export const storeLoaded = (tx: Tx, rows: readonly { id: number; resource_type: string; resource_id: number }[]) =>
  sql`update migration_rows r set status = 'loaded', resource_type = n.resource_type, resource_id = n.resource_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id bigint, resource_type text, resource_id bigint)
    where r.id = n.id`.execute(tx)

export const storeDifferences = (tx: Tx, rows: readonly { id: number; differences: readonly Difference[] }[]) =>
  sql`update migration_rows r set differences = n.differences,
      status = case when jsonb_array_length(n.differences) > 0 then 'differs' else 'verified' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id bigint, differences jsonb) where r.id = n.id`.execute(
    tx,
  )

export const addDifference = (tx: Tx, rowId: number, difference: Difference) =>
  sql`update migration_rows set status = 'differs', differences = coalesce(differences, '[]') || ${JSON.stringify([difference])}::jsonb
    where id = ${rowId}`.execute(tx)

export const rowSorts = ['line', 'status', 'key', 'sheet'] as const

const shownRows = (tx: Tx) =>
  tx
    .selectFrom('migration_rows as r')
    .select(['r.id', 'r.line', 'r.key', 'r.resource_type', 'r.resource_id'])
    .select([
      sql<SheetName>`r.sheet`.as('sheet'),
      sql<RowStatus>`r.status`.as('status'),
      sql<RowMessage[]>`r.messages`.as('messages'),
      sql<Record<string, unknown> | null>`r."values"`.as('values'),
      sql<Record<string, unknown> | null>`r.planned`.as('planned'),
      sql<Difference[]>`coalesce(r.differences, '[]')`.as('differences'),
      sql<{
        by: Person
        at: string
        finding: 'ok' | 'differs'
        comment: string | null
      } | null>`case when r.sampled_at is not null then
        jsonb_build_object('by', ${personOf('r.sampled_by')}, 'at', ${sentMoment('r.sampled_at')}, 'finding', r.sample_finding,
          'comment', r.sample_comment) end`.as('sample'),
      // The document that a version or an approval is read with.
      sql<number | null>`case r.resource_type
        when 'document_version' then (select v.document_id from document_versions v where v.id = r.resource_id)
        when 'historical_approval' then (select h.document_id from historical_approvals h where h.id = r.resource_id) end`.as(
        'document_id',
      ),
      sql<number | null>`case r.resource_type
        when 'capa_action' then (select a.capa_id from capa_actions a where a.id = r.resource_id) end`.as('capa_id'),
    ])
export type ShownRow = Awaited<ReturnType<typeof listRows>>[number]

/** `proposed`: the rows that the sample plan names. */
interface RowsSought extends RowFilter {
  proposed: ReadonlySet<number>
}

const rowsMatching = (tx: Tx, batchId: number, { sheet, status, q, is_sampled, is_proposed, proposed }: RowsSought) =>
  tx
    .selectFrom('migration_rows')
    .where('batch_id', '=', batchId)
    .$if(sheet !== undefined, query => query.where('sheet', '=', sheet!))
    .$if(status !== undefined, query => query.where('status', 'in', status!))
    .$if(q !== undefined, query => query.where('key', 'ilike', contains(q!)))
    .$if(is_sampled !== undefined, query => query.where('sampled_at', is_sampled ? 'is not' : 'is', null))
    .$if(is_proposed !== undefined, query =>
      query.where(sql<boolean>`id = any(${[...proposed]}::bigint[])`, '=', is_proposed!),
    )

export const listRows = (
  tx: Tx,
  batchId: number,
  filter: RowsSought,
  { field, direction }: Sort<(typeof rowSorts)[number]>,
  limit: number,
  offset: number,
) =>
  shownRows(tx)
    .where('r.id', 'in', rowsMatching(tx, batchId, filter).select('id'))
    .orderBy(`r.${field}`, direction)
    .orderBy('r.sheet')
    .orderBy('r.line', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countMatchingRows = (tx: Tx, batchId: number, filter: RowsSought) =>
  countRows(rowsMatching(tx, batchId, filter))

export const findRow = (tx: Tx, batchId: number, id: number) =>
  shownRows(tx).where('r.batch_id', '=', batchId).where('r.id', '=', id).executeTakeFirst()

/** For reports, in the order of sheets and lines. */
export const listRowsAfter = (tx: Tx, batchId: number, after: { sheet: string; line: number }, limit: number) =>
  shownRows(tx)
    .where('r.batch_id', '=', batchId)
    .where(sql<SqlBool>`(r.sheet, r.line) > (${after.sheet}, ${after.line})`)
    .orderBy('r.sheet')
    .orderBy('r.line')
    .limit(limit)
    .execute()

/** Rows by a number that nobody chooses and that stays the same as long as the batch does. */
export const listSampleIds = async (tx: Tx, batchId: number, sheet: SheetName, seed: number, limit: number) =>
  (
    await sql<{
      id: number
    }>`select id from (select id, line from migration_rows where batch_id = ${batchId} and sheet = ${sheet}
        order by hashtextextended(line::text, ${seed}::bigint), line limit ${limit}) r order by line`.execute(tx)
  ).rows.map(({ id }) => id)

export const countSamples = async (tx: Tx, batchId: number) =>
  (
    await sql<{ sheet: SheetName; done: number; differ: number }>`select sheet, count(*)::int as done,
        count(*) filter (where sample_finding = 'differs')::int as differ
      from migration_rows where batch_id = ${batchId} and sampled_at is not null group by sheet`.execute(tx)
  ).rows

export const storeSample = (
  tx: Tx,
  id: number,
  { finding, comment, at }: { finding: 'ok' | 'differs'; comment: string | null; at: string },
) =>
  tx
    .updateTable('migration_rows')
    .set({
      sampled_by: sql<number>`current_actor()`,
      sampled_at: at,
      sample_finding: finding,
      sample_comment: comment,
    })
    .where('id', '=', id)
    .execute()

// Files

const fileColumns = ['id', 'path', 'file_key', 'sha256', 'file_size', 'content_type', 'is_legacy', 'row_id'] as const

export const findFilesByPath = async (tx: Tx, batchId: number, paths: readonly string[]) =>
  (await tx
    .selectFrom('migration_files')
    .select(fileColumns)
    .select(sql<string>`coalesce(file_key, record_key)`.as('file_key'))
    .where('batch_id', '=', batchId)
    .where('kind', '=', 'content')
    .where('path', '=', sql<string>`any(${paths}::text[])`)
    .execute()) as (Omit<StagedFile, 'name'> & { row_id: number | null })[]

/** Returns the sizes of the files that had these paths before. */
export const deleteFiles = async (tx: Tx, batchId: number, kind: string, paths: readonly string[]) =>
  tx
    .deleteFrom('migration_files')
    .where('batch_id', '=', batchId)
    .where('kind', '=', kind)
    .where('path', '=', sql<string>`any(${paths}::text[])`)
    .returning('file_size')
    .execute()

export const insertFiles = (tx: Tx, files: readonly Insertable<Tables['migration_files']>[]) =>
  tx.insertInto('migration_files').values(files).execute()

export const deleteAllFiles = (tx: Tx, batchId: number) =>
  tx.deleteFrom('migration_files').where('batch_id', '=', batchId).returning('file_size').execute()

export const forgetUse = (tx: Tx, batchId: number) =>
  sql`update migration_files set is_used = false, row_id = null where batch_id = ${batchId} and (is_used or row_id is not null)`.execute(
    tx,
  )

/** Notes which files rows name, and which row takes each: the first. */
export const noteUse = (tx: Tx, batchId: number, uses: readonly { path: string; taken_by: number | null }[]) =>
  sql`update migration_files f set is_used = true, row_id = coalesce(f.row_id, u.taken_by)
    from (select path, min(taken_by) as taken_by from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as x (path text, taken_by bigint)
      group by path) u
    where f.batch_id = ${batchId} and f.kind = 'content' and f.path = u.path`.execute(tx)

/** The rows that take files of the batch, by their ids. */
export const listPlaces = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('migration_rows')
    .select(['id', 'sheet', 'line'])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()

/** From here on the records of these rows have the files, and the batch keeps them no longer. */
export const handOverFiles = (tx: Tx, rowIds: readonly number[]) =>
  sql`update migration_files set record_key = file_key, file_key = null
    where row_id = any(${rowIds}::bigint[]) and file_key is not null`.execute(tx)

export const readFileCounts = async (tx: Tx, batchId: number) =>
  (
    await sql<{
      count: number
      bytes: number
      unused: number
    }>`select count(*)::int as count, coalesce(sum(file_size), 0)::bigint as bytes,
        (count(*) filter (where not is_used))::int as unused
      from migration_files where batch_id = ${batchId} and kind = 'content'`.execute(tx)
  ).rows[0]!

const filesMatching = (tx: Tx, batchId: number, { kind, q }: FileFilter) =>
  tx
    .selectFrom('migration_files')
    .where('batch_id', '=', batchId)
    .$if(kind !== undefined, query => query.where('kind', '=', kind!))
    .$if(q !== undefined, query => query.where('path', 'ilike', contains(q!)))

export const fileSorts = ['path', 'id', 'file_size'] as const

export const listFiles = async (
  tx: Tx,
  batchId: number,
  filter: FileFilter,
  { field, direction }: Sort<(typeof fileSorts)[number]>,
  limit: number,
  offset: number,
) =>
  filesMatching(tx, batchId, filter)
    .select(['id', 'path', 'content_type', 'sha256', 'is_legacy', 'created_at as uploaded_at', 'file_size as size'])
    .select([
      sql<'manifest' | 'content'>`kind`.as('kind'),
      sql<Person>`${personOf('migration_files.created_by')}`.as('uploaded_by'),
    ])
    .orderBy(field, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countFiles = (tx: Tx, batchId: number, filter: FileFilter) => countRows(filesMatching(tx, batchId, filter))

export const listFilesAfter = async (tx: Tx, batchId: number, after: number, limit: number) =>
  (
    await sql<{
      id: number
      path: string
      key: string
      sha256: string
      size: number
      is_legacy: boolean
      row_id: number | null
    }>`select id, path, coalesce(file_key, record_key) as key, sha256, file_size as size, is_legacy, row_id from migration_files
      where batch_id = ${batchId} and kind = 'content' and id > ${after} order by id limit ${limit}`.execute(tx)
  ).rows

export const storeFound = (tx: Tx, id: number, found_sha256: string | null) =>
  tx.updateTable('migration_files').set({ found_sha256 }).where('id', '=', id).execute()

/** Those of the keys that belong to a file of a batch. */
export const listFileKeys = async (tx: Tx, keys: string[]): Promise<string[]> =>
  (await tx.selectFrom('migration_files').select('file_key').where('file_key', 'in', keys).execute()).map(
    ({ file_key }) => file_key!,
  )

// Hashes: of each row and file by itself, then of these in their order, so that a million rows take little memory.

const hashOfAll = (each: ReturnType<typeof sql>, order: ReturnType<typeof sql>) =>
  sql`encode(sha256(convert_to(coalesce(string_agg(encode(sha256(convert_to(${each}, 'UTF8')), 'hex'), '' order by ${order}), ''), 'UTF8')), 'hex')`

const ofManifest = hashOfAll(sql`jsonb_build_array(sheet, line, cells)::text`, sql`sheet collate "C", line`)
const ofReport = hashOfAll(
  sql`jsonb_build_array(sheet, line, key, status, messages, "values", planned)::text`,
  sql`sheet collate "C", line`,
)
const ofComparison = hashOfAll(
  sql`jsonb_build_array(sheet, line, status, resource_type, resource_id, differences)::text`,
  sql`sheet collate "C", line`,
)

export interface Hashes {
  manifest_sha256: string
  report_sha256: string
  files_sha256: string
}

/** The content of a batch, and the findings about it. */
export async function readHashes(tx: Tx, batchId: number): Promise<Hashes> {
  const [rows, files] = await Promise.all([
    sql<{
      manifest_sha256: string
      report_sha256: string
    }>`select ${ofManifest} as manifest_sha256, ${ofReport} as report_sha256
      from migration_rows where batch_id = ${batchId}`.execute(tx),
    sql<{ files_sha256: string }>`select ${hashOfAll(
      sql`jsonb_build_array(kind, path, sha256, file_size)::text`,
      sql`kind, path collate "C"`,
    )} as files_sha256 from migration_files where batch_id = ${batchId}`.execute(tx),
  ])
  return { ...rows.rows[0]!, ...files.rows[0]! }
}

export const readComparison = async (tx: Tx, batchId: number) =>
  (
    await sql<{ records: number; differences: number; sha256: string }>`select count(*)::int as records,
        (count(*) filter (where status = 'differs'))::int as differences, ${ofComparison} as sha256
      from migration_rows where batch_id = ${batchId}`.execute(tx)
  ).rows[0]!

export const readFoundFiles = async (tx: Tx, batchId: number) =>
  (
    await sql<{ files: number; damaged_files: number }>`select count(*)::int as files,
        (count(*) filter (where found_sha256 is distinct from sha256))::int as damaged_files
      from migration_files where batch_id = ${batchId} and kind = 'content'`.execute(tx)
  ).rows[0]!
