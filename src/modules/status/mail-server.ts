import { once } from 'node:events'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Finding, type Impression } from './probe.ts'

const maxBytes = 16 * 1024
const ports: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

/** RFC 5321: waits for the greeting, says EHLO and quits, without a log-in or a message. */
export async function greetMailServer(url: string, signal: AbortSignal): Promise<Impression> {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const where = { host, port: Number(port) || ports[protocol]! }
  const isTls = protocol === 'smtps:'
  const socket: Socket = isTls
    ? connectTls({ ...where, ...(isIP(host) === 0 && { servername: host }) })
    : connectPlain(where)
  const giveUp = () => socket.destroy(new Error('the time budget is over'))
  signal.addEventListener('abort', giveUp, { once: true })
  socket.on('error', () => {})
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect')
    const replies = repliesOf(socket)
    await expect(replies, '220')
    socket.write('EHLO attest.invalid\r\n')
    await expect(replies, '250')
    socket.write('QUIT\r\n')
    return {}
  } finally {
    signal.removeEventListener('abort', giveUp)
    socket.destroy()
  }
}

async function expect(replies: AsyncGenerator<string>, code: string) {
  const { value, done } = await replies.next()
  if (done) throw new Finding('It closed the connection before it answered')
  if (value !== code) throw new Finding(/^[45]/.test(value) ? `It refuses with ${value}` : 'It does not speak SMTP')
}

/** The code of each reply. In a reply of several lines, a hyphen follows the code in all lines but the last. */
async function* repliesOf(socket: Socket): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString('latin1')
    if (text.length > maxBytes) throw new Finding('It does not speak SMTP')
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      const [, code, more] = /^(\d{3})([ -]|\r?$)/.exec(line) ?? []
      if (!code) throw new Finding('It does not speak SMTP')
      if (more !== '-') yield code
    }
  }
}
