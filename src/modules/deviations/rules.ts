import { type Actor, taskOwner } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { daysLater } from '#kernel/day.ts'
import type { Machine, Transition } from '#kernel/machine.ts'
import type { Message } from '#kernel/message.ts'
import { type Severity, severities } from '#modules/severity'
import { printed as conditions, messages } from './messages.ts'

export { type Severity, severities }

export const states = ['open', 'under_investigation', 'pending_approval', 'closed', 'cancelled'] as const
export type State = (typeof states)[number]
/** The states in which nothing is left to do. */
const endStates: readonly State[] = ['closed', 'cancelled']
export const isOver = (status: string) => (endStates as readonly string[]).includes(status)

const guardNames = [
  'assigned',
  'root_cause',
  'impact_assessed',
  'form_complete',
  'capa_decided',
  'independent',
  'quality_unit',
  'not_reporter',
] as const
export type Guard = (typeof guardNames)[number]

export const deviationMachine: Machine<State, Guard> = {
  states: {
    open: 'Reported, and not under investigation yet',
    under_investigation: 'Its cause and impact are being investigated',
    pending_approval: 'Investigated; awaits its closure by the quality unit',
    closed: 'Approved; read-only unless it is reopened',
    cancelled: 'Found to be no deviation, or reported by mistake; final',
  },
  initial: ['open'],
  transitions: [
    {
      name: 'investigate',
      from: ['open'],
      to: 'under_investigation',
      permission: 'deviations.investigate',
      guards: ['assigned'],
    },
    {
      name: 'submit',
      from: ['under_investigation'],
      to: 'pending_approval',
      permission: 'deviations.investigate',
      guards: ['root_cause', 'impact_assessed', 'form_complete'],
    },
    {
      name: 'send_back',
      from: ['pending_approval'],
      to: 'under_investigation',
      permission: 'deviations.approve',
      guards: [],
      needs_reason: true,
    },
    {
      name: 'close',
      from: ['pending_approval'],
      to: 'closed',
      permission: 'deviations.close',
      guards: ['independent', 'quality_unit', 'root_cause', 'impact_assessed', 'form_complete', 'capa_decided'],
      signature: { type: 'closure', when: 'major or critical' },
    },
    {
      name: 'cancel',
      from: ['open', 'under_investigation'],
      to: 'cancelled',
      permission: 'deviations.assess',
      guards: ['not_reporter', 'quality_unit'],
      needs_reason: true,
      signature: { type: 'closure', when: 'major or critical' },
    },
    {
      name: 'reopen',
      from: ['closed'],
      to: 'under_investigation',
      permission: 'deviations.reopen',
      guards: [],
      needs_reason: true,
    },
  ],
  guards: {
    assigned: conditions.deviation_condition_assigned(),
    root_cause: conditions.deviation_condition_root_cause(),
    impact_assessed: conditions.deviation_condition_impact_assessed(),
    form_complete: conditions.deviation_condition_form_complete(),
    capa_decided: conditions.deviation_condition_capa_decided(),
    independent: conditions.deviation_condition_independent(),
    quality_unit: conditions.deviation_condition_quality_unit(),
    not_reporter: conditions.deviation_condition_not_reporter(),
  },
}
export type DeviationTransition = Transition<State, Guard>

/** These depend on the person alone, so the refusal is a 403 that the audit trail keeps. */
export const guardsOfAuthority = ['independent', 'quality_unit', 'not_reporter'] as const
export type AuthorityGuard = (typeof guardsOfAuthority)[number]
export const isGuardOfAuthority = (guard: Guard) => guardsOfAuthority.some(each => each === guard)

/** The facts that the guards depend on. */
export interface Facts {
  severity: Severity
  assigned_to: number | null
  reported_by: number
  has_root_cause: boolean
  impact_assessment: string | null
  no_capa_reason: string | null
  /** A linked CAPA that is neither rejected nor cancelled. */
  has_capa: boolean
  is_form_complete: boolean
  /** This person took part in the record at any time. */
  is_involved: boolean
  by: { userId: number | null }
  /** False for Admins where they may not approve. */
  may_approve: boolean
}

/** The guards that depend on the person alone. */
const holdsOfPerson = ({
  reported_by,
  assigned_to,
  is_involved,
  by,
  may_approve,
}: Pick<Facts, 'reported_by' | 'assigned_to' | 'is_involved' | 'by' | 'may_approve'>) => ({
  independent: !is_involved && by.userId !== reported_by && by.userId !== assigned_to,
  quality_unit: may_approve,
})

export const canDecideClosure = (facts: Parameters<typeof holdsOfPerson>[0]) =>
  Object.values(holdsOfPerson(facts)).every(Boolean)

