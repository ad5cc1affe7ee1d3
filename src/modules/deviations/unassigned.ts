// Reports that nobody is assigned yet: who takes them, and who is asked to assign them.
import { listPeople, type ReportTaker } from '#modules/accounts'
import { filterReaders, MAX_NOTIFIED } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { listMembers } from './queries.ts'
import { assigneePermissions, mayAssignDeviations } from './rules.ts'

/** Everybody who may read and assign deviations. */
async function listAssigners(tx: Tx): Promise<number[]> {
  return (await listPeople(tx))
    .filter(({ permissions }) => permissions.has('deviations.read') && mayAssignDeviations(permissions))
    .map(({ userId }) => userId)
}

/** The people who are asked: the assignee, or those who may assign it while there is none. */
export const listAsked = async (tx: Tx, { assignee_id }: { assignee_id: number | null }): Promise<number[]> =>
  assignee_id === null
    ? (await listAssigners(tx)).slice(0, MAX_NOTIFIED)
    : filterReaders(tx, 'deviation', [assignee_id])

interface Report {
  department: string | null
  reporter_id: number
}

const isSame = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** The person who takes the report, or the people who are asked to assign it, by the first entry of the settings that finds anybody. */
export async function findTakers(
  tx: Tx,
  takers: readonly ReportTaker[],
  { department, reporter_id }: Report,
): Promise<{ taker?: number; asked?: number[] }> {
  if (takers.length === 0) return {}
  const groups = takers.flatMap(({ group_id, reporter_group_id }) => [group_id, reporter_group_id])
  const members = await listMembers(
    tx,
    groups.filter(id => id !== undefined),
  )
  const isMember = (group_id: number, user_id: number) => members.get(group_id)?.includes(user_id) ?? false
  const people = new Map((await listPeople(tx)).map(({ userId, permissions }) => [userId, permissions]))
  const assigners = await listAssigners(tx)
  for (const { department: its, reporter_group_id, user_id, group_id } of takers) {
    if (its !== undefined && (department === null || !isSame(its, department))) continue
    if (reporter_group_id !== undefined && !isMember(reporter_group_id, reporter_id)) continue
    if (user_id !== undefined && assigneePermissions.every(each => people.get(user_id)?.has(each)))
      return { taker: user_id }
    const asked = group_id === undefined ? [] : assigners.filter(id => isMember(group_id, id))
    if (asked.length > 0) return { asked: asked.slice(0, MAX_NOTIFIED) }
  }
  return {}
}
