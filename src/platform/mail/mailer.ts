import { readFile } from 'node:fs/promises'
import type { Transporter } from 'nodemailer'
import { type CircuitTiming, openCircuit, usualCircuit } from '../circuit.ts'
import type { Config, Mailbox, MailConfig } from '../config.ts'
import type { Log } from '../log/log.ts'
import { isAddress } from './address.ts'
import { failureOf, MailFailure } from './failure.ts'

export interface Message {
  /** With its brackets. A mail program shows two messages with one id as one. */
  message_id: string
  date: string
  to: Mailbox
  subject: string
  text: string
  /** For a message that is more than its text. */
  html?: string
  isUrgent: boolean
}

export interface Mailer {
  /**
   * Resolves when the server has accepted the message, and throws a MailFailure otherwise. The signal ends only the wait for a server that
   * is away.
   */
  send(message: Message, signal?: AbortSignal): Promise<void>
  /** Connects, encrypts and logs in, and sends nothing. Throws a MailFailure. */
  check(): Promise<void>
  close(): void
}

export const connections = 4
const defaultPort = { 'smtp:': 587, 'smtps:': 465 }
const silence_ms = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000 }
/** The limit for a server that keeps talking. */
const maxSendMs = 90_000
/** Idle time after which we close the connection. */
const idle_ms = 10_000

/** Sends by the configured server; undefined without one. The library is loaded with the first message. */
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
    port: Number(port) || defaultPort[protocol as keyof typeof defaultPort],
    secure: isTls,
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'none',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { minVersion: 'TLSv1.2', ...(ca_file && { ca: await readFile(ca_file, 'utf8') }) },
    maxConnections: connections,
    // The next message notices a connection that the server has closed, and takes another one.
    maxRequeues: 1,
    idleTimeout: idle_ms,
    ...silence_ms,
    logger: false,
  })
}

async function withDeadline<T>(work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), maxSendMs)
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
  // Prevents out-of-office replies: RFC 3834, and another header for Exchange, which does not read that one.
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
  signal,
})
