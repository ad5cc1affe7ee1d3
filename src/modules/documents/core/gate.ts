// Training gates: a document keeps its file, its approval or its effective date back until people are trained on it.
import type { ActionContext, Actor, Services } from '#action'
import { conflict, forbidden, invalidField } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { todayOf } from '#modules/accounts'
import type { TenantPeople } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { messages, printed } from '../messages.ts'
import { findGate, type Gate, type GateRow, updateGate } from './gate-queries.ts'
import type { TrainedVersion, TrainingProgress } from './training-gate.ts'
import { isPendingApprover, loadAtWork, participantOf, type VersionAtWork, type View } from './view.ts'

/** If nobody is assigned, there is no training to wait for. */
export const isEnough = ({ assigned, completed, is_assigned }: TrainingProgress, threshold: number) =>
  is_assigned && completed * 100 >= threshold * assigned

/** Why the gate `before_effective` of a document waits for nobody; undefined if it has another gate, or readers. */
export async function idleGateReason({ tx, services }: Asking, document: { id: number; number: string }) {
  if ((await findGate(tx, document.id)).gate !== 'before_effective') return undefined
  if (await services.training.hasReaders(tx, document.id)) return undefined
  return messages.document_training_assigned_to_nobody({ number: document.number })
}

/** `3 of 4 people have completed the training; 90 % are needed`. */
function describeProgress(progress: TrainingProgress & { has_readers: boolean }, threshold: number): Message {
  const { assigned, completed, is_assigned, has_readers } = progress
  if (!is_assigned) return printed.document_gate_being_assigned()
  if (assigned === 0) return has_readers ? printed.document_gate_assigned_later() : printed.document_gate_idle()
  return printed.document_gate_progress({ completed, assigned, threshold })
}

/**
 * Gate `before_access`: readers see number and title, and only people who are trained on the document, or in training, get its file.
 * Its author, owner, approvers and readers of drafts get it in any case.
 */
export async function requireTrained(asking: Asking, actor: Actor, view: View): Promise<void> {
  const { row } = view
  const needed = await trainingNeeded(asking, actor, view)
  if (needed) throw forbidden(messages.document_training_needed({ number: row.number, ...needed }), row)
}

/** The training without which this person may not have the file; undefined if they may. */
export async function trainingNeeded(
  asking: Asking,
  reader: Pick<Actor, 'userId' | 'roles' | 'permissions'>,
  { row, atWork }: View,
): Promise<{ training: string | null } | undefined> {
  const { tx, services } = asking
  if (reader.permissions.has('documents.read_drafts') || row.owner.id === reader.userId) return undefined
  if ((await findGate(tx, row.id)).gate !== 'before_access') return undefined
  const { version } = atWork.version.id === row.version_id ? atWork : await loadAtWork(tx, row.version_id)
  if (version.created_by === reader.userId || isPendingApprover(atWork, participantOf(reader, atWork))) return undefined
  const answer = await services.training.mayRead(tx, reader.userId, {
    ...trained(version),
    today: await todayOf(asking),
  })
  return answer === true ? undefined : answer
}

interface Asking {
  tx: Tx
  services: Services
}

/** The people among these who may not decide about a document because they lack training, with the programs that each lacks. */
export async function untrained(
  { tx, services }: Asking,
  { gate, signing_program_ids }: GateRow,
  user_ids: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (gate !== 'before_sign' || user_ids.length === 0) return new Map()
  const today = await todayOf({ tx, services })
  return services.training.lacking(tx, { today, user_ids, program_ids: signing_program_ids })
}

/** 21 CFR 11.10(i): which training this person lacks to decide; undefined if they lack none. */
export async function untrainedReason(
  asking: Asking,
  actor: Actor,
  { document_id, number }: { document_id: number; number: string },
): Promise<Message | undefined> {
  const programs = (await untrained(asking, await findGate(asking.tx, document_id), [actor.userId ?? 0])).get(
    actor.userId ?? 0,
  )
  return programs && messages.document_approver_not_trained({ number, programs })
}

/** People who configure approvals set the gate of a draft; null is the gate of the document type. */
export async function setGate(
  context: ActionContext<unknown>,
  { version }: VersionAtWork,
  {
    training_gate,
    training_threshold,
  }: { training_gate: Gate | null | undefined; training_threshold: number | null | undefined },
): Promise<{ before: object; after: object } | undefined> {
  const { tx, actor } = context
  const now = await findGate(tx, version.document_id)
  const before = { training_gate: now.own_gate as Gate | null, training_threshold: now.own_threshold }
  const after = {
    training_gate: training_gate === undefined ? before.training_gate : training_gate,
    training_threshold: training_threshold === undefined ? before.training_threshold : training_threshold,
  }
  if (after.training_gate === before.training_gate && after.training_threshold === before.training_threshold) return
  if (!actor.permissions.has('documents.configure_approval'))
    throw forbidden(messages.document_gate_permission_required(), {
      id: version.document_id,
      number: version.number,
    })
  if (version.status_kind !== 'initial')
    throw conflict(messages.document_gate_fixed({ version: version.version, status: version.status }))
  if (after.training_gate === 'before_sign' && now.signing_program_ids.length === 0)
    throw invalidField('training_gate', messages.document_gate_without_program({ document_type: now.type_name }))
  await updateGate(tx, version.document_id, after)
  return { before, after }
}

/** The training gate in the answer of GET …/workflow. */
export async function gateOutlook(
  asking: Asking,
  { version }: VersionAtWork,
  deciders: readonly number[],
  { personOf }: TenantPeople,
) {
  const row = await findGate(asking.tx, version.document_id)
  const { gate, threshold } = row
  if (gate === 'none') return null
  if (gate === 'before_access') return { gate, in_words: printed.document_gate_before_access(), ...unmeasured }
  if (gate === 'before_effective') {
    const progress = await asking.services.training.progress(asking.tx, {
      ...trained(version),
      today: await todayOf(asking),
    })
    const { assigned, completed } = progress
    const isWaitedFor = version.is_waiting && !isEnough(progress, threshold)
    const has_readers = await asking.services.training.hasReaders(asking.tx, version.document_id)
    const in_words = describeProgress({ ...progress, has_readers }, threshold)
    return { gate, in_words, threshold, assigned, completed, not_trained: [], isWaitedFor }
  }
  const lacking = [...(await untrained(asking, row, deciders))]
  return {
    gate,
    in_words:
      lacking.length === 0 ? printed.document_gate_met() : printed.document_gate_untrained({ people: lacking.length }),
    ...unmeasured,
    not_trained: lacking.map(([userId, lacks]) => ({ person: personOf(userId), lacks: [...lacks] })),
  }
}
const unmeasured = { threshold: null, assigned: null, completed: null, not_trained: [], isWaitedFor: false }

export const trained = ({ document_id, id }: VersionAtWork['version']): TrainedVersion => ({
  document_id,
  version_id: id,
})
