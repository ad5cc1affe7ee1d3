import { createHash } from 'node:crypto'
import { verifySeal } from '#platform/crypto/signing-key.ts'
import { metadataDigest, type Payload } from './payload.ts'
import type { Signable } from './rules.ts'
import type { CheckName, Verification } from './schema.ts'

/** The signature's row, which repeats what the payload says, and what stands around it now. */
export interface SignedRow {
  tenant_id: number
  format: number
  document_id: number
  document_number: string
  document_version: string
  version_id: number
  content_revision: number
  round: number
  signature_type: string
  intent: string
  occasion_kind: string | null
  occasion_ref: string | null
  previous_digest: string | null
  signer_id: number
  signer_username: string
  signer_full_name: string | null
  signer_role: string
  method: string
  signed_at: string
  time_zone: string | null
  request_id: string | null
  client_addr: string | null
  payload: string
  digest: string
  key_id: string
  seal: string
  public_key: string
  /** Null where it is not void. */
  void: object | null
  /** The name of the signer's account, as it is now; null where there is no such account. */
  account: string | null
  /** The signature that the document has before this one. */
  preceding: { id: number; format: number; digest: string } | null
  /** The oldest signature of the document with the very same payload; null where there is none before this one. */
  copy_of: number | null
}

export type Check = Verification['checks'][number]

const check = (name: CheckName, passed: boolean, good: string, bad: string): Check => ({
  name,
  passed,
  detail: passed ? good : bad,
})

type Value = string | null
type Said = Exclude<keyof SignedRow, 'void' | 'preceding'>

/** What the payload says, by the check that compares it with the row. */
const claims = {
  completeness: payload => ({
    format: payload.v,
    ...(payload.v === '2' && { request_id: payload.request_id, client_addr: payload.client_addr }),
  }),
  record_association: payload => ({
    tenant_id: payload.tenant,
    document_id: payload.document.id,
    document_number: payload.document.number,
    version_id: payload.version.id,
    document_version: payload.version.label,
    content_revision: payload.version.content_revision,
    round: payload.version.round,
    ...(payload.v === '2' && { occasion_kind: payload.occasion.kind, occasion_ref: payload.occasion.ref }),
  }),
  signer_identity: ({ signer, auth }) => ({
    signer_id: signer.id,
    signer_username: signer.username,
    method: auth.method,
  }),
  chain: payload => (payload.v === '2' ? { previous_digest: payload.previous } : {}),
  manifestation: payload => ({
    signer_full_name: payload.signer.full_name,
    signer_role: payload.signer.role,
    signed_at: payload.signed_at,
    signature_type: payload.signature_type,
    intent: payload.intent,
    ...(payload.v === '2' && { time_zone: payload.time_zone }),
  }),
} satisfies Partial<Record<CheckName, (payload: Payload) => Partial<Record<Said, Value>>>>

/** The moment in the database has microseconds; the payload's has milliseconds. */
const saidByRow = (row: SignedRow, field: Said): Value => {
  const value = row[field]
  if (field === 'signed_at') return new Date(row.signed_at).toISOString()
  return value === null ? null : String(value)
}

/** The fields in which the row says something else than what was signed. */
function differing(name: keyof typeof claims, row: SignedRow, payload: Payload): string[] {
  const said: Partial<Record<Said, Value>> = claims[name](payload)
  return Object.entries(said)
    .filter(([field, value]) => saidByRow(row, field as Said) !== value)
    .map(([field]) => field)
}

const differs = (fields: string[]) => `The record differs from what was signed in ${fields.join(', ')}`

export function completeness(row: SignedRow, payload: Payload): Check {
  const fields = differing('completeness', row, payload)
  return check('completeness', fields.length === 0, 'Everything that a signature must say is there', differs(fields))
}

/** The name of a key is the beginning of its hash: another key under the same name is none. */
const isKeyOf = ({ key_id, public_key }: SignedRow) =>
  createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex').startsWith(key_id)

