import { createHash } from 'node:crypto'
import type { ActionContext, Services } from '#action'
import { conflict } from '#kernel/errors.ts'
import type { ProvenIdentity } from '#modules/accounts'
import type { Database } from '#platform/db/database.ts'
import { hashOf } from '#platform/storage/storage.ts'
import { insertSignature, insertSigningKey } from './queries.ts'
import { payloadOf, payloadText, type Signable } from './rules.ts'

/** Makes the installation's public key known to the database, before anything is sealed with it. */
export const registerSigningKey = (database: Database, { key_id, public_key }: Services['signingKey']) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
    insertSigningKey(tx, { key_id, public_key }),
  )

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
  { tx, actor, origin, services, record }: ActionContext<unknown>,
  signable: Signable,
  { signature_type, intent, proof }: { signature_type: string; intent: string; proof: ProvenIdentity },
): Promise<number> {
  if (actor.userId === null) throw new Error('the system signs nothing')
  const signer = { id: actor.userId, username: actor.username, full_name: actor.fullName, role: actor.role }
  const signed_at = services.clock.now()
  const payload = payloadText(
    payloadOf(signable, {
      tenantId: actor.tenantId,
      signer,
      signature_type,
      intent,
      proof,
      signed_at,
      request_id: origin.requestId,
    }),
  )
  const inserted = await insertSignature(tx, {
    document_id: signable.document_id,
    version_id: signable.version_id,
    signature_type,
    intent,
    round: signable.round,
    content_revision: signable.content_revision,
    signer_id: signer.id,
    signer_username: signer.username,
    signer_full_name: signer.full_name,
    signer_role: signer.role,
    method: proof.method,
    signed_at: signed_at.toISOString(),
    payload,
    digest: createHash('sha256').update(payload).digest('hex'),
    key_id: services.signingKey.key_id,
    seal: services.signingKey.sign(Buffer.from(payload)),
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
      method: proof.method,
    },
    reason: intent,
  })
  return inserted.id
}
