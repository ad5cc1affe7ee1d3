import type { ActionContext, Actor } from '#action'
import { forbidden, invalidField } from '#kernel/errors.ts'
import { requireGuards, requireMove } from '#kernel/machine.ts'
import type { Message } from '#kernel/message.ts'
import { readSettings } from '#modules/accounts'
import { addHistory, caseMessages, readOnly } from '#modules/casework'
import { type RecordProof, signRecord } from '#modules/signatures'
import { messages } from './messages.ts'
import { filterReaders, listApprovers } from './people.ts'
import { hasActiveCapa, type StateColumns } from './queries.ts'
import {
  type AuthorityGuard,
  type DeviationMove,
  deviationMachine,
  guardsOfAuthority,
  holds,
  isOver,
  isSigned,
  type State,
} from './rules.ts'
import { readSubject } from './signed.ts'
import type { DeviationRow } from './view.ts'

/** The record that the signer read, and the proof of their identity. */
export interface ReadyToClose {
  read: Pick<DeviationRow, 'revision' | 'attachments'>
  proof: RecordProof
}

export const denied = ({ id, number }: Pick<DeviationRow, 'id' | 'number'>, message: Message) =>
  forbidden(message, { id, number })

const refusalsOfAuthority: Readonly<Record<AuthorityGuard, (number: string) => Message>> = {
  independent: number => messages.deviation_closer_is_involved({ number }),
  quality_unit: () => messages.deviation_admin_may_not_close(),
}

/** The move to that state, for a person with its permission. */
export function requireTransition(actor: Actor, row: DeviationRow, to: State): DeviationMove {
  const move = requireMove(deviationMachine, row.number, { from: row.status, to })
  const { permission } = move
  if (!actor.permissions.has(permission)) {
    const { number, status: from } = row
    throw denied(row, caseMessages.record_transition_permission_required({ number, from, to, permission }))
  }
  return move
}

/** Checks the guards against the record with its new fields and links. */
export async function requireReady({ tx, actor }: ActionContext<unknown>, row: DeviationRow, move: DeviationMove) {
  const held = holds({
    severity: row.severity,
    assigned_to: row.assignee_id,
    reported_by: row.reporter_id,
    has_root_cause: row.root_cause !== null,
    impact_assessment: row.impact_assessment,
    no_capa_reason: row.no_capa_reason,
    has_capa: await hasActiveCapa(tx, row.id),
    // Missing form fields were refused earlier, field by field.
    is_form_complete: true,
    by: actor,
    admin_may_approve: (await readSettings(tx)).admin_may_approve,
  })
  const refused = guardsOfAuthority.find(guard => move.guards.includes(guard) && !held[guard])
  if (refused) throw denied(row, refusalsOfAuthority[refused](row.number))
  requireGuards(deviationMachine, row.number, move, held)
}

export const requireReason = ({ needs_reason }: DeviationMove, reason: string | null) => {
  if (needs_reason && reason === null) throw invalidField('change_reason', caseMessages.record_reason_required())
}

/** The columns that the transition sets. */
export const stateColumnsOf = ({ to }: DeviationMove, { actor, services }: ActionContext<unknown>): StateColumns =>
  to === 'closed'
    ? { status: to, closed_at: services.clock.now().toISOString(), closed_by: actor.userId }
    : { status: to, closed_at: null, closed_by: null }

/** Signs the transition, and writes history and audit trail; `before` and `row` are the record before and after it. */
export async function settle(
  context: ActionContext<ReadyToClose | undefined>,
  move: DeviationMove,
  { before, row }: { before: DeviationRow; row: DeviationRow },
  { reason, intent }: { reason: string | null; intent: string | null },
) {
  const { tx, record } = context
  const signature_id = isSigned(move, row.severity) ? await signMove(context, row, move, reason, intent) : null
  const { id, number, reporter_id, assignee_id } = row
  await addHistory(
    tx,
    { kind: 'deviation', id, number },
    { move: move.name, from_status: before.status, to_status: row.status, reason, signature_id },
  )
  record('deviation.state_changed', id, {
    number,
    before: { status: before.status, closed_at: before.closed_at, revision: before.revision },
    after: {
      status: row.status,
      move: move.name,
      signature_id,
      closed_at: row.closed_at,
      revision: row.revision,
    },
    reason,
    // A newly assigned person is notified of the assignment instead.
    notify: await filterReaders(tx, [reporter_id, ...(assignee_id === before.assignee_id ? [assignee_id] : [])]),
    assignees:
      row.status === 'pending_approval'
        ? await listApprovers(tx, 'deviations.close', { but: [reporter_id, assignee_id] })
        : [],
  })
}

async function signMove(
  context: ActionContext<ReadyToClose | undefined>,
  row: DeviationRow,
  { signature }: DeviationMove,
  reason: string | null,
  intent: string | null,
) {
  const { proof } = context.prepared!
  return signRecord(context, (await readSubject(context.tx, row.id))!, {
    signature_type: signature!.type,
    intent: intent ?? reason ?? `closure of ${row.number}`,
    occasion: { kind: 'closure', ref: String(row.content_revision) },
    proof,
  })
}

/** A closed or cancelled deviation takes no change, except that a closed one is reopened. */
export function refuseLocked({ number, status }: DeviationRow, to: State | undefined) {
  if (!isOver(status)) return
  if (to === undefined) throw readOnly({ kind: 'deviation', number, status })
  requireMove(deviationMachine, number, { from: status, to })
}
