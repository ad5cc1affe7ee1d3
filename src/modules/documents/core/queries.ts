import { type SqlBool, sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  countRows,
  disposalNote,
  importedFrom,
  isoMoment,
  personOf,
  revised,
  storedFileOf,
} from '#platform/db/expressions.ts'
import { type Gate, gateHere, thresholdHere } from './gate-queries.ts'
import type { Sight } from './rules.ts'
import type { Content, PeriodicReview } from './schema.ts'

type OwnSight = Pick<Sight, 'drafts' | 'userId'>

/** `l`, the newest version, is under way beside the one that is shown, and the person may see it. */
export const isPending = ({ drafts, userId }: OwnSight) =>
  sql<SqlBool>`(l.id <> v.id and l.status_kind in ('initial', 'review')
    and (${drafts} or d.owner_id = ${userId} or l.created_by = ${userId}))`

/** The version that the workflow of `d` is about: the newest, `l`, while it is under way, else the one that is shown. */
export const idAtWork = sql<number>`case when l.status_kind in ('initial', 'review') then l.id else d.shown_version_id end`

/** `d` has an effective version, or its newest, `l`, is under way. */
export const isInUse = sql<SqlBool>`(d.effective_version_id is not null or l.status_kind <> 'final')`

export const fileOf = storedFileOf('v', 'version_id').as('file')

export const contentOf =
  sql<Content>`(select jsonb_build_object('status', x.status, 'reason', x.reason, 'pages', x.pages,
  'language', x.language, 'by_ocr', x.by_ocr) from document_texts x where x.version_id = v.id)`.as('content')

export const summaryColumns = [
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

export const summaryParts = (sight: OwnSight) => [
  sql<{ id: number; name: string }>`(select jsonb_build_object('id', id, 'name', name) from document_types
    where id = d.document_type_id)`.as('document_type'),
  sql<Person>`${personOf('d.owner_id')}`.as('owner'),
  sql<string | null>`case when v.status_kind = 'effective' then v.version end`.as('effective_version'),
  sql<{ version: string; status: string; effective_date: string | null } | null>`case when ${isPending(sight)}
    then jsonb_build_object('version', l.version, 'status', l.status, 'effective_date', l.effective_date) end`.as(
    'pending_version',
  ),
  disposalNote('v.id').as('disposal'),
  personOf('d.created_by').as('created_by'),
  personOf('d.updated_by').as('updated_by'),
]

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
      'd.department',
      'd.legacy_number',
      'v.id as version_id',
      'd.latest_version_id',
      'l.status_kind as latest_kind',
      fileOf,
      contentOf,
    ])
    .select(['d.effective_version_id', lastReview, importedFrom('d').as('imported')])
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

/** `version`: the label of another version than the one that is shown. */
export async function findDocument(tx: Tx, id: number, { userId, drafts }: Sight, version?: string) {
  const asked = { id, userId, drafts }
  const [row] = await (version === undefined ? findShown(tx, asked) : findLabelled(tx, { ...asked, version }))
  return row
}

export type DocumentRow = NonNullable<Awaited<ReturnType<typeof findDocument>>>

export const lockDocument = (tx: Tx, id: number) =>
  tx
    .selectFrom('documents')
    .select(['id', 'number', 'document_type_id', 'effective_version_id', 'latest_version_id', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export type LockedDocument = NonNullable<Awaited<ReturnType<typeof lockDocument>>>

export interface NewDocumentRow {
  number: string
  document_type_id: number
  department: string | null
  owner_id: number
  legacy_number?: string | null
  migration_batch_id?: number
}

/** The ids of a new document and of its first version. Ids have gaps anyway. */
export const drawIds = async (tx: Tx): Promise<{ id: number; version_id: number }> => (await idsDrawn(tx, {}))[0]!
const idsDrawn = builtOnce(
  () => sql<{ id: number; version_id: number }>`
    select nextval('documents_id_seq') as id, nextval('document_versions_id_seq') as version_id`,
)

/** A number of its own for each, without a gap: a rollback gives the number back. */
export const insertDocument = (tx: Tx, values: NewDocumentRow) =>
  tx.insertInto('documents').values(values).returning('id').executeTakeFirstOrThrow()

/** Sets the effective and the newest version. The command counts the revision, once for all of its changes. */
export const updatePointers = (
  tx: Tx,
  documentId: number,
  versions: { effective_version_id?: number | null; latest_version_id?: number },
) => tx.updateTable('documents').set(versions).where('id', '=', documentId).execute()

export const findLatestVersionId = async (tx: Tx, id: number) =>
  (await tx.selectFrom('documents').select('latest_version_id').where('id', '=', id).executeTakeFirst())
    ?.latest_version_id

export const updateDocument = (tx: Tx, id: number, values: { owner_id?: number } = {}) =>
  tx
    .updateTable('documents')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

/** The removal of a file changes the document. */
export const countFileRemoval = (tx: Tx, id: number) => updateDocument(tx, id)

export const findUser = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'is_active'])
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .executeTakeFirst()

export const ownerOf = (tx: Tx, id: number) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('users as u', 'u.id', 'd.owner_id')
    .select(['u.id', 'u.username'])
    .where('d.id', '=', id)
    .executeTakeFirst()

/** Documents with an effective version, or with one under way; the others ask nothing of their owner. */
const owned = (tx: Tx, userId: number) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .where('d.owner_id', '=', userId)
    .where(isInUse)

export const countOwned = (tx: Tx, userId: number) => countRows(owned(tx, userId))
export const listOwned = (tx: Tx, userId: number, { after, limit }: { after: number; limit: number }) =>
  owned(tx, userId)
    .select(['d.id', 'd.id as record_id', 'd.number', 'v.title', 'v.status', 'v.review_due_date as due_date'])
    .where('d.id', '>', after)
    .orderBy('d.id')
    .limit(limit)
    .execute()

/** The keys among these that a version uses. */
export async function listNamed(tx: Tx, keys: string[]): Promise<string[]> {
  const rows = await tx.selectFrom('document_versions').select('file_key').where('file_key', 'in', keys).execute()
  return rows.map(({ file_key }) => file_key)
}

/** Number, title and state of a document for a notification: of this version, or else of the newest. */
export const subjectOf = (tx: Tx, id: number, version: string | undefined) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', join =>
      join.onRef('v.tenant_id', '=', 'd.tenant_id').onRef('v.document_id', '=', 'd.id'),
    )
    .select(['d.number', 'v.title', 'v.version', 'v.status_kind as state_kind'])
    .select(
      sql<string>`coalesce((select state ->> 'label' from workflow_template_versions w, jsonb_array_elements(w.definition -> 'states') state
        where w.template_id = v.workflow_template_id and w.version = v.workflow_template_version and state ->> 'name' = v.status), v.status)`.as(
        'state',
      ),
    )
    .where('d.id', '=', id)
    .where(e => (version === undefined ? e('v.id', '=', e.ref('d.latest_version_id')) : e('v.version', '=', version)))
    .executeTakeFirst()