const isSerious = (severity: Severity) => severity !== 'minor'

export const holds = (facts: Facts): Record<Guard, boolean> => ({
  assigned: facts.assigned_to !== null,
  root_cause: !isSerious(facts.severity) || facts.has_root_cause,
  impact_assessed: !isSerious(facts.severity) || facts.impact_assessment !== null,
  form_complete: facts.is_form_complete,
  capa_decided: facts.severity !== 'critical' || facts.has_capa || facts.no_capa_reason !== null,
  not_reporter: !isSerious(facts.severity) || facts.by.userId !== facts.reported_by,
  ...holdsOfPerson(facts),
})

/** A minor deviation is closed or cancelled without a signature. */
export const isSigned = ({ signature }: Pick<DeviationTransition, 'signature'>, severity: Severity) =>
  signature !== undefined && isSerious(severity)

/** The assignee investigates the deviation until it is submitted. */
export const isInvestigated = (status: string) => status === 'open' || status === 'under_investigation'

/** The assignee, or their deputy, may investigate this deviation without the permission to investigate all of them. */
export const permissionsOn = (
  { status, assignee_id }: { status: string; assignee_id: number | null },
  { permissions, ...actor }: Pick<Actor, 'permissions' | 'userId' | 'standsInFor'>,
): ReadonlySet<Permission> =>
  assignee_id !== null && assignee_id === taskOwner(actor) && isInvestigated(status)
    ? new Set<Permission>([...permissions, 'deviations.investigate'])
    : permissions

/** A person can be assigned a deviation if they may read and change it. */
export const assigneePermissions = ['deviations.read', 'deviations.create'] as const satisfies readonly Permission[]

/** Any one of these permissions is enough to change the fields of a part. */
const changedBy = {
  report: ['deviations.update'],
  findings: ['deviations.update', 'deviations.investigate'],
  severity: ['deviations.assess'],
  assessment: ['deviations.assess', 'deviations.investigate'],
  investigation: ['deviations.investigate'],
  assignment: ['deviations.update', 'deviations.assess'],
} as const satisfies Record<string, readonly Permission[]>

/** Any one of these permissions is enough to assign a deviation. */
const assigningPermissions: readonly Permission[] = changedBy.assignment

export const mayAssignDeviations = (permissions: ReadonlySet<Permission>) =>
  assigningPermissions.some(permission => permissions.has(permission))

/** The part of the record that each field belongs to. */
const partOf = {
  title: 'report',
  description: 'report',
  category: 'report',
  department: 'report',
  occurred_at: 'report',
  detected_at: 'report',
  late_report_reason: 'report',
  affected_items: 'findings',
  immediate_action: 'report',
  form_template_id: 'report',
  form_data: 'findings',
  document_ids: 'findings',
  capa_ids: 'findings',
  severity: 'severity',
  severity_decision: 'severity',
  severity_reason: 'severity',
  impact_assessment: 'assessment',
  no_capa_reason: 'assessment',
  investigation: 'investigation',
  root_cause: 'investigation',
  assigned_to: 'assignment',
} as const satisfies Record<string, keyof typeof changedBy>
export type Field = keyof typeof partOf
export const fields = Object.keys(partOf) as Field[]

interface Writer {
  permissions: ReadonlySet<Permission>
  /** The reporter may write the report until it is taken up. */
  isReporting: boolean
  /** In the report itself the reporter may also enter severity and assessment. */
  isNew: boolean
}

/** A person who may write no field must not even count the revision. */
export const mayWriteAny = ({ permissions, isReporting }: Omit<Writer, 'isNew'>) =>
  isReporting || Object.values(changedBy).some(part => part.some(permission => permissions.has(permission)))

/** The refusal of the first field that the person may not write; undefined where they may write all of them. */
export function fieldRefusal(
  written: readonly Field[],
  { permissions, isReporting, isNew }: Writer,
): Message | undefined {
  for (const field of written) {
    const part = partOf[field]
    const ofReporter = isNew ? ['report', 'findings', 'severity', 'assessment'] : ['report', 'findings']
    const isOwn = isReporting && ofReporter.includes(part)
    if (isOwn || changedBy[part].some(permission => permissions.has(permission))) continue
    return messages.deviation_field_permission_required({ field, permissions: changedBy[part] })
  }
  return undefined
}

/** A report so long after the detection needs a reason; `is_reported_late()` of the database has the same limit. */
export const lateAfterHours = 24
export const isReportedLate = (detected_at: string, reported_at: string) =>
  Date.parse(reported_at) - Date.parse(detected_at) > lateAfterHours * 3_600_000

const noticeDays = 3

/** The day of the reminder before the due date. */
export const noticeOf = (due_date: string) => daysLater(due_date, -noticeDays)
