import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, isFileRemoved, isoMoment, personOf } from '#platform/db/expressions.ts'
import type {
  Disposal,
  DisposalFilter,
  DisposalRecord,
  DisposalStatus,
  DisposedFile,
  DueFilter,
  DueRecord,
  RecordKind,
} from './schema.ts'

export const dueSorts = ['retention_until', 'ended_on', 'number'] as const
export const disposalSorts = ['id', 'proposed_at', 'decided_at'] as const

export type CaseRecordKind = Exclude<RecordKind, 'document'>

export interface StoredCandidate extends Omit<DueRecord, 'ended_on' | 'retention_until' | 'retention_years'> {
  version_id: number | null
  retention_years: number | null
  ended_on: string | null
  retention_until: string | null
  is_over: boolean
  /** A version is disposed of once. */
  is_disposed: boolean
  /** What a disposal destroys. */
  files: DisposedFile[]
}

/** By which rule a retention day is computed. */
export interface RetentionRule {
  zone: string
  /** The periods of deviations and CAPAs; a document type has its own. */
  years: Record<CaseRecordKind, number | null>
}

type Condition = RawBuilder<SqlBool>

const holdsOf = (kind: RecordKind, id: RawBuilder<unknown>) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', h.id, 'number', h.number) order by h.id) from legal_holds h
  where h.id in (select holds_on(${sql.lit(kind)}, ${id}))), '[]')`

/** The disposal that lists a version or disposed of it. One that was rejected or withdrawn keeps none. */
const open = sql`disposal_records r join disposals p on p.id = r.disposal_id
  where r.tenant_id = v.tenant_id and r.version_id = v.id and r.status in ('listed', 'disposed')`

/** Versions, with all that decides whether they may be disposed of. A version counts from the move into the state that it has now. */
const versions = ({ zone }: RetentionRule, condition: Condition) => sql`
  select 'document' as kind, d.id, v.id as version_id, d.number, v.version, v.title,
    jsonb_build_object('id', t.id, 'name', t.name) as document_type, t.id as type_id, v.status as record_status,
    v.status_kind = 'final' as is_over, t.retention_years, e.ended_on,
    case when v.status_kind = 'final' then (e.ended_on + make_interval(years => t.retention_years))::date end as retention_until,
    disposal_obstacle(v.id) as obstacle, ${holdsOf('document', sql`d.id`)} as holds,
    (select jsonb_build_object('id', p.id, 'number', p.number) from ${open}) as disposal,
    exists (select from ${open} and r.status = 'disposed') as is_disposed, 1 as files_total,
    jsonb_build_array(jsonb_build_object('version_id', v.id, 'attachment_id', null, 'name', v.file_name, 'sha256', v.sha256,
      'file_size', v.file_size)) as files
  from document_versions v join documents d on d.id = v.document_id join document_types t on t.id = d.document_type_id
  cross join lateral (select (max(h.occurred_at) at time zone ${zone})::date as ended_on from document_history h
    where h.tenant_id = v.tenant_id and h.document_id = d.id and h.version_id = v.id and h.to_status = v.status) e
  where ${condition}`

const ofCases = {
  deviation: { table: sql`deviations`, column: sql`deviation_id`, isOpen: sql`is_open_deviation` },
  capa: { table: sql`capas`, column: sql`capa_id`, isOpen: sql`is_open_capa` },
}

/** Attached files of a case that nobody has removed. */
const filesOf = (kind: CaseRecordKind) =>
  sql`attachments a where a.tenant_id = k.tenant_id and a.${ofCases[kind].column} = k.id and not ${isFileRemoved('a', 'attachment_id')}`

/**
 * Deviations or CAPAs. One counts from the move into the state that it has now; one that was imported as closed, from the day on which it was
 * closed where it comes from.
 */
function cases(kind: CaseRecordKind, { zone, years }: RetentionRule, condition: Condition) {
  const { table, column, isOpen } = ofCases[kind]
  return sql`
    select ${sql.lit(kind)} as kind, k.id, null::bigint as version_id, k.number, null as version, k.title,
      null::jsonb as document_type, null::bigint as type_id, k.status as record_status,
      not ${isOpen}(k.status) as is_over, ${years[kind]}::integer as retention_years, e.ended_on,
      (e.ended_on + make_interval(years => ${years[kind]}::integer))::date as retention_until,
      case_disposal_obstacle(${sql.lit(kind)}, k.id) as obstacle, ${holdsOf(kind, sql`k.id`)} as holds,
      (select jsonb_build_object('id', p.id, 'number', p.number) from disposal_records r join disposals p on p.id = r.disposal_id
        where r.tenant_id = k.tenant_id and r.${column} = k.id and r.status = 'listed') as disposal,
      false as is_disposed, (select count(*) from ${filesOf(kind)})::integer as files_total,
      coalesce((select jsonb_agg(jsonb_build_object('version_id', null, 'attachment_id', a.id, 'name', a.file_name, 'sha256', a.sha256,
        'file_size', a.file_size) order by a.id) from ${filesOf(kind)}), '[]') as files
    from ${table} k
    cross join lateral (select ((case when k.migration_batch_id is not null and k.closed_at is not null then k.closed_at
        else max(h.occurred_at) end) at time zone ${zone})::date as ended_on
      from record_history h where h.tenant_id = k.tenant_id and h.${column} = k.id and h.to_status = k.status
        and not ${isOpen}(k.status)) e
    where ${condition}`
}

export interface DueOn extends RetentionRule {
  today: string
  /** The kinds of records that the reader may read. */
  kinds: readonly RecordKind[]
}

/** A case without files that could be destroyed is kept, and would be listed for ever. */
function ended(on: DueOn, { kind }: DueFilter) {
  const isAsked = (each: RecordKind) => on.kinds.includes(each) && (kind === undefined || kind === each)
  const ofCase = (each: CaseRecordKind) =>
    cases(
      each,
      on,
      isAsked(each) && on.years[each] !== null
        ? sql`not ${ofCases[each].isOpen}(k.status) and exists (select from ${filesOf(each)})`
        : sql`false`,
    )
  const ofVersions = isAsked('document')
    ? sql<SqlBool>`v.status_kind = 'final' and t.retention_years is not null`
    : sql<SqlBool>`false`
  return sql<StoredCandidate>`(${versions(on, ofVersions)} union all ${ofCase('deviation')} union all ${ofCase('capa')})`
}

const due = (tx: Tx, on: DueOn, filter: DueFilter) =>
  tx
    .selectFrom(ended(on, filter).as('c'))
    .where('c.retention_until', '<', on.today)
    .where('c.is_disposed', '=', false)
    .$if(filter.document_type !== undefined, query => query.where(sql<SqlBool>`c.type_id = ${filter.document_type}`))
    .$if(filter.q !== undefined, query =>
      query.where(
        sql<SqlBool>`(c.number || coalesce(' ' || c.version, '') || ' ' || c.title) ilike ${contains(filter.q!)}`,
      ),
    )
    .$if(filter.can_be_disposed !== undefined, query =>
      query.where(sql<SqlBool>`(c.obstacle is null and c.disposal is null) = ${filter.can_be_disposed}`),
    )

export const listDue = async (
  tx: Tx,
  on: DueOn,
  filter: DueFilter,
  { field, direction }: Sort<(typeof dueSorts)[number]>,
  limit: number,
  offset: number,
) =>
  (await due(tx, on, filter)
    .select(['c.kind', 'c.id', 'c.number', 'c.version', 'c.title', 'c.document_type', 'c.record_status', 'c.ended_on'])
    .select(['c.retention_years', 'c.retention_until', 'c.files_total', 'c.obstacle', 'c.holds', 'c.disposal'])
    .orderBy(`c.${field}`, direction)
    .orderBy('c.kind', direction)
    .orderBy('c.id', direction)
    .orderBy('c.version_id', direction)
    .limit(limit)
    .offset(offset)
    .execute()) as DueRecord[]

export const countDue = (tx: Tx, on: DueOn, filter: DueFilter) => countRows(due(tx, on, filter))

/** Records by their ids. */
export interface RecordIds {
  version_ids: readonly number[]
  deviation_ids: readonly number[]
  capa_ids: readonly number[]
}

/** Documents, deviations, then CAPAs, in the order of their ids. */
export const listCandidates = async (
  tx: Tx,
  rule: RetentionRule,
  { version_ids, deviation_ids, capa_ids }: RecordIds,
) =>
  (
    await sql<StoredCandidate>`
      select * from (${versions(rule, sql`v.id = any(${[...version_ids]}::bigint[])`)}
        union all ${cases('deviation', rule, sql`k.id = any(${[...deviation_ids]}::bigint[])`)}
        union all ${cases('capa', rule, sql`k.id = any(${[...capa_ids]}::bigint[])`)}) c
      order by c.kind desc, c.version_id, c.id`.execute(tx)
  ).rows

export const listVersionsOf = async (tx: Tx, rule: RetentionRule, documentId: number) =>
  (await sql<StoredCandidate>`${versions(rule, sql`v.document_id = ${documentId}`)} order by v.id desc`.execute(tx))
    .rows

/** When the attached files of a deviation or a CAPA were disposed of. */
export const listDisposalsOfCase = async (tx: Tx, kind: CaseRecordKind, id: number) =>
  (
    await sql<{ id: number; number: string; disposed_at: string; files_total: number }>`
      select p.id, p.number, ${isoMoment('r.disposed_at')} as disposed_at, jsonb_array_length(r.files) as files_total
      from disposal_records r join disposals p on p.id = r.disposal_id
      where r.${ofCases[kind].column} = ${id} and r.status = 'disposed' order by r.id`.execute(tx)
  ).rows

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

const kindOfRecord = sql<RecordKind>`case when r.deviation_id is not null then 'deviation' when r.capa_id is not null then 'capa' else 'document' end`

export const listRecords = async (tx: Tx, disposalId: number): Promise<Disposal['records']> =>
  (
    await sql<DisposalRecord>`
      select r.id, ${kindOfRecord} as kind, coalesce(v.document_id, r.deviation_id, r.capa_id) as record_id, r.record_number, r.version,
        r.title, r.type_name, r.record_status, r.ended_on, r.retention_years, r.retention_until, r.files, r.status,
        ${isoMoment('r.disposed_at')} as disposed_at, r.kept_reason
      from disposal_records r left join document_versions v on v.id = r.version_id where r.disposal_id = ${disposalId} order by r.id`.execute(
      tx,
    )
  ).rows

/** What is to be done of an approved disposal, in the order in which records are locked: documents, deviations, CAPAs. */
export const listToDispose = (tx: Tx, disposalId: number) =>
  tx
    .selectFrom('disposal_records as r')
    .leftJoin('document_versions as v', 'v.id', 'r.version_id')
    .select(['r.id', 'r.version_id', 'r.deviation_id', 'r.capa_id', 'v.document_id'])
    .where('r.disposal_id', '=', disposalId)
    .where('r.status', '=', 'listed')
    .orderBy('v.document_id')
    .orderBy('r.deviation_id')
    .orderBy('r.capa_id')
    .orderBy('r.id')
    .execute()

export type ToDispose = Awaited<ReturnType<typeof listToDispose>>[number]

/** Undefined if another process was first. */
export const lockListed = (tx: Tx, id: number) =>
  tx
    .selectFrom('disposal_records')
    .select(['id', 'files'])
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
        deviation_id: each.kind === 'deviation' ? each.id : null,
        capa_id: each.kind === 'capa' ? each.id : null,
        ...{ title: each.title, type_name: each.document_type?.name ?? null, record_status: each.record_status },
        ...{ ended_on: each.ended_on!, retention_years: each.retention_years!, retention_until: each.retention_until! },
        files: JSON.stringify(each.files),
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

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed. Those of a case are read from the whole row,
// because a backup of an earlier release has none.
const signedColumns = sql`jsonb_build_object('record_number', r.record_number, 'title', r.title, 'record_status', r.record_status,
  'ended_on', r.ended_on, 'retention_years', r.retention_years, 'retention_until', r.retention_until, 'files', r.files)
  || case when r.version_id is not null
    then jsonb_build_object('version_id', r.version_id, 'version', r.version, 'type_name', r.type_name)
    else jsonb_build_object('deviation_id', to_jsonb(r) -> 'deviation_id', 'capa_id', to_jsonb(r) -> 'capa_id') end`

/** What is signed of a disposal, also for a restore, which reads it outside of any tenant. */
export const findSigned = async (tx: Tx, id: number) =>
  (
    await sql<{ number: string; content: object }>`
      select p.number, jsonb_build_object('reason', p.reason, 'proposed_by', p.proposed_by, 'records', coalesce((
        select jsonb_agg(${signedColumns} order by r.id) from disposal_records r
        where r.tenant_id = p.tenant_id and r.disposal_id = p.id), '[]')) as content
      from disposals p where p.id = ${id}`.execute(tx)
  ).rows[0]
