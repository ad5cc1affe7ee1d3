import { connect, type Socket } from 'node:net'
import { type Limits, usualLimits } from '#http/limits.ts'
import { createServer } from '#http/server.ts'
import { readConfig } from '#platform/config.ts'
import { noTracker } from '#platform/error-tracking/tracker.ts'
import { createLog } from '#platform/log/log.ts'

const opened: (() => Promise<void>)[] = []
/** After the tests of a file: one that has failed leaves its server open, and that would keep the process. */
export const closeEdges = async () => {
  for (const close of opened) await close()
}

/** The HTTP edge alone, without a database: `app` takes routes until it listens. */
export async function openEdge(environment: Record<string, string> = {}, limits: Partial<Limits> = {}) {
  const lines: Record<string, unknown>[] = []
  const config = readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-edge', LOG_LEVEL: 'debug', ...environment })
  const log = createLog({ format: 'json', level: config.log_level, write: line => lines.push(JSON.parse(line)) })
  const app = await createServer(config, '1.0.0', { log, tracker: noTracker }, { ...usualLimits, ...limits })
  opened.push(async () => app.close())
  return {
    app,
    lines,
    /** Resolves with the port. */
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 })
      return (app.server.address() as { port: number }).port
    },
  }
}

/** A connection as bytes: what was received so far, and the end of it. */
export function openConnection(port: number, first = '') {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  let wake = () => {}
  socket.setEncoding('latin1')
  socket.on('data', chunk => {
    text += chunk
    wake()
  })
  socket.on('error', () => {})
  const ended = new Promise<string>(done => {
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      done(text)
      wake()
    })
  })
  if (first) socket.write(first, 'latin1')
  return {
    socket,
    ended,
    /** The received text, once `pattern` is in it. */
    async until(pattern: RegExp) {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`the connection ended with ${JSON.stringify(text)}`)
        await new Promise<void>(done => {
          wake = done
        })
      }
      return text
    },
  }
}
