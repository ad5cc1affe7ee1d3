// Transitions of every kind of record: who may take one, its signature, its line of the history and its audit entry. The kind supplies its
// machine, the refusals of its conditions, and the columns that change.
import type { ActionContext, Actor } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { findPath, type Machine, requireTransition, type Transition } from '#kernel/machine.ts'
import type { Message } from '#kernel/message.ts'
import { type RecordProof, type RecordReader, signRecord } from '#modules/signatures'
import { messages } from '../messages.ts'
import { denied } from './access.ts'
import type { CaseRef } from './kinds.ts'
import { addHistory } from './record-queries.ts'

interface Standing<S> {
  id: number
  number: string
  status: S
}

/** The transition to that state, for a person with its permission. */
export function requirePermittedTransition<S extends string, G extends string>(
  machine: Machine<S, G>,
  actor: Actor,
  { id, number, status: from }: Standing<S>,
  to: S,
): Transition<S, G> {
  const transition = requireTransition(machine, number, { from, to })
  requirePermissionFor(actor, { id, number, status: from }, transition)
  return transition
}

/** The person has the permission of the transition, whatever the state of the record. */
export function requirePermissionFor<S extends string>(
  actor: Actor,
  { id, number, status: from }: Standing<S>,
  { to, permission }: Pick<Transition<S, string>, 'to' | 'permission'>,
) {
  if (!actor.permissions.has(permission))
    throw denied({ id, number }, messages.record_transition_permission_required({ number, from, to, permission }))
}

/**
 * The closure of a record that is not ready for it, with every condition on the path to it, so that a person sees early what is missing.
 * Undefined where the closure is the next step, or no path leads to it.
 */
export function findLaterClosure<S extends string, G extends string>(
  machine: Machine<S, G>,
  status: S,
  isGuardOfPerson: (guard: G) => boolean,
): Transition<S, G> | undefined {
  const path = findPath(machine, status, 'closed' as S)
  const close = path.at(-1)
  if (!close || path.length === 1) return undefined
  const guards = path.flatMap(each => each.guards.filter(guard => !isGuardOfPerson(guard)))
  return { ...close, guards: [...new Set(guards)] }
}

export function requireReasonFor({ needs_reason }: { needs_reason?: boolean }, reason: string | null) {
  if (needs_reason && reason === null) throw invalidField('change_reason', messages.record_reason_required())
}

/** The refusal of each condition that depends on the person alone: another person has to act. */
export type PersonRefusals<P extends string> = Readonly<Record<P, (number: string) => Message>>

/** Closures and drafts are decided for oneself: everybody with the permission may, so nobody needs a deputy for them. */
export function requireForOneself({ standsInFor }: Actor, { id, number }: Pick<CaseRef, 'id' | 'number'>) {
  if (standsInFor) throw denied({ id, number }, messages.record_decided_for_oneself({ number }))
}

/** Throws the refusal of the first condition on the person that does not hold. */
export function requireOtherPerson<P extends string>(
  record: Pick<CaseRef, 'id' | 'number'>,
  { guards }: { guards: readonly string[] },
  holds: Readonly<Record<P, boolean>>,
  refusals: PersonRefusals<P>,
) {
  for (const guard of Object.keys(refusals) as P[])
    if (guards.includes(guard) && !holds[guard]) throw denied(record, refusals[guard](record.number))
}

/** Signs what `signed` reads of the record now. `ref` tells this closure from others of the same record. */
export async function signTransition(
  context: ActionContext<unknown>,
  signed: RecordReader,
  { id, number }: Pick<CaseRef, 'id' | 'number'>,
  { signature }: Pick<Transition<string, string>, 'signature'>,
  { intent, ref, proof }: { intent: string; ref: string; proof: RecordProof | undefined },
): Promise<number> {
  if (!proof) throw conflict(messages.record_changed_while_signing({ number }))
  return signRecord(context, (await signed.read(context.tx, id))!, {
    signature_type: signature!.type,
    intent,
    occasion: { kind: 'closure', ref },
    proof,
  })
}

interface Taken {
  from: string
  reason: string | null
  signature_id: number | null
  /** The other columns that the transition changed, with the revision. */
  before: object
  after: object
  notify: readonly number[]
  assignees: readonly number[]
}

/** Writes the history and the audit entry of a transition. */
export async function recordTransition(
  { tx, record }: ActionContext<unknown>,
  ref: CaseRef,
  { name, to }: Pick<Transition<string, string>, 'name' | 'to'>,
  { from, reason, signature_id, before, after, ...people }: Taken,
) {
  await addHistory(tx, ref, { transition: name, from_status: from, to_status: to, reason, signature_id })
  record(`${ref.kind}.state_changed`, ref.id, {
    number: ref.number,
    before: { status: from, ...before },
    after: { status: to, transition: name, signature_id, ...after },
    reason,
    ...people,
  })
}
