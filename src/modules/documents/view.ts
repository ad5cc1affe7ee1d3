import type { Actor } from '#action'
import { notFound } from '#kernel/errors.ts'
import {
  effectiveDefinition,
  findDefinition,
  type Instance,
  type Participant,
  pendingApproval,
  type WorkflowDefinition,
  waysFrom,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { type DocumentRow, findDocument, findVersion, listApprovals, listPersons, type VersionRow } from './queries.ts'
import { canRead, sightOf } from './rules.ts'
import type { Document } from './schema.ts'

/** A version with what the workflow engine needs to know of it. */
export interface VersionAtWork {
  version: VersionRow
  definition: WorkflowDefinition
  instance: Instance
}

export const participantOf = ({ userId, roles, permissions }: Actor): Participant => ({
  userId: userId ?? 0,
  roles,
  groupIds: [],
  permissions,
})

export async function loadAtWork(tx: Tx, versionId: number): Promise<VersionAtWork> {
  const version = await findVersion(tx, versionId)
  const [definition, approvals] = await Promise.all([
    findDefinition(tx, version.workflow_template_id, version.workflow_template_version),
    listApprovals(tx, version.id, version.round),
  ])
  if (!definition) throw new Error(`the workflow of version ${versionId} is missing`)
  return {
    version,
    definition: effectiveDefinition(definition, version.approval_override ?? undefined),
    instance: {
      state: version.status,
      authorId: version.created_by,
      approvals: approvals.map(({ transition, rules, user_id }) => ({ transition, rules, userId: user_id })),
    },
  }
}

/** The version that the workflow is about: the newest where that is under way, else the one that is shown. */
export const underWayId = ({
  latest_version_id,
  latest_kind,
  version_id,
}: Pick<DocumentRow, 'latest_version_id' | 'latest_kind' | 'version_id'>) =>
  latest_kind === 'initial' || latest_kind === 'review' ? latest_version_id! : version_id

/** Whether a rule of the pending approval names this person: who decides must be able to read. */
export function isNamed({ definition, instance }: VersionAtWork, { userId, roles, permissions }: Participant) {
  const rules = pendingApproval(definition, instance)?.rules ?? []
  return rules.some(
    ({ kind, who }) =>
      (kind === 'user' && who === userId) ||
      (kind === 'role' && roles.includes(String(who))) ||
      (kind === 'permission' && permissions.has(String(who))),
  )
}

async function workflowOf(
  tx: Tx,
  { version, definition, instance }: VersionAtWork,
  participant: Participant,
): Promise<Document['workflow']> {
  const pending = pendingApproval(definition, instance)
  const people = await listPersons(tx, pending?.rules.flatMap(({ given_by }) => given_by) ?? [])
  const ways = waysFrom(definition, instance.state).filter(
    ({ trigger, permission }) =>
      trigger === 'by_hand' && (permission === undefined || participant.permissions.has(permission)),
  )
  return {
    template: {
      id: version.workflow_template_id,
      name: version.workflow_template_name,
      version: version.workflow_template_version,
    },
    version: version.version,
    state: version.status,
    pending: pending
      ? [
          {
            transition: pending.transition,
            to: pending.to,
            mode: pending.mode,
            signature_required: pending.signature_required,
            rules: pending.rules.map(({ kind, who, needed, given_by, open }) => ({
              rule: { kind, who },
              needed,
              given_by: given_by.map(id => people.get(id)!),
              open,
            })),
          },
        ]
      : [],
    transitions: ways.map(({ transition }) => transition),
  }
}

/**
 * The row that answers, once it is sure that the actor may read it; otherwise there is no such document. `isAssured`: it is the
 * answer to what the actor has just done, after which they need not be named by a rule any more.
 */
export async function requireReadable(tx: Tx, actor: Actor, id: number, version?: string, { isAssured = false } = {}) {
  const row = await findDocument(tx, id, sightOf(actor), version)
  if (!row) throw notFound('Document')
  const atWork = await loadAtWork(tx, version === undefined ? underWayId(row) : row.version_id)
  const participant = participantOf(actor)
  const seen = { status_kind: row.status_kind, owner_id: row.owner_id, created_by: row.author_id }
  const named = isNamed(atWork, participant)
  if (!isAssured && !canRead(sightOf(actor), seen, named && atWork.version.id === row.version_id))
    throw notFound('Document')
  // Of a draft that the actor may not read, an effective version's reader learns nothing.
  const { status_kind, owner_id, created_by } = atWork.version
  const canSeeAtWork = isAssured || canRead(sightOf(actor), { status_kind, owner_id, created_by }, named)
  return { row, atWork: canSeeAtWork ? atWork : await loadAtWork(tx, row.version_id), participant }
}

/** A document as the actor sees it, or the same 404 as for one that is not there. */
export async function readDocument(
  tx: Tx,
  actor: Actor,
  id: number,
  version?: string,
  options: { isAssured?: boolean } = {},
): Promise<Document> {
  const { row, atWork, participant } = await requireReadable(tx, actor, id, version, options)
  const {
    version_id,
    status_kind,
    author_id,
    owner_id,
    effective_version_id,
    latest_version_id,
    latest_kind,
    ...shown
  } = row
  return { ...shown, workflow: await workflowOf(tx, atWork, participant) }
}
