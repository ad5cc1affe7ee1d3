import type { ActionContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { sign, voidDecided } from '#modules/signatures'
import { isEnough } from '../core/gate.ts'
import { type LockedDocument, updatePointers } from '../core/queries.ts'
import { messages, reasons } from '../messages.ts'
import type { Effect, Plan } from './plan.ts'
import type { PreparedSignature } from './prepare.ts'
import {
  endDelegations,
  insertDecision,
  insertHistory,
  updateVersionState,
  voidDecisions,
  withdrawDecision,
} from './queries.ts'

/**
 * Writes a plan and records its events, in the order of its effects. `proof`: of the identity of the person who signs, if the plan has a
 * signature. Answers the id of this signature. The caller holds the document's lock.
 */
export async function applyPlan(
  context: ActionContext<unknown>,
  document: LockedDocument,
  { effects }: Plan,
  proof?: PreparedSignature['proof'],
): Promise<number | null> {
  const {
    tx,
    actor,
    record,
    services: { training, controlledCopies },
  } = context
  const { id, number } = document
  let signature_id: number | null = null

  async function apply(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case 'sign': {
        const { kind: _kind, signable, ...statement } = effect
        // The workflow refused the person when they were asked to prove who they are, and accepts them now.
        if (!proof) throw conflict(messages.document_changed_meanwhile({ number }))
        signature_id = await sign(context, signable, { ...statement, proof })
        return
      }
      case 'store_decision': {
        const { kind: _kind, decision, event, after, ...change } = effect
        await insertDecision(tx, { ...decision, signature_id })
        record(event, id, { number, after: { ...after, signature_id }, ...change })
        return
      }
      case 'withdraw_approval': {
        const { kind: _kind, id: decision, later, signature_ids, after, ...planned } = effect
        const { event, ...change } = planned
        const reason = change.reason!
        await withdrawDecision(tx, { id: decision, later, reason, signature_id })
        await voidDecided(context, { number, ids: signature_ids, cause: 'approval_withdrawn', reason })
        record(event, id, { number, after: { ...after, signature_id }, ...change })
        return
      }
      case 'void_round': {
        const { version_id, reason, signature_ids } = effect
        await voidDecisions(tx, version_id)
        await endDelegations(tx, version_id, {
          ended_by: actor.userId,
          end_reason: reasons.reason_delegation_round_voided().text,
        })
        return voidDecided(context, { number, ids: signature_ids, cause: 'round_ended', reason })
      }
      case 'change_state': {
        const { kind: _kind, version_id, from, changes, history, is_signed, event, after, ...change } = effect
        const signed = is_signed ? { signature_id } : {}
        await Promise.all([
          updateVersionState(tx, version_id, from, changes),
          insertHistory(tx, { ...history, ...signed }),
        ])
        record(event, id, { number, after: { ...after, ...signed }, ...change })
        return
      }
      case 'set_pointers': {
        const { kind: _kind, ...pointers } = effect
        await updatePointers(tx, id, pointers)
        return
      }
      case 'release_training':
        return training.released(context, effect.version, effect.as)
      case 'recall_copies':
        return controlledCopies.recall(context, effect.version)
      case 'advance_if_trained': {
        const { version, threshold, trained, otherwise } = effect
        const progress = await training.progress(tx, version)
        for (const each of isEnough(progress, threshold) ? trained : otherwise) await apply(each)
      }
    }
  }

  for (const effect of effects) await apply(effect)
  return signature_id
}
