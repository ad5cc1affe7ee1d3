import { createHash } from 'node:crypto'
import type { ActionContext, Services } from '#action'
import { conflict } from '#kernel/errors.ts'
import { type ProvenIdentity, readSettings } from '#modules/accounts'
import { hashOf } from '#platform/storage/storage.ts'
import { metadataDigest, type PayloadV2, payloadText } from './payload.ts'
import { findNewest, insertSignature } from './queries.ts'
import type { Occasion, Signable } from './rules.ts'

/** Before the transaction: nobody signs a file whose bytes are not those that the record was made with. */
export async function requireIntactFile(
  { storage }: Services,
  { file_key, file_sha256 }: Pick<Signable, 'file_key' | 'file_sha256'>,
) {
  if ((await hashOf(storage, file_key)) !== file_sha256) throw new Error(`the file ${file_key} is not what was stored`)
}

/**
 * Signs a version as the actor, within the command's transaction. The caller holds the document's lock, has read `signable`
 * under it, and has proved the actor's identity and the file's bytes before the transaction.
 */
export async function sign(
  context: ActionContext<unknown>,
  signable: Signable,
  {
    signature_type,
    intent,
    occasion,
    proof,
  }: { signature_type: string; intent: string; occasion: Occasion; proof: ProvenIdentity },
): Promise<number> {
  const { tx, actor, origin, services, record } = context
  if (actor.userId === null) throw new Error('the system signs nothing')
  const signer = { id: actor.userId, username: actor.username, full_name: actor.fullName, role: actor.role }
  const signed_at = services.clock.now().toISOString()
  const { time_zone } = await readSettings(tx)
  const previous_digest = (await findNewest(tx, signable.document_id))?.digest ?? null
  const payload: PayloadV2 = {
    v: '2',
    tenant: String(actor.tenantId),
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
    occasion: { kind: occasion.kind, ref: occasion.ref },
    signer: { ...signer, id: String(signer.id) },
    auth: { method: proof.method, time: new Date(proof.authenticated_at * 1000).toISOString() },
    signed_at,
    time_zone,
    request_id: origin.requestId,
    client_addr: origin.clientAddr,
    previous: previous_digest,
  }
  const text = payloadText(payload)
  const inserted = await insertSignature(tx, {
    format: Number(payload.v),
    document_id: signable.document_id,
    version_id: signable.version_id,
    signature_type,
    intent,
    occasion_kind: occasion.kind,
    occasion_ref: occasion.ref,
    previous_digest,
    round: signable.round,
    content_revision: signable.content_revision,
    signer_id: signer.id,
    signer_username: signer.username,
    signer_full_name: signer.full_name,
    signer_role: signer.role,
    method: proof.method,
    signed_at,
    time_zone,
    request_id: origin.requestId,
    client_addr: origin.clientAddr,
    payload: text,
    digest: createHash('sha256').update(text).digest('hex'),
    key_id: services.signingKey.key_id,
    seal: services.signingKey.sign(Buffer.from(text)),
  })
  if (!inserted)
    throw conflict(
      `You have signed version ${signable.version} of ${signable.document_number} with this meaning already`,
    )
  record('signature.created', inserted.id, {
    number: signable.document_number,
    after: {
      document_id: signable.document_id,
      document_version: signable.version,
      signature_type,
      intent,
      occasion,
      method: proof.method,
    },
    reason: intent,
  })
  return inserted.id
}
