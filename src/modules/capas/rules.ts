import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { daysLater } from '#kernel/day.ts'
import { type Machine, type Transition, transitionsFrom } from '#kernel/machine.ts'

export const capaTypes = ['corrective', 'preventive', 'both'] as const
export const capaSources = [
  'deviation',
  'audit_finding',
  'complaint',
  'oos',
  'supplier',
  'management_review',
  'trend',
  'risk_review',
  'internal',
  'other',
] as const
/** From the least to the most urgent. */
export const capaPriorities = ['low', 'medium', 'high', 'critical'] as const
export type Priority = (typeof capaPriorities)[number]
export const capaStates = [
  'draft',
  'rejected',
  'open',
  'in_progress',
  'pending_effectiveness',
  'closed',
  'cancelled',
] as const
export type CapaState = (typeof capaStates)[number]

export type CapaGuard =
  | 'approver_is_another'
  | 'is_assigned'
  | 'has_root_cause'
  | 'has_action'
  | 'plan_is_approved'
  | 'actions_are_done'
  | 'adverse_effects_are_assessed'
  | 'verifier_owns_none'
  | 'was_found_effective'
  | 'was_found_not_effective'
  | 'independent'
  | 'quality_unit'
export type CapaTransition = Transition<CapaState, CapaGuard>

/** A plan that can be approved and carried out. */
export const planGuards = ['is_assigned', 'has_root_cause', 'has_action'] as const satisfies readonly CapaGuard[]

/** The states of a CAPA, with the permissions and conditions of each transition (CAPA-02, CAPA-03, ISO 13485 8.5.2). */
export const capaMachine: Machine<CapaState, CapaGuard> = {
  states: {
    draft: 'Created without linked documents; awaits approval',
    rejected: 'A rejected draft; final',
    open: 'Approved, or created with linked documents; cause and actions are being planned. With high or critical priority the plan awaits approval',
    in_progress: 'Its actions are being carried out',
    pending_effectiveness: 'Its actions are verified; awaits its effectiveness review',
    closed: 'Found effective, and closed with a signature; final',
    cancelled: 'Given up for a reason; final',
  },
  initial: ['draft', 'open'],
  transitions: [
    {
      name: 'approve_draft',
      from: ['draft'],
      to: 'open',
      permission: 'capa.approve_draft',
      guards: ['approver_is_another', 'quality_unit'],
    },
    {
      name: 'reject_draft',
      from: ['draft'],
      to: 'rejected',
      permission: 'capa.approve_draft',
      guards: ['quality_unit'],
      needs_reason: true,
    },
    {
      name: 'start',
      from: ['open'],
      to: 'in_progress',
      permission: 'capa.update',
      guards: [...planGuards, 'plan_is_approved'],
    },
    {
      name: 'verify',
      from: ['in_progress'],
      to: 'pending_effectiveness',
      permission: 'capa.verify',
      guards: [
        'plan_is_approved',
        'actions_are_done',
        'adverse_effects_are_assessed',
        'verifier_owns_none',
        'quality_unit',
      ],
      needs_reason: true,
    },
    {
      name: 'close',
      from: ['pending_effectiveness'],
      to: 'closed',
      permission: 'capa.close',
      guards: ['was_found_effective', 'independent', 'quality_unit'],
      needs_reason: true,
      signature: { type: 'closure' },
    },
    {
      name: 'not_effective',
      from: ['pending_effectiveness'],
      to: 'in_progress',
      permission: 'effectiveness.update',
      guards: ['was_found_not_effective'],
      needs_reason: true,
    },
    {
      name: 'cancel',
      from: ['open', 'in_progress'],
      to: 'cancelled',
      permission: 'capa.close',
      guards: ['quality_unit'],
      needs_reason: true,
    },
  ],
  guards: {
    approver_is_another: 'The author cannot approve the draft, except an Admin in a company where Admins may approve',
    is_assigned: 'Assign it to someone first',
    has_root_cause: 'Enter the root cause first',
    has_action: 'Plan an action first',
    plan_is_approved:
      'Have its plan approved first, because its priority is high or critical (POST /api/capa/{id}/approve-plan)',
    actions_are_done: 'Complete or cancel every action first, and complete at least one',
    adverse_effects_are_assessed: 'Assess adverse effects first',
    verifier_owns_none: 'Nobody verifies the actions who did a completed one, or ever was its assignee',
    was_found_effective: 'Complete an effectiveness review that finds it effective first',
    was_found_not_effective: 'Complete an effectiveness review that finds it not effective first',
    independent:
      'Nobody closes it who created or reassigned it, wrote its root cause, did one of its actions, or ever was its assignee or that of an action',
    quality_unit: 'Admins may not approve in this company',
  },
}

