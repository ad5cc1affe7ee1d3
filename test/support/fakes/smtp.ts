import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A message as it came in. */
export interface Received {
  from: string
  to: string[]
  raw: string
  isEncrypted: boolean
  user: string | undefined
}

type Refusal = [code: number, text: string]
/** The server's answer to the next message, whichever that is; undefined: it takes it. */
interface Behaviour {
  greeting?: Refusal | undefined
  sender?: Refusal | undefined
  recipient?: ((address: string) => Refusal | undefined) | undefined
  content?: ((raw: string) => Refusal | 'drop' | 'silence' | undefined) | undefined
}

/** Members that smtp-server has and its types do not name. */
interface Connections {
  connections: Set<{ _socket: { destroy(): void } }>
}

const refusal = (given: Refusal | undefined) => given && Object.assign(new Error(given[1]), { responseCode: given[0] })

/** A real mail server, as far as it takes messages: it keeps what it took, and misbehaves as a test tells it to. */
export async function openSmtp({
  login,
  certificate,
  port = 0,
}: {
  login?: { user: string; password: string }
  certificate?: { key: string; cert: string }
  port?: number
} = {}) {
  const received: Received[] = []
  const behaviour: Behaviour = {}
  let visits = 0
  let open = 0
  const server = new SMTPServer({
    ...(certificate ?? {}),
    name: 'mail.example',
    disabledCommands: [...(login ? [] : ['AUTH']), ...(certificate ? [] : ['STARTTLS'])],
    allowInsecureAuth: !certificate,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect(_, answer) {
      visits += 1
      open += 1
      answer(refusal(behaviour.greeting))
    },
    onClose() {
      open -= 1
    },
    onAuth({ username, password }, _, answer) {
      const isRight = username === login?.user && password === login?.password
      answer(
        isRight ? null : new Error(`Authentication of ${username} failed`),
        isRight ? { user: username } : undefined,
      )
    },
    onMailFrom(_, __, answer) {
      answer(refusal(behaviour.sender))
    },
    onRcptTo({ address }, _, answer) {
      answer(refusal(behaviour.recipient?.(address)))
    },
    onData(stream, { envelope, secure, user }, answer) {
      const take = (raw: string) => {
        const given = behaviour.content?.(raw)
        if (given === 'silence') return
        if (given === 'drop') {
          for (const { _socket } of (server as unknown as Connections).connections) _socket.destroy()
          return
        }
        if (given) return answer(refusal(given))
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          raw,
          isEncrypted: secure,
          user,
        })
        answer(null, 'taken')
      }
      // A client that leaves before the end of the message has not sent one.
      void text(stream).then(take, () => {})
    },
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    behaviour,
    visits: () => visits,
    open: () => open,
    close: () => new Promise<void>(done => server.close(done)),
  }
}
export type Smtp = Awaited<ReturnType<typeof openSmtp>>

/** The lines of a header, each unfolded, by its name in lower case. */
export function headersOf({ raw }: Pick<Received, 'raw'>): Map<string, string[]> {
  const [head = ''] = raw.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:\s]+):\s?(.*)$/.exec(line) ?? []
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return headers
}

/** RFC 2047. */
export const decodeWords = (value: string) =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('latin1')
        : word
            .replaceAll('_', ' ')
            .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
const utf8 = (latin1: string) => Buffer.from(latin1, 'latin1').toString()
export const subjectOf = (message: Pick<Received, 'raw'>) => {
  const [subject = ''] = headersOf(message).get('subject') ?? []
  return /=\?utf-8/i.test(subject) ? utf8(decodeWords(subject)) : subject
}
export const messageIdOf = (message: Pick<Received, 'raw'>) => headersOf(message).get('message-id')![0]!

/** The parts of multipart/alternative, decoded, by their type. */
export function partsOf({ raw }: Pick<Received, 'raw'>): Record<string, string> {
  const [, boundary] = /boundary="([^"]+)"/.exec(raw)!
  const parts = raw.split(`--${boundary}`).slice(1, -1)
  return Object.fromEntries(
    parts.map(part => {
      const [head = '', ...body] = part.trim().split('\r\n\r\n')
      const [, type = ''] = /content-type:\s*([\w/]+)/i.exec(head) ?? []
      const [, encoding = '7bit'] = /content-transfer-encoding:\s*([\w-]+)/i.exec(head) ?? []
      return [type, decoded(body.join('\r\n\r\n'), encoding.toLowerCase())]
    }),
  )
}
const decoded = (body: string, encoding: string) => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return utf8(bytes).replaceAll('\r\n', '\n')
}
