import type { Permission } from '#kernel/catalogue.ts'
import { listHolders } from '#modules/accounts'
import { filterReadersOf } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'

/** In a larger tenant only the first are notified; all of them see the deviation in their list. */
const MAX_NOTIFIED = 100

/** The people with this permission who may read deviations, without some of them. */
export const listApprovers = async (tx: Tx, permission: Permission, { but = [] as readonly (number | null)[] } = {}) =>
  (await listHolders(tx, permission, 'deviations.read')).filter(id => !but.includes(id)).slice(0, MAX_NOTIFIED)

/** A notification names the deviation, so people who may not read deviations get none. */
export const filterReaders = (tx: Tx, ids: readonly (number | null)[]) =>
  filterReadersOf(
    tx,
    'deviation',
    ids.filter(id => id !== null),
  )
