import type { ActionContext } from '#action'
import { type Check, requireAll } from '#action/allowed.ts'
import type { Permission } from '#kernel/catalogue.ts'
import { requireGuards } from '#kernel/machine.ts'
import { messages as shared } from '#kernel/messages.ts'
import { mayApprove, readSettings } from '#modules/accounts'
import {
  filterReaders,
  hasWorkedOn,
  involvingChange,
  listIndependent,
  listInvolved,
  type PersonRefusals,
  recordTransition,
  refusedInvolvement,
  requireForOneself,
  requireOtherPerson,
  requirePermittedTransition,
  requireReasonFor,
  signTransition,
} from '#modules/casework'
import type { RecordProof } from '#modules/signatures'
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
import { involvingFacts, loadCapa, nextRevision, readersOf, recorded, refOf, situationOf, type Work } from './view.ts'

export type Deciding = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The transition to that state, where this person may take it now, or the refusal. `before` is the CAPA before this command. */
export async function requireTransition(
  context: Deciding,
  work: Work,
  to: CapaState,
  reason: string | null,
  before: Work = work,
): Promise<CapaTransition> {
  const { actor } = context
  const transition = requirePermittedTransition(capaMachine, actor, work.row, to)
  if (transition.guards.some(isGuardOfPerson)) requireForOneself(actor, work.row)
  requireReasonFor(transition, reason)
  await requireAll(readiness(context, work, transition, before))
  return transition
}

/** The conditions of the transition. The person can supply what is missing, but not become another person: so these refusals come first. */
export function readiness(context: Deciding, work: Work, transition: CapaTransition, before: Work = work): Check[] {
  let found: ReturnType<typeof holding> | undefined
  const facts = () => {
    found ??= holding(context, work, transition, before)
    return found
  }
  const guards = transition.guards.filter(each => !isGuardOfPerson(each))
  return [
    async () => requireGuards(capaMachine, work.row.number, { ...transition, guards }, (await facts()).holds),
    async () => {
      const { holds, refusals } = await facts()
      requireOtherPerson(work.row, transition, holds, refusals)
    },
  ]
}

/** Which conditions hold, and the refusals of those on the person. */
async function holding(context: Deciding, work: Work, transition: CapaTransition, before: Work) {
  const { tx, actor } = context
  const { number } = work.row
  const isAsked = transition.guards.some(guard => guard === 'independent' || guard === 'verifier_owns_none')
  const involved = isAsked ? await listInvolvedIn(context, before, work) : []
  const refused = await refusedInvolvement(context, { kind: 'capa', number }, transition.permission, involved)
  const done = work.actions.filter(({ status }) => status === 'done').map(({ id }) => id)
  const holds = guardsOf(situationOf(work), {
    ...{ userId: actor.userId, isAdmin: actor.isAdmin, may_approve: mayApprove(await readSettings(tx), actor) },
    is_involved: refused !== undefined,
    has_worked: hasWorkedOn(involved, actor.username, done),
  })
  const refusals: PersonRefusals<PersonGuard> = {
    approver_is_another: () => messages.capa_author_cannot_approve({ number }),
    verifier_owns_none: () => messages.capa_action_assignee_cannot_verify({ number }),
    independent: () => messages.capa_closer_is_involved(refused!),
    quality_unit: () => shared.admin_may_not_approve(),
  }
  return { holds, refusals }
}

/** Everybody who ever took part in the CAPA, with what this command changes of it. */
export const listInvolvedIn = ({ tx, ...by }: Deciding, before: Work, work = before) =>
  listInvolved(tx, 'capa', work.row.id, involvingChange(by, involvingFacts(before), involvingFacts(work)))

/** The people who can decide it with this permission, and are notified. */
export const listDecidersOf = async (context: Deciding, permission: Permission, before: Work, work = before) =>
  (await listIndependent(context.tx, 'capa', permission, await listInvolvedIn(context, before, work))).map(
    ({ id }) => id,
  )

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
