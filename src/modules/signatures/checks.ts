import { createHash } from 'node:crypto'
import { verifySeal } from '#platform/crypto/signing-key.ts'
import type { Payload } from './payload.ts'
import type { CheckName, Verification } from './schema.ts'

/** The signature's row, which repeats what the payload says, and what stands around it now. */
export interface SignedRow {
  tenant_id: number
  format: number
  record_type: string
  record_id: number
  record_number: string
  /** Of a document alone, as well as what follows. */
  document_id: number | null
  document_number: string | null
  document_version: string | null
  version_id: number | null
  round: number | null
  content_revision: number
  signature_type: string
  intent: string
  occasion_kind: string
  occasion_ref: string
  previous_digest: string | null
  signer_id: number
  signer_username: string
  signer_full_name: string | null
  signer_role: string
  method: string
  signed_at: string
  time_zone: string
  request_id: string
  client_addr: string
  payload: string
  digest: string
  key_id: string
  seal: string
  public_key: string
  /** Null where it is not void. */
  void: object | null
  /** The name of the signer's account, as it is now; null where there is no such account. */
  account: string | null
  /** The signature that the record has before this one. */
  preceding: { id: number; digest: string } | null
  /** The oldest signature of the record with the very same payload; null where there is none before this one. */
  copy_of: number | null
}

export type Check = Verification['checks'][number]

export const check = (name: CheckName, passed: boolean, good: string, bad: string): Check => ({
  name,
  passed,
  detail: passed ? good : bad,
})

type Value = string | null
type Said = Exclude<keyof SignedRow, 'void' | 'preceding'>

/** What the payload says, by the check that compares it with the row. */
const claims = {
  completeness: ({ v, request_id, client_addr }) => ({ format: v, request_id, client_addr }),
  record_association: payload => ({
    tenant_id: payload.tenant,
    ...(payload.v === '2'
      ? {
          record_type: payload.record.type,
          record_id: payload.record.id,
          record_number: payload.record.number,
          content_revision: payload.record.content_revision,
        }
      : {
          document_id: payload.document.id,
          document_number: payload.document.number,
          version_id: payload.version.id,
          document_version: payload.version.label,
          content_revision: payload.version.content_revision,
          round: payload.version.round,
        }),
    occasion_kind: payload.occasion.kind,
    occasion_ref: payload.occasion.ref,
  }),
  signer_identity: ({ signer, auth }) => ({
    signer_id: signer.id,
    signer_username: signer.username,
    method: auth.method,
  }),
  chain: ({ previous }) => ({ previous_digest: previous }),
  manifestation: payload => ({
    signer_full_name: payload.signer.full_name,
    signer_role: payload.signer.role,
    signed_at: payload.signed_at,
    signature_type: payload.signature_type,
    intent: payload.intent,
    time_zone: payload.time_zone,
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

/** `isThere`: what it is of is there, and is what the row says. */
export function recordAssociation(
  row: SignedRow,
  payload: Payload,
  good: string,
  isThere: boolean,
  bad: string,
): Check {
  const fields = differing('record_association', row, payload)
  if (fields.length > 0) return check('record_association', false, good, differs(fields))
  if (row.copy_of !== null)
    return check('record_association', false, good, `It is a copy of the signature ${row.copy_of}`)
  return check('record_association', isThere, good, bad)
}

/** Content that was changed by the rules since has another revision: then this signature is about the one that it names. */
export const isSuperseded = (row: SignedRow, now: { content_revision: number }) =>
  now.content_revision > row.content_revision

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
  const kind = row.record_type.replaceAll('_', ' ')
  const good = preceding ? `It follows the signature ${preceding.id}` : `It is the first signature of the ${kind}`
  const fields = differing('chain', row, payload)
  if (fields.length > 0) return check('chain', false, good, differs(fields))
  const bad =
    payload.previous === null
      ? `It was the first signature of the ${kind}, and ${preceding?.id} stands before it`
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
