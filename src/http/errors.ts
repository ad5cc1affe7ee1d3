import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, badRequest, type Issue } from '#kernel/errors.ts'
import { type Message, type MessageParams, reasonOf } from '#kernel/message.ts'
import { messages as shared } from '#kernel/messages.ts'
import { isClockDifference, isDatabaseError } from '#platform/db/database.ts'
import type { Report } from '#platform/error-tracking/report.ts'
import type { TrackedRequest } from '#platform/error-tracking/tracker.ts'
import { StorageFailure } from '#platform/storage/failure.ts'
import { languageOf, refusalIn, tellLanguage } from './language.ts'
import { messages } from './messages.ts'
import { secure } from './security-headers.ts'

interface Answer {
  status: number
  body: { detail: string | Issue[]; code: string; params: MessageParams; request_id?: string }
  headers?: Readonly<Record<string, string>>
}

/** Refusals of Fastify itself, whose own sentences speak of its insides. */
const frameworkAnswers: Record<string, [status: number, message: Message]> = {
  FST_ERR_BAD_URL: [400, messages.invalid_path()],
  FST_ERR_MAX_PARAM_LENGTH: [404, shared.no_such_endpoint()],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, messages.invalid_json()],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, messages.empty_body()],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, messages.body_too_large()],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, messages.content_type_not_accepted()],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, messages.body_length_mismatch()],
}

/** ERR-01 to ERR-05: the five shapes, decided here and nowhere else. The text of an unexpected error never leaves. */
export function answerTo(error: Error, requestId: string): Answer {
  if (error instanceof AppError) {
    const { detail, code, params } = error
    const body = { detail, code, params, ...(error.status >= 500 && { request_id: requestId }) }
    return { status: error.status, body, headers: error.headers }
  }
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = frameworkAnswers[code]
  if (known) return { status: known[0], body: reasonOf(known[1]) }
  if (code.startsWith('FST_') && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, body: reasonOf(messages.invalid_request()) }
  // The parser refuses JSON whose keys would poison objects without a code of its own.
  if (error instanceof SyntaxError && statusCode === 400)
    return { status: 400, body: reasonOf(messages.invalid_json()) }
  // Neither a store that does not answer nor a clock is a fault of the program: the same request succeeds once they are well.
  const status = error instanceof StorageFailure || isClockDifference(error) ? 503 : 500
  return { status, body: { ...reasonOf(failureOf(error)), request_id: requestId } }
}

function failureOf(error: Error): Message {
  if (isClockDifference(error)) return messages.clocks_differ()
  if (isDatabaseError(error)) return messages.database_error()
  return error instanceof StorageFailure ? messages.storage_error() : messages.internal_error()
}

/** The answer to a request that Node's parser refused, by the code of its error. */
export function answerToParserError(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, reason: 'Request Header Fields Too Large', body: reasonOf(messages.headers_too_large()) }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'Request Timeout', body: reasonOf(shared.request_timeout()) }
  return { status: 400, reason: 'Bad Request', body: reasonOf(messages.invalid_http()) }
}

/** The request for the error tracker, which takes out the secrets. */
export const tracked = ({ method, protocol, host, raw, routeOptions, headers }: FastifyRequest): TrackedRequest => ({
  method,
  url: `${protocol}://${host}${raw.url}`,
  route: routeOptions.url ?? '',
  headers,
})

/** Anything can be thrown: a string, or nothing. A client that breaks off in the middle of a body is no fault of ours. */
function refusalOf(thrown: unknown, { raw }: FastifyRequest): Error {
  if (!(thrown instanceof Error)) return new Error(`Something other than an error was thrown: a ${typeof thrown}`)
  const isBrokenOff = raw.destroyed && !raw.complete && (thrown as { code?: string }).code === 'ECONNRESET'
  return isBrokenOff && !isDatabaseError(thrown) ? badRequest(messages.request_incomplete()) : thrown
}

/** The answer to an error, and whether it is our fault. */
export function answerToThrown(thrown: unknown, request: FastifyRequest) {
  const error = refusalOf(thrown, request)
  const { body, ...answer } = answerTo(error, request.id)
  const language = languageOf(request)
  return {
    error,
    ...answer,
    body: refusalIn(language, body),
    language,
    isOurs: answer.status >= 500 && !(error instanceof AppError),
  }
}

/** Sends the answer, and reports a failure of ours: LOG-05, TRK-02. */
export function errorHandler(report: Report) {
  return (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
    const { error, status, body, headers, language, isOurs } = answerToThrown(thrown, request)
    if (isOurs) report(error, tracked(request))
    // Also where no hook ran, as for a path that cannot be decoded (RID-01).
    reply.header('x-request-id', request.id)
    secure(request, reply)
    tellLanguage(reply, language)
    if (headers) reply.headers(headers)
    return reply.code(status).type('application/json').send(JSON.stringify(body))
  }
}
