import { isDeepStrictEqual } from 'node:util'
import type { RawBuilder, SqlBool } from 'kysely'
import { type Actor, command, type PrepareContext, query } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveIdentity } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { countSignatures, findSignature, listSignatures, signatureSorts, visibleTo } from './queries.ts'
import { readPayload, type Signable } from './rules.ts'
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
  /** A version as it is now, whoever may read it. */
  readSignable(tx: Tx, versionId: number): Promise<Signable>
  /** Which versions `v` of documents `d` the actor may read. */
  readable(actor: Actor): RawBuilder<SqlBool>
}

export const list = ({ readable }: Signing) =>
  query({
    summary: 'List signatures',
    permission: 'signatures.read',
    input: { query: SignatureFilter },
    response: Page(Signature),
    async run({ tx, actor }, { query }) {
      const { limit, offset } = limits(query)
      const sort = parseSort(query.sort, signatureSorts, { field: 'id', direction: 'desc' })
      const visible = visibleTo(actor, readable(actor))
      const [items, { total }] = await Promise.all([
        listSignatures(tx, query, visible, sort, limit, offset),
        countSignatures(tx, query, visible),
      ])
      return envelope(items as Signature[], total, query)
    },
  })

/** Reads in a transaction, and hashes the file after it: what is compared is a row that never changes and bytes that never do. */
export const details = ({ readable, readSignable }: Signing) =>
  query({
    summary: 'Read a signature, verified',
    permission: 'signatures.read',
    input: { params: IdParams },
    response: SignatureDetails,
    async prepare({ read, actor, services }, { params }) {
      const { row, now } = await read(async tx => {
        const row = await findSignature(tx, params.id, visibleTo(actor, readable(actor)))
        if (!row) throw notFound('Signature')
        return { row, now: await readSignable(tx, row.version_id) }
      })
      const payload = readPayload(row.payload)
      return { row, payload, verification: await verifySignature(services.storage, row, payload, now) }
    },
    async run({ prepared: { row, payload, verification } }) {
      const record = payload
        ? {
            file_sha256: payload.file.sha256,
            file_size: Number(payload.file.size),
            metadata_sha256: payload.metadata_sha256,
            status: payload.version.status,
          }
        : null
      return { ...row, record, verification } as SignatureDetails
    },
  })

export const createSignature = ({ findSignable, readable }: Signing) =>
  command({
    summary: 'Sign a version of a document',
    description: 'Identity is proved by `password` (and `otp` where enrolled), or by a log-in that is recent enough.',
    permission: 'signatures.create',
    input: { body: SignatureCreate },
    response: Signature,
    async prepare(context: PrepareContext, { body }) {
      const { read, actor, services } = context
      const seen = await read(tx => findSignable(tx, actor, body.document_id, body.version, { lock: false }))
      const proof = await proveIdentity(context, body)
      await requireIntactFile(services, seen)
      return { proof, seen }
    },
    async run(context, { body: { document_id, version, signature_type, intent } }) {
      const { tx, actor, prepared } = context
      const signable = await findSignable(tx, actor, document_id, version, { lock: true })
      if (!isDeepStrictEqual(signable, prepared.seen))
        throw conflict(`${signable.document_number} was changed while you signed it: read it again`)
      const id = await sign(context, signable, { signature_type, intent, proof: prepared.proof })
      return (await findSignature(tx, id, visibleTo(actor, readable(actor)))) as Signature
    },
  })
