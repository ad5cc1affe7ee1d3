import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { TSchema } from 'typebox'
import type { Services } from '#action'
import { badRequest } from '#kernel/errors.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import { answerToThrown, tracked } from './errors.ts'
import { languageOf, localizerOf } from './language.ts'
import { messages } from './messages.ts'
import { serializerCompiler } from './serialization.ts'

/** Shorter than the time after which proxies close a silent answer. */
const defaultHeartbeatMs = 15_000

/** The event of an answer that is not counted as a request under way from now on. */
export const lasting = 'lasting'

/** `Accept: text/event-stream` asks for an answer in pieces. */
export const wantsEvents = ({ headers }: FastifyRequest) =>
  /(^|[\s,])text\/event-stream\s*([;,]|$)/i.test(headers.accept ?? '')

/** Aborted when the connection ends before the answer does. */
export function goneOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(badRequest(messages.request_cancelled()))
  })
  return controller.signal
}

/** An answer as server-sent events. Before the first event, a refusal is an ordinary answer. */
export interface Events {
  /** The event `piece`. */
  sendPiece(piece: object): void
  /** The event `done` with the whole answer. */
  finish(output: unknown): FastifyReply
  /** The event `error` with the body of the refusal; false before the first event, when it can still be an ordinary answer. */
  fail(thrown: unknown): boolean
  close(): void
}

/** A stream with more unread bytes than this is closed: a few hundred short events. */
const maxUnreadBytes = 64 * 1024

interface Answering {
  /** It lasts as long as its reader stays. */
  isStream: boolean
  method: HTTPMethods
  url: string
  status: number
  response: TSchema
}

export function eventsOf(
  { isStream, method, url, status, response }: Answering,
  { log, tracker }: Pick<Services, 'log' | 'tracker'>,
  heartbeat_ms = defaultHeartbeatMs,
) {
  const write = serializerCompiler({ schema: response, method: String(method), url, httpStatus: String(status) })
  const localize = localizerOf(response)
  const report = createReport(log, tracker)
  return (request: FastifyRequest, reply: FastifyReply): Events => {
    const stream = new Readable({ read() {} })
    // All who wait for the end of a streamed answer, Fastify and its plugins among them, are one more than Node takes for a leak.
    reply.raw.setMaxListeners(20)
    let hasBegun = false
    const send = (text: string) => {
      stream.push(text)
      // Nothing is kept for a reader that does not read: it connects again and reads anew.
      if (isStream && stream.readableLength > maxUnreadBytes) reply.raw.destroy()
      if (hasBegun) return
      hasBegun = true
      if (isStream) reply.raw.emit(lasting)
      // A proxy that buffers the answer would deliver all pieces at once.
      reply.code(status).headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      void reply.send(stream)
    }
    const event = (name: string, json: string) => send(`event: ${name}\ndata: ${json}\n\n`)
    const heartbeat = setInterval(() => send(':\n\n'), heartbeat_ms)
    const end = () => {
      clearInterval(heartbeat)
      stream.push(null)
    }
    return {
      sendPiece: piece => event('piece', JSON.stringify(piece)),
      finish(output) {
        event('done', write(localize ? localize(output, languageOf(request)) : output))
        end()
        return reply
      },
      fail(thrown) {
        if (!hasBegun) return false
        const { error, status, body, isOurs } = answerToThrown(thrown, request)
        if (isOurs) report(error, tracked(request))
        event('error', JSON.stringify({ status, ...body }))
        end()
        return true
      },
      close: () => clearInterval(heartbeat),
    }
  }
}

/** Both forms of the answer, for the documentation. */
export const eventStream = (response: TSchema, piece: TSchema) => ({
  'application/json': { schema: response },
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Server-sent events: `piece` for each part as it is made, then `done` with the whole answer, which alone is one, or `error` with the body of the refusal and its `status`. A line with a colon alone is a sign of life.',
      'x-piece': piece,
      'x-done': response,
    },
  },
})