/** Another person has to act where one of these does not hold, so the refusal is a 403 and not a condition to meet. */
export const guardsOfPerson = ['approver_is_another', 'verifier_owns_none', 'independent', 'quality_unit'] as const
export type PersonGuard = (typeof guardsOfPerson)[number]
export const isGuardOfPerson = (guard: CapaGuard) => guardsOfPerson.some(each => each === guard)

/** The facts that the guards depend on. */
export interface Situation {
  created_by: number | null
  assigned_to: number | null
  priority: Priority
  approved_at: string | null
  root_cause: string | null
  adverse_effect_assessment: string | null
  actions: readonly { assigned_to: number; status: ActionStatus }[]
  /** The result of the newest effectiveness review; null where there is none, or it is not completed. */
  newest_result: 'effective' | 'not_effective' | null
}

/** The person who decides. */
export interface Decider extends Pick<Actor, 'userId' | 'isAdmin'> {
  /** False for Admins where they may not approve. */
  may_approve: boolean
  /** They took part in the record at any time. */
  is_involved: boolean
  /** They did one of its completed actions, or ever were its assignee. */
  has_worked: boolean
}

/** CAPA-03: another person than the author approves a draft, or an Admin where the tenant allows it. */
const isApproverAnother = (
  { created_by }: Pick<Situation, 'created_by'>,
  { userId, isAdmin, may_approve }: Pick<Decider, 'userId' | 'isAdmin' | 'may_approve'>,
) => created_by !== userId || (isAdmin && may_approve)

/** This person may approve the draft. */
export const isApprovable = (
  capa: Pick<Situation, 'created_by'>,
  by: Pick<Decider, 'userId' | 'isAdmin' | 'may_approve'>,
) => by.may_approve && isApproverAnother(capa, by)

/** CAPA-02: one that began open was approved by nobody; with such a priority its plan needs an approval. */
export const needsPlanApproval = ({ priority, approved_at }: Pick<Situation, 'priority' | 'approved_at'>) =>
  isUrgent(priority) && approved_at === null
export const isUrgent = (priority: Priority) => priority === 'high' || priority === 'critical'
/** Its actions are planned or carried out. */
export const isAtWork = (state: CapaState) => state === 'open' || state === 'in_progress'

export function guardsOf({ actions, ...capa }: Situation, by: Decider): Record<CapaGuard, boolean> {
  const { userId } = by
  const done = actions.filter(({ status }) => status === 'done')
  return {
    approver_is_another: isApproverAnother(capa, by),
    is_assigned: capa.assigned_to !== null,
    has_root_cause: capa.root_cause !== null,
    has_action: actions.some(({ status }) => status !== 'cancelled'),
    plan_is_approved: !needsPlanApproval(capa),
    actions_are_done: done.length > 0 && actions.every(({ status }) => status === 'done' || status === 'cancelled'),
    adverse_effects_are_assessed: capa.adverse_effect_assessment !== null,
    verifier_owns_none: !by.has_worked && !done.some(({ assigned_to }) => assigned_to === userId),
    was_found_effective: capa.newest_result === 'effective',
    was_found_not_effective: capa.newest_result === 'not_effective',
    independent: !by.is_involved && capa.assigned_to !== userId && capa.created_by !== userId,
    quality_unit: by.may_approve,
  }
}

export const isOver = (state: CapaState) => transitionsFrom(capaMachine, state).length === 0
/** The effectiveness review judges the CAPA as it was verified, so it is read-only meanwhile. */
export const isChangeable = (state: CapaState) => !isOver(state) && state !== 'pending_effectiveness'

/** Changes need a reason once the record has left its first state; an approved draft has left it. */
export const isFirstState = ({ status, approved_at }: { status: CapaState; approved_at: string | null }) =>
  status === 'draft' || (status === 'open' && approved_at === null)

/** The default due date, in days from the creation. */
export const dueDays: Record<Priority, number> = { critical: 15, high: 30, medium: 60, low: 90 }

/** A person can be assigned a CAPA or one of its actions if they may read and change it. */
export const assigneePermissions = ['capa.read', 'capa.update'] as const satisfies readonly Permission[]

export const actionStatuses = ['open', 'in_progress', 'done', 'cancelled'] as const
export type ActionStatus = (typeof actionStatuses)[number]
export const isActionOver = (status: ActionStatus) => status === 'done' || status === 'cancelled'

/** The most actions of a CAPA. */
export const maxActions = 100

export const reviewMethods = ['data_review', 'trend', 're_audit', 'monitoring', 'sampling', 'feedback'] as const
export const reviewResults = ['effective', 'not_effective'] as const
export const reviewStatuses = ['planned', 'completed'] as const

const noticeDays = 3

/** The day of the reminder before the due date. */
export const noticeOf = (due_date: string) => daysLater(due_date, -noticeDays)

/** The reminder of today, and the day of the next one: after the due date there is only one more. */
export const noticeAt = (due_date: string, today: string) =>
  due_date < today ? { isOverdue: true, next: null } : { isOverdue: false, next: daysLater(due_date, 1) }
