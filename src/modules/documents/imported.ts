// Documents, versions and approvals of before that a migration imports. They run through no workflow: the signed acceptance of their batch
// stands for it, which the database holds (0067).
import type { ActionContext } from '#action'
import { type StateKind, sourcesOf, type WorkflowDefinition } from '#modules/workflows'
import { moveSeriesBehind, seriesOf, takeNumber } from '#platform/db/numbers.ts'
import { enqueue } from '#platform/jobs/queue.ts'
import { insertDocument } from './core/queries.ts'
import { noticeOf } from './core/rules.ts'
import { insertWaitingText } from './core/version-queries.ts'
import {
  type ImportableType,
  insertHistoricalApproval,
  insertImportedVersion,
  type NewHistoricalApproval,
  settlePointers,
} from './imported-queries.ts'
import { insertHistory } from './lifecycle/queries.ts'
import { reasons } from './messages.ts'

/** The states that a version can be imported in. */
export const importedStates = ['effective', 'superseded', 'obsolete'] as const
export type ImportedState = (typeof importedStates)[number]

/** The state of a workflow that stands for each; undefined where it has none. */
export function stateFor(
  { states, transitions }: WorkflowDefinition,
  wanted: ImportedState,
): { name: string; kind: StateKind } | undefined {
  if (wanted === 'effective') return states.find(({ kind }) => kind === 'effective')
  const final = states.filter(({ kind }) => kind === 'final')
  const named = final.find(({ name }) => name === wanted)
  if (named) return named
  const effective = states.filter(({ kind }) => kind === 'effective').map(({ name }) => name)
  const ending = transitions.find(
    transition =>
      sourcesOf(transition).some(from => effective.includes(from)) &&
      (transition.automatic === 'on_supersede') === (wanted === 'superseded'),
  )
  return final.find(({ name }) => name === ending?.to)
}

/** Where a row came from, for the audit trail. */
interface Provenance {
  batch: string
  source: string
}

interface ImportedDocument {
  /** The number of before, which it keeps; null for a new one. */
  number: string | null
  legacy_number: string | null
  type: Pick<ImportableType, 'id' | 'name' | 'number_pattern'>
  department: string | null
  owner: { id: number; username: string }
  migration_batch_id: number
  from: Provenance
}

/** Its versions follow. */
export async function addImportedDocument(
  { tx, record }: ActionContext<unknown>,
  { number: kept, legacy_number, type, department, owner, migration_batch_id, from }: ImportedDocument,
  today: string,
): Promise<number> {
  const number = kept ?? (await takeNumber(tx, seriesOf(type, { today, department })))
  if (kept !== null) await moveSeriesBehind(tx, kept)
  const { id } = await insertDocument(tx, {
    ...{ number, legacy_number, document_type_id: type.id, department, owner_id: owner.id, migration_batch_id },
  })
  record('document.migrated', id, {
    number,
    after: { document_type: type.name, department, owner: owner.username, legacy_number, revision: 1, ...from },
  })
  return id
}

interface ImportedVersion {
  document: { id: number; number: string }
  type: ImportableType
  label: { major: number; minor: number }
  legacy_label: string | null
  state: ImportedState
  title: string
  category: string | null
  description: string | null
  keywords: string[]
  change_reason: string | null
  effective_date: string
  ended_on: string | null
  review_due_date: string | null
  file: { file_key: string; file_name: string; file_size: number; content_type: string; sha256: string }
  migration_batch_id: number
  from: Provenance
}

/**
 * The text is extracted later, as that of every version, and the batch has taken the space of the file. The caller settles the documents after
 * their versions.
 */
export async function addImportedVersion(
  { tx, actor: { tenantId }, record }: ActionContext<unknown>,
  { document, type, label, state, file, from, ...version }: ImportedVersion,
  { today, time_zone }: { today: string; time_zone: string },
): Promise<number> {
  const { name: status, kind: status_kind } = stateFor(type.definition, state)!
  const change_type = label.minor === 0 ? 'major' : 'minor'
  const { title, category, description, keywords, effective_date, review_due_date, legacy_label, ended_on } = version
  const { id: version_id } = await insertImportedVersion(
    tx,
    {
      ...version,
      ...file,
      ...label,
      ...{ document_id: document.id, change_type, status, status_kind },
      training_impact: change_type === 'major' ? 'reassign_all' : 'open_only',
      // A day that is over notifies nobody: the list of overdue reviews shows it.
      review_notice_on: review_due_date === null || review_due_date < today ? null : noticeOf(review_due_date, today),
      workflow_template_id: type.workflow_template_id,
      workflow_template_version: type.workflow_template_version,
    },
    time_zone,
  )
  await insertHistory(tx, {
    ...{ document_id: document.id, version_id, round: 0, transition: 'migrated', from_status: null },
    ...{ to_status: status, trigger: 'migration', comment: reasons.reason_migrated(from).text },
  })
  await insertWaitingText(tx, { document_id: document.id, version_id })
  await enqueue(tx, 'texts', [
    { key: `${tenantId}/${version_id}`, tenant_id: tenantId, data: { tenant_id: tenantId, version_id } },
  ])
  const { file_name, file_size, sha256 } = file
  record('document.version_migrated', document.id, {
    number: document.number,
    after: {
      ...{ version: `${label.major}.${label.minor}`, legacy_label, status, title, category, description, keywords },
      ...{ effective_date, ended_on, review_due_date, file: file_name, size: file_size, sha256, ...from },
    },
  })
  return version_id
}

export const settleImportedDocuments = settlePointers

/** Approvals of before are history: they give no signature. */
export async function addHistoricalApproval(
  { tx, record }: ActionContext<unknown>,
  approval: NewHistoricalApproval,
  { number, version, from }: { number: string; version: string; from: Provenance },
): Promise<number> {
  const { id } = await insertHistoricalApproval(tx, approval)
  const { person_name, person_role, approved_on, meaning, evidence } = approval
  record('document.approval_migrated', approval.document_id, {
    number,
    after: { document_version: version, person_name, person_role, approved_on, meaning, evidence, ...from },
  })
  return id
}
