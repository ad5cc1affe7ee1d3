import { sql } from 'kysely'
import type { Series } from '#kernel/number-pattern.ts'
import type { Person } from '#kernel/schema.ts'
import type { ApprovalOverride, Counts, Delegation, WorkflowDefinition } from '#modules/workflows'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { disposalNote, isFileRemoved, personOf } from '#platform/db/expressions.ts'
import { takingNumber } from '#platform/db/numbers.ts'
import { contentOf, fileOf, idAtWork, type NewDocumentRow } from './queries.ts'
import type { DocumentVersion } from './schema.ts'

interface ApprovalRow {
  id: number
  transition: string
  rules: number[]
  user: Person
  /** The person for whom a deputy gave it. */
  on_behalf_of: number | null
  signature_id: number | null
}

/** An approval of the round whose signature is void. The same person signs again on an occasion of its own. */
interface VoidedApproval {
  transition: string
  user_id: number
  signature_id: number
}

/** Versions with the approvals and delegations of their current rounds, which the workflow decides by. */
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
    .select(['v.submitted_by', 'v.edited_by', 'v.approval_chosen_by'])
    .select(sql<string | null>`coalesce(v.approved_at, v.effective_at)`.as('content_fixed_at'))
    .select(isFileRemoved('v', 'version_id').as('is_file_removed'))
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
      sql<
        ApprovalRow[]
      >`coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'transition', c.transition, 'rules', c.rules,
          'user', ${personOf('c.user_id')}, 'on_behalf_of', c.on_behalf_of_id, 'signature_id', c.signature_id) order by c.id)
        from document_decisions c
        where c.version_id = v.id and c.round = v.round and c.decision = 'approve' and not c.is_void), '[]')`.as(
        'approvals',
      ),
      sql<
        VoidedApproval[]
      >`coalesce((select jsonb_agg(jsonb_build_object('transition', c.transition, 'user_id', c.user_id,
          'signature_id', c.signature_id) order by c.id)
        from document_decisions c where c.version_id = v.id and c.round = v.round and c.decision = 'approve' and c.is_void
          and c.signature_id is not null), '[]')`.as('voided_approvals'),
    ])

const groupsOfActor = sql<number[]>`coalesce((select jsonb_agg(m.group_id) from group_members m
  where m.user_id = (select current_actor()) and m.removed_at is null), '[]')`.as('groups_of_actor')

const versionWhole = builtOnce((tx, { id }: { id: number }) =>
  versions(tx)
    .select([sql<WorkflowDefinition>`t.definition`.as('definition'), groupsOfActor])
    .where('v.id', '=', id),
)

const versionAtWork = builtOnce((tx, { documentId }: { documentId: number }) =>
  versions(tx)
    .select([sql<WorkflowDefinition>`t.definition`.as('definition'), groupsOfActor])
    .where(
      'v.id',
      '=',
      sql<number>`(select ${idAtWork} from documents d join document_versions l on l.id = d.latest_version_id
        where d.id = ${documentId})`,
    ),
)

/** `findVersion` of the version that the workflow of a document is about. */
export async function findVersionAtWork(tx: Tx, documentId: number) {
  const [row] = await versionAtWork(tx, { documentId })
  return row
}

/** A version with its workflow, its approvals and the actor's groups. */
export async function findVersion(tx: Tx, id: number) {
  const [row] = await versionWhole(tx, { id })
  if (!row) throw new Error(`there is no version ${id}`)
  return row
}

/** Many versions without their workflows, which they share. */
export const findVersions = (tx: Tx, ids: readonly number[]) =>
  versions(tx).where('v.id', '=', sql<number>`any(${ids}::bigint[])`).execute()

export const listGroupsOfActor = async (tx: Tx) =>
  (await tx.selectNoFrom(groupsOfActor).executeTakeFirstOrThrow()).groups_of_actor

export const findMilestones = (tx: Tx, versionId: number) =>
  tx.selectFrom('document_versions').select(['approved_at']).where('id', '=', versionId).executeTakeFirstOrThrow()

/** Locks the memberships of these people, so that nobody approves as a member of a group that they are just leaving. */
export const holdMemberships = (tx: Tx, people: readonly number[]) =>
  sql`select from group_members where user_id = any(${[...people]}::bigint[]) and removed_at is null for share`.execute(
    tx,
  )

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

