import type { ActionContext, Actor } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { requireGuards, requireMove } from '#kernel/machine.ts'
import type { Message } from '#kernel/message.ts'
import { readSettings } from '#modules/accounts'
import { addHistory, caseMessages } from '#modules/casework'
import { type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { approveActions, silenceActions } from './action-queries.ts'
import { messages } from './messages.ts'
import { filterReaders, peopleOf } from './people.ts'
import { setFields } from './queries.ts'
import {
  type CapaMove,
  type CapaState,
  capaMachine,
  guardsOf,
  guardsOfPerson,
  isGuardOfPerson,
  isOver,
  type PersonGuard,
} from './rules.ts'
import { signedCapas } from './subject.ts'
import { denied, loadCapa, nextRevision, recorded, refOf, situationOf, type Work } from './view.ts'

const refusalsOfPerson: Readonly<Record<PersonGuard, (number: string) => Message>> = {
  approver_is_another: number => messages.capa_author_cannot_approve({ number }),
  verifier_owns_none: number => messages.capa_action_assignee_cannot_verify({ number }),
  closer_is_another: number => messages.capa_owner_cannot_close({ number }),
}

/** The move to that state, where this person may make it now; otherwise it throws the refusal. */
export async function requireTransition(
  tx: Tx,
  actor: Actor,
  work: Work,
  to: CapaState,
  reason: string | null,
): Promise<CapaMove> {
  const { number, status } = work.row
  const move = requireMove(capaMachine, number, { from: status, to })
  const { permission, needs_reason, guards } = move
  if (!actor.permissions.has(permission))
    throw denied(caseMessages.record_transition_permission_required({ number, from: status, to, permission }), work)
  if (needs_reason && reason === null) throw invalidField('change_reason', caseMessages.record_reason_required())
  const holds = guardsOf(situationOf(work), actor, await readSettings(tx))
  // The person can supply what is missing, but not become another person: so these refusals come first.
  requireGuards(capaMachine, number, { ...move, guards: guards.filter(each => !isGuardOfPerson(each)) }, holds)
  const personal = guardsOfPerson.find(guard => guards.includes(guard) && !holds[guard])
  if (personal) throw denied(refusalsOfPerson[personal](number), work)
  return move
}

interface TransitionInput {
  reason: string | null
  intent?: string | undefined
  proof?: RecordProof | undefined
}

/** Applies the transition. The caller holds the lock and has counted the revision, because a final CAPA takes no further update. */
export async function applyTransition(
  context: ActionContext<unknown>,
  work: Work,
  move: CapaMove,
  input: TransitionInput,
) {
  const { tx, actor, record, services } = context
  const { id, number, status } = work.row
  const at = services.clock.now().toISOString()
  const signature_id = move.signature ? await signMove(context, work, move, input) : null
  const verified = move.name === 'verify' ? await verifyActions(context, work, at) : undefined
  if (isOver(move.to)) await silenceActions(tx, id)
  const moments = {
    ...(move.name === 'approve_draft' && { approved_at: at }),
    ...(move.to === 'closed' && { closed_at: at }),
  }
  await setFields(tx, id, {
    status: move.to,
    ...moments,
    ...(move.name === 'approve_draft' && { approved_by: actor.userId }),
    ...(move.to === 'closed' && { closed_by: actor.userId }),
    ...(isOver(move.to) && { notice_on: null }),
  })
  await addHistory(tx, refOf(work), {
    move: move.name,
    from_status: status,
    to_status: move.to,
    reason: input.reason,
    signature_id,
  })
  record('capa.state_changed', id, {
    number,
    before: { status, revision: work.row.revision, ...(verified && { actions: recorded(work).actions }) },
    after: {
      status: move.to,
      move: move.name,
      signature_id,
      revision: nextRevision(work),
      ...moments,
      ...(verified && { actions: recorded(verified).actions }),
    },
    reason: input.reason,
    notify: await peopleOf(tx, work),
    assignees: await filterReaders(tx, nextAssignees(move, work)),
  })
}

/** The people who have to act next after the transition. */
function nextAssignees({ name }: CapaMove, { row, actions }: Work) {
  if (name === 'verify') return [row.planned_reviewer]
  return name === 'approve_draft' ? [row.assigned_to?.id, ...actions.map(each => each.assigned_to.id)] : []
}

async function verifyActions(context: ActionContext<unknown>, { row }: Work, at: string): Promise<Work> {
  await approveActions(context.tx, row.id, at, context.actor.userId)
  return loadCapa(context, row.id)
}

async function signMove(
  context: ActionContext<unknown>,
  work: Work,
  { name, signature }: CapaMove,
  { reason, intent, proof }: TransitionInput,
): Promise<number> {
  if (!proof) throw conflict(caseMessages.record_changed_while_signing({ number: work.row.number }))
  return signRecord(context, (await signedCapas.read(context.tx, work.row.id))!, {
    signature_type: signature!.type,
    intent: intent ?? reason!,
    occasion: { kind: 'closure', ref: name },
    proof,
  })
}
