import type { PrepareContext } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { type ProvenIdentity, proveIdentity } from '#modules/accounts'
import { requireIntactFile, type Signable, sign } from '#modules/signatures'
import type { Step } from '#modules/workflows'
import { takeSteps } from './lifecycle.ts'
import { messages } from './messages.ts'
import type { GatedContext } from './training-gate.ts'
import { isStill, signableOf, type VersionAtWork, type Work } from './view.ts'

/** What is known of a signature before the transaction: what its giver read, and that it is them. */
export interface ReadyToSign {
  read: Signable
  proof: ProvenIdentity | undefined
}
interface Identity {
  password?: string | undefined
  otp?: string | undefined
}

/** Whoever gives a password has it checked, whether or not it turns out to be needed. */
export async function readyToSign(
  context: PrepareContext,
  atWork: VersionAtWork,
  { signs, ...identity }: { signs: boolean } & Identity,
): Promise<ReadyToSign> {
  const read = signableOf(atWork)
  const proof = signs || identity.password !== undefined ? await proveIdentity(context, identity) : undefined
  if (signs) await requireIntactFile(context.services, read)
  return { read, proof }
}

/** Whether these steps, taken by a person, end the use of an effective version: that is signed, in whatever workflow. */
export const isRetirement = ({ version }: VersionAtWork, steps: readonly Step[]) =>
  version.status_kind === 'effective' && steps.at(-1)?.kind_of_to === 'final'

/**
 * SIG-01: takes an effective version out of use by a signature with a reason. A newer version under way goes on: what is found to
 * be dangerous is not worked by until its replacement is approved. The caller holds the document's lock.
 */
export async function retire(
  context: GatedContext,
  { document, atWork }: Work,
  steps: readonly Step[],
  { comment, ready: { read, proof } }: { comment: string | undefined; ready: ReadyToSign },
): Promise<number> {
  const { version } = atWork
  if (!comment?.trim())
    throw invalidField('comment', messages.document_obsolescence_reason_required({ version: version.version }))
  if (!proof || !isStill(atWork, read))
    throw conflict(messages.document_changed_meanwhile({ number: document.number }))
  const signature_id = await sign(context, signableOf(atWork), {
    signature_type: 'obsolescence',
    intent: comment,
    occasion: { kind: 'obsolescence', ref: steps[0]!.transition },
    proof,
  })
  await takeSteps(context, document, atWork, steps, { comment, signature_id })
  return signature_id
}
