import { type Insertable, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf, shownFileName } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { FileRemoval, RemovalFilter, RemovalStatus } from './schema.ts'

export const removalSorts = ['id', 'requested_at', 'decided_at'] as const

const removals = (tx: Tx) =>
  tx
    .selectFrom('file_removals as f')
    .leftJoin('document_versions as v', 'v.id', 'f.version_id')
    .leftJoin('documents as d', 'd.id', 'v.document_id')
    .leftJoin('attachments as a', 'a.id', 'f.attachment_id')
    .leftJoin('deviations as n', 'n.id', 'a.deviation_id')
    .leftJoin('capas as c', 'c.id', 'a.capa_id')
    .select(['f.id', 'f.attachment_id', 'f.version_id', 'f.hides_name', 'f.reason', 'f.requested_at', 'f.decided_at'])
    .select(['f.decision_reason', 'f.removed_at', 'v.version', 'd.owner_id', 'v.status_kind'])
    .select([
      sql<RemovalStatus>`f.status`.as('status'),
      sql<
        FileRemoval['resource_type']
      >`case when d.id is not null then 'document' when n.id is not null then 'deviation' else 'capa' end`.as(
        'resource_type',
      ),
      sql<number>`coalesce(d.id, n.id, c.id)`.as('resource_id'),
      sql<string>`coalesce(d.number, n.number, c.number)`.as('resource_number'),
      sql<
        FileRemoval['file']
      >`jsonb_build_object('name', coalesce(${shownFileName('v', 'version_id')}, ${shownFileName('a', 'attachment_id')}),
        'size', f.file_size, 'content_type', coalesce(v.content_type, a.content_type), 'sha256', f.sha256)`.as('file'),
      sql<FileRemoval['copies_out']>`coalesce((select jsonb_agg(jsonb_build_object('id', k.id,
          'number', d.number || ' copy ' || k.copy_number, 'status', k.status, 'holder', ${personOf('k.holder_id')},
          'location', k.location, 'due_date', k.due_date) order by k.copy_number)
        from controlled_copies k where k.tenant_id = f.tenant_id and k.document_id = d.id and k.version_id = f.version_id
          and (is_open_controlled_copy(k.status) or k.status = 'lost')), '[]')`.as('copies_out'),
      sql<Person>`${personOf('f.requested_by')}`.as('requested_by'),
      personOf('f.decided_by').as('decided_by'),
      sql<FileRemoval['disposal']>`(select jsonb_build_object('id', p.id, 'number', p.number) from disposals p
        where p.id = f.disposal_id)`.as('disposal'),
      sql<number[]>`array(select s.id from signatures s where s.tenant_id = f.tenant_id
          and (s.file_removal_id = f.id or s.disposal_id = f.disposal_id) order by s.id)`.as('signature_ids'),
    ])

const matching = (tx: Tx, { status }: RemovalFilter) =>
  tx.selectFrom('file_removals').$if(status !== undefined, query => query.where('status', '=', status!))

export const listRemovals = (
  tx: Tx,
  filter: RemovalFilter,
  { field, direction }: Sort<(typeof removalSorts)[number]>,
  limit: number,
  offset: number,
) =>
  removals(tx)
    .where('f.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`f.${field}`, direction)
    .orderBy('f.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countRemovals = (tx: Tx, filter: RemovalFilter) => countRows(matching(tx, filter))

export const findRemoval = (tx: Tx, id: number) => removals(tx).where('f.id', '=', id).executeTakeFirst()
export type StoredRemoval = NonNullable<Awaited<ReturnType<typeof findRemoval>>>

export const lockRemoval = (tx: Tx, id: number) =>
  tx.selectFrom('file_removals').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const listRequested = (tx: Tx, notBy: number, limit: number) =>
  removals(tx)
    .where('f.status', '=', 'requested')
    .where('f.requested_by', '<>', notBy)
    .orderBy('f.id')
    .limit(limit)
    .execute()

/** The database takes the people, the reason and the status from the disposal. Undefined if the content of the file is gone already. */
export const insertDisposed = (
  tx: Tx,
  values: Pick<
    Insertable<Tables['file_removals']>,
    'disposal_id' | 'version_id' | 'attachment_id' | 'sha256' | 'file_size'
  >,
) =>
  tx
    .insertInto('file_removals')
    // The columns that are taken from the disposal are there before they are checked.
    .values({ ...values, reason: '-' })
    .onConflict(on => on.doNothing())
    .returning('id')
    .executeTakeFirst()

export const insertRemoval = (tx: Tx, values: Insertable<Tables['file_removals']>) =>
  tx.insertInto('file_removals').values(values).returning('id').executeTakeFirstOrThrow()

/** The database adds who decided, and when. */
export const decideRemoval = (
  tx: Tx,
  id: number,
  values: { status: Exclude<RemovalStatus, 'requested' | 'removed'>; decision_reason: string | null },
) => tx.updateTable('file_removals').set(values).where('id', '=', id).execute()

/** Returns false if another process was first. */
export async function markRemoved(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('file_removals')
    .set({ status: 'removed' })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The newest request that is open about a file, or that removed it. */
export const findOpenRemoval = (tx: Tx, of: { version_id: number } | { attachment_id: number }) =>
  tx
    .selectFrom('file_removals')
    .select(['id', 'status'])
    .where('status', 'in', ['requested', 'approved', 'removed'])
    .where(e => ('version_id' in of ? e('version_id', '=', of.version_id) : e('attachment_id', '=', of.attachment_id)))
    .executeTakeFirst()

export const findAttachment = (tx: Tx, id: number) =>
  tx
    .selectFrom('attachments')
    .select(['id', 'deviation_id', 'capa_id', 'sha256', 'file_size'])
    .where('id', '=', id)
    .executeTakeFirst()

export const findVersionKind = async (tx: Tx, id: number) =>
  (await tx.selectFrom('document_versions').select('status_kind').where('id', '=', id).executeTakeFirstOrThrow())
    .status_kind

export const listApproved = (tx: Tx, limit: number) =>
  tx
    .selectFrom('file_removals')
    .select(['tenant_id', 'id'])
    .where('status', '=', 'approved')
    .orderBy('id')
    .limit(limit)
    .execute()

/** The key of the removed file in the store. */
export const findRemovedKey = async (tx: Tx, id: number): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('file_removals as f')
      .leftJoin('document_versions as v', 'v.id', 'f.version_id')
      .leftJoin('attachments as a', 'a.id', 'f.attachment_id')
      .select(sql<string>`coalesce(v.file_key, a.file_key)`.as('key'))
      .where('f.id', '=', id)
      .where('f.status', 'in', ['approved', 'removed'])
      .executeTakeFirst()
  )?.key

export const listRemovedAfter = (tx: Tx, after: number, limit: number) =>
  tx
    .selectFrom('file_removals as f')
    .leftJoin('document_versions as v', 'v.id', 'f.version_id')
    .leftJoin('attachments as a', 'a.id', 'f.attachment_id')
    .select(['f.id', sql<string>`coalesce(v.file_key, a.file_key)`.as('key')])
    .where('f.status', '=', 'removed')
    .where('f.id', '>', after)
    .orderBy('f.id')
    .limit(limit)
    .execute()

/** A whole row by the id alone, also for a restore, which reads it outside of any tenant. */
export const findWhole = (tx: Tx, id: number) =>
  tx.selectFrom('file_removals').selectAll().where('id', '=', id).executeTakeFirst()
