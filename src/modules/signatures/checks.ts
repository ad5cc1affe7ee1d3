import { createHash } from 'node:crypto'
import type { Message } from '#kernel/message.ts'
import { verifySeal } from '#platform/crypto/signing-key.ts'
import { printed } from './messages.ts'
import { isOfRecord, type Payload } from './payload.ts'
import type { CheckName, Verification } from './schema.ts'

/** A row of `signature_evidence`. */
export interface KeptEvidence {
  kind: string
  challenge: string
  evidence: string
  key: Record<string, unknown>
  sha256: string
}

/** The row of a signature, which repeats its payload, with the current state of the records around it. */
export interface SignedRow {
  tenant_id: number
  format: number
  record_type: string
  record_id: number
  record_number: string
  /** This and the next four are null unless a document was signed. */
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
  /** The person for whom a deputy signed; null for a signature for oneself. */
  on_behalf_of_id: number | null
  on_behalf_of_name: string | null
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
  /** Null unless it is void. */
  void: object | null
  /** The current user name of the signer's account; null if there is no such account. */
  account: string | null
  /** The signature of the record before this one. */
  preceding: { id: number; digest: string; signed_at: string } | null
  /** The oldest earlier signature of the record with the same payload, of which this one is a copy. */
  copy_of: number | null
  /** The entry of the audit trail that says that this signature was given; null if there is none. */
  entry: {
    /** Null if the detail was redacted, and in entries of before digests were recorded. */
    digest: string | null
    user_id: number | null
    occurred_at: string
    is_redacted: boolean
    /** It is sealed, or waits to be. */
    has_place: boolean
  } | null
  /** Since when there are the signer's account and the signed version, by the clock of the database. */
  earliest: string | null
  /** What proved the identity of the signer; null where nothing is kept. */
  evidence: KeptEvidence | null
  /** The moment of this reading by the clock of the database, which dates the entries. */
  read_at: string
}

export type Check = Verification['checks'][number]

export function check(name: CheckName, passed: boolean, good: Message, bad: Message): Check {
  const { text: detail, code, params } = passed ? good : bad
  return { name, passed, detail, code, params: { ...params } }
}

export const passed = (name: CheckName, good: Message) => check(name, true, good, good)
export const failed = (name: CheckName, bad: Message) => check(name, false, bad, bad)

type Value = string | null
type SignedField = Exclude<keyof SignedRow, 'void' | 'preceding' | 'entry' | 'evidence'>

