// Another person decides: who took part in a record, and who can decide about it instead.
import type { Permission } from '#kernel/catalogue.ts'
import { listPeople, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { type Involvement, involvementsIn, type TrailEntry } from './involvement.ts'
import { listInvolving, listNamed } from './involvement-queries.ts'
import { type CaseKind, caseKinds } from './kinds.ts'
import { MAX_NOTIFIED } from './people.ts'

/** Everybody who ever took part in each of these records. */
export async function listInvolvements(tx: Tx, kind: CaseKind, ids: readonly number[]) {
  const entries = ids.length === 0 ? [] : await listInvolving(tx, kind, ids)
  const byRecord = Map.groupBy(entries, ({ record_id }) => record_id)
  return new Map([...byRecord].map(([id, its]) => [id, involvementsIn(its)]))
}

/** Everybody who took part in this record, with what the running command changes. */
export const listInvolved = async (tx: Tx, kind: CaseKind, id: number, change: readonly TrailEntry[] = []) =>
  involvementsIn([...(await listInvolving(tx, kind, [id])), ...change])

/** The people who hold the permission, may read the record and took no part in it; Admins only where they may approve. */
export async function listIndependent(
  tx: Tx,
  kind: CaseKind,
  permission: Permission,
  involved: readonly Involvement[],
) {
  const { admin_may_approve } = await readSettings(tx)
  const holders = (await listPeople(tx)).filter(
    ({ roles, permissions }) =>
      permissions.has(permission) &&
      permissions.has(caseKinds[kind].read) &&
      (admin_may_approve || !roles.includes('Admin')),
  )
  if (holders.length === 0) return []
  const names = new Set(involved.map(({ username }) => username))
  const people = await listNamed(
    tx,
    holders.map(({ userId }) => userId),
  )
  return people.filter(({ username }) => !names.has(username)).slice(0, MAX_NOTIFIED)
}
