// The people of a record: those who are notified, and those to whom a task can be assigned.
import type { Permission } from '#kernel/catalogue.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { listDeciders, listHolders, listPeople } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { type CaseKind, caseKinds } from './kinds.ts'
import { findPerson } from './record-queries.ts'

/** In a larger company only the first are notified; all of them see the record in their list. */
export const MAX_NOTIFIED = 100

type Maybe = number | null | undefined

/** The people with this permission who may read the record. */
export const listPermitted = async (tx: Tx, kind: CaseKind, permission: Permission) =>
  (await listHolders(tx, permission, caseKinds[kind].read)).slice(0, MAX_NOTIFIED)

/** Those of them who may decide about it. */
export const listApprovers = async (tx: Tx, kind: CaseKind, permission: Permission) =>
  (await listDeciders(tx, permission, caseKinds[kind].read)).slice(0, MAX_NOTIFIED)

/** A notification names the record, so people who may not read it get none. */
export async function filterReaders(tx: Tx, kind: CaseKind, ids: readonly Maybe[]): Promise<number[]> {
  const people = new Set(ids.filter(id => id !== null && id !== undefined))
  if (people.size === 0) return []
  const readers = new Set(await listHolders(tx, caseKinds[kind].read))
  return [...people].filter(id => readers.has(id))
}

/** Each of them is active, and has the permissions that the task needs. */
export async function requireAssignable(tx: Tx, ids: readonly number[], needed: readonly Permission[]) {
  if (ids.length === 0) return
  const permissionsOf = new Map((await listPeople(tx)).map(({ userId, permissions }) => [userId, permissions]))
  for (const id of ids) {
    const held = permissionsOf.get(id)
    const permission = needed.find(each => !held?.has(each))
    if (permission === undefined) continue
    const person = await findPerson(tx, id)
    if (!person) throw notFound('User')
    const { username } = person
    throw conflict(
      held
        ? messages.record_assignee_lacks_permission({ username, permission })
        : messages.record_assignee_inactive({ username }),
    )
  }
}
