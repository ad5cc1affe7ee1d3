// The values that the workflow engine decides on, and its answers.
import type { Message } from '#kernel/message.ts'
import type { ApprovalGate, ApprovalRule, StateKind } from './definition.ts'
import type { Names } from './describe.ts'

/** Who asks. `roles` are the person's own role first, then those that it inherits. */
export interface Participant {
  userId: number
  roles: readonly string[]
  groupIds: readonly number[]
  permissions: ReadonlySet<string>
}

/** A valid approval of the current round. */
export interface Approval {
  transition: string
  userId: number
  /**
   * The rules that it can count for: in parallel mode all that named the person at that moment, in sequential mode the one
   * whose turn it was. It counts for one of them; `pendingApproval` says for which.
   */
  rules: readonly number[]
}

/** A part in an approval that one person handed to another, who decides in their own name. */
export interface Delegation {
  transition: string
  from: number
  to: number
  /** The rules that named the giver at that moment; none for who only hands on what they were handed. */
  rules: readonly number[]
}

export interface Instance {
  state: string
  authorId: number
  ownerId: number
  /** How often the version was submitted. */
  round: number
  approvals: readonly Approval[]
  /** Those that last, of the current round. */
  delegations: readonly Delegation[]
}

/** `voids_round`: the approvals given so far count no more. */
export interface Step {
  transition: string
  from: string
  to: string
  trigger: 'user' | 'automatic'
  voids_round: boolean
  kind_of_to: StateKind
}

export interface Refusal {
  ok: false
  /** 403: not by this person; 409: not in this state; 422: the comment is missing. */
  status: 403 | 409 | 422
  message: Message
}
export type Outcome = { ok: true; approval?: Approval; transitions: Step[] } | Refusal

export const refuse = (status: Refusal['status'], message: Message): Refusal => ({ ok: false, status, message })

/** What approval rules are checked against: the active people of the tenant that a rule names. */
export interface TenantFacts {
  peopleFor(rule: Pick<ApprovalRule, 'kind' | 'who'>): ReadonlySet<number>
  /** All the active people whom it names, also those who decide about nothing. */
  everybodyNamed?(rule: Pick<ApprovalRule, 'kind' | 'who'>): ReadonlySet<number>
  /** What they are called where the engine says why; by their ids, where it is not there. */
  nameOf?: Names
  /** Whether the group is there, and was not deleted. */
  hasGroup?(groupId: number): boolean
}

/** For what does not depend on who there is. */
export const nobody: TenantFacts = { peopleFor: () => new Set() }

/** `training_complete` is true where no training gate applies, `effective_date_reached` where no date was set. */
export interface VersionFacts {
  effective_date_reached: boolean
  training_complete: boolean
}

/** Another mode, other approvers or a due date for one approval of one document (DOC-06). */
export interface ApprovalOverride {
  transition: string
  mode?: ApprovalGate['mode']
  rules: ApprovalRule[]
  /** The day on which the approval is due. */
  due_date?: string
}

export const holds = (participant: Participant, permission: string | undefined) =>
  permission === undefined || participant.permissions.has(permission)
