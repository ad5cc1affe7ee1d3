import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { createStackParser, createTransport, linkedErrorsIntegration, Scope } from '@sentry/core'
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server'
import type { Log } from '../log/log.ts'
import { requestContext } from '../log/request-context.ts'
import { scrubEvent } from './scrub.ts'
import type { TrackedRequest, Tracker } from './tracker.ts'
import { withoutData } from './without-data.ts'

const maxFlushMs = 2_000
const maxSendMs = 5_000

interface SentryOptions {
  dsn: string
  traces_sample_rate: number
  release: string
  environment: string
  /** Makes the copy of an event or transaction that is sent. */
  scrub?: (event: object) => object
}

type MakeTransport = ConstructorParameters<typeof ServerRuntimeClient>[0]['transport']
type Transport = ReturnType<MakeTransport>
type Envelope = Parameters<Transport['send']>[0]

/**
 * A client without global state, hooks into other libraries, or default integrations, so that nothing leaves except through the calls
 * below and `scrubbing`.
 */
export function openSentry(
  { dsn, traces_sample_rate, release, environment, scrub = scrubEvent }: SentryOptions,
  log: Log,
): Tracker {
  const closing = new AbortController()
  const client = new ServerRuntimeClient({
    dsn,
    platform: 'node',
    runtime: { name: 'node', version: process.version },
    serverName: hostname(),
    ...(release && { release }),
    environment,
    integrations: [linkedErrorsIntegration()],
    stackParser: createStackParser(nodeStackLineParser()),
    transport: options => scrubbing(sending(options, closing.signal), scrub, log),
    traceLifecycle: 'static',
    tracePropagationTargets: [],
    sendClientReports: false,
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
      databaseQueryData: false,
      queues: false,
      stackFrameVariables: false,
      frameContextLines: 0,
    },
  })
  client.init()

  /** The tags of every event of a request. Outside of a request its id is empty. */
  const scopeOf = (request: TrackedRequest | undefined) => {
    const { request_id = '', tenant_id, user_id } = requestContext.getStore() ?? {}
    const scope = new Scope()
    const trace_id = request_id ? createHash('sha256').update(request_id).digest('hex').slice(0, 32) : newId(16)
    scope.setPropagationContext({ traceId: trace_id, sampleRand: Math.random() })
    scope.setTag('request_id', request_id)
    if (tenant_id !== undefined) scope.setTag('tenant_id', tenant_id)
    if (user_id !== undefined) scope.setUser({ id: user_id })
    return { scope, trace_id, name: request ? `${request.method} ${request.route || 'unknown path'}` : 'background' }
  }
  const asEvent = ({ method, url, headers }: TrackedRequest) => ({
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  })
  /** TRK-08: an event that cannot be made is dropped. */
  const quietly = (work: () => void) => {
    try {
      work()
    } catch {
      log.warn('what was meant for the error tracker could not be prepared and is not sent')
    }
  }

  return {
    capture(error, request) {
      quietly(() => {
        const { scope, name } = scopeOf(request)
        scope.setTransactionName(name)
        scope.addEventProcessor(event => ({
          ...event,
          transaction: name,
          ...(request && { request: asEvent(request) }),
        }))
        const mechanism = { type: request ? 'request' : 'background', handled: false }
        const exception = withoutData(error as Error)
        client.captureException(exception, { mechanism, originalException: exception }, scope)
      })
    },
    trace(request, { status, duration_ms }) {
      if (Math.random() >= traces_sample_rate) return
      quietly(() => {
        const { scope, trace_id, name } = scopeOf(request)
        const timestamp = Date.now() / 1000
        client.captureEvent(
          {
            type: 'transaction',
            transaction: name,
            transaction_info: { source: 'route' },
            start_timestamp: timestamp - duration_ms / 1000,
            timestamp,
            request: asEvent(request),
            spans: [],
            contexts: {
              trace: {
                trace_id,
                span_id: newId(8),
                op: 'http.server',
                status: status < 400 ? 'ok' : status < 500 ? 'invalid_argument' : 'internal_error',
                data: { 'http.request.method': request.method, 'http.response.status_code': status },
              },
            },
          },
          undefined,
          scope,
        )
      })
    },
    async close() {
      await Promise.race([client.close(maxFlushMs), setTimeout(maxFlushMs, undefined, { ref: false })])
      closing.abort()
    },
  }
}

const newId = (bytes: number) => randomBytes(bytes).toString('hex')

/** A tracker that never answers holds nothing up for longer than this, or than `closing`. */
const sending = (options: Parameters<MakeTransport>[0], closing: AbortSignal): Transport =>
  createTransport(options, async ({ body }) => {
    const response = await fetch(options.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-sentry-envelope', ...options.headers },
      body: body as Uint8Array<ArrayBuffer> | string,
      signal: AbortSignal.any([closing, AbortSignal.timeout(maxSendMs)]),
    })
    await response.body?.cancel()
    return {
      statusCode: response.status,
      headers: {
        'retry-after': response.headers.get('retry-after'),
        'x-sentry-rate-limits': response.headers.get('x-sentry-rate-limits'),
      },
    }
  })

/**
 * The only way out of the process. It does not use the client's `beforeSend`, because an error there makes the client send an event that
 * bypasses `beforeSend`. Sessions, reports and other items of the client are not sent.
 */
function scrubbing(transport: Transport, scrub: (event: object) => object, log: Log): Transport {
  const clean = ([{ event_id }, items]: Envelope) => {
    const kept = (items as [{ type: string }, object][])
      .filter(([{ type }]) => type === 'event' || type === 'transaction')
      .map(([{ type }, event]) => [{ type }, scrub(event)])
    return kept.length > 0 ? ([{ event_id, sent_at: new Date().toISOString() }, kept] as Envelope) : undefined
  }
  return {
    async send(envelope) {
      let scrubbed: Envelope | undefined
      try {
        scrubbed = clean(envelope)
      } catch {
        log.warn('an event for the error tracker could not be scrubbed and is not sent')
      }
      return scrubbed ? transport.send(scrubbed) : {}
    },
    flush: timeout => transport.flush(timeout),
  }
}
