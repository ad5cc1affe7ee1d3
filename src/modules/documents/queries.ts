import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { ApprovalOverride, Counts, Delegation, Step, WorkflowDefinition } from '#modules/workflows'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, isoMoment, personOf, startOf, storedFileOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type Gate, gateHere, thresholdHere } from './gate-queries.ts'
import { readableKinds, type Sight, sightOf } from './rules.ts'
import type { Content, DocumentFilter, HistoryEntry, PeriodicReview } from './schema.ts'

type Joined = Tables &
  Record<'d', Tables['documents']> &
  Record<'v', Tables['document_versions']> &
  Record<'l', Tables['document_versions']>

export const documentSorts = ['id', 'number', 'title', 'status', 'created_at', 'updated_at', 'review_due_date'] as const
export type DocumentSort = Sort<(typeof documentSorts)[number]>

/** What `canRead` says of a version `v` of a document `d`, as a condition: so a list of what one may read has the right total too. */
export function readable(actor: Actor): RawBuilder<SqlBool> {
  const sight = sightOf(actor)
  return sight.drafts && sight.obsolete
    ? sql`true`
    : sql`(v.status_kind = any(${readableKinds(sight)}) or d.owner_id = ${sight.userId} or v.created_by = ${sight.userId})`
}

type OwnSight = Pick<Sight, 'drafts' | 'userId'>

/** Whether `l`, the newest version, is on its way beside the one that is shown, and the person may know of it. */
const isPending = ({ drafts, userId }: OwnSight) =>
  sql<SqlBool>`(l.id <> v.id and l.status_kind in ('initial', 'review')
    and (${drafts} or d.owner_id = ${userId} or l.created_by = ${userId}))`

/** Says less than the condition that goes with it, and is answered from an index: most documents need no further look. */
const hasVersionIn = (status: string) =>
  sql<SqlBool>`d.id in (select document_id from document_versions where status = ${status})`

const dueBefore = (day: string) =>
  sql<SqlBool>`d.id in (select document_id from document_versions where review_due_date < ${day})`
const hasRevisionDue = sql<SqlBool>`d.id in (select document_id from document_versions where needs_revision)`

const fileOf = storedFileOf('v').as('file')
const contentOf = sql<Content>`(select jsonb_build_object('status', x.status, 'reason', x.reason, 'pages', x.pages,
  'language', x.language, 'by_ocr', x.by_ocr) from document_texts x where x.version_id = v.id)`.as('content')

const summaryColumns = [
  'd.id',
  'd.number',
  'd.created_at',
  'd.updated_at',
  'd.revision',
  'v.version',
  'v.status',
  'v.title',
  'v.category',
  'v.keywords',
  'v.file_key as file_path',
  'v.effective_date',
  'v.review_due_date',
  'v.needs_revision',
] as const

const summaryParts = (sight: OwnSight) => [
  sql<{ id: number; name: string }>`(select jsonb_build_object('id', id, 'name', name) from document_types
    where id = d.document_type_id)`.as('document_type'),
  sql<Person>`${personOf('d.owner_id')}`.as('owner'),
  sql<string | null>`case when v.status_kind = 'effective' then v.version end`.as('effective_version'),
  sql<{ version: string; status: string; effective_date: string | null } | null>`case when ${isPending(sight)}
    then jsonb_build_object('version', l.version, 'status', l.status, 'effective_date', l.effective_date) end`.as(
    'pending_version',
  ),
  personOf('d.created_by').as('created_by'),
  personOf('d.updated_by').as('updated_by'),
]

