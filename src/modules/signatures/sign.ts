import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, nameOfPerson, type PrepareContext, type Represented, type Services } from '#action'
import { conflict } from '#kernel/errors.ts'
import { type ProvenIdentity, proveIdentity, readSettings } from '#modules/accounts'
import { hashOf } from '#platform/storage/storage.ts'
import { filledInBy, type MadeByAct, signedByAct } from './evidence/signed-by-act.ts'
import { messages } from './messages.ts'
import { metadataDigest, type Payload, payloadText, plain } from './payload.ts'
import type { Occasion, RecordSubject, Signable } from './rules.ts'
import { findNewest, insertSignature, listToSign, type NewSignature, type RecordKey } from './sign-queries.ts'

/** Called before the transaction, so that nobody signs a file whose bytes have changed since it was stored. */
export async function requireIntactFile(
  { storage }: Services,
  { file_key, file_sha256 }: Pick<Signable, 'file_key' | 'file_sha256'>,
) {
  if ((await hashOf(storage, file_key)) !== file_sha256)
    throw new Error(`the file ${file_key} differs from the one that was stored`)
}

/** The proof of the signer's identity, and the ids of the files that were attached to the record at that moment. */
export interface RecordProof extends ProvenIdentity {
  files: readonly number[]
}

/** Called before the transaction: proves the actor's identity and checks the bytes of the files that are attached to the record. */
export async function proveToSign(
  context: PrepareContext,
  of: Pick<RecordSubject, 'type' | 'id'>,
  by: Parameters<typeof proveIdentity>[1],
): Promise<RecordProof> {
  const proof = await proveIdentity(context, by)
  const files = await context.read(tx => listToSign(tx, of))
  for (const { file_key, sha256 } of files) await requireIntactFile(context.services, { file_key, file_sha256: sha256 })
  return { ...proof, files: files.map(({ id }) => id) }
}

/** The signer's statement: the meaning, the intent and the occasion of a signature. */
interface SignatureStatement {
  signature_type: string
  intent: string
  occasion: Occasion
  proof: ProvenIdentity
  /** The act creates the record that it signs. */
  isNew?: boolean
  /** The act fills in the fields that belong to its occasion, such as its moment. */
  fillsIn?: boolean
}

/**
 * Signs a version as the actor, within the command's transaction. The caller holds the document's lock, has read `signable`
 * under it, and has proved the actor's identity and the file's bytes before the transaction.
 */