/** The fields of the payload that each check compares with the row. */
const claims = {
  completeness: ({ v, request_id, client_addr }) => ({ format: v, request_id, client_addr }),
  record_association: payload => ({
    tenant_id: payload.tenant,
    ...(isOfRecord(payload)
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
  signer_identity: ({ signer, on_behalf_of, auth }) => ({
    signer_id: signer.id,
    signer_username: signer.username,
    on_behalf_of_id: on_behalf_of?.id ?? null,
    method: auth.method,
  }),
  chain: ({ previous }) => ({ previous_digest: previous }),
  manifestation: payload => ({
    signer_full_name: payload.signer.full_name,
    signer_role: payload.signer.role,
    on_behalf_of_name: payload.on_behalf_of?.name ?? null,
    signed_at: payload.signed_at,
    signature_type: payload.signature_type,
    intent: payload.intent,
    time_zone: payload.time_zone,
  }),
} satisfies Partial<Record<CheckName, (payload: Payload) => Partial<Record<SignedField, Value>>>>

/** The database keeps microseconds and the payload milliseconds, so moments are compared as ISO text. */
const rowValue = (row: SignedRow, field: SignedField): Value => {
  const value = row[field]
  if (field === 'signed_at') return new Date(row.signed_at).toISOString()
  return value === null ? null : String(value)
}

/** The fields in which the row differs from what was signed. */
function differing(name: keyof typeof claims, row: SignedRow, payload: Payload): string[] {
  const signed: Partial<Record<SignedField, Value>> = claims[name](payload)
  return Object.entries(signed)
    .filter(([field, value]) => rowValue(row, field as SignedField) !== value)
    .map(([field]) => field)
}

const differs = (fields: string[]) => printed.check_row_differs({ fields })

export function completeness(row: SignedRow, payload: Payload): Check {
  const good = printed.check_complete()
  const fields = differing('completeness', row, payload)
  if (fields.length > 0) return check('completeness', false, good, differs(fields))
  // 21 CFR 11.50(a)(1).
  const hasName = Boolean(payload.signer.full_name?.trim())
  return check('completeness', hasName, good, printed.check_name_missing())
}

/** The id of a key is the beginning of its hash, so another key cannot have the same id. */
const isKeyOf = ({ key_id, public_key }: SignedRow) =>
  createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex').startsWith(key_id)

/** `trusted`: the public keys that count; undefined if no key is at hand to decide by. */
export function signatureIntegrity(row: SignedRow, trusted: ReadonlySet<string> | undefined): Check {
  const good = trusted ? printed.check_sealed() : printed.check_sealed_by_unknown()
  const key = row.key_id
  if (!isKeyOf(row)) return check('signature_integrity', false, good, printed.check_key_replaced({ key }))
  if (trusted && !trusted.has(row.public_key))
    return check('signature_integrity', false, good, printed.check_key_of_others({ key }))
  if (createHash('sha256').update(row.payload).digest('hex') !== row.digest)
    return check('signature_integrity', false, good, printed.check_content_altered())
  const isSealed = verifySeal(row.public_key, Buffer.from(row.payload), row.seal)
  return check('signature_integrity', isSealed, good, printed.check_seal_wrong())
}

/** `isThere`: the signed record exists and is the one that the row names. */
export function recordAssociation(
  row: SignedRow,
  payload: Payload,
  good: Message,
  isThere: boolean,
  bad: Message,
): Check {
  const fields = differing('record_association', row, payload)
  if (fields.length > 0) return check('record_association', false, good, differs(fields))
  if (row.copy_of !== null) return check('record_association', false, good, printed.check_copy({ id: row.copy_of }))
  return check('record_association', isThere, good, bad)
}

/** A change by the rules counts the content revision, so the signature stays valid for the revision that it names. */
export const isSuperseded = (row: SignedRow, now: { content_revision: number }) =>
  now.content_revision > row.content_revision

/** A user name belongs to one person for ever (21 CFR 11.100(a)); full name and role may change. */
export function signerIdentity(row: SignedRow, payload: Payload): Check {
  const good = printed.check_signer({ username: row.signer_username })
  const fields = differing('signer_identity', row, payload)
  if (fields.length > 0) return check('signer_identity', false, good, differs(fields))
  const bad =
    row.account === null ? printed.check_signer_gone() : printed.check_signer_renamed({ username: row.account })
  return check('signer_identity', row.account === row.signer_username, good, bad)
}

export function chain(row: SignedRow, payload: Payload): Check {
  const { preceding } = row
  const kind = row.record_type.replaceAll('_', ' ')
  const good = preceding ? printed.check_follows({ id: preceding.id }) : printed.check_first({ kind })
  const fields = differing('chain', row, payload)
  if (fields.length > 0) return check('chain', false, good, differs(fields))
  const bad =
    payload.previous === null
      ? printed.check_was_first({ kind, id: preceding?.id ?? null })
      : printed.check_preceding_gone()
  return check('chain', (preceding?.digest ?? null) === payload.previous, good, bad)
}

/** 21 CFR 11.50: printed name, date and time, meaning. */
export function manifestation(row: SignedRow, payload: Payload): Check {
  const name = row.signer_full_name ?? row.signer_username
  const moment = new Date(row.signed_at).toISOString()
  const good = printed.check_manifestation({
    ...{ name, person: row.on_behalf_of_name, role: row.signer_role, moment, meaning: row.signature_type },
  })
  const fields = differing('manifestation', row, payload)
  return check('manifestation', fields.length === 0, good, differs(fields))
}

/**
 * The clocks of the service, which dates signatures, and of the database, which dates entries, may differ by this much. A signature does not
 * commit beyond it: `signature_clock_tolerance()` in SQL.
 */
const toleranceMs = 15 * 60_000

/**
 * The audit trail has an entry for exactly this signature, and was written when it was signed: the database dates entries, so a signature
 * cannot be dated back. `at`: the present moment by the clock of the service, for the offset between both clocks.
 */
export function auditEntry(row: SignedRow, payload: Payload, at: Date): Check {
  const { entry, earliest, preceding } = row
  const fail = (bad: Message) => failed('audit_entry', bad)
  if (!entry) return fail(printed.check_no_entry())
  if (!entry.has_place) return fail(printed.check_entry_not_sealed())
  if (entry.user_id !== row.signer_id) return fail(printed.check_entry_of_another_person())
  if (entry.digest !== null && entry.digest !== row.digest) return fail(printed.check_entry_of_other_content())
  const signed = Date.parse(payload.signed_at)
  const offset = at.getTime() - Date.parse(row.read_at)
  const entered = Date.parse(entry.occurred_at)
  const isAtEntry =
    signed >= entered + Math.min(0, offset) - toleranceMs && signed <= entered + Math.max(0, offset) + toleranceMs
  if (!isAtEntry) return fail(printed.check_entry_at_another_time({ signed: payload.signed_at, entered: iso(entered) }))
  const before = [
    ...(preceding && signed < Date.parse(preceding.signed_at) - toleranceMs
      ? [{ what: printed.check_what_preceding({ id: preceding.id }), since: Date.parse(preceding.signed_at) }]
      : []),
    ...(earliest && signed < Date.parse(earliest) + Math.min(0, offset) - toleranceMs
      ? [{ what: printed.check_what_account(), since: Date.parse(earliest) }]
      : []),
  ]
  // The database dates entries: where it dated this one as early, its own clock had been set back, and nobody dated the signature back.
  const isSetBack = (since: number) => entered + Math.max(0, offset) < since - toleranceMs
  const datedBack = before.find(({ since }) => !isSetBack(since))
  if (datedBack) return fail(printed.check_dated_back({ signed: payload.signed_at, what: datedBack.what }))
  const clock = before.map(({ what }) => what)
  const good = entry.digest
    ? printed.check_entry({ clock })
    : entry.is_redacted
      ? printed.check_entry_redacted({ clock })
      : printed.check_entry_without_digest({ clock })
  return passed('audit_entry', good)
}

const iso = (moment: number) => new Date(moment).toISOString()
