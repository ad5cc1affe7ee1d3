import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { Type } from 'typebox'
import {
  type Action,
  type Actor,
  type AnyAction,
  AwaitingApproval,
  type Once,
  type OpenAction,
  type Origin,
  onceOf,
  type Parts,
  Replayed,
  type Report,
  type Services,
  takesKey,
} from '#action'
import { CookieAnswer, RedirectAnswer } from '#action/cookie-answer.ts'
import { type FileAnswer, FileContent, fileTypesOf, type MadeFile } from '#action/file.ts'
import type { Permission } from '#kernel/catalogue.ts'
import {
  AppError,
  type AuditedRefusal,
  badRequest,
  forbidden,
  methodNotAllowed,
  unsupportedMedia,
} from '#kernel/errors.ts'
import { defaultLanguage, type Language } from '#kernel/message.ts'
import { messages as shared } from '#kernel/messages.ts'
import type { Ending } from '#platform/files/media-type.ts'
import { actOf, takesChallenge } from './acts.ts'
import { withArrayParams } from './array-answers.ts'
import { NotModified, partAsked, tagOf } from './conditions.ts'
import { type Events, eventStream, eventsOf, goneOf, wantsEvents } from './events.ts'
import { type ReceivedForm, receiveForm, sendFile } from './files.ts'
import { askedLanguageOf, localizerOf, tellLanguage } from './language.ts'
import { messages, reasons } from './messages.ts'
import { areaOf } from './openapi.ts'
import { refuseOtherMethods } from './other-methods.ts'
import type { Costly, RateLimits } from './rate-limits.ts'
import { isCrossSite, isSameOrigin } from './same-origin.ts'
import { loginCookieOf, sessionCookieOf, setCookies } from './session-cookie.ts'
import { validate, validatorCompiler } from './validation.ts'
import './request.ts'

// biome-ignore lint/suspicious/noExplicitAny: a table of routes holds actions of every input and answer
type AnyOpenAction = OpenAction<any, any>

export interface Route {
  method: HTTPMethods
  url: string
  status: number
  /** The Location of a created record. A parameter that the request does not have stands for the answer's id. */
  location: string
  action: AnyAction | AnyOpenAction | Report
}
interface Options {
  status?: number
  location?: string
}

/** Nobody is known yet who sends these, and all of them are a few words. */
const maxAuthBody = 64 * 1024
const bodyLimitOf = (url: string) => (url.startsWith('/api/auth/') ? { bodyLimit: maxAuthBody } : {})

const located = (location: string, asked: Record<string, string | number>, created: number) =>
  location.replace(/:(\w+)/g, (_, parameter: string) => String(asked[parameter] ?? created))

const where = (url: string, location = url.endsWith('/') ? `${url}:id` : '') => location

/** The only way in which an action is mounted: there is no handler that could forget a check. */
export const route = <P extends Parts, R extends TSchema, Prepared>(
  method: HTTPMethods,
  url: string,
  action: Action<P, R, Prepared>,
  { status = 200, location }: Options = {},
): Route => ({
  method,
  url,
  status,
  location: where(url, location),
  action: method === 'GET' ? withArrayParams(action) : action,
})
/** For the few actions that need no token (AUTH-06); a test holds their list. */
export const openRoute = <P extends Parts, R extends TSchema>(
  method: HTTPMethods,
  url: string,
  action: OpenAction<P, R>,
  { status = 200, location }: Options = {},
): Route => ({ method, url, status, location: where(url, location), action })

/** For reports that an operator needs while the database does not answer. */
export const reportRoute = <R extends TSchema>(url: string, action: Report<R>): Route => ({
  method: 'GET',
  url,
  status: 200,
  location: '',
  action,
})

interface Mounting {
  services: Services
  /**
   * The actor of a bearer token, of a key, or of a browser's cookie, or a 401. `fromMemory` accepts an actor from a short while ago while the database
   * does not answer. `isUse` keeps the session from becoming idle.
   */
  authenticate(
    by: { authorization: string | undefined } | { cookie: string },
    asking: {
      fromMemory: boolean
      permission: Permission
      isUse: boolean
      address: string
      auditRefusedKey(actor: Actor, entry: AuditedRefusal): Promise<void>
    },
  ): Promise<Actor>
  limits: RateLimits
  /** The file endings that the actor's tenant accepts at present. */
  uploadTypes(actor: Actor): Promise<readonly Ending[]>
  /** The origin of the service's own pages; undefined where nobody has said it. */
  pages?: string | undefined
  /** The interval of signs of life while an answer is sent in pieces. */
  heartbeat_ms?: number
}

const maxUserAgent = 300

