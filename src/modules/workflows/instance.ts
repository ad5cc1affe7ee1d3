// The inputs and the answers of the workflow engine.
import type { Message } from '#kernel/message.ts'
import type { ApprovalGate, ApprovalRule, StateKind } from './definition.ts'
import type { Names } from './describe.ts'

/** The person who decides. `roles` begins with their own role, followed by the inherited ones. */
export interface Participant {
  userId: number
  roles: readonly string[]
  groupIds: readonly number[]
  permissions: ReadonlySet<string>
  /** Given for a deputy who decides for another person: the rules that name that person, and the only ones that they decide by. */
  rules?: readonly number[]
}

/** A valid approval of the current round. */
export interface Approval {
  transition: string
  userId: number
  /**
   * The rules that it can count for: in parallel mode all that named the person at that moment, in sequential mode the open
   * one. It counts for one of them, as `pendingApproval` computes.
   */
  rules: readonly number[]
  /** The person for whom a deputy gave it. Their part in the step is used with it. */
  standsInFor?: number
}

/** A part in an approval that one person delegated to another, who decides in their own name. */
export interface Delegation {
  transition: string
  from: number
  to: number
  /** The rules that named the giver at that moment; none if the giver only had a delegated part. */
  rules: readonly number[]
}

/** The people who prepared a version, so that nobody decides about their own work. */
export interface Contributors {
  authorId: number
  /** Everyone who changed its metadata. */
  editorIds: readonly number[]
  /** The person who submitted it in this round; null while it is a draft. */
  submitterId: number | null
  /** Everyone who chose approvals for it other than those of its document type. */
  chooserIds: readonly number[]
}

/** A version that was only written yet. */
export const writtenBy = (authorId: number): Contributors => ({
  authorId,
  editorIds: [],
  submitterId: null,
  chooserIds: [],
})

export interface Instance extends Contributors {
  state: string
  ownerId: number
  /** The number of submissions of the version. */
  round: number
  approvals: readonly Approval[]
  /** The delegations of the current round that were not ended. */
  delegations: readonly Delegation[]
}

/** With `voids_round` the approvals so far no longer count. */
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
  /** 403 depends on the person, 409 on the state, and 422 is a missing comment. */
  status: 403 | 409 | 422
  message: Message
}
export type Outcome = { ok: true; approval?: Approval; transitions: Step[] } | Refusal

export const refuse = (status: Refusal['status'], message: Message): Refusal => ({ ok: false, status, message })

/** The people of the tenant, against whom approval rules are checked. */
export interface TenantFacts {
  peopleFor(rule: Pick<ApprovalRule, 'kind' | 'who'>): ReadonlySet<number>
  /** All active people whom the rule names, also those who may not approve. */
  everybodyNamed?(rule: Pick<ApprovalRule, 'kind' | 'who'>): ReadonlySet<number>
  /** The names for refusals; without it people are named by their ids. */
  nameOf?: Names
  /** The person with their roles; without permissions if they are not active. */
  participantOf?(userId: number): Participant
  /** The group exists and was not deleted. */
  hasGroup?(groupId: number): boolean
}

/** For decisions that do not depend on the people of the tenant. */
export const nobody: TenantFacts = { peopleFor: () => new Set() }

/** `training_complete` is true where no training gate applies, `effective_date_reached` where no date was set. */
export interface VersionFacts {
  effective_date_reached: boolean
  training_complete: boolean
}

/** The configured mode, rules or due date of one approval of one document (DOC-06). */
export interface ApprovalOverride {
  transition: string
  mode?: ApprovalGate['mode']
  rules: ApprovalRule[]
  /** The day on which the approval is due. */
  due_date?: string
}

export const holds = (participant: Participant, permission: string | undefined) =>
  permission === undefined || participant.permissions.has(permission)
