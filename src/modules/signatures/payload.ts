import { type Static, Type } from 'typebox'
import { conforms } from '#kernel/json-schema.ts'
import { Nullable } from '#kernel/schema.ts'
import { canonicalBytes, digest } from '#platform/crypto/canonical.ts'
import type { Signable } from './rules.ts'

/** The metadata that a signature binds beside the file: if it changes, it is no longer the record that was signed. */
export const metadataDigest = ({ title, document_type_id, category, description, keywords, version }: Signable) =>
  digest({ title, document_type: String(document_type_id), category, description, keywords: [...keywords], version })

/** Content as JSON, which has no undefined values. */
export const plain = (content: object) => JSON.parse(JSON.stringify(content)) as Record<string, unknown>

const auth = Type.Object({ method: Type.String(), time: Type.String() })

/** Of a signature with a proof that is kept: `src/modules/signatures/evidence`. */
const provenAuth = Type.Object({
  method: Type.String(),
  time: Type.String(),
  evidence: Type.Object({ kind: Type.String(), sha256: Type.String(), challenge_sha256: Type.String() }),
})

/** Numbers are written as digits in strings, so that every programming language reads the same number. */
const said = {
  tenant: Type.String(),
  signature_type: Type.String(),
  intent: Type.String(),
  signer: Type.Object({
    id: Type.String(),
    username: Type.String(),
    full_name: Nullable(Type.String()),
    role: Type.String(),
  }),
  /** The person for whom a deputy signed. Earlier signatures, and those of everybody else, do not have it. */
  on_behalf_of: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  auth,
  signed_at: Type.String(),
  request_id: Type.String(),
  occasion: Type.Object({ kind: Type.String(), ref: Type.String() }),
  previous: Nullable(Type.String()),
  time_zone: Type.String(),
  client_addr: Type.String(),
}

const version = {
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
}

/** A record without versions is signed with its content itself, and with the files that were attached to it. */
const record = {
  record: Type.Object({
    type: Type.String(),
    id: Type.String(),
    number: Type.String(),
    status: Type.String(),
    content_revision: Type.String(),
  }),
  content: Type.Record(Type.String(), Type.Unknown()),
  files: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), sha256: Type.String(), size: Type.String() }),
  ),
}

const VersionPayload = Type.Object({ v: Type.Literal('1'), ...said, ...version })
const RecordPayload = Type.Object({ v: Type.Literal('2'), ...said, ...record })
/** The same with what proved the identity of the signer. */
const ProvenVersionPayload = Type.Object({ v: Type.Literal('3'), ...said, ...version, auth: provenAuth })
const ProvenRecordPayload = Type.Object({ v: Type.Literal('4'), ...said, ...record, auth: provenAuth })

export type VersionPayload = Static<typeof VersionPayload> | Static<typeof ProvenVersionPayload>
export type RecordPayload = Static<typeof RecordPayload> | Static<typeof ProvenRecordPayload>
export type Payload = VersionPayload | RecordPayload

export const isOfRecord = (payload: Payload): payload is RecordPayload => payload.v === '2' || payload.v === '4'

/** What the payload says of the proof that is kept; undefined for a password, of which nothing is kept. */
export const evidenceIn = (payload: Payload) =>
  payload.v === '3' || payload.v === '4' ? payload.auth.evidence : undefined

const formats = [VersionPayload, RecordPayload, ProvenVersionPayload, ProvenRecordPayload]

export const payloadText = (payload: Payload) => canonicalBytes(payload).toString('utf8')

/** Returns undefined if the text is not a payload, because somebody overwrote it. */
export function readPayload(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(text)
    return formats.some(format => conforms(format, payload)) ? (payload as Payload) : undefined
  } catch {
    return undefined
  }
}
