import { type Insertable, sql, type Updateable } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Contents, ExportFilter, ExportStatus, ExportStep, TenantExportDetails } from './schema.ts'

export const exportSorts = ['id', 'requested_at', 'completed_at'] as const

const tenantExports = (tx: Tx) =>
  tx
    .selectFrom('tenant_exports as x')
    .select(['x.id', 'x.reason', 'x.requested_at', 'x.step_done', 'x.step_total', 'x.archive_key', 'x.snapshot_at'])
    .select([
      'x.archive_size',
      'x.archive_sha256',
      'x.manifest_sha256',
      'x.completed_at',
      'x.expires_at',
      'x.removed_at',
    ])
    .select([
      sql<ExportStatus>`x.status`.as('status'),
      sql<ExportStep | null>`x.step`.as('step'),
      sql<Contents | null>`x.contents`.as('contents'),
      sql<Person>`${personOf('x.requested_by')}`.as('requested_by'),
      personOf('x.removed_by').as('removed_by'),
    ])

/** Archives that can be downloaded. */
export const listArchives = (tx: Tx) =>
  tx
    .selectFrom('tenant_exports')
    .select([
      'archive_key as key',
      sql<number>`archive_size`.as('size_bytes'),
      sql<string>`archive_sha256`.as('sha256'),
    ])
    .where('status', '=', 'ready')
    .orderBy('id')
    .execute()

const matching = (tx: Tx, { status }: ExportFilter) =>
  tx.selectFrom('tenant_exports').$if(status !== undefined, query => query.where('status', '=', status!))

