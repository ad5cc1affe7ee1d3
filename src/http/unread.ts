import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How much of a request body the server reads after its answer, and for how long. */
export interface UnreadLimits {
  /** A body of at most this length is read to its end, and its connection stays open. */
  unread_bytes: number
  /** The time for it after the answer. */
  unread_ms: number
  /** Limits of bytes, of time and of silence before a connection is closed whose client may still be sending. */
  linger_bytes: number
  linger_ms: number
  linger_silence_ms: number
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Reads the rest of a body away: a form parser that stopped in the middle would hold its connection for ever. */
function discardRest(request: IncomingMessage) {
  request.unpipe()
  request.resume()
}

/**
 * Handles requests that are refused before their body was read. The rest of a short body is read away, and the connection goes on.
 * Otherwise the answer is the last one, and the connection is closed only after the client has received it: closing a connection that
 * still receives resets it, and the client may lose the answer (RFC 9112, 9.6).
 */
export function unreadBodies(limits: UnreadLimits) {
  const lingering = new Set<Socket>()

  /** Ends the answer, and discards input until the client closes or a limit is reached. */
  function linger(socket: Socket) {
    if (lingering.has(socket) || socket.destroyed) return
    lingering.add(socket)
    const begun = performance.now()
    const first = socket.bytesRead
    let read = first
    let lastData = begun
    const timer = setInterval(
      () => {
        const now = performance.now()
        if (socket.bytesRead !== read) lastData = now
        read = socket.bytesRead
        const isOver =
          now - begun >= limits.linger_ms ||
          now - lastData >= limits.linger_silence_ms ||
          read - first > limits.linger_bytes
        if (isOver) socket.destroy()
      },
      Math.min(100, limits.linger_silence_ms),
    )
    socket.once('close', () => {
      clearInterval(timer)
      lingering.delete(socket)
    })
    if (socket.readableEnded) return socket.destroySoon()
    socket.once('end', () => socket.destroy())
    socket.end()
    socket.resume()
  }

  return {
    linger,
    isLingering: (socket: Socket) => lingering.has(socket),
    /** Stopping the service does not wait for them. */
    endAll() {
      for (const socket of lingering) socket.destroy()
    },
    watch(request: IncomingMessage, response: ServerResponse) {
      if (!hasBody(request)) return
      const { socket } = request
      const writeHead = response.writeHead
      response.writeHead = function writeHeadOnce(...given: unknown[]) {
        const length = Number(request.headers['content-length'] ?? Number.NaN)
        if (!request.complete && !(length <= limits.unread_bytes)) response.setHeader('connection', 'close')
        return Reflect.apply(writeHead, response, given)
      } as typeof writeHead
      response.prependOnceListener('finish', () => {
        if (request.complete) {
          discardRest(request)
          return
        }
        // Node calls this after the last answer of a connection.
        socket.destroySoon = () => linger(socket)
        discardRest(request)
        const timer = setTimeout(() => socket.destroy(), limits.unread_ms)
        const isOver = () => clearTimeout(timer)
        request.once('end', () => {
          isOver()
          if (!lingering.has(socket)) Reflect.deleteProperty(socket, 'destroySoon')
        })
        socket.once('close', isOver)
      })
    },
  }
}
export type UnreadBodies = ReturnType<typeof unreadBodies>
