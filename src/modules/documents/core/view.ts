import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, type Actor, actingPeople } from '#action'
import { refuseStale } from '#action/revision.ts'
import { notFound } from '#kernel/errors.ts'
import type { Signable, Signing } from '#modules/signatures'
import {
  effectiveDefinition,
  type Instance,
  type Participant,
  pendingApproval,
  readTenantFacts,
  ruleNames,
  transitionsOpenTo,
  type WorkflowDefinition,
  withCounts,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { isTrainee } from './gate-queries.ts'
import { type DocumentRow, findDocument, type LockedDocument, lockDocument, updateDocument } from './queries.ts'
import { canRead, isUnderWay, sightOf } from './rules.ts'
import type { Document, DocumentVersion } from './schema.ts'
import { findVersion, findVersionAtWork, holdMemberships, listVersions } from './version-queries.ts'

/** A version with what the workflow engine needs to know of it. */
export interface VersionAtWork {
  version: Omit<Awaited<ReturnType<typeof findVersion>>, 'definition' | 'groups_of_actor'>
  definition: WorkflowDefinition
  instance: Instance
  /** The groups of the actor. */
  groupIds: readonly number[]
}

/** A document as one person sees it: the version that answers, and the one that the workflow is about. */
export interface View {
  row: DocumentRow
  atWork: VersionAtWork
}

export const participantOf = (
  { userId, roles, permissions }: Pick<Actor, 'userId' | 'roles' | 'permissions'>,
  { groupIds }: Pick<VersionAtWork, 'groupIds'>,
): Participant => ({ userId: userId ?? 0, roles, groupIds, permissions })

const atWorkAsFound = ({ definition, groups_of_actor, ...version }: Awaited<ReturnType<typeof findVersion>>) =>
  atWorkOf(version, definition, groups_of_actor)

export const loadAtWork = async (tx: Tx, versionId: number): Promise<VersionAtWork> =>
  atWorkAsFound(await findVersion(tx, versionId))

/** `definition`: the workflow that the version began with. */
export function atWorkOf(
  version: VersionAtWork['version'],
  definition: WorkflowDefinition,
  groupIds: readonly number[],
): VersionAtWork {
  return {
    groupIds,
    version,
    definition: withCounts(
      version.approval_overrides.reduce((each, override) => effectiveDefinition(each, override), definition),
      version.approval_counts,
    ),
    instance: {
      state: version.status,
      authorId: version.created_by,
      editorIds: version.edited_by,
      submitterId: version.status_kind === 'initial' ? null : version.submitted_by,
      chooserIds: version.approval_chosen_by,
      ownerId: version.owner_id,
      round: version.round,
      approvals: version.approvals.map(({ transition, rules, user, on_behalf_of }) => ({
        ...{ transition, rules, userId: user.id },
        ...(on_behalf_of !== null && { standsInFor: on_behalf_of }),
      })),
      delegations: version.delegations,
    },
  }
}

/** The transitions that the actor may take. */
export const allowedTransitions = (actor: Actor, atWork: VersionAtWork): string[] =>
  actor.permissions.has('documents.transition')
    ? transitionsOpenTo(atWork.definition, atWork.instance, participantOf(actor, atWork))
    : []

/** The facts of a version that a signature binds. */
export const signableOf = ({ version }: VersionAtWork): Signable => ({
  document_id: version.document_id,
  document_number: version.number,
  document_type_id: version.document_type_id,
  version_id: version.id,
  version: version.version,
  content_revision: version.content_revision,
  round: version.round,
  status: version.status,
  file_key: version.file_key,
  file_sha256: version.sha256,
  file_size: version.file_size,
  title: version.title,
  category: version.category,
  description: version.description,
  keywords: version.keywords,
  is_removed: version.is_file_removed,
  content_fixed_at: version.content_fixed_at,
  people: [version.owner_id, version.created_by],
})

/** The version still has the content, state and round that somebody read before the lock. */
export const isUnchanged = (atWork: VersionAtWork, read: Signable) => isDeepStrictEqual(signableOf(atWork), read)

/** An approval rule names this person, or the approval was delegated to them. Approvers must be able to read the version. */
export function isPendingApprover({ definition, instance }: VersionAtWork, participant: Participant) {
  const pending = pendingApproval(definition, instance)
  return (
    pending?.rules.some(rule => ruleNames(rule, participant)) ||
    instance.delegations.some(({ transition, to }) => transition === pending?.transition && to === participant.userId)
  )
}

/**
 * The document as the actor may read it, or the 404 of a missing one. `isAssured`: the actor has just changed the document, so they get
 * the answer even if no rule names them any more.
 */
export async function requireReadable(
  tx: Tx,
  actor: Actor,
  id: number,
  version?: string,
  how: { isAssured?: boolean } = {},
): Promise<View> {
  const view = await findReadable(tx, actor, id, version, how)
  if (!view) throw notFound('Document')
  return view
}

export async function findReadable(
  tx: Tx,
  actor: Actor,
  id: number,
  version?: string,
  { isAssured = false } = {},
): Promise<View | undefined> {
  const sight = sightOf(actor)
  // Both statements go to the database together, so another version may be under way by the second one.
  const [row, found] = await Promise.all([
    findDocument(tx, id, sight, version),
    version === undefined ? findVersionAtWork(tx, id) : undefined,
  ])
  if (!row) return undefined
  const isOfNewest = version === undefined && isUnderWay(row.latest_kind)
  const wanted = isOfNewest ? row.latest_version_id! : row.version_id
  const atWork = found?.id === wanted ? atWorkAsFound(found) : await loadAtWork(tx, wanted)
  if (isAssured || canRead(sight, atWork.version) || isPendingApprover(atWork, participantOf(actor, atWork)))
    return { row, atWork }
  // Trainees read an approved version before it is effective.
  if (
    atWork.version.id === row.version_id &&
    (await isTrainee(tx, actor.userId, { document_id: id, version_id: row.version_id }))
  )
    return { row, atWork }
  // Readers of the effective version do not learn of a draft that they may not read.
  if (atWork.version.id !== row.version_id) return { row, atWork: await loadAtWork(tx, row.version_id) }
  return undefined
}

/** Those of these people who may read the version. A notification names it, so nobody else gets one. */
export async function filterReadersOf(tx: Tx, atWork: VersionAtWork, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { version, definition } = atWork
  const { participantOf } = await readTenantFacts(tx, definition)
  const readers: number[] = []
  for (const userId of new Set(ids)) {
    const participant = participantOf(userId)
    if (!participant.permissions.has('documents.read')) continue
    if (
      canRead(sightOf(participant), version) ||
      isPendingApprover(atWork, participant) ||
      (await isTrainee(tx, userId, { document_id: version.document_id, version_id: version.id }))
    )
      readers.push(userId)
  }
  return readers
}

export async function readableVersions(tx: Tx, actor: Actor, id: number) {
  const { atWork } = await requireReadable(tx, actor, id)
  const sight = sightOf(actor)
  const seen = (await listVersions(tx, id)).filter(
    ({ id, status_kind, owner_id, author_id }) =>
      id === atWork.version.id || canRead(sight, { status_kind, owner_id, created_by: author_id }),
  )
  return seen as DocumentVersion[]
}

/** The labels of the versions that the actor may read; a document that they may not read is a 404. */
export const readableVersionLabels = async (tx: Tx, actor: Actor, id: number): Promise<string[]> =>
  (await readableVersions(tx, actor, id)).map(({ version }) => version)

/** The version to sign: the one that is shown, or the one with this label. */
export const findSignable: Signing['findSignable'] = async (tx, actor, documentId, label, { lock }) => {
  if (lock) await lockDocument(tx, documentId)
  const { row, atWork } = await requireReadable(tx, actor, documentId, label)
  return signableOf(atWork.version.id === row.version_id ? atWork : await loadAtWork(tx, row.version_id))
}

export const readSignable: Signing['readSignable'] = async (tx, versionId) =>
  signableOf(await loadAtWork(tx, versionId))

function workflowOf(atWork: VersionAtWork, actor: Actor): Document['workflow'] {
  const { version, definition, instance } = atWork
  const pending = pendingApproval(definition, instance)
  const people = new Map(version.approvals.map(({ user }) => [user.id, user]))
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
            due_date: version.approval_due_date,
            rules: pending.rules.map(({ kind, who, percent, needed, given_by, open }) => ({
              rule: { kind, who, ...(percent !== undefined && { percent }) },
              needed,
              given_by: given_by.map(id => people.get(id)!),
              open,
            })),
          },
        ]
      : [],
    transitions: allowedTransitions(actor, atWork),
  }
}

