import type { Permission } from '#kernel/catalogue.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { listHolders, listPeople } from '#modules/accounts'
import { caseMessages, filterReadersOf } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { findPerson } from './queries.ts'
import type { Work } from './view.ts'

/** In a larger tenant only the first are notified; all of them see the CAPA in their list. */
const MAX_NOTIFIED = 100

/** The people with this permission who may read CAPAs, without one of them. */
export const listApprovers = async (tx: Tx, permission: Permission, { but }: { but?: number | undefined } = {}) =>
  (await listHolders(tx, permission, 'capa.read')).filter(id => id !== but).slice(0, MAX_NOTIFIED)

/** A notification names the CAPA, so people who may not read CAPAs get none. */
export const filterReaders = (tx: Tx, ids: readonly (number | null | undefined)[]) =>
  filterReadersOf(
    tx,
    'capa',
    ids.filter(id => id !== null && id !== undefined),
  )

/** The author and the owner of a CAPA. */
export const peopleOf = (tx: Tx, { row }: Pick<Work, 'row'>) =>
  filterReaders(tx, [row.assigned_to?.id, row.created_by?.id])

/** Each of them is active, and has the permission that the task needs. */
export async function requireAssignable(tx: Tx, ids: readonly number[], permission: Permission) {
  if (ids.length === 0) return
  const permissionsOf = new Map((await listPeople(tx)).map(({ userId, permissions }) => [userId, permissions]))
  for (const id of ids) {
    if (permissionsOf.get(id)?.has(permission)) continue
    const person = await findPerson(tx, id)
    if (!person) throw notFound('User')
    const { username } = person
    throw conflict(
      permissionsOf.has(id)
        ? caseMessages.record_assignee_lacks_permission({ username, permission })
        : caseMessages.record_assignee_inactive({ username }),
    )
  }
}