const matching = (filter: DocumentFilter, actor: Actor) => (e: ExpressionBuilder<Joined, 'd' | 'v' | 'l'>) => {
  const { status, document_type, category, owner_id, date_from, date_to, review_due_before, needs_revision, q } = filter
  return e.and([
    readable(actor),
    ...(status
      ? [
          hasVersionIn(status),
          e.or([e('v.status', '=', status), e.and([isPending(sightOf(actor)), e('l.status', '=', status)])]),
        ]
      : []),
    ...(document_type ? [e('d.document_type_id', '=', document_type)] : []),
    ...(category ? [e('v.category', '=', category)] : []),
    ...(owner_id ? [e('d.owner_id', '=', owner_id)] : []),
    ...(date_from ? [e('d.created_at', '>=', startOf(date_from))] : []),
    ...(date_to ? [e('d.created_at', '<', endOf(date_to))] : []),
    ...(review_due_before ? [dueBefore(review_due_before), e('v.review_due_date', '<', review_due_before)] : []),
    ...(needs_revision === undefined
      ? []
      : [e('v.needs_revision', '=', needs_revision), ...(needs_revision ? [hasRevisionDue] : [])]),
    ...(q ? [sql<SqlBool>`d.id = any(array(select find_documents(${q})))`] : []),
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

/**
 * The documents that match: `d` the document, `v` the version that is shown, `l` the newest. Left joins, which PostgreSQL drops
 * where nothing asks for them: the count of all is then read from an index alone.
 */
const matches = (tx: Tx, filter: DocumentFilter, actor: Actor) =>
  tx
    .selectFrom('documents as d')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .leftJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .where(e => matching(filter, actor)(e as unknown as ExpressionBuilder<Joined, 'd' | 'v' | 'l'>))

/** First the ids of the page, then its rows: nothing is put together for rows that are only skipped or sorted. */
export const listDocuments = (
  tx: Tx,
  filter: DocumentFilter,
  actor: Actor,
  { field, direction }: DocumentSort,
  limit: number,
  offset: number,
) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .select(summaryColumns)
    .select(summaryParts(sightOf(actor)))
    .where(
      'd.id',
      'in',
      matches(tx, filter, actor)
        .select('d.id')
        .orderBy(sortColumns[field], direction)
        .orderBy('d.id', direction)
        .limit(limit)
        .offset(offset),
    )
    .orderBy(sortColumns[field], direction)
    .orderBy('d.id', direction)
    .execute()

export const countDocuments = (tx: Tx, filter: DocumentFilter, actor: Actor) => countRows(matches(tx, filter, actor))

const lastReview =
  sql<PeriodicReview | null>`(select jsonb_build_object('id', r.id, 'version', v.version, 'due_date', r.due_date,
    'outcome', r.outcome, 'comment', r.comment, 'reviewer', ${personOf('r.reviewer_id')}, 'signature_id', r.signature_id,
    'next_due_date', r.next_due_date, 'decided_at', ${isoMoment('r.decided_at')})
  from document_reviews r where r.document_id = d.id and r.version_id = v.id order by r.id desc limit 1)`.as(
    'last_review',
  )

const wholeDocument = (tx: Tx, id: number, sight: OwnSight, version?: string) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .innerJoin('document_versions as v', join =>
      version === undefined
        ? join.onRef('v.id', '=', 'd.shown_version_id')
        : join.onRef('v.document_id', '=', 'd.id').on('v.version', '=', version),
    )
    .select(summaryColumns)
    .select(summaryParts(sight))
    .select([
      'v.description',
      'v.id as version_id',
      'd.latest_version_id',
      'l.status_kind as latest_kind',
      fileOf,
      contentOf,
    ])
    .select(['d.effective_version_id', lastReview])
    .select(
      sql<{ gate: Gate; threshold: number; is_own: boolean }>`(select jsonb_build_object('gate', ${gateHere},
        'threshold', ${thresholdHere}, 'is_own', num_nonnulls(d.training_gate, d.training_threshold) > 0)
        from document_types t where t.id = d.document_type_id)`.as('training'),
    )
    .where('d.id', '=', id)

type DocumentAsked = OwnSight & { id: number }
const findShown = builtOnce((tx, { id, userId, drafts }: DocumentAsked) => wholeDocument(tx, id, { userId, drafts }))
const findLabelled = builtOnce((tx, { id, userId, drafts, version }: DocumentAsked & { version: string }) =>
  wholeDocument(tx, id, { userId, drafts }, version),
)

/** `version`: another one than that which is shown. */
export async function findDocument(tx: Tx, id: number, { userId, drafts }: Sight, version?: string) {
  const asked = { id, userId, drafts }
  const [row] = await (version === undefined ? findShown(tx, asked) : findLabelled(tx, { ...asked, version }))
  return row
}
export type DocumentRow = NonNullable<Awaited<ReturnType<typeof findDocument>>>

export interface ApprovalRow {
  transition: string
  rules: number[]
  user: Person
}

/** What decides about versions beside the workflow that they began with: they themselves, and the approvals of their rounds. */
const versions = (tx: Tx) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('workflow_templates as w', 'w.id', 'v.workflow_template_id')
    .innerJoin('workflow_template_versions as t', join =>
      join.onRef('t.template_id', '=', 'v.workflow_template_id').onRef('t.version', '=', 'v.workflow_template_version'),
    )
    .select(['v.id', 'v.document_id', 'd.number', 'd.owner_id', 'd.document_type_id', 'v.version'])
    .select(['v.title', 'v.category', 'v.description', 'v.keywords', 'v.file_key', 'v.file_size', 'v.sha256'])
    .select(['v.status', 'v.status_kind', 'v.round', 'v.content_revision', 'v.created_by'])
    .select(['v.effective_date', 'v.is_waiting', 'v.approval_due_date', 'v.approval_notice_on'])
    .select(sql<'reminder' | 'escalation' | null>`v.approval_notice`.as('approval_notice'))
    .select(['v.review_due_date', 'v.review_notice_on'])
    .select(['v.workflow_template_id', 'v.workflow_template_version', 'w.name as workflow_template_name'])
    .select([
      sql<ApprovalOverride[]>`v.approval_overrides`.as('approval_overrides'),
      sql<Counts>`v.approval_counts`.as('approval_counts'),
      sql<
        Delegation[]
      >`coalesce((select jsonb_agg(jsonb_build_object('transition', g.transition, 'from', g.from_user_id,
          'to', g.to_user_id, 'rules', g.rules) order by g.id)
        from document_delegations g
        where g.version_id = v.id and g.round = v.round and g.ended_at is null), '[]')`.as('delegations'),
      sql<ApprovalRow[]>`coalesce((select jsonb_agg(jsonb_build_object('transition', c.transition, 'rules', c.rules,
          'user', ${personOf('c.user_id')}) order by c.id)
        from document_decisions c
        where c.version_id = v.id and c.round = v.round and c.decision = 'approve' and not c.is_void), '[]')`.as(
        'approvals',
      ),
    ])

const groupsOfActor = sql<number[]>`coalesce((select jsonb_agg(m.group_id) from group_members m
  where m.user_id = (select current_actor()) and m.removed_at is null), '[]')`.as('groups_of_actor')

const versionWhole = builtOnce((tx, { id }: { id: number }) =>
  versions(tx)
    .select([sql<WorkflowDefinition>`t.definition`.as('definition'), groupsOfActor])
    .where('v.id', '=', id),
)

/** Everything that decides about a version. */
export async function findVersion(tx: Tx, id: number) {
  const [row] = await versionWhole(tx, { id })
  if (!row) throw new Error(`there is no version ${id}`)
  return row
}

/** The same of many, which share their workflows. */
export const findVersions = (tx: Tx, ids: readonly number[]) =>
  versions(tx).where('v.id', '=', sql<number>`any(${ids}::bigint[])`).execute()

export const listGroupsOfActor = async (tx: Tx) =>
  (await tx.selectNoFrom(groupsOfActor).executeTakeFirstOrThrow()).groups_of_actor

export const findMilestones = (tx: Tx, versionId: number) =>
  tx.selectFrom('document_versions').select(['approved_at']).where('id', '=', versionId).executeTakeFirstOrThrow()

/** Who acts stays in the groups that they are in until the transaction ends: they decide as a member, or not at all. */
export const holdMemberships = (tx: Tx) =>
  sql`select from group_members where user_id = (select current_actor()) and removed_at is null for share`.execute(tx)

export const lockDocument = (tx: Tx, id: number) =>
  tx
    .selectFrom('documents')
    .select(['id', 'number', 'document_type_id', 'effective_version_id', 'latest_version_id', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
export type LockedDocument = NonNullable<Awaited<ReturnType<typeof lockDocument>>>

/** A number of its own for each, without a gap: a rollback gives the number back. */
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
  effective_date: string | null
  training_impact: string
}
export const insertVersion = (tx: Tx, values: NewVersion) =>
  tx.insertInto('document_versions').values(values).returning('id').executeTakeFirstOrThrow()

/** Which version is the effective one, which the newest. The command that moves them counts the revision, once for all it does. */
export const pointTo = (
  tx: Tx,
  documentId: number,
  versions: { effective_version_id?: number | null; latest_version_id?: number },
) => tx.updateTable('documents').set(versions).where('id', '=', documentId).execute()

/** The newest version that people worked by, whatever it is now. */
export const findOnceEffective = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions')
    .select('id')
    .where('document_id', '=', documentId)
    .where('effective_at', 'is not', null)
    .orderBy('major', 'desc')
    .orderBy('minor', 'desc')
    .limit(1)
    .executeTakeFirst()

export const updateDocument = (tx: Tx, id: number, values: { owner_id?: number; updated_by: number | null }) =>
  tx
    .updateTable('documents')
    .set({ ...values, updated_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', id)
    .execute()

export interface Metadata {
  title: string
  category: string | null
  description: string | null
  keywords: string[]
}
export const updateMetadata = (tx: Tx, versionId: number, values: Metadata) =>
  tx
    .updateTable('document_versions')
    .set({ ...values, content_revision: sql`content_revision + 1` })
    .where('id', '=', versionId)
    .execute()

export const updateWorkflow = (
  tx: Tx,
  versionId: number,
  {
    approval_overrides,
    ...values
  }: {
    workflow_template_id: number
    workflow_template_version: number
    status: string
    approval_overrides: ApprovalOverride[]
  },
) =>
  tx
    .updateTable('document_versions')
    .set({ ...values, approval_overrides: JSON.stringify(approval_overrides) })
    .where('id', '=', versionId)
    .execute()

export interface Moved {
  status: string
  status_kind: string
  round: number
  submitted_at?: string
  approved_at?: string | null
  effective_at?: string
  effective_date?: string | null
  is_waiting: boolean
  review_due_date?: string | null
  review_notice_on?: string | null
  needs_revision?: boolean
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
  values: {
    document_id: number
    version_id: number
    round: number
    comment: string | null
    from_status: string | null
    to_status: string
    signature_id?: number | null
  } & Pick<Step, 'transition' | 'trigger'>,
) => tx.insertInto('document_history').values(values).execute()

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

/** Answers the signatures that they carried. */
export async function voidDecisions(tx: Tx, versionId: number): Promise<number[]> {
  const voided = await tx
    .updateTable('document_decisions')
    .set({ is_void: true })
    .where('version_id', '=', versionId)
    .where('is_void', '=', false)
    .returning('signature_id')
    .execute()
  return voided.map(({ signature_id }) => signature_id).filter(id => id !== null)
}

export const listLabels = (tx: Tx, documentId: number) =>
  tx.selectFrom('document_versions').select(['major', 'minor']).where('document_id', '=', documentId).execute()

export const listVersions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .select(['v.id', 'v.version', 'v.status', 'v.status_kind', 'v.title', 'v.category', 'v.keywords', 'v.description'])
    .select(['v.file_key as file_path', 'v.change_type', 'v.change_reason', 'v.training_impact', 'v.round'])
    .select(['v.created_at', 'v.submitted_at', 'v.approved_at', 'v.effective_at', 'v.effective_date'])
    .select(['d.owner_id', 'v.created_by as author_id', fileOf, contentOf])
    .select(sql<Person>`${personOf('v.created_by')}`.as('created_by'))
    .where('v.document_id', '=', documentId)
    .orderBy('v.major', 'desc')
    .orderBy('v.minor', 'desc')
    .execute()

export async function listHistory(tx: Tx, documentId: number) {
  const { rows } = await sql<HistoryEntry & { version_id: number }>`
    select 'transition' as kind, ${isoMoment('h.occurred_at')} as occurred_at, v.version, v.id as version_id, h.round,
      h.transition, h.from_status as "from", h.to_status as "to", h.trigger, null as decision, false as is_void,
      h.signature_id, ${personOf('h.user_id')} as "user", h.comment, null::jsonb as delegation, h.occurred_at as at, h.id as tie
    from document_history h join document_versions v on v.id = h.version_id where h.document_id = ${documentId}
    union all
    select 'decision', ${isoMoment('c.decided_at')}, v.version, v.id, c.round,
      c.transition, null, null, null, c.decision, c.is_void,
      c.signature_id, ${personOf('c.user_id')}, c.comment, null, c.decided_at, c.id
    from document_decisions c join document_versions v on v.id = c.version_id where c.document_id = ${documentId}
    union all
    select e.kind, ${isoMoment('e.at')}, v.version, v.id, g.round, g.transition, null, null, null, null, false, null,
      ${personOf('e.by')}, e.words,
      jsonb_build_object('from', ${personOf('g.from_user_id')}, 'to', ${personOf('g.to_user_id')}), e.at, g.id
    from document_delegations g join document_versions v on v.id = g.version_id
      cross join lateral (values ('delegation', g.given_at, g.given_by, g.reason),
        ('delegation_ended', g.ended_at, g.ended_by, g.end_reason)) as e (kind, at, by, words)
    where g.document_id = ${documentId} and e.at is not null
    order by at, kind, tie`.execute(tx)
  return rows
}

export const findOwner = (tx: Tx, id: number) =>
  tx.selectFrom('users').select(['id', 'username', 'is_active']).where('id', '=', id).executeTakeFirst()

/** Those of the keys of files that a version names. */
export async function listNamed(tx: Tx, keys: string[]): Promise<string[]> {
  const rows = await tx.selectFrom('document_versions').select('file_key').where('file_key', 'in', keys).execute()
  return rows.map(({ file_key }) => file_key)
}
