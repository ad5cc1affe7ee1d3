import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
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
  auth: Type.Object({ method: Type.String(), time: Type.String() }),
  signed_at: Type.String(),
  request_id: Type.String(),
}

/** What the first format did not say. */
const saidSince = {
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

const PayloadV1 = Type.Object({ v: Type.Literal('1'), ...said, ...version })

const PayloadV2 = Type.Object({ v: Type.Literal('2'), ...said, ...saidSince, ...version })
export type PayloadV2 = Static<typeof PayloadV2>

/** The payload of a record without versions has its content and its attached files. */
const PayloadV3 = Type.Object({
  v: Type.Literal('3'),
  ...said,
  ...saidSince,
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
export type PayloadV3 = Static<typeof PayloadV3>

/** What was signed, in whichever format: those that are out of use are read for ever. */
export type VersionPayload = Static<typeof PayloadV1> | PayloadV2
export type Payload = VersionPayload | PayloadV3

const formats = [PayloadV1, PayloadV2, PayloadV3]

export const payloadText = (payload: Payload) => canonicalBytes(payload).toString('utf8')

/** Returns undefined if the text is not a payload, because somebody overwrote it. */
export function readPayload(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(text)
    return formats.some(format => Value.Check(format, payload)) ? (payload as Payload) : undefined
  } catch {
    return undefined
  }
}