/** Read once for each request. */
function originOf(request: FastifyRequest, pages: string | undefined): Origin {
  request.origin ??= readOrigin(request, pages)
  return request.origin
}

function readOrigin(request: FastifyRequest, pages: string | undefined): Origin {
  const language = askedLanguageOf(request)
  return {
    requestId: request.id,
    clientAddr: request.clientAddr,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgent),
    ...(language && { language }),
    isCrossSite: isCrossSite(request.headers, pages),
  }
}

const safeMethods = ['GET', 'HEAD']

/** What takes the service long: a file that is sent, or made for the request, and the verification of everything; or what begins a proof. */
function costOf(action: Route['action'], { query }: FastifyRequest): Costly | undefined {
  if (action.input.form) return 'upload'
  if ('isStepUp' in action && action.isStepUp) return 'step_up'
  if ('isCostly' in action && action.isCostly) return 'export'
  const { format } = (query ?? {}) as { format?: unknown }
  const isFile = format !== undefined && format !== 'json' && fileTypesOf(action.response as TSchema).length > 0
  return isFile ? 'export' : undefined
}

/** From If-Match, otherwise from the body's `revision`. A foreign tag is 0, which is no record's revision. */
function expectedRevision({ headers, body }: FastifyRequest) {
  const tag = headers['if-match']
  if (tag === undefined) return (body as { revision?: number } | undefined)?.revision
  if (tag.trim() === '*') return undefined
  const revision = /^\s*"(\d{1,9})"\s*$/.exec(tag)?.[1]
  return revision === undefined ? 0 : Number(revision)
}

/** Whether a signing challenge proves who signs. */
const isByChallenge = ({ body }: FastifyRequest) =>
  (body as { signing_challenge?: number } | undefined)?.signing_challenge !== undefined

const repeatable = ['POST', 'PUT', 'PATCH']

/** From Idempotency-Key, or the refusal of an action that takes none. */
function requestedOnce(
  { method, url, headers, body }: FastifyRequest,
  { kind, isRepeatable }: { kind: Route['action']['kind']; isRepeatable: boolean },
): ReturnType<typeof onceOf> | undefined {
  const key = headers['idempotency-key']
  // What only reads needs no key.
  if (key === undefined || !repeatable.includes(method) || kind === 'query') return undefined
  if (!isRepeatable) throw badRequest(messages.idempotency_key_not_accepted())
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(key)) throw badRequest(messages.idempotency_key_invalid())
  return onceOf(key, [method, url, headers['if-match'] ?? null, body ?? null])
}

export function mount(app: FastifyInstance, routes: Route[], mounting: Mounting) {
  for (const each of routes) mountOne(app, each, mounting)
  refuseOtherMethods(app, routes)
}