/** The fields that only an imported version has when it is inserted. */
export interface ImportedVersion extends NewVersion {
  effective_at: string
  review_due_date: string | null
  review_notice_on: string | null
  ended_on: string | null
  legacy_label: string | null
  migration_batch_id: number
}

export const insertVersion = (tx: Tx, values: NewVersion | ImportedVersion) =>
  tx.insertInto('document_versions').values(values).returning('id').executeTakeFirstOrThrow()

const columnsOfVersion = [
  ...['document_id', 'major', 'minor', 'change_type', 'change_reason', 'title', 'category', 'description', 'keywords'],
  ...[
    'file_key',
    'file_name',
    'file_size',
    'content_type',
    'sha256',
    'workflow_template_id',
    'workflow_template_version',
  ],
  ...['status', 'status_kind', 'effective_date', 'training_impact'],
] as (keyof NewVersion)[]

/**
 * Inserts a document under the next number of the series, its first version, the first line of its history, and its text that waits to be
 * extracted. One statement, because other uploads wait for the number from here to the commit.
 */
export async function insertFirstVersion(
  tx: Tx,
  series: Series,
  document: Pick<NewDocumentRow, 'document_type_id' | 'department' | 'owner_id'>,
  { id: version_id, ...version }: NewVersion & { id: number },
): Promise<string> {
  const [row] = await firstVersion(tx, { ...version, ...document, ...series, version_id })
  return row!.number
}

type FirstVersion = NewVersion &
  Series &
  Pick<NewDocumentRow, 'document_type_id' | 'department' | 'owner_id'> & { version_id: number }

const firstVersion = builtOnce((_tx, version: FirstVersion) => {
  const { document_id: id, version_id, document_type_id, department, owner_id, name, digits } = version
  return sql<{ number: string }>`
    with numbered as (${takingNumber({ name, digits })}),
      document as (
        insert into documents (id, number, document_type_id, department, owner_id, latest_version_id) overriding system value
        select ${id}::bigint, number, ${document_type_id}::bigint, ${department}::text, ${owner_id}::bigint, ${version_id}::bigint
        from numbered returning number),
      version as (
        insert into document_versions (id, ${sql.join(columnsOfVersion.map(column => sql.ref(column)))}) overriding system value
        values (${version_id}, ${sql.join(columnsOfVersion.map(column => version[column]))})),
      line as (
        insert into document_history (document_id, version_id, round, transition, to_status, trigger)
        values (${id}, ${version_id}, 0, 'created', ${version.status}, 'user')),
      content as (insert into document_texts (document_id, version_id) values (${id}, ${version_id}))
    select number from document`
})

/** The text of the version waits to be extracted, whatever becomes of the queued job. */
export const insertWaitingText = (tx: Tx, version: { document_id: number; version_id: number }) =>
  tx.insertInto('document_texts').values(version).execute()

export interface Metadata {
  title: string
  category: string | null
  description: string | null
  keywords: string[]
}

/** Keeps who changed it, because the approval is not for them. */
export const updateMetadata = (tx: Tx, versionId: number, values: Metadata & { edited_by: number[] }) =>
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
    approval_chosen_by: number[]
  },
) =>
  tx
    .updateTable('document_versions')
    .set({ ...values, approval_overrides: JSON.stringify(approval_overrides) })
    .where('id', '=', versionId)
    .execute()

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
    .select(
      sql<DocumentVersion['imported']>`(select jsonb_build_object('batch', b.number, 'source', b.source_system,
        'label', v.legacy_label, 'ended_on', v.ended_on) from migration_batches b where b.id = v.migration_batch_id)`.as(
        'imported',
      ),
    )
    .where('v.document_id', '=', documentId)
    .orderBy('v.major', 'desc')
    .orderBy('v.minor', 'desc')
    .execute()

/** The facts of each version that never change, with its current status. */
export const listKnownVersions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('workflow_template_versions as t', join =>
      join.onRef('t.template_id', '=', 'v.workflow_template_id').onRef('t.version', '=', 'v.workflow_template_version'),
    )
    .select(['v.version', 'v.major', 'v.minor', 'v.created_by', 'v.status_kind', 'v.file_key'])
    .select([fileOf, sql<WorkflowDefinition>`t.definition`.as('definition'), disposalNote('v.id').as('disposal')])
    .where('v.document_id', '=', documentId)
    .execute()
