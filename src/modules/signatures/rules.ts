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

/** How the signer's identity was proved, and when, in seconds since 1970. */
export interface Proof {
  method: 'password' | 'password_otp' | 'session'
  authenticated_at: number
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

export interface Payload {
  v: '1'
  tenant: string
  document: { id: string; number: string }
  version: { id: string; label: string; content_revision: string; status: string }
  file: { sha256: string; size: string }
  metadata_sha256: string
  signature_type: string
  intent: string
  signer: { id: string; username: string; full_name: string | null; role: string }
  auth: { method: string; time: string }
  signed_at: string
  request_id: string
}

/** All of it, as text: numbers are written in digits, so that no reader of another language reads another number. */
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
    proof: Proof
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
