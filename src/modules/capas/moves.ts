import type { ActionContext, Actor } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { requireGuards, requireMove } from '#kernel/machine.ts'
import { readSettings } from '#modules/accounts'
import { addHistory } from '#modules/casework'
import { type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { approveActions, silenceActions } from './action-queries.ts'
import { filterReaders, peopleOf } from './people.ts'
import { setFields } from './queries.ts'
import { type CapaMove, type CapaState, capaMachine, guardsOf, guardsOfPerson, isOver } from './rules.ts'
import { signedCapas } from './subject.ts'
import { denied, loadCapa, nextRevision, recorded, refOf, requirePermission, situationOf, type Work } from './view.ts'

/** The move that takes the CAPA there, where this person may make it now; else the refusal that says why not. */
export async function requireTransition(
  tx: Tx,
  actor: Actor,
  work: Work,
  to: CapaState,
  reason: string | null,
): Promise<CapaMove> {
  const { number, status } = work.row
  const move = requireMove(capaMachine, number, { from: status, to })
  requirePermission(actor, move.permission, `To take ${number} from ${status} to ${to}`, work)
  if (move.needs_reason && reason === null)
    throw invalidField('change_reason', `is required to take ${number} from ${status} to ${to}`, 'missing')
  const holds = guardsOf(situationOf(work), actor, await readSettings(tx))
  // What is missing can be mended; that it is for somebody else to do cannot.
  requireGuards(
    capaMachine,
    number,
    { ...move, guards: move.guards.filter(each => !guardsOfPerson.includes(each)) },
    holds,
  )
  const personal = move.guards.find(guard => guardsOfPerson.includes(guard) && !holds[guard])
  if (personal) throw denied(`${number} cannot become ${to} by you: ${capaMachine.guards[personal]}`, work)
  return move
}

interface Said {
  reason: string | null
  intent?: string | undefined
  proof?: RecordProof | undefined
}

/** Takes the CAPA from state to state; the caller holds its lock, and has counted the revision: what is over changes no more. */
export async function applyTransition(context: ActionContext<unknown>, work: Work, move: CapaMove, said: Said) {
  const { tx, actor, record, services } = context
  const { id, number, status } = work.row
  const at = services.clock.now().toISOString()
  const signature_id = move.signature ? await signMove(context, work, move, said) : null
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
    reason: said.reason,
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
    reason: said.reason,
    concerns: await peopleOf(tx, work),
    asks: await filterReaders(tx, whoseTurn(move, work)),
  })
}

/** Whose the next step is, where a move makes it theirs. */
function whoseTurn({ name }: CapaMove, { row, actions }: Work) {
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
  { reason, intent, proof }: Said,
): Promise<number> {
  if (!proof) throw conflict(`${work.row.number} was changed while you signed it: read it again`)
  return signRecord(context, (await signedCapas.read(context.tx, work.row.id))!, {
    signature_type: signature!.type,
    intent: intent ?? reason!,
    occasion: { kind: 'closure', ref: name },
    proof,
  })
}
