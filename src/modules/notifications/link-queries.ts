import { sql } from 'kysely'
import type { ResourceType } from '#kernel/catalogue.ts'
import { pages } from '#kernel/pages.ts'

/** The API paths of the records that notifications are about. */
export const paths: Partial<Record<ResourceType, string>> = {
  document: '/api/documents/:id',
  controlled_copy: '/api/controlled-copies/:id',
  deviation: '/api/deviations/:id',
  capa: '/api/capa/:id',
  effectiveness_review: '/api/capa/:capa_id/effectiveness/:id',
  training_assignment: '/api/training/assignments/:id',
  group: '/api/groups/:id',
  deputy: '/api/deputies/:id',
  background_job: '/api/jobs/:id',
  signature: '/api/signatures/:id',
  user: '/api/:accounts/:id',
  api_key: '/api/service-accounts/:service_account_id/keys',
  passkey: '/api/users/:owner_id',
  configuration_change: '/api/configuration-changes/:id',
  file_removal: '/api/file-removals/:id',
  migration_batch: '/api/migrations/:id',
  disposal: '/api/disposals/:id',
  legal_hold: '/api/legal-holds/:id',
  identity_provider: '/api/identity-providers/:id',
  tenant_export: '/api/tenant-exports/:id',
}

/** The records that an address names beside the one that the notification is about. */
const others = {
  ':capa_id': sql`(select r.capa_id from effectiveness_reviews r where resource_type = 'effectiveness_review' and r.id = resource_id)`,
  ':owner_id': sql`(select p.user_id from passkeys p where resource_type = 'passkey' and p.id = resource_id)`,
  ':program_id': sql`(select a.program_id from training_assignments a where resource_type = 'training_assignment' and a.id = resource_id)`,
  // People and service accounts are users of two kinds.
  ':accounts': sql`(select case u.kind when 'service' then 'service-accounts' else 'users' end from users u where resource_type = 'user' and u.id = resource_id)`,
  ':service_account_id': sql`(select k.user_id from api_keys k where resource_type = 'api_key' and k.id = resource_id)`,
}

const fill = (path: string) =>
  Object.entries(others)
    .filter(([name]) => path.includes(name))
    .reduce(
      (address, [name, id]) => sql<string | null>`replace(${address}, ${sql.lit(name)}, ${id}::text)`,
      sql<string | null>`replace(${sql.lit(path)}, ':id', resource_id::text)`,
    )

/** The address of the record of a notification, by its kind; null for a kind without one, and where a record that it names is not found. */
export function addressOf(known: Readonly<Record<string, string>>) {
  const whens = Object.entries(known).map(([resource, path]) => sql`when ${sql.lit(resource)} then ${fill(path)}`)
  return sql<string | null>`case resource_type ${sql.join(whens, sql` `)} end`
}

export const linkOf = addressOf(paths)

const served = Object.entries(pages).filter(([, { isServed }]) => isServed)

/** Null where the service serves no page of the record. */
export const pageOf =
  served.length > 0
    ? addressOf(Object.fromEntries(served.map(([resource, { address }]) => [resource, address])))
    : sql<string | null>`null::text`
