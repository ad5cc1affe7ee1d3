import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { ApprovalOverride, Step } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { contains, isoMoment, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Sight } from './rules.ts'
import type { DocumentFilter, DocumentVersion, HistoryEntry } from './schema.ts'

type Person = { id: number; username: string; full_name: string | null }
type Joined = Tables &
  Record<'d', Tables['documents']> &
  Record<'v', Tables['document_versions']> &
  Record<'l', Tables['document_versions']>

type Conditions = ExpressionBuilder<Joined, 'd' | 'v' | 'l'>

export const documentSorts = ['id', 'number', 'title', 'status', 'created_at', 'updated_at', 'review_due_date'] as const
export type DocumentSort = Sort<(typeof documentSorts)[number]>

/** `d` the document, `v` the version that is shown: the effective one, else the newest. `l` is the newest. */
const shown = (tx: Tx) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')

const summaryColumns = (sight: Sight) => [
  sql<{
    id: number
    name: string
  }>`(select jsonb_build_object('id', id, 'name', name) from document_types where id = d.document_type_id)`.as(
    'document_type',
  ),
  sql<Person>`${personOf('d.owner_id')}`.as('owner'),
  sql<string | null>`case when v.status_kind = 'effective' then v.version end`.as('effective_version'),
  sql<string | null>`to_char(v.effective_at at time zone 'UTC', 'YYYY-MM-DD')`.as('effective_date'),
  sql<{ version: string; status: string } | null>`case when l.id <> v.id and l.status_kind in ('initial', 'review')
      and (${sight.drafts} or d.owner_id = ${sight.userId} or l.created_by = ${sight.userId})
    then jsonb_build_object('version', l.version, 'status', l.status) end`.as('pending_version'),
  personOf('d.created_by').as('created_by'),
  personOf('d.updated_by').as('updated_by'),
]

/** What `canRead` says, as a condition: a list of what one may read has the right total too. */
const readable =
  ({ userId, drafts, obsolete }: Sight) =>
  (e: Conditions) =>
    drafts && obsolete
      ? e.and([])
      : e.or([
          e('v.status_kind', '=', 'effective'),
          ...(drafts ? [e('v.status_kind', 'in', ['initial', 'review'])] : []),
          ...(obsolete ? [e('v.status_kind', '=', 'final')] : []),
          e('d.owner_id', '=', userId!),
          e('v.created_by', '=', userId!),
        ])

const matching = (filter: DocumentFilter) => (e: Conditions) => {
  const { status, document_type, category, owner_id, date_from, date_to, q } = filter
  return e.and([
    ...(status ? [e.or([e('v.status', '=', status), e('l.status', '=', status)])] : []),
    ...(document_type ? [e('d.document_type_id', '=', document_type)] : []),
    ...(category ? [e('v.category', '=', category)] : []),
    ...(owner_id ? [e('d.owner_id', '=', owner_id)] : []),
    ...(date_from ? [sql<SqlBool>`d.created_at >= ${date_from}::date::timestamp at time zone 'UTC'`] : []),
    ...(date_to ? [sql<SqlBool>`d.created_at < (${date_to}::date + 1)::timestamp at time zone 'UTC'`] : []),
    ...(q
      ? [
          e.or([
            e('v.title', 'ilike', contains(q)),
            e('d.number', 'ilike', contains(q)),
            e('v.description', 'ilike', contains(q)),
          ]),
        ]
      : []),
  ])
}

const sortColumns = {
  id: 'd.id',
  number: 'd.number',
  title: 'v.title',
  status: 'v.status',
  created_at: 'd.created_at',
  updated_at: 'd.updated_at',
  review_due_date: 'v.review_due_date',
} as const

