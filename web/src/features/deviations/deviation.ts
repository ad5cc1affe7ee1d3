import { type Answer, call } from '../../api/client.ts'
import type { Operations } from '../../api/operations.generated.ts'
import { type Allowed, nothing } from '../../records/allowed.ts'
import type { Case, Sent } from '../../records/case/case.ts'

export type Deviation = Answer<'GET /api/deviations/{id}'>
export type Change = Operations['PUT /api/deviations/{id}']['body']
export type RootCause = NonNullable<Deviation['root_cause']>

export const steps = ['open', 'under_investigation', 'pending_approval', 'closed'] as const
export const youOf = ({ you }: Deviation): Allowed => you ?? nothing

export const caseOf = (deviation: Deviation): Case => ({
  kind: 'deviations',
  id: deviation.id,
  number: deviation.number,
  title: deviation.title,
  revision: deviation.revision,
  needsReason: deviation.status !== 'open',
  updated_at: deviation.updated_at,
  updated_by: deviation.updated_by,
  you: youOf(deviation),
})

export const save = ({ id }: Pick<Deviation, 'id'>, change: Change, sent: Sent) =>
  call('PUT /api/deviations/{id}', { path: { id }, body: { ...change, ...sent } })

/** A minor deviation is closed or cancelled without a signature. */
export const isSigned = ({ severity }: Pick<Deviation, 'severity'>) => severity !== 'minor'

export const isOver = ({ status }: Pick<Deviation, 'status'>) => status === 'closed' || status === 'cancelled'

/** Any of these permissions is enough to change a part; the service decides again when it is saved. */
const changedBy = {
  report: ['deviations.update'],
  findings: ['deviations.update', 'deviations.investigate'],
  severity: ['deviations.assess'],
  assessment: ['deviations.assess', 'deviations.investigate'],
  investigation: ['deviations.investigate'],
  assignment: ['deviations.update', 'deviations.assess'],
} as const
export type EditablePart = keyof typeof changedBy
const ofAssignee: readonly EditablePart[] = ['findings', 'assessment', 'investigation']

interface Reader {
  id: number
  permissions: readonly string[]
}

/** Whether a person may change a part of it: the reporter the report while it is open, the assignee what they investigate. */
export function canEdit(deviation: Deviation, part: EditablePart, { id, permissions }: Reader): boolean {
  const { status, reported_by, assigned_to } = deviation
  const you = youOf(deviation)
  // The deputy writes down the findings of the assignee.
  if (you.for?.some(({ may }) => may.includes('update')) && ofAssignee.includes(part)) return true
  if (!you.may.includes('update')) return false
  if (status === 'open' && reported_by.id === id && (part === 'report' || part === 'findings')) return true
  const investigates = assigned_to?.id === id && (status === 'open' || status === 'under_investigation')
  return changedBy[part].some(each => permissions.includes(each) || (investigates && each === 'deviations.investigate'))
}

/** The fields that somebody changed. */
export function changedFrom<T extends object>(before: T, fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof T])),
  ) as Partial<T>
}
