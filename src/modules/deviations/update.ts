import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, command, type PrepareContext } from '#action'
import { requireAll } from '#action/allowed.ts'
import { conflict, invalidField } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import {
  caseMessages,
  requireAssignedTo,
  requireForOneself,
  requireReader,
  requireReasonFor,
  setLinks,
} from '#modules/casework'
import { proveToSign } from '#modules/signatures'
import { present, requirePermitted, requireWriter, toUpdate } from './acts.ts'
import { changesTo, contentOf, type Written } from './content.ts'
import { messages } from './messages.ts'
import { updateDeviation } from './queries.ts'
import {
  type DeviationTransition,
  deviationMachine,
  isGuardOfAuthority,
  isInvestigated,
  isSigned,
  type State,
} from './rules.ts'
import { Deviation, DeviationUpdate } from './schema.ts'
import { type ReadyToClose, readiness, refuseLocked, settle, stateColumnsOf } from './transitions.ts'
import { listAsked } from './unassigned.ts'
import { type DeviationRow, lockForWork, recorded, requireDeviation } from './view.ts'

/** Runs ahead of the lock, because checking a password takes longer than a lock may be held. Refusals are decided under the lock. */
async function prove(
  context: PrepareContext,
  id: number,
  { status, password, otp, signing_challenge }: DeviationUpdate,
): Promise<ReadyToClose | undefined> {
  const { actor, services, read } = context
  requireReader(actor, 'deviation', id)
  if (status === undefined) return undefined
  const row = await read(tx => requireDeviation({ tx, services }, id))
  const transition = deviationMachine.transitions.find(each => each.from.includes(row.status) && each.to === status)
  if (!transition || !actor.permissions.has(transition.permission) || !isSigned(transition, row.severity))
    return undefined
  return {
    read: readOf(row),
    proof: await proveToSign(context, { type: 'deviation', id }, { password, otp, signing_challenge }),
  }
}

export const update = command({
  summary: 'Change a deviation, or move it to another state',
  description:
    'Sets the fields, and then the `status`. The reporter may change the report while it is open, and the assignee may investigate and submit it. Later each change needs a `change_reason`. A major or critical deviation is closed or cancelled with a signature: `password`, `otp` where enrolled, and the `intent`, which is the reason by default.',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: IdParams, body: DeviationUpdate },
  response: Deviation,
  prepare: (context, { params, body }) => prove(context, params.id, body),
  async run(context, { params, body }) {
    const before = await lockForWork(context, params.id)
    const { status, intent = null, change_reason: reason = null } = body
    refuseLocked(before, status)
    requireAssignedTo(context.actor, before, isInvestigated(before.status) ? [before.assignee_id] : [])
    if (before.status !== 'open' && reason === null)
      throw invalidField('change_reason', caseMessages.record_reason_required())
    const change = changesTo(before, body)
    requireWriter(context.actor, before, change, { isMoved: status !== undefined })
    requireSameSeverity(before, change, status)
    const next = deviationMachine.transitions.find(each => each.from.includes(before.status) && each.to === status)
    const content = await contentOf(context, before, change, {
      reported_at: before.reported_at,
      isComplete: [next?.to, before.status].some(each => each === 'pending_approval' || each === 'closed'),
    })
    if (body.due_date !== undefined && body.due_date !== before.due_date)
      throw invalidField(
        'due_date',
        caseMessages.record_due_date_needs_extension({ path: `/api/deviations/${before.id}/extend` }),
      )
    const transition = status && requirePermitted(context.actor, before, status)
    if (transition?.guards.some(isGuardOfAuthority)) requireForOneself(context.actor, before)
    if (transition) requireReasonFor(transition, reason)
    const { id, number } = before
    const { document_ids, capa_ids } = change
    await setLinks(context, { kind: 'deviation', id, number }, { document_ids, capa_ids }, { reason })
    await write(context, before, content, transition)
    const row = await requireDeviation(context, id)
    const isChanged = Object.keys(content).length > 0
    if (isChanged || !transition) await recordChange(context, before, row, reason)
    if (transition) {
      await requireAll(readiness(context, before, row, transition))
      requireUnchanged(context, before, row, transition)
      await settle(context, transition, { before, row }, { reason, intent })
    }
    return present(context, row)
  },
})

/** Fields and state change in one statement, because the database lets a closed deviation change only by reopening it. */
function write(
  context: ActionContext<unknown>,
  before: DeviationRow,
  content: Awaited<ReturnType<typeof contentOf>>,
  transition: DeviationTransition | undefined,
) {
  // Reopening counts as a change of content, so that the old closure signature no longer covers the record.
  const isContent = Object.keys(content).length > 0 || transition?.name === 'reopen'
  const values = { ...content, ...(transition && stateColumnsOf(transition, context)) }
  return updateDeviation(context.tx, before, values, { isContent })
}

/** The conditions of a closure depend on the severity, so the person who closes must not change it. */
function requireSameSeverity({ number, status, severity }: DeviationRow, change: Written, to: State | undefined) {
  if (to === 'cancelled' && change.severity !== undefined && change.severity !== severity)
    throw conflict(messages.deviation_severity_fixed_by_cancelling({ number, severity }))
  if (status !== 'pending_approval' || to === 'under_investigation') return
  if (change.severity !== undefined && change.severity !== severity)
    throw conflict(messages.deviation_severity_fixed({ number, severity }))
}

const readOf = ({ revision, attachments }: DeviationRow) => ({ revision, attachments })

/** A signer must have read the record as it is; their own changes in this request are known to them. */
function requireUnchanged(
  { prepared }: ActionContext<ReadyToClose | undefined>,
  before: DeviationRow,
  { severity }: DeviationRow,
  transition: DeviationTransition,
) {
  if (isSigned(transition, severity) && !(prepared && isDeepStrictEqual(prepared.read, readOf(before))))
    throw conflict(caseMessages.record_changed_while_signing({ number: before.number }))
}

async function recordChange(
  { tx, actor, record }: ActionContext<unknown>,
  before: DeviationRow,
  row: DeviationRow,
  reason: string | null,
) {
  const isReassigned =
    row.assignee_id !== before.assignee_id && (row.assignee_id === null || row.assignee_id !== actor.userId)
  record('deviation.updated', row.id, {
    number: row.number,
    before: recorded(before),
    after: recorded(row),
    reason,
    assignees: isReassigned ? await listAsked(tx, row) : [],
  })
}
