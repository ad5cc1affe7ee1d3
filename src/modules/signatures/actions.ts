import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, type Actor, command, type PrepareContext, query } from '#action'
import { conflict, forbidden, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveIdentity, requireApprover } from '#modules/accounts'
import { digest } from '#platform/crypto/canonical.ts'
import type { Tx } from '#platform/db/database.ts'
import { readTrustedKeys } from './keys.ts'
import { messages } from './messages.ts'
import { isOfRecord, type Payload, readPayload } from './payload.ts'
import {
  countSignatures,
  findForVoiding,
  findSignature,
  findVoidedFree,
  listSignatures,
  present,
  signatureSorts,
  visibleTo,
} from './queries.ts'
import { freeSignatureRefusal, isJudgement, type Signable } from './rules.ts'
import { Signature, SignatureCreate, SignatureDetails, SignatureFilter } from './schema.ts'
import { requireIntactFile, sign } from './sign.ts'
import { readNow, verifySignature } from './verify.ts'
import { allowedOnSignature } from './void.ts'

export const list = query({
  summary: 'List signatures',
  permission: 'signatures.read',
  input: { query: SignatureFilter },
  response: Page(Signature),
  async run({ tx, actor, services }, { query }) {
    const sort = parseSort(query.sort, signatureSorts, { field: 'id', direction: 'desc' })
    const visible = visibleTo(actor, services.signing)
    return pageOf(
      query,
      async (limit, offset) => (await listSignatures(tx, query, visible, sort, limit, offset)).map(present),
      () => countSignatures(tx, query, visible),
    )
  },
})

/** Files are hashed after the reading transaction, which would otherwise stay open for long. Neither the row nor the bytes ever change. */
export const details = query({
  summary: 'Read a signature, verified',
  permission: 'signatures.read',
  input: { params: IdParams },
  response: SignatureDetails,
  async prepare({ read, actor, services }, { params }) {
    const { row, now, trusted, you } = await read(async tx => {
      const row = await findSignature(tx, params.id, visibleTo(actor, services.signing))
      if (!row) throw notFound('Signature')
      const trusted = await readTrustedKeys(tx, [services.signingKey])
      const you = await allowedOnSignature(actor, present(row), await findForVoiding(tx, params.id), tx)
      return { row, trusted, you, now: await readNow(tx, services.signing, row) }
    })
    const at = services.clock.now()
    return { row, you, verification: await verifySignature(services.storage, row, now, { at, trusted }) }
  },
  async run({ prepared: { row, you, verification } }) {
    const payload = readPayload(row.payload)
    const record = payload ? signedRecord(payload) : null
    const { payload: text, seal, public_key, evidence } = row
    return { ...present(row), payload: text, seal, public_key, evidence, record, verification, you }
  },
})

const signedRecord = (payload: Payload) =>
  isOfRecord(payload)
    ? {
        file_sha256: null,
        file_size: null,
        metadata_sha256: null,
        content_sha256: digest(payload.content),
        files: payload.files.map(({ name, sha256, size }) => ({ name, sha256, size: Number(size) })),
        status: payload.record.status,
      }
    : {
        file_sha256: payload.file.sha256,
        file_size: Number(payload.file.size),
        metadata_sha256: payload.metadata_sha256,
        content_sha256: null,
        files: [],
        status: payload.version.status,
      }

/** A person signs a content with one meaning once. Only after a signature was declared void may they sign again. */
async function freeRef({ tx, actor }: ActionContext<unknown>, signable: Signable, signature_type: string) {
  const replaced = await findVoidedFree(tx, { ...signable, signature_type, signer_id: actor.userId! })
  return replaced ? String(replaced.id) : ''
}

async function requireFreeMeaning(tx: Tx, actor: Actor, signable: Signable, signature_type: string) {
  const record = { id: signable.document_id, number: signable.document_number }
  const refusal = freeSignatureRefusal(actor, signable, signature_type)
  if (refusal) throw forbidden(refusal, record)
  if (isJudgement(signature_type)) await requireApprover(tx, actor, record)
}

export const createSignature = command({
  summary: 'Sign a version of a document',
  description:
    'Everybody may sign as `acknowledgement` or `witness`. The owner and the author may sign their `authorship`. Every other meaning needs the permission signatures.attest, and another person than these two. The signer proves their identity by `password` (and `otp` if enrolled), or by a recent log-in.',
  permission: 'signatures.create',
  input: { body: SignatureCreate },
  response: Signature,
  async prepare(context: PrepareContext, { body }) {
    const { read, actor, services } = context
    const seen = await read(async tx => {
      const found = await services.signing.findSignable(tx, actor, body.document_id, body.version, { lock: false })
      if (found.is_removed) throw conflict(messages.signature_file_removed({ number: found.document_number }))
      await requireFreeMeaning(tx, actor, found, body.signature_type)
      return found
    })
    const proof = await proveIdentity(context, body)
    await requireIntactFile(services, seen)
    return { proof, seen }
  },
  async run(context, { body: { document_id, version, signature_type, intent } }) {
    const { tx, actor, services, prepared } = context
    const signable = await services.signing.findSignable(tx, actor, document_id, version, { lock: true })
    if (!isDeepStrictEqual(signable, prepared.seen))
      throw conflict(messages.signature_record_changed({ number: signable.document_number }))
    await requireFreeMeaning(tx, actor, signable, signature_type)
    const id = await sign(context, signable, {
      signature_type,
      intent,
      occasion: { kind: 'free', ref: await freeRef(context, signable, signature_type) },
      proof: prepared.proof,
    })
    return present((await findSignature(tx, id, visibleTo(actor, services.signing)))!)
  },
})
