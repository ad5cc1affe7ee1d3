import type { EventName, Permission } from './catalogue.ts'
import type { Message, MessageParams } from './message.ts'
import { messages } from './messages.ts'

/**
 * One invalid value: `loc` is its path (`["body", "title"]`), as the specification's validation body has it, and `type` the code of `msg`.
 */
export interface Issue {
  loc: (string | number)[]
  msg: string
  type: string
  params?: MessageParams
}

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 416 | 422 | 429 | 503

/** A refusal that the caller can act on. Everything else that is thrown is a bug, and answers 500 without its text. */
export class AppError extends Error {
  readonly status: ErrorStatus
  /** The sentence, or for a 422 the list of issues. */
  readonly detail: string | Issue[]
  readonly code: string
  readonly params: MessageParams
  readonly headers: Readonly<Record<string, string>>
  auditEntry: AuditedRefusal | undefined
  /** The record that a refused attempt was about. */
  record: DeniedRecord | undefined
  constructor(status: ErrorStatus, refusal: Message | Issue[], headers: Record<string, string> = {}) {
    const isList = Array.isArray(refusal)
    const text = isList ? refusal.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') : refusal.text
    // Its code says where it is from. A read makes one for each act that its reader may not take, and collecting a stack takes longer
    // than all else of it.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(text)
    Error.stackTraceLimit = stackTraceLimit
    this.status = status
    this.detail = isList ? refusal : refusal.text
    const { code, params } = isList ? messages.invalid_input() : refusal
    this.code = code
    this.params = params
    this.headers = headers
  }

  /** The same refusal, with the entry that the audit trail keeps of it. */
  withAuditEntry(entry: AuditedRefusal) {
    this.auditEntry = entry
    return this
  }
}

export const badRequest = (message: Message) => new AppError(400, message)
/** AUTH-05. `challenge` follows the scheme, as in RFC 6750 and RFC 9470: `error="insufficient_user_authentication"`. */
export const unauthorized = (message = messages.not_authenticated(), challenge?: string) =>
  new AppError(401, message, { 'www-authenticate': challenge ? `Bearer ${challenge}` : 'Bearer' })
export interface DeniedRecord {
  id: number
  number: string
}
/** The runner writes `access.denied` for each of them, with the `record` that the attempt was about. */
export function forbidden(message: Message, record?: DeniedRecord) {
  const error = new AppError(403, message)
  error.record = record && { id: record.id, number: record.number }
  return error
}
export const permissionRequired = (permission: Permission, record?: DeniedRecord) =>
  forbidden(messages.permission_required({ permission }), record)
export const notFound = (kind: string) => new AppError(404, messages.not_found({ kind }))
export const noSuchEndpoint = () => new AppError(404, messages.no_such_endpoint())
/** A longer list of missing ids is counted instead of spelled out. */
const maxNamed = 20
/** Says which of the requested records are missing. */
export const noneOf = (kind: string, asked: readonly number[], missing: readonly number[]) =>
  asked.length === 1
    ? notFound(kind)
    : new AppError(
        404,
        messages.some_not_found({
          kind,
          ids: missing.slice(0, maxNamed),
          more: Math.max(0, missing.length - maxNamed),
        }),
      )
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new AppError(405, messages.method_not_allowed({ method, allowed }), { allow: allowed.join(', ') })
export const requestTimeout = () => new AppError(408, messages.request_timeout())
export const conflict = (message: Message) => new AppError(409, message)
export const gone = (message: Message) => new AppError(410, message)
export const tooLarge = (message: Message) => new AppError(413, message)
export const unsupportedMedia = (message: Message) => new AppError(415, message)
export const rangeNotSatisfiable = (size_bytes: number) =>
  new AppError(416, messages.range_not_satisfiable({ size_bytes }), { 'content-range': `bytes */${size_bytes}` })
export const invalid = (...issues: Issue[]) => new AppError(422, issues)
export const issueAt = (loc: (string | number)[], { text, code, params }: Message): Issue => ({
  loc,
  msg: text,
  type: code,
  params,
})
/** The sentence of an issue. */
export const messageOfIssue = ({ msg: text, type: code, params = {} }: Issue): Message => ({ text, code, params })
/** The sentence of a refusal; of a list of issues that of the first. */
export const messageOf = ({ detail, code, params }: AppError): Message =>
  typeof detail === 'string' ? { text: detail, code, params } : messageOfIssue(detail[0]!)
/** One invalid field of the body. */
export const invalidField = (field: string, message: Message) =>
  invalid(issueAt(['body', ...field.split('.')], message))
export const invalidQuery = (field: string, message: Message) => invalid(issueAt(['query', field], message))
export const tooManyRequests = (message: Message, headers: Record<string, string>) =>
  new AppError(429, message, headers)
export const unavailable = (message: Message) => new AppError(503, message)

/** The audit entry of a refused attempt, written separately because the attempt's transaction is rolled back. */
export interface AuditedRefusal {
  event: EventName
  outcome: 'denied' | 'failed'
  id?: number | null
  number?: string | null
  reason: string
  after?: object
}
