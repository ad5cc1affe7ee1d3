import type { World } from '../world/world.ts'

/** Whose people cannot log in any more, and for whom no work is done. Past the audit trail: of a test that does not look at how. */
export async function suspendTenant({ rows, people }: World, ofPerson: string) {
  await rows('alter table tenants disable trigger all')
  await rows('update tenants set is_active = false where id = $1', [people[ofPerson]!.tenant_id])
  await rows('alter table tenants enable trigger all')
}