export const listDocuments = (
  tx: Tx,
  filter: DocumentFilter,
  sight: Sight,
  { field, direction }: DocumentSort,
  limit: number,
  offset: number,
) =>
  shown(tx)
    .select([
      'd.id',
      'd.number',
      'v.version',
      'v.status',
      'v.title',
      'v.category',
      'v.keywords',
      'v.file_key as file_path',
      'v.review_due_date',
    ])
    .select(['d.created_at', 'd.updated_at', 'd.revision'])
    .select(summaryColumns(sight))
    .where(readable(sight))
    .where(matching(filter))
    .orderBy(sortColumns[field], direction)
    .orderBy('d.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

/** Left joins, which PostgreSQL drops where no condition needs them: the count of all is then read from an index alone. */
export const countDocuments = (tx: Tx, filter: DocumentFilter, sight: Sight) =>
  tx
    .selectFrom('documents as d')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .leftJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .select(e => e.fn.countAll<number>().as('total'))
    .where(e => readable(sight)(e as unknown as Conditions))
    .where(e => matching(filter)(e as unknown as Conditions))
    .executeTakeFirstOrThrow()

/** `version`: another one than that which is shown. */
export const findDocument = (tx: Tx, id: number, sight: Sight, version?: string) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .innerJoin('document_versions as v', join =>
      join.on(e =>
        version === undefined
          ? e('v.id', '=', e.ref('d.shown_version_id'))
          : e.and([e('v.document_id', '=', id), e('v.version', '=', version)]),
      ),
    )
    .select([
      'd.id',
      'd.number',
      'v.version',
      'v.status',
      'v.title',
      'v.category',
      'v.keywords',
      'v.file_key as file_path',
      'v.review_due_date',
    ])
    .select(['d.created_at', 'd.updated_at', 'd.revision', 'v.description'])
    .select(
      sql<
        DocumentVersion['file']
      >`jsonb_build_object('name', v.file_name, 'size', v.file_size, 'content_type', v.content_type, 'sha256', v.sha256)`.as(
        'file',
      ),
    )
    .select([
      'v.id as version_id',
      'v.status_kind',
      'v.created_by as author_id',
      'd.owner_id',
      'd.effective_version_id',
      'd.latest_version_id',
      'l.status_kind as latest_kind',
    ])
    .select(summaryColumns(sight))
    .where('d.id', '=', id)
    .executeTakeFirst()
export type DocumentRow = NonNullable<Awaited<ReturnType<typeof findDocument>>>

/** Everything that decides about a version, as it is under the document's lock. */
export const findVersion = (tx: Tx, id: number) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('workflow_templates as w', 'w.id', 'v.workflow_template_id')
    .select([
      'v.id',
      'v.document_id',
      'd.number',
      'd.owner_id',
      'd.document_type_id',
      'v.major',
      'v.minor',
      'v.version',
      'v.title',
      'v.category',
      'v.description',
      'v.keywords',
    ])
    .select([
      'v.file_key',
      'v.file_name',
      'v.file_size',
      'v.content_type',
      'v.sha256',
      'v.status',
      'v.status_kind',
      'v.round',
      'v.content_revision',
      'v.created_by',
    ])
    .select(['v.workflow_template_id', 'v.workflow_template_version', 'w.name as workflow_template_name'])
    .select(sql<ApprovalOverride | null>`v.approval_override`.as('approval_override'))
    .where('v.id', '=', id)
    .executeTakeFirstOrThrow()
export type VersionRow = Awaited<ReturnType<typeof findVersion>>

export const lockDocument = (tx: Tx, id: number) =>
  tx
    .selectFrom('documents')
    .select([
      'id',
      'number',
      'document_type_id',
      'owner_id',
      'effective_version_id',
      'latest_version_id',
      'revision',
      'created_by',
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** A number of its own for each, without a gap: a rollback gives the number back. */
export async function takeNumber(tx: Tx, prefix: string) {
  const { last } = await tx
    .insertInto('counters')
    .values({ name: `document:${prefix}`, last: 1 })
    .onConflict(on => on.columns(['tenant_id', 'name']).doUpdateSet({ last: sql`counters.last + 1` }))
    .returning('last')
    .executeTakeFirstOrThrow()
  return `${prefix}-${String(last).padStart(4, '0')}`
}

export const insertDocument = (tx: Tx, values: { number: string; document_type_id: number; owner_id: number }) =>
  tx.insertInto('documents').values(values).returning('id').executeTakeFirstOrThrow()

export interface NewVersion {
  document_id: number
  major: number
  minor: number
  change_type: 'major' | 'minor'
  change_reason: string | null
  title: string
  category: string | null
  description: string | null
  keywords: string[]
  file_key: string
  file_name: string
  file_size: number
  content_type: string
  sha256: string
  workflow_template_id: number
  workflow_template_version: number
  status: string
  status_kind: string
}
export const insertVersion = (tx: Tx, values: NewVersion) =>
  tx.insertInto('document_versions').values(values).returning('id').executeTakeFirstOrThrow()

export const updateDocument = (
  tx: Tx,
  id: number,
  values: {
    latest_version_id?: number
    effective_version_id?: number | null
    owner_id?: number
    updated_by: number | null
  },
) =>
  tx
    .updateTable('documents')
    .set({ ...values, updated_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', id)
    .execute()

export const updateMetadata = (
  tx: Tx,
  versionId: number,
  values: { title: string; category: string | null; description: string | null; keywords: string[] },
) =>
  tx
    .updateTable('document_versions')
    .set({ ...values, content_revision: sql`content_revision + 1` })
    .where('id', '=', versionId)
    .execute()

export const updateWorkflow = (
  tx: Tx,
  versionId: number,
  values: {
    workflow_template_id: number
    workflow_template_version: number
    status: string
    approval_override: ApprovalOverride | null
  },
) =>
  tx
    .updateTable('document_versions')
    .set({ ...values, approval_override: values.approval_override && JSON.stringify(values.approval_override) })
    .where('id', '=', versionId)
    .execute()

export interface Moved {
  status: string
  status_kind: string
  round?: number
  submitted_at?: string
  approved_at?: string | null
  effective_at?: string
  review_due_date?: string | null
}
/** Expects the state that the decision was made on: under the document's lock it cannot be another. */
export async function moveVersion(tx: Tx, versionId: number, from: string, values: Moved) {
  const { numUpdatedRows } = await tx
    .updateTable('document_versions')
    .set(values)
    .where('id', '=', versionId)
    .where('status', '=', from)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new Error(`version ${versionId} is not in the state ${from} that its move was decided on`)
}

export const insertHistory = (
  tx: Tx,
  values: { document_id: number; version_id: number; round: number; comment: string | null } & Pick<
    Step,
    'transition' | 'trigger'
  > & { from_status: string | null; to_status: string },
) => tx.insertInto('document_history').values(values).execute()

export const listApprovals = (tx: Tx, versionId: number, round: number) =>
  tx
    .selectFrom('document_decisions')
    .select(['transition', 'rules', 'user_id'])
    .where('version_id', '=', versionId)
    .where('round', '=', round)
    .where('decision', '=', 'approve')
    .where('is_void', '=', false)
    .orderBy('id')
    .execute()

export interface NewDecision {
  document_id: number
  version_id: number
  round: number
  transition: string
  rules: number[]
  user_id: number
  decision: 'approve' | 'reject'
  comment: string | null
  signature_id: number | null
}
export const insertDecision = (tx: Tx, values: NewDecision) =>
  tx.insertInto('document_decisions').values(values).execute()
export const voidDecisions = (tx: Tx, versionId: number) =>
  tx
    .updateTable('document_decisions')
    .set({ is_void: true })
    .where('version_id', '=', versionId)
    .where('is_void', '=', false)
    .execute()

export const listLabels = (tx: Tx, documentId: number) =>
  tx.selectFrom('document_versions').select(['major', 'minor']).where('document_id', '=', documentId).execute()

export const listVersions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions as v')
    .select([
      'v.id',
      'v.version',
      'v.status',
      'v.status_kind',
      'v.title',
      'v.category',
      'v.keywords',
      'v.file_key as file_path',
      'v.description',
    ])
    .select([
      'v.change_type',
      'v.change_reason',
      'v.round',
      'v.created_at',
      'v.submitted_at',
      'v.approved_at',
      'v.effective_at',
      'v.created_by as author_id',
    ])
    .select(
      sql<
        DocumentVersion['file']
      >`jsonb_build_object('name', v.file_name, 'size', v.file_size, 'content_type', v.content_type, 'sha256', v.sha256)`.as(
        'file',
      ),
    )
    .select(sql<Person>`${personOf('v.created_by')}`.as('created_by'))
    .where('v.document_id', '=', documentId)
    .orderBy('v.major', 'desc')
    .orderBy('v.minor', 'desc')
    .execute()

export async function listHistory(tx: Tx, documentId: number) {
  const { rows } = await sql<HistoryEntry & { version_id: number }>`
    select 'transition' as kind, ${isoMoment('h.occurred_at')} as occurred_at, v.version, v.id as version_id, h.round, h.transition, h.from_status as "from", h.to_status as "to",
      h.trigger, null as decision, false as is_void, null::bigint as signature_id, ${personOf('h.user_id')} as "user", h.comment, h.occurred_at as at, h.id as tie
    from document_history h join document_versions v on v.id = h.version_id where h.document_id = ${documentId}
    union all
    select 'decision', ${isoMoment('c.decided_at')}, v.version, v.id, c.round, c.transition, null, null,
      null, c.decision, c.is_void, c.signature_id, ${personOf('c.user_id')}, c.comment, c.decided_at, c.id
    from document_decisions c join document_versions v on v.id = c.version_id where c.document_id = ${documentId}
    order by at, kind, tie`.execute(tx)
  return rows
}

export const listPersons = async (tx: Tx, ids: readonly number[]) => {
  if (ids.length === 0) return new Map<number, Person>()
  const rows = await tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('id', '=', sql<number>`any(${ids})`)
    .execute()
  return new Map(rows.map(row => [row.id, row]))
}

export const userIsActive = (tx: Tx, id: number) =>
  tx.selectFrom('users').select(['id', 'is_active']).where('id', '=', id).executeTakeFirst()
