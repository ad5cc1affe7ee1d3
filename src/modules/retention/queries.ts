import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, isoMoment, personOf } from '#platform/db/expressions.ts'
import type { Disposal, DisposalFilter, DisposalRecord, DisposalStatus, DueFilter, DueVersion } from './schema.ts'

export const dueSorts = ['retention_until', 'ended_on', 'number'] as const
export const disposalSorts = ['id', 'proposed_at', 'decided_at'] as const

export interface StoredCandidate extends Omit<DueVersion, 'ended_on' | 'retention_until' | 'retention_years'> {
  retention_years: number | null
  ended_on: string | null
  retention_until: string | null
  is_disposed: boolean
  status_kind: string
  sha256: string
  file_size: number
  file_name: string
}

/** The disposal that lists a version or disposed of it. One that was rejected or withdrawn keeps none. */
const open = sql`disposal_records r join disposals p on p.id = r.disposal_id
  where r.tenant_id = v.tenant_id and r.version_id = v.id and r.status in ('listed', 'disposed')`

/** Versions that have ended, with all that decides whether they may be disposed of. A version counts from the move into the state that it has now. */
const candidates = (zone: string, condition: RawBuilder<SqlBool>) => sql<StoredCandidate>`(
  select v.id as version_id, d.id as document_id, d.number, v.version, v.title, v.status as record_status, v.status_kind,
    jsonb_build_object('id', t.id, 'name', t.name) as document_type, t.id as type_id, t.retention_years, e.ended_on,
    case when v.status_kind = 'final' then (e.ended_on + make_interval(years => t.retention_years))::date end as retention_until,
    disposal_obstacle(v.id) as obstacle,
    coalesce((select jsonb_agg(jsonb_build_object('id', h.id, 'number', h.number) order by h.id) from legal_holds h
      where h.id in (select holds_on('document', d.id))), '[]') as holds,
    (select jsonb_build_object('id', p.id, 'number', p.number) from ${open}) as disposal,
    exists (select from ${open} and r.status = 'disposed') as is_disposed, v.sha256, v.file_size, v.file_name
  from document_versions v join documents d on d.id = v.document_id join document_types t on t.id = d.document_type_id
  cross join lateral (select (max(h.occurred_at) at time zone ${zone})::date as ended_on from document_history h
    where h.tenant_id = v.tenant_id and h.document_id = d.id and h.version_id = v.id and h.to_status = v.status) e
  where ${condition})`

const due = (tx: Tx, { zone, today }: { zone: string; today: string }, filter: DueFilter) =>
  tx
    .selectFrom(candidates(zone, sql`v.status_kind = 'final' and t.retention_years is not null`).as('c'))
    .where('c.retention_until', '<', today)
    .where('c.is_disposed', '=', false)
    .$if(filter.document_type !== undefined, query => query.where(sql<SqlBool>`c.type_id = ${filter.document_type}`))
    .$if(filter.q !== undefined, query =>
      query.where(sql<SqlBool>`(c.number || ' ' || c.version || ' ' || c.title) ilike ${contains(filter.q!)}`),
    )
    .$if(filter.can_be_disposed !== undefined, query =>
      query.where(sql<SqlBool>`(c.obstacle is null and c.disposal is null) = ${filter.can_be_disposed}`),
    )

export const listDue = async (
  tx: Tx,
  on: { zone: string; today: string },
  filter: DueFilter,
  { field, direction }: Sort<(typeof dueSorts)[number]>,
  limit: number,
  offset: number,
) =>
  (await due(tx, on, filter)
    .select(['c.version_id', 'c.document_id', 'c.number', 'c.version', 'c.title', 'c.document_type', 'c.record_status'])
    .select(['c.ended_on', 'c.retention_years', 'c.retention_until', 'c.obstacle', 'c.holds', 'c.disposal'])
    .orderBy(`c.${field}`, direction)
    .orderBy('c.version_id', direction)
    .limit(limit)
    .offset(offset)
    .execute()) as DueVersion[]

export const countDue = (tx: Tx, on: { zone: string; today: string }, filter: DueFilter) =>
  countRows(due(tx, on, filter))