export async function sign(
  context: ActionContext<unknown>,
  signable: Signable,
  statement: SignatureStatement,
): Promise<number> {
  const { document_id, document_number, version_id, version, content_revision, round } = signable
  const common = await statementOf(context, statement, { record_type: 'document', record_id: document_id })
  const sealed = await seal(
    context,
    statement,
    {
      v: '1',
      ...common,
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
  if (!sealed) throw conflict(messages.signature_exists({ number: document_number, version }))
  recordSignature(context, sealed, statement, {
    number: document_number,
    after: { document_id, document_version: version },
  })
  return sealed.id
}

/**
 * Signs a record as the actor, within the command's transaction. The caller holds the record's lock, has read `subject` under it, and
 * has the proof of `proveToSign` from before the transaction.
 */
export async function signRecord(
  context: ActionContext<unknown>,
  subject: RecordSubject,
  statement: SignatureStatement & { proof: RecordProof },
): Promise<number> {
  const { type, id: record_id, number, status, content_revision, content } = subject
  const common = await statementOf(context, statement, { record_type: type, record_id })
  const files = await listToSign(context.tx, subject)
  if (String(files.map(file => file.id)) !== String(statement.proof.files))
    throw conflict(messages.signature_files_changed({ number }))
  const sealed = await seal(
    context,
    statement,
    {
      v: '2',
      ...common,
      record: { type, id: String(record_id), number, status, content_revision: String(content_revision) },
      content: plain(content),
      files: files.map(({ id, name, sha256, size }) => ({ id: String(id), name, sha256, size: String(size) })),
    },
    { [`${type}_id` as const]: record_id, record_number: number, content_revision },
  )
  if (!sealed) throw conflict(messages.signature_exists({ number, version: null }))
  recordSignature(context, sealed, statement, { number, after: { resource_type: type, resource_id: record_id } })
  return sealed.id
}

async function statementOf(
  { tx, actor, origin, services }: ActionContext<unknown>,
  { signature_type, intent, occasion, proof }: SignatureStatement,
  of: RecordKey,
) {
  if (actor.userId === null) throw new Error('the system cannot sign')
  const { time_zone } = await readSettings(tx)
  return {
    tenant: String(actor.tenantId),
    signature_type,
    intent,
    occasion: { kind: occasion.kind, ref: occasion.ref },
    signer: { id: String(actor.userId), username: actor.username, full_name: actor.fullName, role: actor.role },
    ...(actor.standsInFor && { on_behalf_of: onBehalfOf(actor.standsInFor) }),
    auth: { method: proof.method, time: new Date(proof.authenticated_at * 1000).toISOString() },
    signed_at: services.clock.now().toISOString(),
    time_zone,
    request_id: origin.requestId,
    client_addr: origin.clientAddr,
    previous: (await findNewest(tx, of))?.digest ?? null,
  }
}

const onBehalfOf = (person: Represented) => ({ id: String(person.userId), name: nameOfPerson(person) })

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
  | 'configuration_change_id'
  | 'access_review_id'
  | 'file_removal_id'
  | 'migration_batch_id'
  | 'disposal_id'
  | 'legal_hold_id'
  | 'record_number'
  | 'content_revision'
>

type Plain = Extract<Payload, { v: '1' | '2' }>

interface Sealed {
  id: number
  digest: string
}

/** The format with what proved the identity of the signer, where it is kept. */
function withEvidence(payload: Plain, { method, proof }: ProvenIdentity): Payload {
  if (!proof) return payload
  const { evidence, challenge_sha256 } = proof
  const auth = { ...payload.auth, method, evidence: { kind: evidence.kind, sha256: evidence.sha256, challenge_sha256 } }
  return payload.v === '1' ? { ...payload, v: '3', auth } : { ...payload, v: '4', auth }
}

/**
 * Returns undefined if this person has already signed this content with this meaning on this occasion. What a signer has confirmed is
 * compared with what is there now, under the lock of the record.
 */
async function seal(
  { tx, rehearsal, services: { signingKey } }: ActionContext<unknown>,
  { signature_type, intent, occasion, proof, isNew = false, fillsIn = false }: SignatureStatement,
  plainPayload: Plain,
  of: SignedKeys,
): Promise<Sealed | undefined> {
  const open: MadeByAct = { isNew, without: fillsIn ? filledInBy(occasion.kind) : [] }
  rehearsal?.end(signedByAct(plainPayload, open))
  if (proof.proof && !isDeepStrictEqual(proof.proof.signs, signedByAct(plainPayload, open)))
    throw conflict(messages.signature_content_changed())
  const payload = withEvidence(plainPayload, proof)
  const { signer, on_behalf_of, signed_at, time_zone, request_id, client_addr, previous } = payload
  const text = payloadText(payload)
  const digest = createHash('sha256').update(text).digest('hex')
  const inserted = await insertSignature(tx, {
    ...of,
    format: Number(payload.v),
    signature_type,
    intent,
    occasion_kind: occasion.kind,
    occasion_ref: occasion.ref,
    previous_digest: previous,
    signer_username: signer.username,
    signer_full_name: signer.full_name,
    signer_role: signer.role,
    on_behalf_of_id: on_behalf_of ? Number(on_behalf_of.id) : null,
    on_behalf_of_name: on_behalf_of?.name ?? null,
    method: proof.method,
    evidence_id: proof.proof?.evidence.id ?? null,
    signed_at,
    time_zone,
    request_id,
    client_addr,
    payload: text,
    digest,
    key_id: signingKey.key_id,
    seal: signingKey.sign(Buffer.from(text)),
  })
  return inserted && { id: inserted.id, digest }
}

const recordSignature = (
  { record }: ActionContext<unknown>,
  { id, digest }: Sealed,
  { signature_type, intent, occasion, proof }: SignatureStatement,
  { number, after }: { number: string; after: object },
) =>
  record('signature.created', id, {
    number,
    after: { ...after, signature_type, intent, occasion, method: proof.method, digest },
    reason: intent,
  })
