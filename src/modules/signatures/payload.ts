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
  auth: Type.Object({ method: Type.String(), time: Type.String() }),
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

const VersionPayload = Type.Object({ v: Type.Literal('1'), ...said, ...version })
export type VersionPayload = Static<typeof VersionPayload>

/** A record without versions is signed with its content itself, and with the files that were attached to it. */
const RecordPayload = Type.Object({
  v: Type.Literal('2'),
  ...said,
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
})
export type RecordPayload = Static<typeof RecordPayload>

export type Payload = VersionPayload | RecordPayload

const formats = [VersionPayload, RecordPayload]

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