function mountOne(
  app: FastifyInstance,
  mounted: Route,
  { services, authenticate, limits, uploadTypes, pages, heartbeat_ms }: Mounting,
) {
  const { method, url, status, location, action } = mounted
  const { runner } = services
  const isSigned = takesChallenge(mounted)
  const { params, query, body, form } = action.input as Parts
  const isFile = action.response === FileContent
  const takes = 'takes' in action ? (action.takes as readonly Ending[] | undefined) : undefined
  const fileTypes = fileTypesOf(action.response as TSchema)
  const pieces = 'pieces' in action ? action.pieces : undefined
  const isRedirect = action.kind === 'open' && action.answer === 'redirect'
  const takesFields = action.kind === 'open' && action.takesForm === true
  const isRepeatable = action.kind === 'command' && repeatable.includes(String(method)) && takesKey(action)
  /** Status, headers and body of what an action has answered. */
  const answerOf = (output: unknown, { params }: Pick<FastifyRequest, 'params'>): ReturnType<Once['answerOf']> => {
    if (output instanceof Replayed) return output.answer
    // A repeated request is not given a cookie: by then it may be of a session that has ended.
    if (output instanceof CookieAnswer) return answerOf(output.body, { params })
    if (output instanceof AwaitingApproval)
      return { status: 202, headers: { location: output.location }, body: output.body }
    const { revision, id } = (output ?? {}) as { revision?: number; id?: number }
    const headers = {
      ...(revision !== undefined && { etag: `"${revision}"` }),
      ...(status === 201 &&
        location &&
        id !== undefined && { location: located(location, params as Record<string, number>, id) }),
    }
    return { status: (action.kind === 'open' && action.statusOf?.(output)) || status, headers, body: output }
  }
  const localizers = {
    usual: localizerOf(action.response as TSchema),
    accepted: 'accepted' in action ? localizerOf(action.accepted as TSchema) : undefined,
  }
  const sayAnswer = ({ status, body }: ReturnType<typeof answerOf>, language: Language) => {
    const localize = status === 202 && localizers.accepted ? localizers.accepted : localizers.usual
    return localize ? localize(body, language) : body
  }
  /** Reads the caller of a request again that is answered for a long time. It is no use of the session. */
  const renew = ({ headers: { authorization, cookie: cookies }, clientAddr }: FastifyRequest) => {
    const cookie = authorization === undefined ? sessionCookieOf(cookies) : undefined
    return authenticate(cookie === undefined ? { authorization } : { cookie }, {
      ...{ fromMemory: false, isUse: false, address: clientAddr },
      permission: (action as AnyAction).permission,
      auditRefusedKey: async () => {},
    })
  }
  const openEvents =
    pieces &&
    eventsOf(
      { isStream: 'isStream' in action && action.isStream === true, method, url, status, response: action.response },
      services,
      heartbeat_ms,
    )
  app.route({
    method,
    url,
    ...bodyLimitOf(url),
    schema: {
      summary: action.summary,
      ...(action.description && { description: action.description }),
      tags: [areaOf(url)],
      ...(action.kind !== 'open' && { security: [{ bearer: [] }, { session: [] }], 'x-permission': action.permission }),
      ...(isRepeatable && { 'x-idempotency-key': true }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(takesFields && { consumes: [formFields] }),
      ...(form && { consumes: ['multipart/form-data'], body: withFile(form as TObject) }),
      response: isFile
        ? fileAnswers
        : isRedirect
          ? redirectAnswers
          : {
              [status]: pieces
                ? {
                    description: 'The whole answer, or events while it is made',
                    content: eventStream(action.response, pieces),
                  }
                : fileTypes.length > 0
                  ? inEither(action.response as TSchema, fileTypes)
                  : action.response,
              ...('accepted' in action && { 202: awaitingApproval(action.accepted as TSchema) }),
            },
    },
    // The fields of a form are validated when it has been received.
    ...(form && {
      validatorCompiler: part => (part.httpPart === 'body' ? () => true : validatorCompiler(part as never)),
    }),
    // The caller is authenticated and authorized before a byte of the body is read.
    async onRequest(request, reply) {
      if (action.kind === 'open') {
        if (action.isSignInStep) await limits.takeSignInStep(originOf(request, pages))
        return
      }
      const { authorization } = request.headers
      // A request is one person's: with a token, the cookie is not looked at.
      const cookie = authorization === undefined ? sessionCookieOf(request.headers.cookie) : undefined
      // A browser adds the cookie to whatever page asks, so the page must be ours.
      const isForged =
        cookie !== undefined && !safeMethods.includes(request.method) && !isSameOrigin(request.headers, pages)
      const origin = originOf(request, pages)
      if (authorization !== undefined) await limits.admit(origin, authorization)
      request.actor = await authenticate(cookie === undefined ? { authorization } : { cookie }, {
        fromMemory: action.kind === 'report',
        permission: action.permission,
        isUse: action.kind !== 'report' && !action.isPolled && !isForged,
        address: request.clientAddr,
        auditRefusedKey: (actor, entry) => runner.auditDenial(actor, origin, entry),
      }).catch(error => {
        if (authorization !== undefined && error instanceof AppError && error.status === 401) limits.noteRefused(origin)
        throw error
      })
      if (authorization !== undefined) limits.noteAccepted(origin, authorization)
      request.logContext.tenant_id = request.actor.tenantId
      if (request.actor.userId !== null) request.logContext.user_id = request.actor.userId
      reply.headers(await limits.take(request.actor, origin, costOf(action, request)))
      if (isForged) {
        const reason = reasons.reason_cross_site({ about: action.summary }).text
        await runner.auditDenial(request.actor, origin, { event: 'access.denied', outcome: 'denied', reason })
        throw forbidden(shared.cross_site_request())
      }
      await runner.authorize(action, request.actor, origin)
    },
    async preParsing(request) {
      const type = request.headers['content-type'] ?? ''
      // Elsewhere a form would count as a body without fields.
      if (!form && /^multipart\//i.test(type)) throw unsupportedMedia(messages.content_type_not_accepted())
      // A page of another site can send such a form without asking, so no other action takes one.
      if (isFields(type) && !takesFields) throw unsupportedMedia(messages.content_type_not_accepted())
    },
    async handler(request, reply) {
      const origin = originOf(request, pages)
      let received: ReceivedForm | undefined
      let found: FileAnswer | undefined
      let events: Events | undefined
      try {
        // To look whether there is a page is not to log in.
        if (isRedirect && request.method === 'HEAD') throw methodNotAllowed('HEAD', ['GET'])
        // A route without a schema refuses every field, as every other route refuses unknown ones.
        if (!query && !isEmpty(request.query)) validate(nothing, 'query', request.query)
        if (!body && !form && !isEmpty(request.body)) validate(nothing, 'body', request.body)
        const once = requestedOnce(request, { kind: action.kind, isRepeatable })
        if (form)
          received = await receiveForm(request, form, {
            storage: services.storage,
            max_bytes: services.config.max_upload_bytes,
            max_pdf_pages: services.config.max_pdf_pages,
            accepted: takes ?? (await uploadTypes(request.actor!)),
            isInspectedLater: takes !== undefined,
            antivirus: services.antivirus,
          }).catch(async error => {
            if (!(error instanceof AppError && error.auditEntry)) throw error
            services.log.child({ logger: 'attest.uploads' }).warn(error.auditEntry.reason)
            await runner.auditDenial(request.actor!, origin, error.auditEntry)
            throw error
          })
        const input = {
          params: request.params,
          query: request.query,
          body: request.body,
          form: received?.form,
          file: received?.file,
        }
        if (openEvents && request.method !== 'HEAD' && wantsEvents(request)) events = openEvents(request, reply)
        const made: unknown =
          action.kind === 'open' || action.kind === 'report'
            ? await action.run({ services, origin, loginCookie: loginCookieOf(request.headers.cookie) }, input)
            : await runner.run(action, request.actor!, input as never, {
                origin,
                expectedRevision: expectedRevision(request),
                ...(isSigned && isByChallenge(request) && { act: actOf(mounted, request) }),
                ...(once && { once: { ...once, answerOf: output => answerOf(output, request) } }),
                // A client that asks for the head of a file has not downloaded it.
                leavesNoTrace: request.method === 'HEAD',
                ...(pieces && {
                  signal: goneOf(reply),
                  sendPiece: events?.sendPiece,
                  renewActor: () => renew(request),
                }),
                beforeSend(file) {
                  partAsked(request.headers, file)
                  found = file
                },
              })
        const cookies = made instanceof CookieAnswer || made instanceof RedirectAnswer ? setCookies(made.cookies) : []
        if (cookies.length > 0) reply.header('set-cookie', cookies.length === 1 ? cookies[0] : cookies)
        if (made instanceof RedirectAnswer) return await reply.code(302).header('location', made.location).send()
        const output = made instanceof CookieAnswer ? made.body : made
        if (events) return events.finish(output)
        if (isFile || (fileTypes.length > 0 && 'open' in (output as object)))
          return await sendFile(reply, services.storage, output as FileAnswer | MadeFile, found)
        const answer = answerOf(output, request)
        const { language = defaultLanguage } = origin
        reply.code(answer.status).headers(answer.headers)
        tellLanguage(reply, language)
        return sayAnswer(answer, language)
      } catch (thrown) {
        if (events?.fail(thrown)) return reply
        if (!(thrown instanceof NotModified)) throw thrown
        return reply.code(304).header('etag', tagOf(thrown.sha256)).header('cache-control', 'private, no-store').send()
      } finally {
        events?.close()
        await received?.discard()
      }
    },
  })
}

const formFields = 'application/x-www-form-urlencoded'
const isFields = (type: string) => type.toLowerCase().startsWith(formFields)

const nothing = Type.Object({}, { additionalProperties: false })

const isEmpty = (sent: unknown) => {
  if (sent === undefined || sent === null) return true
  for (const _ in sent as object) return false
  return typeof sent === 'object' && !Array.isArray(sent)
}

/** For the documentation: an answer that is a record or a file. */
const inEither = (schema: TSchema, fileTypes: readonly string[]) => ({
  description: 'The record, or the requested file',
  content: {
    'application/json': { schema },
    ...Object.fromEntries(fileTypes.map(each => [each, { schema: { type: 'string', format: 'binary' } }])),
  },
})

/** For the documentation: the answer to a change of the configuration that another person has to approve. */
const awaitingApproval = (schema: TSchema) => ({
  description: 'The change awaits the approval of another person',
  content: { 'application/json': { schema } },
})

const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }
const fileAnswers: Record<number, object> = {
  200: { description: 'The file', content: bytes },
  206: { description: 'The requested range of the file', content: bytes },
  304: { description: 'The client has the file already, by `If-None-Match`', type: 'null' },
}

const redirectAnswers: Record<number, object> = { 302: { description: 'The next page', type: 'null' } }

/** For the documentation: the form with its file. */
const withFile = (form: TObject) =>
  Type.Object(
    { file: Type.Unsafe<never>({ type: 'string', format: 'binary' }), ...form.properties },
    { additionalProperties: false },
  )