export function present({ row, atWork }: View, actor: Actor): Document {
  const { version_id, latest_version_id, latest_kind, effective_version_id, ...shown } = row
  return { ...shown, workflow: workflowOf(atWork, actor) }
}

export const readDocument = async (tx: Tx, actor: Actor, id: number, version?: string) =>
  present(await requireReadable(tx, actor, id, version), actor)

/** A document as the audit trail shows it: entered fields and status, without derived fields. */
export function recorded({
  workflow,
  document_type,
  owner,
  needs_revision,
  last_review,
  content,
  imported,
  disposal,
  ...document
}: Document) {
  return { ...document, document_type: document_type.name, owner: owner.username }
}

export interface Work extends View {
  document: LockedDocument
}

/** Every command about a document begins here, so that it decides on the current state under the lock. */
export async function lockForWork(context: ActionContext<unknown>, id: number): Promise<Work> {
  const { tx, actor } = context
  const document = await lockDocument(tx, id)
  if (!document) throw notFound('Document')
  await holdMemberships(tx, actingPeople(actor))
  const view = await requireReadable(tx, actor, id)
  await refuseStale(context, 'document', document)
  return { document, ...view }
}

/** The revision after the command: each command counts it once. */
export const nextRevision = ({ revision }: LockedDocument) => revision + 1

/** Every command about a document ends here: it counts the revision and returns the document as it is now. */
export async function finish(
  { tx, actor }: ActionContext<unknown>,
  { id }: LockedDocument,
  { owner_id, version }: { owner_id?: number | undefined; version?: string } = {},
): Promise<Document> {
  await updateDocument(tx, id, owner_id === undefined ? {} : { owner_id })
  return present(await requireReadable(tx, actor, id, version, { isAssured: true }), actor)
}
