import type { Permission } from '#kernel/catalogue.ts'
import { listHolders } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'

/** Of a tenant with more of them than these it is enough to tell some: the list shows it to all. */
const most_told = 100

/** Those who can do this about deviations, but for some. */
export const whoMay = async (tx: Tx, permission: Permission, { but = [] as readonly (number | null)[] } = {}) =>
  (await listHolders(tx, permission, 'deviations.read')).filter(id => !but.includes(id)).slice(0, most_told)

/** Of these people those who can read deviations: nobody else is told how one is called. */
export async function readersAmong(tx: Tx, ids: readonly (number | null)[]): Promise<number[]> {
  const readers = new Set(await listHolders(tx, 'deviations.read'))
  return [...new Set(ids)].filter(id => id !== null && readers.has(id)) as number[]
}
