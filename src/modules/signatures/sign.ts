import { createHash } from 'node:crypto'
import type { ActionContext, PrepareContext, Services } from '#action'
import { conflict } from '#kernel/errors.ts'
import { type ProvenIdentity, proveIdentity, readSettings } from '#modules/accounts'
import { hashOf } from '#platform/storage/storage.ts'
import { messages } from './messages.ts'
import { metadataDigest, type PayloadV2, type PayloadV3, payloadText, plain } from './payload.ts'
import type { Occasion, RecordSubject, Signable } from './rules.ts'
import { findNewest, insertSignature, listAttached, type NewSignature, type RecordKey } from './sign-queries.ts'

/** Before the transaction: nobody signs a file whose bytes are not those that the record was made with. */
export async function requireIntactFile(
  { storage }: Services,
  { file_key, file_sha256 }: Pick<Signable, 'file_key' | 'file_sha256'>,
) {
  if ((await hashOf(storage, file_key)) !== file_sha256) throw new Error(`the file ${file_key} is not what was stored`)
}

/** That it is the actor who signs, and which files were attached to the record then. */
export interface RecordProof extends ProvenIdentity {
  files: readonly number[]
}

/** Before the transaction, of a record: the actor's identity, and the bytes of the files that are attached to it. */
export async function proveToSign(
  context: PrepareContext,
  of: Pick<RecordSubject, 'type' | 'id'>,
  by: Parameters<typeof proveIdentity>[1],
): Promise<RecordProof> {
  const proof = await proveIdentity(context, by)
  const files = await context.read(tx => listAttached(tx, of))
  for (const { file_key, sha256 } of files) await requireIntactFile(context.services, { file_key, file_sha256: sha256 })
  return { ...proof, files: files.map(({ id }) => id) }
}

/** What is said with a signature, whatever is signed. */
interface Saying {
  signature_type: string
  intent: string
  occasion: Occasion
  proof: ProvenIdentity
}

/**
 * Signs a version as the actor, within the command's transaction. The caller holds the document's lock, has read `signable`
 * under it, and has proved the actor's identity and the file's bytes before the transaction.
 */
export async function sign(context: ActionContext<unknown>, signable: Signable, saying: Saying): Promise<number> {
  const { document_id, document_number, version_id, version, content_revision, round } = signable
  const said = await sayings(context, saying, { record_type: 'document', record_id: document_id })
  const id = await seal(
    context,
    saying,
    {
      v: '2',
      ...said,
      document: { id: String(document_id), number: document_number },
      version: {
        id: String(version_id),
        label: version,
        content_revision: String(content_revision),
        round: String(round),
        status: signable.status,
      },
      file: { sha256: signable.file_sha256, size: String(signable.file_size) },
      metadata_sha256: metadataDigest(signable),
    },
    { document_id, version_id, round, content_revision },
  )
  if (!id) throw conflict(messages.signature_exists({ number: document_number, version }))
  remember(context, id, saying, { number: document_number, after: { document_id, document_version: version } })
  return id
}

/**
 * Signs a record as the actor, within the command's transaction. The caller holds the record's lock, has read `subject` under it, and
 * has the proof of `proveToSign` from before the transaction.
 */
export async function signRecord(
  context: ActionContext<unknown>,
  subject: RecordSubject,
  saying: Saying & { proof: RecordProof },
): Promise<number> {
  const { type, id: record_id, number, status, content_revision, content } = subject
  const said = await sayings(context, saying, { record_type: type, record_id })
  const files = await listAttached(context.tx, subject)
  if (String(files.map(file => file.id)) !== String(saying.proof.files))
    throw conflict(messages.signature_files_changed({ number }))
  const id = await seal(
    context,
    saying,
    {
      v: '3',
      ...said,
      record: { type, id: String(record_id), number, status, content_revision: String(content_revision) },
      content: plain(content),
      files: files.map(({ id, name, sha256, size }) => ({ id: String(id), name, sha256, size: String(size) })),
    },
    { [`${type}_id` as const]: record_id, record_number: number, content_revision },
  )
  if (!id) throw conflict(messages.signature_exists({ number, version: null }))
  remember(context, id, saying, { number, after: { resource_type: type, resource_id: record_id } })
  return id
}

async function sayings(
  { tx, actor, origin, services }: ActionContext<unknown>,
  { signature_type, intent, occasion, proof }: Saying,
  of: RecordKey,
) {
  if (actor.userId === null) throw new Error('the system signs nothing')
  const { time_zone } = await readSettings(tx)
  return {
    tenant: String(actor.tenantId),
    signature_type,
    intent,
    occasion: { kind: occasion.kind, ref: occasion.ref },
    signer: { id: String(actor.userId), username: actor.username, full_name: actor.fullName, role: actor.role },
    auth: { method: proof.method, time: new Date(proof.authenticated_at * 1000).toISOString() },
    signed_at: services.clock.now().toISOString(),
    time_zone,
    request_id: origin.requestId,
    client_addr: origin.clientAddr,
    previous: (await findNewest(tx, of))?.digest ?? null,
  }
}

type SignedKeys = Pick<
  NewSignature,
  | 'document_id'
  | 'version_id'
  | 'round'
  | 'deviation_id'
  | 'capa_id'
  | 'effectiveness_review_id'
  | 'training_assignment_id'
  | 'audit_review_id'
  | 'record_number'
  | 'content_revision'
>

/** Undefined where this person has signed this very content with this meaning on this occasion already. */
async function seal(
  { tx, services: { signingKey } }: ActionContext<unknown>,
  { signature_type, intent, occasion, proof }: Saying,
  payload: PayloadV2 | PayloadV3,
  of: SignedKeys,
): Promise<number | undefined> {
  const { signer, signed_at, time_zone, request_id, client_addr, previous } = payload
  const text = payloadText(payload)
  const inserted = await insertSignature(tx, {
    ...of,
    format: Number(payload.v),
    signature_type,
    intent,
    occasion_kind: occasion.kind,
    occasion_ref: occasion.ref,
    previous_digest: previous,
    signer_id: Number(signer.id),
    signer_username: signer.username,
    signer_full_name: signer.full_name,
    signer_role: signer.role,
    method: proof.method,
    signed_at,
    time_zone,
    request_id,
    client_addr,
    payload: text,
    digest: createHash('sha256').update(text).digest('hex'),
    key_id: signingKey.key_id,
    seal: signingKey.sign(Buffer.from(text)),
  })
  return inserted?.id
}

const remember = (
  { record }: ActionContext<unknown>,
  id: number,
  { signature_type, intent, occasion, proof }: Saying,
  { number, after }: { number: string; after: object },
) =>
  record('signature.created', id, {
    number,
    after: { ...after, signature_type, intent, occasion, method: proof.method },
    reason: intent,
  })