export function signatureIntegrity(row: SignedRow): Check {
  const good = 'What was signed is as it was sealed'
  if (!isKeyOf(row)) return check('signature_integrity', false, good, `The key ${row.key_id} was exchanged`)
  if (createHash('sha256').update(row.payload).digest('hex') !== row.digest)
    return check('signature_integrity', false, good, 'What was signed, or its digest, was altered')
  const isSealed = verifySeal(row.public_key, Buffer.from(row.payload), row.seal)
  return check('signature_integrity', isSealed, good, 'The seal is not that of this service on what was signed')
}

export function recordAssociation(row: SignedRow, payload: Payload, now: Signable): Check {
  const good = `It belongs to version ${row.document_version} of ${row.document_number}`
  const fields = differing('record_association', row, payload)
  if (fields.length > 0) return check('record_association', false, good, differs(fields))
  if (row.copy_of !== null)
    return check('record_association', false, good, `It is a copy of the signature ${row.copy_of}`)
  const isThere = now.document_id === row.document_id && now.version_id === row.version_id
  return check('record_association', isThere, good, 'The version that was signed is not one of this document')
}

/** Content that was changed by the rules since has another revision: then this signature is about the one that it names. */
export const isSuperseded = (row: SignedRow, now: Signable) => now.content_revision > row.content_revision

export function recordIntegrity(row: SignedRow, payload: Payload, now: Signable): Check {
  const isSame = metadataDigest(now) === payload.metadata_sha256
  if (isSame || !isSuperseded(row, now))
    return check(
      'record_integrity',
      isSame,
      'Title, type, category, description, keywords and version are as they were signed',
      'Title, type, category, description, keywords or version is not what was signed',
    )
  const { content_revision: signed } = row
  const changed = `The metadata was changed after the signing: revision ${signed} of the content was signed, this is ${now.content_revision}`
  return check('record_integrity', true, changed, changed)
}

/** `found`: the hash of the stored file, made just now; undefined where there is no file. */
export function contentIntegrity({ file }: Payload, now: Signable, found: string | undefined): Check {
  const isSame = found === file.sha256 && now.file_sha256 === file.sha256 && String(now.file_size) === file.size
  const bad = found === undefined ? 'The stored file is missing' : 'The stored file is not the one that was signed'
  return check('content_integrity', isSame, 'The stored file is the one that was signed', bad)
}

/** A user name is for one person for ever (21 CFR 11.100(a)); the full name and the role may change. */
export function signerIdentity(row: SignedRow, payload: Payload): Check {
  const good = `The signer is the user ${row.signer_username}`
  const fields = differing('signer_identity', row, payload)
  if (fields.length > 0) return check('signer_identity', false, good, differs(fields))
  const bad =
    row.account === null ? 'There is no account of the signer any more' : `The signer's account is ${row.account} now`
  return check('signer_identity', row.account === row.signer_username, good, bad)
}

export function chain(row: SignedRow, payload: Payload): Check {
  const { preceding } = row
  if (payload.v === '1') {
    const isInPlace = preceding === null || preceding.format === 1
    return check(
      'chain',
      isInPlace,
      'Made before signatures were chained',
      'It was put behind signatures of later date',
    )
  }
  const good = preceding ? `It follows the signature ${preceding.id}` : 'It is the first signature of the document'
  const fields = differing('chain', row, payload)
  if (fields.length > 0) return check('chain', false, good, differs(fields))
  const bad =
    payload.previous === null
      ? `It was the first signature of the document, and ${preceding?.id} stands before it`
      : 'The signature that stood before this one was removed, altered or moved'
  return check('chain', (preceding?.digest ?? null) === payload.previous, good, bad)
}

/** 21 CFR 11.50: printed name, date and time, meaning. */
export function manifestation(row: SignedRow, payload: Payload): Check {
  const name = row.signer_full_name ?? row.signer_username
  const moment = new Date(row.signed_at).toISOString()
  const good = `${name}, ${row.signer_role}, at ${moment}: ${row.signature_type}`
  const fields = differing('manifestation', row, payload)
  return check('manifestation', fields.length === 0, good, differs(fields))
}
