import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How much of a request body the server reads after it has answered the request, and for how long. */
export interface UnreadLimits {
  /** A body that says it is no longer than this is read to its end, and its connection goes on. */
  unread_bytes: number
  /** How long that may take after the answer. */
  unread_ms: number
  /** What is read, and for how long in all and in silence, before a connection is closed whose client may still be sending. */
  linger_bytes: number
  linger_ms: number
  linger_silence_ms: number
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Nobody takes more of the body: a parser of forms that was left in the middle would hold its connection for ever. */
function discardRest(request: IncomingMessage) {
  request.unpipe()
  request.resume()
}

/**
 * Bodies that are refused before they were read. The rest of a short one is read away, and the next request of the connection is
 * answered. Else the answer is the last, and the connection is closed only once the client has taken it: to close what still
 * receives is a reset, which takes the answer from a client that has not read it yet (RFC 9112, 9.6).
 */
export function unreadBodies(limits: UnreadLimits) {
  const lingering = new Set<Socket>()

  /** The end of the answer goes out, and what comes in is thrown away until the client closes or a limit is reached. */
  function linger(socket: Socket) {
    if (lingering.has(socket) || socket.destroyed) return
    lingering.add(socket)
    const begun = performance.now()
    const first = socket.bytesRead
    let read = first
    let heard = begun
    const timer = setInterval(
      () => {
        const now = performance.now()
        if (socket.bytesRead !== read) heard = now
        read = socket.bytesRead
        const isOver =
          now - begun >= limits.linger_ms ||
          now - heard >= limits.linger_silence_ms ||
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
    /** Whoever stops the service waits for none of them. */
    endAll() {
      for (const socket of lingering) socket.destroy()
    },
    watch(request: IncomingMessage, response: ServerResponse) {
      if (!hasBody(request)) return
      const { socket } = request
      const writeHead = response.writeHead
      response.writeHead = function decided(...given: unknown[]) {
        const length = Number(request.headers['content-length'] ?? Number.NaN)
        if (!request.complete && !(length <= limits.unread_bytes)) response.setHeader('connection', 'close')
        return Reflect.apply(writeHead, response, given)
      } as typeof writeHead
      response.prependOnceListener('finish', () => {
        if (request.complete) {
          discardRest(request)
          return
        }
        // Node calls it after the last answer of a connection.
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
