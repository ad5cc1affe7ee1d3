import type { Actor } from '#action'
import { command } from '#action'
import { type Check, requireAll } from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, forbidden, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { requireApprover, todayOf } from '#modules/accounts'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findAssignment, findRow, lockAssignment, updateAssignment } from '../assignments/queries.ts'
import { Assignment } from '../assignments/schema.ts'
import { messages } from '../messages.ts'
import { findProgram } from '../programs/queries.ts'
import { lockWaitingVersion } from './gate.ts'
import { isUnverified } from './queries.ts'
import { Verification } from './schema.ts'
import { readAssignment } from './subject.ts'
import { auditFieldsOf, type Work, workOf } from './work.ts'

export async function requireWork(tx: Tx, id: number, { lock }: { lock: boolean }): Promise<Work> {
  const row = await findRow(tx, id)
  if (!row) throw notFound('Training assignment')
  const program = (await findProgram(tx, row.program_id, lock ? { lock: 'share' } : {}))!
  return workOf({ tx }, program, lock ? (await lockAssignment(tx, id))! : row)
}

/** The conditions of a verification. */
export function checksOfVerifying(tx: Tx, actor: Actor, { program, assignment }: Work): Check[] {
  const { number } = program
  const { id, status, user_id } = assignment
  return [
    () => {
      if (!program.requires_verification) throw conflict(messages.training_verification_not_required({ number }))
    },
    () => {
      if (status !== 'completed') throw conflict(messages.training_not_completed({ number, status }))
    },
    () => {
      if (user_id === actor.userId) throw forbidden(messages.training_verifier_is_trainee({ number }), { id, number })
    },
    () => requireApprover(tx, actor, { id, number }),
    () => {
      if (assignment.verified_at !== null) throw conflict(messages.training_already_verified({ number }))
    },
  ]
}

export const verify = command({
  summary: 'Verify a completed training',
  description:
    'Verified by a trainer who is not the trainee, and signed: `password` (and `otp`), or a fresh log-in. A program with `requires_verification` counts from then on. A training that was not done properly is not verified but assigned again.',
  permission: 'training.verify',
  input: { params: IdParams, body: Verification },
  response: Assignment,
  async prepare(context, { params, body }): Promise<RecordProof> {
    await context.read(async tx =>
      requireAll(checksOfVerifying(tx, context.actor, await requireWork(tx, params.id, { lock: false }))),
    )
    return proveToSign(context, { type: 'training_assignment', id: params.id }, body)
  },
  async run(context, { params: { id }, body: { comment = null, intent } }) {
    const { tx, actor, record, services, prepared } = context
    const releaseWaiting = await lockWaitingVersion(context, (await findRow(tx, id))?.program_id)
    const work = await requireWork(tx, id, { lock: true })
    const { program, assignment } = work
    await refuseStale(context, 'training_assignment', assignment)
    await requireAll(checksOfVerifying(tx, actor, work))
    const verification_signature_id = await signRecord(context, (await readAssignment(tx, id))!, {
      signature_type: 'verification',
      intent: intent ?? comment ?? `I have verified what was completed of ${program.number}`,
      occasion: { kind: 'training_verification', ref: 'verify' },
      proof: prepared,
    })
    const verified_at = services.clock.now().toISOString()
    await updateAssignment(tx, id, { verified_at, verified_by: actor.userId, verification_signature_id })
    const after = (await findAssignment(tx, id, await todayOf(context)))!
    record('training_assignment.verified', id, {
      number: program.number,
      before: { verified_by: null, revision: assignment.revision },
      after: {
        ...auditFieldsOf(work),
        verified_at: after.verification.verified_at,
        verified_by: actor.username,
        verification_signature_id,
        revision: after.revision,
      },
      reason: comment,
      notify: [assignment.user_id],
    })
    await releaseWaiting()
    return after
  },
})

/** Selects the people whom the request for verification still awaits. */
async function stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  return type === 'training_verification_requested' && (await isUnverified(tx, id)) ? user_ids : []
}

export const requestsOfTraining = { permission: 'training.read_all', stillAsks } as const
