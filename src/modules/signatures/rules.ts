import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { Nullable } from '#kernel/schema.ts'
import type { ProvenIdentity } from '#modules/accounts'
import { canonicalBytes, digest } from '#platform/crypto/canonical.ts'

/** One version of a document, as far as a signature binds it (21 CFR 11.70). */
export interface Signable {
  document_id: number
  document_number: string
  document_type_id: number
  version_id: number
  version: string
  content_revision: number
  round: number
  status: string
  file_key: string
  file_sha256: string
  file_size: number
  title: string
  category: string | null
  description: string | null
  keywords: readonly string[]
}

export interface Signer {
  id: number
  username: string
  full_name: string | null
  role: string
}

/** What of a version is more than its file: changed, it is another record than the one that was signed. */
export const metadataDigest = ({ title, document_type_id, category, description, keywords, version }: Signable) =>
  digest({ title, document_type: String(document_type_id), category, description, keywords: [...keywords], version })

/** Numbers are written in digits, so that no reader of another language reads another number. */
export const Payload = Type.Object({
  v: Type.Literal('1'),
  tenant: Type.String(),
  document: Type.Object({ id: Type.String(), number: Type.String() }),
  version: Type.Object({
    id: Type.String(),
    label: Type.String(),
    content_revision: Type.String(),
    round: Type.String(),
    status: Type.String(),
  }),
  file: Type.Object({ sha256: Type.String(), size: Type.String() }),
  metadata_sha256: Type.String(),
  signature_type: Type.String(),
  intent: Type.String(),
  signer: Type.Object({
    id: Type.String(),
    username: Type.String(),
    full_name: Nullable(Type.String()),
    role: Type.String(),
  }),
  auth: Type.Object({ method: Type.String(), time: Type.String() }),
  signed_at: Type.String(),
  request_id: Type.String(),
})
export type Payload = Static<typeof Payload>

export const payloadOf = (
  signable: Signable,
  {
    tenantId,
    signer,
    signature_type,
    intent,
    proof,
    signed_at,
    request_id,
  }: {
    tenantId: number
    signer: Signer
    signature_type: string
    intent: string
    proof: ProvenIdentity
    signed_at: Date
    request_id: string
  },
): Payload => ({
  v: '1',
  tenant: String(tenantId),
  document: { id: String(signable.document_id), number: signable.document_number },
  version: {
    id: String(signable.version_id),
    label: signable.version,
    content_revision: String(signable.content_revision),
    round: String(signable.round),
    status: signable.status,
  },
  file: { sha256: signable.file_sha256, size: String(signable.file_size) },
  metadata_sha256: metadataDigest(signable),
  signature_type,
  intent,
  signer: { ...signer, id: String(signer.id) },
  auth: { method: proof.method, time: new Date(proof.authenticated_at * 1000).toISOString() },
  signed_at: signed_at.toISOString(),
  request_id,
})

export const payloadText = (payload: Payload) => canonicalBytes(payload).toString('utf8')

/** Undefined where the text is no payload: somebody wrote over it. */
export function readPayload(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(text)
    return Value.Check(Payload, payload) ? payload : undefined
  } catch {
    return undefined
  }
}