/** Versions by their ids, in the order of these. */
export const listCandidates = (tx: Tx, zone: string, ids: readonly number[]) =>
  tx
    .selectFrom(candidates(zone, sql`v.id = any(${[...ids]}::bigint[])`).as('c'))
    .selectAll()
    .orderBy('c.version_id')
    .execute()

export const listCandidatesOf = (tx: Tx, zone: string, documentId: number) =>
  tx
    .selectFrom(candidates(zone, sql`v.document_id = ${documentId}`).as('c'))
    .selectAll()
    .orderBy('c.version_id', 'desc')
    .execute()

/** When the versions of a document were disposed of. */
export const listDisposedOf = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('disposal_records as r')
    .innerJoin('disposals as p', 'p.id', 'r.disposal_id')
    .innerJoin('document_versions as v', 'v.id', 'r.version_id')
    .select(['p.id', 'p.number', 'v.version', sql<string>`r.disposed_at`.as('disposed_at')])
    .where('v.document_id', '=', documentId)
    .where('r.status', '=', 'disposed')
    .execute()

export const findTypeRetention = async (tx: Tx, documentId: number) =>
  (
    await tx
      .selectFrom('documents as d')
      .innerJoin('document_types as t', 't.id', 'd.document_type_id')
      .select('t.retention_years')
      .where('d.id', '=', documentId)
      .executeTakeFirstOrThrow()
  ).retention_years

const counted = (status: string) =>
  sql<number>`(select count(*) from disposal_records r where r.disposal_id = p.id and r.status = ${sql.lit(status)})`

const disposals = (tx: Tx) =>
  tx
    .selectFrom('disposals as p')
    .select(['p.id', 'p.number', 'p.reason', 'p.proposed_at', 'p.decided_at', 'p.decision_reason', 'p.completed_at'])
    .select([
      sql<DisposalStatus>`p.status`.as('status'),
      sql<Person>`${personOf('p.proposed_by')}`.as('proposed_by'),
      personOf('p.decided_by').as('decided_by'),
      sql<number>`(select count(*) from disposal_records r where r.disposal_id = p.id)`.as('records_total'),
      counted('disposed').as('records_disposed'),
      counted('kept').as('records_kept'),
      sql<number>`(select count(*) from file_removals f where f.tenant_id = p.tenant_id and f.disposal_id = p.id
        and f.status = 'approved')`.as('files_pending'),
      sql<
        number[]
      >`array(select s.id from signatures s where s.tenant_id = p.tenant_id and s.disposal_id = p.id order by s.id)`.as(
        'signature_ids',
      ),
    ])

const matching = (tx: Tx, { status }: DisposalFilter) =>
  tx.selectFrom('disposals').$if(status !== undefined, query => query.where('status', '=', status!))

