import { listPeople, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import type { TenantFacts } from './engine.ts'

/** Whom each rule names today. With `admin_may_approve` off, Admins count for none of them. */
export async function readTenantFacts(tx: Tx): Promise<TenantFacts> {
  const [everybody, { admin_may_approve }] = await Promise.all([listPeople(tx), readSettings(tx)])
  const people = everybody.filter(
    ({ role, permissions }) => permissions.has('documents.approve') && (admin_may_approve || role !== 'Admin'),
  )
  return {
    peopleFor: ({ kind, who }) =>
      new Set(
        people
          .filter(({ userId, roles, permissions }) => {
            if (kind === 'user') return userId === who
            if (kind === 'role') return roles.some(role => role === who)
            return kind === 'permission' && (permissions as ReadonlySet<unknown>).has(who)
          })
          .map(({ userId }) => userId),
      ),
  }
}
