import type { DeputyScope } from '#action'
import type { Permission } from '#kernel/catalogue.ts'

/**
 * What a deputy must hold of what the person holds: they decide by their own right, and read what they decide about. Drafts are read by a
 * permission, because a rule of an approval names the person and not the deputy.
 */
const neededFor: Record<DeputyScope, readonly Permission[]> = {
  approvals: ['documents.read', 'documents.approve', 'documents.review'],
  tasks: [
    'deviations.read',
    'deviations.create',
    'capa.read',
    'capa.update',
    'effectiveness.update',
    'documents.periodic_review',
    'documents.hold_copies',
  ],
}

type Held = ReadonlySet<Permission>

/** The permissions that the deputy lacks to do what the person may do. */
export function missingFor(scopes: readonly DeputyScope[], person: Held, deputy: Held): Permission[] {
  const needed = scopes.flatMap(scope => neededFor[scope]).filter(each => person.has(each))
  const toRead: Permission[] = needed.includes('documents.approve') ? ['documents.read_drafts'] : []
  return [...needed, ...toRead].filter(each => !deputy.has(each))
}
