import { readFile } from 'node:fs/promises'
import type { Transporter } from 'nodemailer'
import { type CircuitTiming, openCircuit, usualCircuit } from '../circuit.ts'
import type { Config, Mailbox, MailConfig } from '../config.ts'
import type { Log } from '../log/log.ts'
import { isAddress } from './address.ts'
import { failureOf, MailFailure } from './failure.ts'

export interface Message {
  /** With its brackets. Who receives two with the same takes them for one. */
  message_id: string
  date: string
  to: Mailbox
  subject: string
  text: string
  /** Where it is more than its text. */
  html?: string
  isUrgent: boolean
}

export interface Mailer {
  /** Resolves once the server has taken it, and throws a MailFailure otherwise. The signal ends only the wait for a server that is away. */
  send(message: Message, signal?: AbortSignal): Promise<void>
  /** Connects, encrypts and logs in, and sends nothing. Throws a MailFailure. */
  check(): Promise<void>
  close(): void
}

export const connections = 4
const usual_port = { 'smtp:': 587, 'smtps:': 465 }
const silence_ms = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000 }
/** Also of a server that says something all the time. */
const longest_send_ms = 90_000
/** Then the connection is closed by us, in order. */
const idle_ms = 10_000

/** By the server of the configuration; undefined where there is none. What sends is loaded with the first message. */
export function openMailer(
  { mail }: Pick<Config, 'mail'>,
  log: Log,
  timing: CircuitTiming = usualCircuit,
): Mailer | undefined {
  if (!mail) return undefined
  const circuit = openCircuit(thrown => thrown instanceof MailFailure && !thrown.isOfMessage, timing)
  let opening: Promise<Transporter> | undefined
  let isAway = false
  const note = (failure: MailFailure | undefined) => {
    if (failure && !failure.isOfMessage && !isAway) log.warn(`messages wait: ${failure.message}`)
    if (!failure && isAway) log.info('messages leave again')
    isAway = failure ? isAway || !failure.isOfMessage : false
  }

  const open = () => {
    opening ??= openTransport(mail).catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }

  return {
    send: (message, signal) =>
      circuit.pass(async () => {
        try {
          if (!isAddress(message.to.address)) throw Object.assign(new Error('no address'), { code: 'EENVELOPE' })
          const transport = await open()
          await withDeadline(deadline => transport.sendMail(contentOf(message, mail.from, deadline)))
          note(undefined)
        } catch (thrown) {
          const failure = failureOf(thrown, message.to.address)
          note(failure)
          throw failure
        }
      }, signal),
    async check() {
      try {
        await (await open()).verify()
      } catch (thrown) {
        throw failureOf(thrown, '')
      }
    },
    close() {
      opening?.then(
        transport => transport.close(),
        () => {},
      )
    },
  }
}

async function openTransport({ smtp_url, tls, ca_file }: MailConfig): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(smtp_url)
  const isTls = protocol === 'smtps:'
  return createTransport({
    pool: true,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || usual_port[protocol as keyof typeof usual_port],
    secure: isTls,
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'none',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { minVersion: 'TLSv1.2', ...(ca_file && { ca: await readFile(ca_file, 'utf8') }) },
    maxConnections: connections,
    // A connection that the server has closed meanwhile is found out by the next message, which then takes another.
    maxRequeues: 1,
    idleTimeout: idle_ms,
    ...silence_ms,
    logger: false,
  })
}

async function withDeadline<T>(work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), longest_send_ms)
  try {
    return await work(late.signal)
  } finally {
    clearTimeout(timer)
  }
}

const contentOf = (
  { message_id, date, to, subject, text, html, isUrgent }: Message,
  from: Mailbox,
  signal: AbortSignal,
) => ({
  messageId: message_id,
  date: new Date(date),
  from,
  to,
  envelope: { from: from.address, to: [to.address] },
  subject,
  text,
  ...(html !== undefined && { html }),
  ...(isUrgent && { priority: 'high' as const }),
  // Nobody's out-of-office answers it: RFC 3834, and Exchange, which does not read that.
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
  signal,
})
