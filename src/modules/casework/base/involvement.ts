// The people who took part in a record, and may therefore not decide about it.
import { dayIn } from '#kernel/day.ts'
import type { Message } from '#kernel/message.ts'
import { type Part, printed } from '../messages.ts'

export interface Involvement {
  username: string
  part: Part
  /** The moment at which an assignee handed the record on; null while it still is theirs, and for the other parts. */
  until: string | null
  /** The action of a CAPA that the part is of. */
  action_id: number | null
}

/** An action of a CAPA, as far as it tells of people, by their user names. */
export interface ActionPeople {
  id: number
  assigned_to: string
  completed_by: string | null
}

interface Change<T> {
  from: T | null
  to: T | null
}

/** An audit entry of a record, as far as it tells of people. Entries of the same record come in order. */
export interface TrailEntry {
  /** The user name of the person who did it; null for the service. */
  by: string | null
  at: string
  is_creation: boolean
  assigned_to: Change<string> | null
  status: Change<string> | null
  /** It changed the investigation or the root cause. */
  is_investigation: boolean
  /** The actions of a CAPA before and after the change. */
  actions: readonly ActionPeople[] | null
}

/** Everybody who ever took part in a record, from its audit entries. */
export function involvementsIn(entries: readonly TrailEntry[]): Involvement[] {
  const found = new Map<string, Involvement>()
  const add = (
    username: string | null | undefined,
    part: Part,
    { until = null, action_id = null }: Partial<Pick<Involvement, 'until' | 'action_id'>> = {},
  ) => {
    if (username) found.set(`${part} ${username} ${action_id}`, { username, part, until, action_id })
  }
  for (const { by, at, is_creation, assigned_to, status, is_investigation, actions } of entries) {
    if (is_creation) add(by, 'author')
    if (assigned_to?.from) {
      add(assigned_to.from, 'assignee', { until: at })
      add(by, 'reassigner')
    }
    add(assigned_to?.to, 'assignee')
    if (is_investigation || status?.to === 'pending_approval') add(by, 'investigator')
    for (const { id: action_id, assigned_to, completed_by } of actions ?? []) {
      add(assigned_to, 'action_assignee', { action_id })
      add(completed_by, 'action_doer', { action_id })
    }
  }
  return [...found.values()]
}

/** The first involvement of this person. */
export const involvementOf = (involvements: readonly Involvement[], username: string) =>
  involvements.find(each => each.username === username)

/** The person ever was the assignee of one of these actions, or did it. */
export const hasWorkedOn = (involvements: readonly Involvement[], username: string, action_ids: readonly number[]) =>
  involvements.some(
    each => each.username === username && each.action_id !== null && action_ids.includes(each.action_id),
  )

/** `You were the assignee of DEV-2026-0001 until 2026-05-03`. */
export function describeInvolvement(number: string, { part, until }: Involvement, time_zone: string): Message {
  const until_day = part === 'assignee' && until !== null ? dayIn(time_zone, new Date(until)) : null
  return printed.record_involvement({ number, part, until: until_day })
}
