import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, badRequest, type Issue } from '#kernel/errors.ts'
import type { MessageParams } from '#kernel/message.ts'
import { isDatabaseError } from '#platform/db/database.ts'
import type { Report } from '#platform/error-tracking/report.ts'
import type { TrackedRequest } from '#platform/error-tracking/tracker.ts'
import { StorageFailure } from '#platform/storage/failure.ts'
import { secure } from './security-headers.ts'

interface Answer {
  status: number
  body: { detail: string | Issue[]; code?: string; params?: MessageParams; request_id?: string }
  headers?: Readonly<Record<string, string>>
}

const unhandled = 'Something went wrong on our side. Please quote the reference when you contact support.'
const databaseFailed = 'Database error. Please try again.'
const storageFailed =
  'The file storage does not work at the moment. Please try again, and quote the reference when you contact support.'

/** What Fastify refuses by itself, in our words where its own speak of its insides. */
const frameworkAnswers: Record<string, { status: number; detail: string }> = {
  FST_ERR_BAD_URL: { status: 400, detail: 'The path of the request is not valid' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, detail: 'Not found' },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, detail: 'The body is not valid JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, detail: 'The body is empty, and its content type is JSON' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, detail: 'The body is too large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, detail: 'The content type is not supported here' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, detail: 'The body is not as long as the request says' },
}

/** ERR-01 to ERR-05: the five shapes, decided here and nowhere else. The text of what is not an AppError never leaves. */
export function answerTo(error: Error, requestId: string): Answer {
  if (error instanceof AppError) {
    const { detail, code, params } = error
    const body = { detail, code, params, ...(error.status >= 500 && { request_id: requestId }) }
    return { status: error.status, body, headers: error.headers }
  }
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = frameworkAnswers[code]
  if (known) return { status: known.status, body: { detail: known.detail } }
  if (code.startsWith('FST_') && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, body: { detail: 'The request is not valid' } }
  // Malformed JSON whose keys would poison objects is refused by the parser without a code of its own.
  if (error instanceof SyntaxError && statusCode === 400)
    return { status: 400, body: { detail: 'The body is not valid JSON' } }
  return { status: 500, body: { detail: sentenceOf(error), request_id: requestId } }
}

const sentenceOf = (error: Error) =>
  isDatabaseError(error) ? databaseFailed : error instanceof StorageFailure ? storageFailed : unhandled

/** What Node's parser of requests refuses, by its code. */
export function answerToParserError(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, reason: 'Request Header Fields Too Large', detail: 'The head of the request is too large' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'Request Timeout', detail: 'The request did not arrive in time' }
  return { status: 400, reason: 'Bad Request', detail: 'The request is not valid HTTP' }
}

/** What the error tracker is told of a request, before what is secret is taken out. */
export const tracked = ({ method, protocol, host, raw, routeOptions, headers }: FastifyRequest): TrackedRequest => ({
  method,
  url: `${protocol}://${host}${raw.url}`,
  route: routeOptions.url ?? '',
  headers,
})

/** Anything can be thrown: a string, or nothing. Who breaks off in the middle of a body is no fault of ours. */
function refusalOf(thrown: unknown, { raw }: FastifyRequest): Error {
  if (!(thrown instanceof Error)) return new Error(`What was thrown is no error but a ${typeof thrown}`)
  const isBrokenOff = raw.destroyed && !raw.complete && (thrown as { code?: string }).code === 'ECONNRESET'
  return isBrokenOff && !isDatabaseError(thrown) ? badRequest('The request ends before it is complete') : thrown
}

/** What is answered to whatever was thrown, and whether that is our fault. */
export function answerToThrown(thrown: unknown, request: FastifyRequest) {
  const error = refusalOf(thrown, request)
  const answer = answerTo(error, request.id)
  return { error, ...answer, isOurs: answer.status >= 500 && !(error instanceof AppError) }
}

/** Sends the answer; what is our fault is reported: LOG-05, TRK-02. */
export function errorHandler(report: Report) {
  return (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
    const { error, status, body, headers, isOurs } = answerToThrown(thrown, request)
    if (isOurs) report(error, tracked(request))
    // Also where no hook ran, as for a path that cannot be decoded (RID-01).
    reply.header('x-request-id', request.id)
    secure(request, reply)
    if (headers) reply.headers(headers)
    return reply.code(status).type('application/json').send(JSON.stringify(body))
  }
}
