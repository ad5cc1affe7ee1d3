import type { PrepareContext } from '#action'
import type { ProofOfIdentity } from '#kernel/schema.ts'
import { type ProvenIdentity, proveIdentity } from '#modules/accounts'
import { requireIntactFile, type Signable } from '#modules/signatures'
import { signableOf, type VersionAtWork } from '../core/view.ts'

/** Prepared before the transaction: the content that the signer read, and the proof of their identity. */
export interface PreparedSignature {
  read: Signable
  proof: ProvenIdentity | undefined
}

/** A proof that is sent is always checked, so that a wrong password counts even if no signature is needed. */
export async function prepareSignature(
  context: PrepareContext,
  atWork: VersionAtWork,
  { signs, ...identity }: { signs: boolean } & ProofOfIdentity,
): Promise<PreparedSignature> {
  const read = signableOf(atWork)
  const isSent = identity.password !== undefined || identity.signing_challenge !== undefined
  const proof = signs || isSent ? await proveIdentity(context, identity) : undefined
  if (signs) await requireIntactFile(context.services, read)
  return { read, proof }
}
