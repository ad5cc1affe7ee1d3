// The people who took part in a record, and may therefore not decide about it.
import { dayIn } from '#kernel/day.ts'

export type Part = 'author' | 'assignee' | 'investigator' | 'reassigner'

export interface Involvement {
  username: string
  part: Part
  /** The moment at which an assignee handed the record on; null while it still is theirs, and for the other parts. */
  until: string | null
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
}

/** Everybody who ever took part in a record, from its audit entries. */
export function involvementsIn(entries: readonly TrailEntry[]): Involvement[] {
  const found = new Map<string, Involvement>()
  const add = (username: string | null | undefined, part: Part, until: string | null = null) => {
    if (username) found.set(`${part} ${username}`, { username, part, until })
  }
  for (const { by, at, is_creation, assigned_to, status, is_investigation } of entries) {
    if (is_creation) add(by, 'author')
    if (assigned_to?.from) {
      add(assigned_to.from, 'assignee', at)
      add(by, 'reassigner')
    }
    add(assigned_to?.to, 'assignee')
    if (is_investigation || status?.to === 'pending_approval') add(by, 'investigator')
  }
  return [...found.values()]
}

/** The first involvement of this person. */
export const involvementOf = (involvements: readonly Involvement[], username: string) =>
  involvements.find(each => each.username === username)

/** `You were the assignee of DEV-2026-0001 until 2026-05-03`. */
export function describeInvolvement(number: string, { part, until }: Involvement, time_zone: string): string {
  if (part === 'author') return `You created ${number}`
  if (part === 'investigator') return `You investigated ${number}`
  if (part === 'reassigner') return `You reassigned ${number}`
  return until === null
    ? `You are the assignee of ${number}`
    : `You were the assignee of ${number} until ${dayIn(time_zone, new Date(until))}`
}
