import type { ActionContext, PrepareContext } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { type ProvenIdentity, proveIdentity } from '#modules/accounts'
import { requireIntactFile, type Signable, sign } from '#modules/signatures'
import type { Step } from '#modules/workflows'
import { isUnchanged, signableOf, type VersionAtWork, type Work } from '../core/view.ts'
import { messages } from '../messages.ts'
import { takeSteps } from './steps.ts'

/** Prepared before the transaction: the content that the signer read, and the proof of their identity. */
export interface PreparedSignature {
  read: Signable
  proof: ProvenIdentity | undefined
}
interface Identity {
  password?: string | undefined
  otp?: string | undefined
}

/** A password that is sent is always checked, so that a wrong one counts even if no signature is needed. */
export async function prepareSignature(
  context: PrepareContext,
  atWork: VersionAtWork,
  { signs, ...identity }: { signs: boolean } & Identity,
): Promise<PreparedSignature> {
  const read = signableOf(atWork)
  const proof = signs || identity.password !== undefined ? await proveIdentity(context, identity) : undefined
  if (signs) await requireIntactFile(context.services, read)
  return { read, proof }
}

/** These steps end the use of an effective version, which needs a signature in every workflow. */
export const isObsolescence = ({ version }: VersionAtWork, steps: readonly Step[]) =>
  version.status_kind === 'effective' && steps.at(-1)?.kind_of_to === 'final'

/**
 * SIG-01: makes an effective version obsolete with a signature and a reason. A newer version under way continues, so that a dangerous
 * version can be withdrawn before its replacement is approved. The caller holds the document's lock.
 */
export async function makeObsolete(
  context: ActionContext<unknown>,
  { document, atWork }: Work,
  steps: readonly Step[],
  { comment, prepared: { read, proof } }: { comment: string | undefined; prepared: PreparedSignature },
): Promise<number> {
  const { version } = atWork
  if (!comment?.trim())
    throw invalidField('comment', messages.document_obsolescence_reason_required({ version: version.version }))
  if (!proof || !isUnchanged(atWork, read))
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
