import { sql } from 'kysely'
import type { ResourceType } from '#kernel/catalogue.ts'

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
  user: '/api/users/:id',
  configuration_change: '/api/configuration-changes/:id',
  file_removal: '/api/file-removals/:id',
}

const ofResources = sql.join(
  Object.entries(paths).map(([resource, path]) => sql`when ${sql.lit(resource)} then ${sql.lit(path)}`),
  sql` `,
)

export const linkOf = sql<
  string | null
>`replace(replace(case resource_type ${ofResources} end, ':id', resource_id::text),
  ':capa_id', coalesce((select r.capa_id::text from effectiveness_reviews r
    where resource_type = 'effectiveness_review' and r.id = resource_id), ''))`
