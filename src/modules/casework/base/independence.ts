// Another person decides: who took part in a record, and who can decide about it instead.
import { isDeepStrictEqual } from 'node:util'
import type { ActionContext } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { listPeople, mayApprove, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import {
  type ActionPeople,
  describeInvolvement,
  type Involvement,
  involvementOf,
  involvementsIn,
  type TrailEntry,
} from './involvement.ts'
import { listInvolving, listNamed } from './involvement-queries.ts'
import { type CaseKind, type CaseRef, caseKinds } from './kinds.ts'
import { MAX_NOTIFIED } from './people.ts'

/** Everybody who ever took part in each of these records. */
export async function listInvolvements(tx: Tx, kind: CaseKind, ids: readonly number[]) {
  const entries = ids.length === 0 ? [] : await listInvolving(tx, kind, ids)
  const byRecord = Map.groupBy(entries, ({ record_id }) => record_id)
  return new Map([...byRecord].map(([id, its]) => [id, involvementsIn(its)]))
}

/** The record of a moment, as far as it tells of people. */
export interface InvolvingFacts {
  author: string | null
  assignee: string | null
  status: string
  /** The investigation and the root cause. */
  findings: unknown
  actions?: readonly ActionPeople[]
}

/** The people of the record as it is, and the changes of the running command, which the trail has only after it. */
export function involvingChange(
  { actor, services }: Pick<ActionContext<unknown>, 'actor' | 'services'>,
  before: InvolvingFacts,
  after: InvolvingFacts,
): TrailEntry[] {
  const at = services.clock.now().toISOString()
  const asItIs = { from: null, to: before.assignee }
  return [
    {
      ...{ by: before.author, at, is_creation: true, assigned_to: asItIs, status: null, is_investigation: false },
      actions: before.actions ?? null,
    },
    {
      ...{ by: actor.username, at, is_creation: false, actions: after.actions ?? null },
      assigned_to: before.assignee === after.assignee ? null : { from: before.assignee, to: after.assignee },
      status: { from: before.status, to: after.status },
      is_investigation: !isDeepStrictEqual(before.findings, after.findings),
    },
  ]
}

/** How the person took part in the record, in words, and the people who can decide instead; undefined if they took none. */
export async function refusedInvolvement(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  { kind, number }: Pick<CaseRef, 'kind' | 'number'>,
  permission: Permission,
  involved: readonly Involvement[],
) {
  const involvement = involvementOf(involved, actor.username)
  if (!involvement) return undefined
  const { time_zone } = await readSettings(tx)
  const others = await listIndependent(tx, kind, permission, involved)
  return {
    involvement: describeInvolvement(number, involvement, time_zone),
    others: others.map(({ username }) => username),
  }
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
  const settings = await readSettings(tx)
  const holders = (await listPeople(tx)).filter(
    person =>
      person.permissions.has(permission) &&
      person.permissions.has(caseKinds[kind].read) &&
      mayApprove(settings, person),
  )
  if (holders.length === 0) return []
  const names = new Set(involved.map(({ username }) => username))
  const people = await listNamed(
    tx,
    holders.map(({ userId }) => userId),
  )
  return people.filter(({ username }) => !names.has(username)).slice(0, MAX_NOTIFIED)
}