export const listDisposals = (
  tx: Tx,
  filter: DisposalFilter,
  { field, direction }: Sort<(typeof disposalSorts)[number]>,
  limit: number,
  offset: number,
) =>
  disposals(tx)
    .where('p.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`p.${field}`, direction)
    .orderBy('p.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countDisposals = (tx: Tx, filter: DisposalFilter) => countRows(matching(tx, filter))

export const findDisposal = (tx: Tx, id: number) => disposals(tx).where('p.id', '=', id).executeTakeFirst()

export const listProposed = (tx: Tx, notBy: number, limit: number) =>
  disposals(tx)
    .where('p.status', '=', 'proposed')
    .where('p.proposed_by', '<>', notBy)
    .orderBy('p.id')
    .limit(limit)
    .execute()

export const lockDisposal = (tx: Tx, id: number) =>
  tx.selectFrom('disposals').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const listRecords = async (tx: Tx, disposalId: number): Promise<Disposal['records']> =>
  (
    await sql<DisposalRecord>`
      select r.id, v.document_id, r.record_number, r.version, r.title, r.type_name, r.record_status, r.ended_on, r.retention_years,
        r.retention_until, r.files, r.status, ${isoMoment('r.disposed_at')} as disposed_at, r.kept_reason
      from disposal_records r join document_versions v on v.id = r.version_id where r.disposal_id = ${disposalId} order by r.id`.execute(
      tx,
    )
  ).rows

/** What is to be done of an approved disposal, in the order of the documents. */
export const listToDispose = (tx: Tx, disposalId: number) =>
  tx
    .selectFrom('disposal_records as r')
    .innerJoin('document_versions as v', 'v.id', 'r.version_id')
    .select(['r.id', 'r.version_id', 'v.document_id'])
    .where('r.disposal_id', '=', disposalId)
    .where('r.status', '=', 'listed')
    .orderBy('v.document_id')
    .orderBy('r.id')
    .execute()

/** Undefined if another process was first. */
export const lockListed = (tx: Tx, id: number) =>
  tx
    .selectFrom('disposal_records')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'listed')
    .forUpdate()
    .executeTakeFirst()

export const insertDisposal = (tx: Tx, values: { number: string; reason: string }) =>
  tx.insertInto('disposals').values(values).returning('id').executeTakeFirstOrThrow()

export const insertRecords = (tx: Tx, disposal_id: number, records: readonly StoredCandidate[]) =>
  tx
    .insertInto('disposal_records')
    .values(
      records.map(each => ({
        ...{ disposal_id, version_id: each.version_id, record_number: each.number, version: each.version },
        ...{ title: each.title, type_name: each.document_type.name, record_status: each.record_status },
        ...{ ended_on: each.ended_on!, retention_years: each.retention_years!, retention_until: each.retention_until! },
        files: JSON.stringify([
          {
            ...{ version_id: each.version_id, attachment_id: null, name: each.file_name },
            ...{ sha256: each.sha256, file_size: each.file_size },
          },
        ]),
      })),
    )
    .execute()

/** The database adds who decided, and when. */
export const decideDisposal = (
  tx: Tx,
  id: number,
  values: { status: 'approved' | 'rejected' | 'withdrawn'; decision_reason: string | null },
) => tx.updateTable('disposals').set(values).where('id', '=', id).execute()

export const markDisposed = (tx: Tx, id: number) =>
  tx.updateTable('disposal_records').set({ status: 'disposed' }).where('id', '=', id).execute()

export const markKept = (tx: Tx, id: number, kept_reason: string) =>
  tx.updateTable('disposal_records').set({ status: 'kept', kept_reason }).where('id', '=', id).execute()

export const keepAll = (tx: Tx, disposalId: number, kept_reason: string) =>
  tx
    .updateTable('disposal_records')
    .set({ status: 'kept', kept_reason })
    .where('disposal_id', '=', disposalId)
    .where('status', '=', 'listed')
    .execute()

/** Returns false if something is left to do, or another process was first. */
export async function completeDisposal(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('disposals')
    .set({ status: 'completed' })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where(
      sql<SqlBool>`not exists (select from disposal_records r where r.disposal_id = disposals.id and r.status = 'listed')`,
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export const listApproved = (tx: Tx, limit: number) =>
  tx
    .selectFrom('disposals')
    .select(['tenant_id', 'id'])
    .where('status', '=', 'approved')
    .orderBy('id')
    .limit(limit)
    .execute()

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const signedColumns = sql`jsonb_build_object('version_id', r.version_id, 'record_number', r.record_number, 'version', r.version, 'title', r.title,
  'type_name', r.type_name, 'record_status', r.record_status, 'ended_on', r.ended_on, 'retention_years', r.retention_years,
  'retention_until', r.retention_until, 'files', r.files)`

/** What is signed of a disposal, also for a restore, which reads it outside of any tenant. */
export const findSigned = async (tx: Tx, id: number) =>
  (
    await sql<{ number: string; content: object }>`
      select p.number, jsonb_build_object('reason', p.reason, 'proposed_by', p.proposed_by, 'records', coalesce((
        select jsonb_agg(${signedColumns} order by r.id) from disposal_records r
        where r.tenant_id = p.tenant_id and r.disposal_id = p.id), '[]')) as content
      from disposals p where p.id = ${id}`.execute(tx)
  ).rows[0]