export const listExports = (
  tx: Tx,
  filter: ExportFilter,
  { field, direction }: Sort<(typeof exportSorts)[number]>,
  limit: number,
  offset: number,
) =>
  tenantExports(tx)
    .where('x.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`x.${field}`, direction)
    .orderBy('x.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countExports = (tx: Tx, filter: ExportFilter) => countRows(matching(tx, filter))

export const findExport = (tx: Tx, id: number) => tenantExports(tx).where('x.id', '=', id).executeTakeFirst()
export type StoredExport = NonNullable<Awaited<ReturnType<typeof findExport>>>

export const lockExport = (tx: Tx, id: number) =>
  tx.selectFrom('tenant_exports').select(['id', 'status']).where('id', '=', id).forUpdate().executeTakeFirst()

export const findInProgress = (tx: Tx) =>
  tx.selectFrom('tenant_exports').select(['tenant_id', 'id']).where('status', '=', 'in_progress').executeTakeFirst()

/** The database adds who requested it, and when. */
export const insertExport = (tx: Tx, values: Insertable<Pick<Tables['tenant_exports'], 'reason' | 'archive_key'>>) =>
  tx.insertInto('tenant_exports').values(values).returning('id').executeTakeFirstOrThrow()

/** Returns false if the export is no longer in progress. */
export async function saveProgress(
  tx: Tx,
  id: number,
  { step, done, total }: { step: ExportStep; done: number; total: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tenant_exports')
    .set({ step, step_done: done, step_total: total })
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Returns false if the export did not have this status any more. */
export async function moveExport(
  tx: Tx,
  id: number,
  from: ExportStatus,
  values: Updateable<Tables['tenant_exports']> & { status: ExportStatus },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tenant_exports')
    .set(values)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export const listExpired = (tx: Tx, now: Date, limit: number) =>
  tx
    .selectFrom('tenant_exports')
    .select(['id', 'archive_key'])
    .where('status', '=', 'ready')
    .where('expires_at', '<=', now.toISOString())
    .orderBy('expires_at')
    .limit(limit)
    .execute()

/** Those that were removed lately, whose archive a killed process may have left. */
export const listRemovedSince = (tx: Tx, since: Date, limit: number) =>
  tx
    .selectFrom('tenant_exports')
    .select(['id', 'archive_key'])
    .where('status', 'in', ['expired', 'deleted', 'failed'])
    .where(e => e.or([e('removed_at', '>=', since.toISOString()), e('requested_at', '>=', since.toISOString())]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

const maxDownloads = 100

/** From the trail, which has each download. */
export const listDownloads = (tx: Tx, id: number): Promise<TenantExportDetails['downloads']> =>
  tx
    .selectFrom('audit_entries as e')
    .select(['e.occurred_at as at', sql<Person>`${personOf('e.user_id')}`.as('user')])
    .where('e.resource_type', '=', 'tenant_export')
    .where('e.resource_id', '=', id)
    .where('e.action', '=', 'tenant_export.downloaded')
    .where('e.outcome', '=', 'success')
    .where('e.user_id', 'is not', null)
    .orderBy('e.id', 'desc')
    .limit(maxDownloads)
    .execute()

/** The tables whose rows are records of their own. */
export type RecordTable =
  | ('access_reviews' | 'audit_reviews' | 'capas' | 'configuration_changes' | 'content_templates' | 'controlled_copies')
  | ('curricula' | 'deputies' | 'deviations' | 'document_types' | 'documents' | 'file_removals' | 'form_templates')
  | ('groups' | 'identity_providers' | 'roles' | 'training_assignments' | 'training_programs' | 'users')
  | ('workflow_templates' | 'tenant_exports' | 'sso_domains' | 'passkeys')

/** `kind` selects people or service accounts among the users. */
const recordsOf = (tx: Tx, table: RecordTable, kind: string | undefined) =>
  tx
    .selectFrom(sql<{ id: number; kind: string }>`${sql.table(table)}`.as('r'))
    .$if(kind !== undefined, query => query.where('r.kind', '=', kind!))

export const listIdsAfter = async (
  tx: Tx,
  table: RecordTable,
  kind: string | undefined,
  after: number,
  limit: number,
) =>
  (
    await recordsOf(tx, table, kind).select('r.id').where('r.id', '>', after).orderBy('r.id').limit(limit).execute()
  ).map(({ id }) => id)

export const countRecords = (tx: Tx, table: RecordTable, kind: string | undefined) =>
  countRows(recordsOf(tx, table, kind))

/** A file of a record as it was stored. */
export interface RecordedFile {
  key: string
  sha256: string
  size: number
  content_type: string
  name: string
  resource_type: 'document' | 'deviation' | 'capa' | 'migration_batch'
  resource_id: number
  number: string
  version: string | null
  attachment_id: number | null
  is_removed: boolean
}

const filesAfter = {
  versions: (tx: Tx, after: number, limit: number) =>
    sql<RecordedFile & { id: number }>`
      select v.id, v.file_key as key, v.sha256, v.file_size as size, v.content_type, r.id is not null as is_removed,
        case when r.hides_name then 'removed file' else v.file_name end as name,
        'document' as resource_type, d.id as resource_id, d.number, v.version, null::bigint as attachment_id
      from document_versions v join documents d on d.id = v.document_id
        left join file_removals r on r.version_id = v.id and r.status in ('approved', 'removed')
      where v.id > ${after} order by v.id limit ${limit}`.execute(tx),
  attachments: (tx: Tx, after: number, limit: number) =>
    sql<RecordedFile & { id: number }>`
      select a.id, a.file_key as key, a.sha256, a.file_size as size, a.content_type, r.id is not null as is_removed,
        case when r.hides_name then 'removed file' else a.file_name end as name,
        case when n.id is not null then 'deviation' else 'capa' end as resource_type, coalesce(n.id, c.id) as resource_id,
        coalesce(n.number, c.number) as number, null as version, a.id as attachment_id
      from attachments a left join deviations n on n.id = a.deviation_id left join capas c on c.id = a.capa_id
        left join file_removals r on r.attachment_id = a.id and r.status in ('approved', 'removed')
      where a.id > ${after} order by a.id limit ${limit}`.execute(tx),
  /** Files of imports that became no record's, such as scans of approvals. */
  imports: (tx: Tx, after: number, limit: number) =>
    sql<RecordedFile & { id: number }>`
      select f.id, f.file_key as key, f.sha256, f.file_size as size, f.content_type, false as is_removed, f.path as name,
        'migration_batch' as resource_type, b.id as resource_id, b.number, null as version, null::bigint as attachment_id
      from migration_files f join migration_batches b on b.id = f.batch_id
      where f.file_key is not null and f.id > ${after} order by f.id limit ${limit}`.execute(tx),
}
export const fileSources = Object.keys(filesAfter) as (keyof typeof filesAfter)[]

export const listFilesAfter = async (tx: Tx, source: keyof typeof filesAfter, after: number, limit: number) =>
  (await filesAfter[source](tx, after, limit)).rows

/** A snapshot lasts as long as it has to: nobody waits for it, and it locks nothing. */
export async function takeTime(tx: Tx) {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
}

export const readMoment = async (tx: Tx) => (await sql<{ at: string }>`select now() as at`.execute(tx)).rows[0]!.at

export const findSlug = async (tx: Tx) =>
  (
    await tx
      .selectFrom('tenants')
      .select('slug')
      .where('id', '=', sql<number>`current_tenant()`)
      .executeTakeFirstOrThrow()
  ).slug

/** Null where the database was never marked as that of an installation. */
export const findInstallation = async (tx: Tx) =>
  (await tx.selectFrom('installation').select(['id', 'created_at']).executeTakeFirst()) ?? null

/** How often each thing happened, by the trail. */
export const countActions = (tx: Tx) =>
  tx
    .selectFrom('audit_entries')
    .select(e => ['action', e.fn.countAll<number>().as('count')])
    .groupBy('action')
    .orderBy('action')
    .execute()
