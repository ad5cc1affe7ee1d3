import { type Actor, command, type PrepareContext, query } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveIdentity } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { countSignatures, findSignable, findSignature, listSignatures, type Sight, signatureSorts } from './queries.ts'
import type { Signable } from './rules.ts'
import { Signature, SignatureCreate, SignatureDetails, SignatureFilter } from './schema.ts'
import { requireIntactFile, sign } from './sign.ts'
import { verifySignature } from './verify.ts'

/** What there is to sign is another module's; the program's composition hands it in. */
export interface Signing {
  /** The version of a document that the actor would sign, or the 404 of one that they may not read. With `lock`, under its lock. */
  findSignable(
    tx: Tx,
    actor: Actor,
    documentId: number,
    version: string | undefined,
    options: { lock: boolean },
  ): Promise<Signable>
}

const sightOf = ({ userId, permissions }: Actor): Sight => ({
  userId,
  drafts: permissions.has('documents.read_drafts'),
  obsolete: permissions.has('documents.read_obsolete'),
})

export const list = query({
  summary: 'List signatures',
  permission: 'signatures.read',
  input: { query: SignatureFilter },
  response: Page(Signature),
  async run({ tx, actor }, { query }) {
    const { limit, offset } = limits(query)
    const sort = parseSort(query.sort, signatureSorts, { field: 'id', direction: 'desc' })
    const [items, { total }] = await Promise.all([
      listSignatures(tx, query, sightOf(actor), sort, limit, offset),
      countSignatures(tx, query, sightOf(actor)),
    ])
    return envelope(items as Signature[], total, query)
  },
})

/** Reads in a transaction, and hashes the file before it: what is compared is a row that never changes and bytes that never do. */
export const details = query({
  summary: 'Read a signature, verified',
  permission: 'signatures.read',
  input: { params: IdParams },
  response: SignatureDetails,
  async prepare({ read, actor, services }, { params }) {
    const { row, now } = await read(async tx => {
      const row = await findSignature(tx, params.id, sightOf(actor))
      const now = row && (await findSignable(tx, row.version_id))
      if (!row || !now) throw notFound('Signature')
      return { row, now }
    })
    return { row, verification: await verifySignature(services.storage, row, now) }
  },
  async run({ prepared: { row, verification } }) {
    const { file, metadata_sha256, version } = JSON.parse(row.payload)
    const record = { file_sha256: file.sha256, file_size: Number(file.size), metadata_sha256, status: version.status }
    return { ...row, record, verification } as SignatureDetails
  },
})

export const createSignature = ({ findSignable }: Signing) =>
  command({
    summary: 'Sign a version of a document',
    description: 'Identity is proved by `password` (and `otp` where enrolled), or by a log-in that is recent enough.',
    permission: 'signatures.create',
    input: { body: SignatureCreate },
    response: Signature,
    async prepare({ read, actor, services, ...context }: PrepareContext, { body }) {
      const signable = await read(tx => findSignable(tx, actor, body.document_id, body.version, { lock: false }))
      const proof = await proveIdentity({ read, actor, services, ...context }, body)
      await requireIntactFile(services, signable)
      return { proof, version_id: signable.version_id }
    },
    async run(context, { body }) {
      const { tx, actor, prepared } = context
      const signable = await findSignable(tx, actor, body.document_id, body.version, { lock: true })
      if (signable.version_id !== prepared.version_id)
        throw conflict('Another version took the place of the one that you were about to sign: read it first')
      const id = await sign(context, signable, {
        signature_type: body.signature_type,
        intent: body.intent,
        proof: prepared.proof,
      })
      return (await findSignature(tx, id, sightOf(actor))) as Signature
    },
  })
