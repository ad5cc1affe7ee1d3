import type { Permission } from '#kernel/catalogue.ts'
import { listHolders } from '#modules/accounts'
import { filterReadersOf } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'

/** Of a tenant with more of them than these it is enough to tell some: the list shows it to all. */
const MAX_NOTIFIED = 100

/** Those who can do this about deviations, but for some. */
export const listApprovers = async (tx: Tx, permission: Permission, { but = [] as readonly (number | null)[] } = {}) =>
  (await listHolders(tx, permission, 'deviations.read')).filter(id => !but.includes(id)).slice(0, MAX_NOTIFIED)

/** Of these people those who may read deviations: nobody else is told how one is called. */
export const filterReaders = (tx: Tx, ids: readonly (number | null)[]) =>
  filterReadersOf(
    tx,
    'deviation',
    ids.filter(id => id !== null),
  )
