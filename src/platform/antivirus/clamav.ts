import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { unavailable } from '#kernel/errors.ts'
import type { ClamavAddress } from '../config.ts'
import type { Log } from '../log/log.ts'
import type { Antivirus } from './antivirus.ts'
import { messages } from './messages.ts'

export interface Patience {
  connect_ms: number
  /** Time in which the scanner neither reads nor answers. Shorter than the time that the HTTP edge allows a silent connection. */
  silence_ms: number
  check_ms: number
}
const usual: Patience = { connect_ms: 5_000, silence_ms: 90_000, check_ms: 1_000 }

const piece_bytes = 128 * 1024
const maxAnswerBytes = 4_096

/** The file exceeds clamd's limits, so that its rest was not scanned. */
const beyondItsLimits = /^INSTREAM size limit exceeded|Heuristics\.Limits\.Exceeded/

/** clamd by INSTREAM, which sends the file over the connection, so that clamd needs no access to our disk. */
export function openClamav(address: ClamavAddress, log: Log, patience: Patience = usual): Antivirus {
  return {
    async scan(path) {
      let answer: string
      try {
        answer = await converse(address, patience, socket => sendFile(socket, path))
      } catch (error) {
        log.warn(`a file could not be scanned: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`)
        throw unavailable(messages.virus_scanner_unavailable())
      }
      if (/^stream: OK$/.test(answer)) return undefined
      const found = /^stream: (.+) FOUND$/.exec(answer)?.[1]
      if (found !== undefined && !beyondItsLimits.test(found)) return found.slice(0, 200)
      log.warn(`a file could not be scanned: ${answer.slice(0, 200)}`)
      throw unavailable(
        beyondItsLimits.test(found ?? answer) ? messages.file_beyond_virus_scanner() : messages.virus_scanner_failed(),
      )
    },

    async check() {
      const { check_ms } = patience
      const answer = await converse(
        address,
        { ...patience, connect_ms: check_ms, silence_ms: check_ms },
        async socket => {
          socket.write('zPING\0')
        },
      )
      if (answer !== 'PONG') throw new Error('it does not answer as clamd does')
    },
  }
}

/** Sends a command and resolves to clamd's answer. clamd may answer and hang up in the middle of it. */
async function converse(address: ClamavAddress, patience: Patience, sendCommand: (socket: Socket) => Promise<void>) {
  const socket = connect(address)
  const timeout = (ms: number) => socket.setTimeout(ms, () => socket.destroy(new Error(`silent for ${ms / 1000} s`)))
  timeout(patience.connect_ms)
  try {
    const answer = answerOn(socket)
    answer.catch(() => {}) // until it is waited for
    await once(socket, 'connect')
    socket.setTimeout(0).removeAllListeners('timeout')
    timeout(patience.silence_ms)
    await Promise.race([sendCommand(socket), answer])
    return await answer
  } finally {
    socket.destroy()
  }
}

async function answerOn(socket: Socket) {
  let text = ''
  for await (const piece of socket) {
    text += String(piece)
    if (text.includes('\0')) return text.slice(0, text.indexOf('\0'))
    if (text.length > maxAnswerBytes) break
  }
  throw new Error('it hung up without an answer')
}

async function sendFile(socket: Socket, path: string) {
  const send = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => socket.write(bytes, error => (error ? reject(error) : resolve())))
  const lengthOf = (bytes: number) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes)
    return length
  }
  await send(Buffer.from('zINSTREAM\0'))
  for await (const piece of createReadStream(path, { highWaterMark: piece_bytes }) as AsyncIterable<Buffer>)
    await send(Buffer.concat([lengthOf(piece.length), piece]))
  await send(lengthOf(0))
}
