import type { EventName } from './catalogue.ts'

/** One place where input is wrong: `loc` is the way to it (`["body", "title"]`), as in the specification's validation body. */
export interface Issue {
  loc: (string | number)[]
  msg: string
  type: string
}

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 416 | 422 | 503

/** A refusal that the caller can act on. Everything else that is thrown is a bug, and answers 500 without its text. */
export class AppError extends Error {
  readonly status: ErrorStatus
  /** The sentence, or for a 422 the list of what is wrong. */
  readonly detail: string | Issue[]
  readonly headers: Readonly<Record<string, string>>
  auditEntry: AuditedRefusal | undefined
  /** The record that a refused attempt was about. */
  record: DeniedRecord | undefined
  constructor(status: ErrorStatus, detail: string | Issue[], headers: Record<string, string> = {}) {
    super(typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '))
    this.status = status
    this.detail = detail
    this.headers = headers
  }

  /** The same refusal, with the entry that the audit trail keeps of it. */
  withAuditEntry(entry: AuditedRefusal) {
    this.auditEntry = entry
    return this
  }
}

export const badRequest = (detail: string) => new AppError(400, detail)
/** AUTH-05. `challenge` follows the scheme, as in RFC 6750 and RFC 9470: `error="insufficient_user_authentication"`. */
export const unauthorized = (detail = 'Not authenticated', challenge?: string) =>
  new AppError(401, detail, { 'www-authenticate': challenge ? `Bearer ${challenge}` : 'Bearer' })
interface DeniedRecord {
  id: number
  number: string
}
/** The runner writes `access.denied` for each of them: `record` is what the attempt was about, where there is one. */
export function forbidden(detail = 'Not enough permissions', record?: DeniedRecord) {
  const error = new AppError(403, detail)
  error.record = record && { id: record.id, number: record.number }
  return error
}
/** The same sentence for what does not exist and for what belongs to another tenant (SVC-01). */
export const notFound = (what: string) => new AppError(404, `${what} not found`)
export const noSuchEndpoint = () => new AppError(404, 'There is no such page or endpoint')
const most_named = 20
/** Of several records that were asked for by their ids, those that are not there. */
export const noneOf = (what: string, asked: readonly number[], missing: readonly number[]) => {
  const more = missing.length > most_named ? ` and ${missing.length - most_named} more` : ''
  return asked.length === 1
    ? notFound(what)
    : new AppError(404, `${what}s not found: ${missing.slice(0, most_named).join(', ')}${more}`)
}
export const requestTimeout = () => new AppError(408, 'The request did not arrive in time')
export const conflict = (detail: string) => new AppError(409, detail)
export const tooLarge = (detail: string) => new AppError(413, detail)
export const unsupportedMedia = (detail: string) => new AppError(415, detail)
export const rangeNotSatisfiable = (size_bytes: number) =>
  new AppError(416, `The file has ${size_bytes} bytes, and none of those that are asked for`, {
    'content-range': `bytes */${size_bytes}`,
  })
export const invalid = (...issues: Issue[]) => new AppError(422, issues)
/** One wrong field of the body. */
export const invalidField = (field: string, msg: string, type = 'value_error') =>
  invalid({ loc: ['body', ...field.split('.')], msg, type })
export const unavailable = (detail: string) => new AppError(503, detail)

/** The audit entry of a refused attempt, written separately because the attempt's transaction is rolled back. */
export interface AuditedRefusal {
  event: EventName
  outcome: 'denied' | 'failed'
  id?: number | null
  number?: string | null
  reason: string
  after?: object
}
