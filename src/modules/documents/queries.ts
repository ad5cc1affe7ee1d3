import { sql } from 'kysely'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { isoMoment, personOf, revised } from '#platform/db/expressions.ts'
import { contentOf, fileOf, type OwnSight, summaryColumns, summaryParts } from './columns.ts'
import { type Gate, gateHere, thresholdHere } from './gate-queries.ts'
import type { PeriodicReview } from './review-schema.ts'
import type { Sight } from './rules.ts'

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

/** A number of its own for each, without a gap: a rollback gives the number back. */
export const insertDocument = (tx: Tx, values: { number: string; document_type_id: number; owner_id: number }) =>
  tx.insertInto('documents').values(values).returning('id').executeTakeFirstOrThrow()

/** Sets the effective and the newest version. The command counts the revision, once for all of its changes. */
export const updatePointers = (
  tx: Tx,
  documentId: number,
  versions: { effective_version_id?: number | null; latest_version_id?: number },
) => tx.updateTable('documents').set(versions).where('id', '=', documentId).execute()

/** The newest version that was ever effective, whatever its status is now. */
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

export const updateDocument = (tx: Tx, id: number, values: { owner_id?: number } = {}) =>
  tx
    .updateTable('documents')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const findOwner = (tx: Tx, id: number) =>
  tx.selectFrom('users').select(['id', 'username', 'is_active']).where('id', '=', id).executeTakeFirst()

/** The keys among these that a version uses. */
export async function listNamed(tx: Tx, keys: string[]): Promise<string[]> {
  const rows = await tx.selectFrom('document_versions').select('file_key').where('file_key', 'in', keys).execute()
  return rows.map(({ file_key }) => file_key)
}
