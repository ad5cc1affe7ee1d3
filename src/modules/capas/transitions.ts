import type { ActionContext, Actor } from '#action'
import { requireGuards } from '#kernel/machine.ts'
import { readSettings } from '#modules/accounts'
import {
  filterReaders,
  type PersonRefusals,
  recordTransition,
  requireOtherPerson,
  requirePermittedTransition,
  requireReasonFor,
  signTransition,
} from '#modules/casework'
import type { RecordProof } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { approveActions, silenceActions } from './action-queries.ts'
import { messages } from './messages.ts'
import { setFields } from './queries.ts'
import {
  type CapaState,
  type CapaTransition,
  capaMachine,
  guardsOf,
  isGuardOfPerson,
  isOver,
  type PersonGuard,
} from './rules.ts'
import { signedCapas } from './signed.ts'
import { loadCapa, nextRevision, readersOf, recorded, refOf, situationOf, type Work } from './view.ts'

const refusalsOfPerson: PersonRefusals<PersonGuard> = {
  approver_is_another: number => messages.capa_author_cannot_approve({ number }),
  verifier_owns_none: number => messages.capa_action_assignee_cannot_verify({ number }),
  closer_is_another: number => messages.capa_owner_cannot_close({ number }),
}

/** The transition to that state, where this person may take it now; otherwise it throws the refusal. */
export async function requireTransition(
  tx: Tx,
  actor: Actor,
  work: Work,
  to: CapaState,
  reason: string | null,
): Promise<CapaTransition> {
  const transition = requirePermittedTransition(capaMachine, actor, work.row, to)
  requireReasonFor(transition, reason)
  const holds = guardsOf(situationOf(work), actor, await readSettings(tx))
  // The person can supply what is missing, but not become another person: so these refusals come first.
  const guards = transition.guards.filter(each => !isGuardOfPerson(each))
  requireGuards(capaMachine, work.row.number, { ...transition, guards }, holds)
  requireOtherPerson(work.row, transition, holds, refusalsOfPerson)
  return transition
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
  transition: CapaTransition,
  { reason, intent, proof }: TransitionInput,
) {
  const { tx, actor, services } = context
  const { id, status, revision } = work.row
  const { name, to } = transition
  const at = services.clock.now().toISOString()
  const signature_id = transition.signature
    ? await signTransition(context, signedCapas, work.row, transition, { intent: intent ?? reason!, ref: name, proof })
    : null
  const verified = name === 'verify' ? await verifyActions(context, work, at) : undefined
  if (isOver(to)) await silenceActions(tx, id)
  const moments = {
    ...(name === 'approve_draft' && { approved_at: at }),
    ...(to === 'closed' && { closed_at: at }),
  }
  await setFields(tx, id, {
    status: to,
    ...moments,
    ...(name === 'approve_draft' && { approved_by: actor.userId }),
    ...(to === 'closed' && { closed_by: actor.userId }),
    ...(isOver(to) && { notice_on: null }),
  })
  await recordTransition(context, refOf(work), transition, {
    ...{ from: status, reason, signature_id },
    before: { revision, ...(verified && { actions: recorded(work).actions }) },
    after: { revision: nextRevision(work), ...moments, ...(verified && { actions: recorded(verified).actions }) },
    notify: await readersOf(tx, work),
    assignees: await filterReaders(tx, 'capa', nextAssignees(transition, work)),
  })
}

/** The people who have to act next after the transition. */
function nextAssignees({ name }: CapaTransition, { row, actions }: Work) {
  if (name === 'verify') return [row.planned_reviewer]
  return name === 'approve_draft' ? [row.assigned_to?.id, ...actions.map(each => each.assigned_to.id)] : []
}

async function verifyActions(context: ActionContext<unknown>, { row }: Work, at: string): Promise<Work> {
  await approveActions(context.tx, row.id, at, context.actor.userId)
  return loadCapa(context, row.id)
}
