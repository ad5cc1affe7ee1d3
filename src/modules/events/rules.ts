import type { Actor } from '#action'
import type { Permission, ResourceType } from '#kernel/catalogue.ts'
import { readableKinds, sightOf } from '#modules/documents'
import type { Change, DocumentFacts } from './queries.ts'

/**
 * The permission by which a record of this type is read, where nothing else decides. A type that is missing here is told to nobody; documents
 * and training are decided by the record.
 */
export const readers: Partial<Record<ResourceType, Permission>> = {
  deviation: 'deviations.read',
  capa: 'capa.read',
  effectiveness_review: 'capa.read',
  group: 'groups.read',
  role: 'roles.read',
  user: 'users.read',
  document_type: 'document_types.read',
  workflow_template: 'workflow_templates.read',
  content_template: 'templates.read',
  configuration_change: 'configuration_changes.read',
  file_removal: 'files.read_removals',
  migration_batch: 'migration.read',
  disposal: 'retention.read',
  legal_hold: 'retention.read',
}

/** Reading and exporting change nothing. */
const changesNothing = /\.(viewed|downloaded|\w*exported|due_soon|overdue|review_due|review_overdue|approval_due)$/

export const isTold = ({ action, resource_type, resource_id, revision }: Change) =>
  resource_id !== null && !changesNothing.test(action) && (resource_type !== 'user' || revision !== null)

export interface Facts {
  documents: ReadonlyMap<number, DocumentFacts>
  /** The trainee of each assignment. */
  assignees: ReadonlyMap<number, number>
}

/** Whether the person may read the changed record. What is not known to be readable is not told. */
export function mayRead(actor: Actor, { resource_type, resource_id }: Change, facts: Facts): boolean {
  if (resource_type === 'document') {
    const document = facts.documents.get(resource_id!)
    return document !== undefined && actor.permissions.has('documents.read') && readsDocument(actor, document)
  }
  if (resource_type === 'training_assignment') {
    if (actor.permissions.has('training.read_all')) return true
    return actor.permissions.has('training.read_own') && facts.assignees.get(resource_id!) === actor.userId
  }
  const permission = readers[resource_type]
  return permission !== undefined && actor.permissions.has(permission)
}

const readsDocument = (actor: Actor, { owner_id, status_kind, created_by }: DocumentFacts) =>
  (status_kind !== null && readableKinds(sightOf(actor)).includes(status_kind)) ||
  owner_id === actor.userId ||
  created_by === actor.userId

/** Entries after which the session of a person, or what they may do, can be another. */
export const concernsSession = ({ action }: Change) =>
  /^(user|role|tenant|settings|identity_provider|passkey)\./.test(action) ||
  ['auth.logged_out', 'auth.session_ended', 'auth.locked', 'auth.session_renewed'].includes(action)
