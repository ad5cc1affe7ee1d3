import type { RecordTable } from '../queries.ts'

/** A kind of record in the archive: the rows that are one each, and the addresses at which the API shows them. */
export interface Kind {
  /** The name of its files. */
  name: string
  table: RecordTable
  /** People and service accounts are users of two kinds. */
  users?: 'person' | 'service'
  path: string
  /** What belongs to a record and has addresses of its own, by the name in the record. */
  parts?: Record<string, string>
  /** Versions that a list only names; each is read by its number. */
  version?: string
}

const ofCase = (path: string) => ({
  history: `${path}/history`,
  comments: `${path}/comments`,
  links: `${path}/links`,
  attached_files: `${path}/attachments`,
  extensions: `${path}/extensions`,
})

export const kinds: readonly Kind[] = [
  {
    name: 'documents',
    table: 'documents',
    path: '/api/documents/:id',
    parts: {
      versions: '/api/documents/:id/versions',
      history: '/api/documents/:id/history',
      comments: '/api/documents/:id/comments',
      links: '/api/documents/:id/links',
      periodic_reviews: '/api/documents/:id/periodic-reviews',
    },
  },
  { name: 'controlled_copies', table: 'controlled_copies', path: '/api/controlled-copies/:id' },
  { name: 'deviations', table: 'deviations', path: '/api/deviations/:id', parts: ofCase('/api/deviations/:id') },
  {
    name: 'capas',
    table: 'capas',
    path: '/api/capa/:id',
    parts: { ...ofCase('/api/capa/:id'), effectiveness_reviews: '/api/capa/:id/effectiveness' },
  },
  {
    name: 'training_programs',
    table: 'training_programs',
    path: '/api/training/:id',
    parts: { groups: '/api/training/:id/groups' },
  },
  { name: 'curricula', table: 'curricula', path: '/api/training/curricula/:id' },
  { name: 'training_assignments', table: 'training_assignments', path: '/api/training/assignments/:id' },
  {
    name: 'users',
    table: 'users',
    users: 'person',
    path: '/api/users/:id',
    parts: { identities: '/api/users/:id/identities' },
  },
  {
    name: 'service_accounts',
    table: 'users',
    users: 'service',
    path: '/api/service-accounts/:id',
    parts: { keys: '/api/service-accounts/:id/keys' },
  },
  { name: 'groups', table: 'groups', path: '/api/groups/:id', parts: { memberships: '/api/groups/:id/members' } },
  { name: 'roles', table: 'roles', path: '/api/roles/:id' },
  { name: 'deputies', table: 'deputies', path: '/api/deputies/:id' },
  { name: 'document_types', table: 'document_types', path: '/api/document-types/:id' },
  {
    name: 'workflow_templates',
    table: 'workflow_templates',
    path: '/api/workflow-templates/:id',
    parts: { versions: '/api/workflow-templates/:id/versions' },
  },
  {
    name: 'form_templates',
    table: 'form_templates',
    path: '/api/deviations/form-templates/:id',
    parts: { versions: '/api/deviations/form-templates/:id/versions' },
    version: '/api/deviations/form-templates/:id/versions/:version',
  },
  {
    name: 'content_templates',
    table: 'content_templates',
    path: '/api/templates/:id',
    parts: { versions: '/api/templates/:id/versions' },
    version: '/api/templates/:id/versions/:version',
  },
  { name: 'configuration_changes', table: 'configuration_changes', path: '/api/configuration-changes/:id' },
  { name: 'file_removals', table: 'file_removals', path: '/api/file-removals/:id' },
  { name: 'audit_reviews', table: 'audit_reviews', path: '/api/audit/reviews/:id' },
  {
    name: 'access_reviews',
    table: 'access_reviews',
    path: '/api/users/access-reviews/:id',
    parts: { reviewed_accounts: '/api/users/access-reviews/:id/accounts' },
  },
  { name: 'identity_providers', table: 'identity_providers', path: '/api/identity-providers/:id' },
]

/** Records of which the tenant has one. */
export const singles: readonly { name: string; path: string }[] = [
  { name: 'settings', path: '/api/settings/' },
  { name: 'assistant_settings', path: '/api/ai/settings' },
]
