import { existsSync } from 'node:fs'
import { isAddress } from '../mail/address.ts'
import type { Variables } from './variables.ts'

export interface MailConfig {
  /** Holds a password. */
  smtp_url: string
  /** `required`: nothing is sent before the connection is encrypted and the server's certificate is verified. */
  tls: 'required' | 'none'
  /** Certificates of a private authority that signed the server's certificate. */
  ca_file: string | undefined
  from: Mailbox
}

export interface Mailbox {
  name: string
  address: string
}

export function readMail({ text, oneOf, wrong }: Variables): MailConfig | undefined {
  const smtp_url = text('SMTP_URL')
  const ca_file = text('SMTP_CA_FILE')
  const sender = text('MAIL_FROM')
  const from = sender === undefined ? undefined : mailboxOf(sender)
  if (sender !== undefined && !from)
    wrong.push('MAIL_FROM is neither an address nor of the form Name <address@qms.example>')
  if (ca_file && !existsSync(ca_file)) wrong.push('SMTP_CA_FILE names a file that is not there')
  const { protocol, hostname = '', username, password } = smtp_url && URL.canParse(smtp_url) ? new URL(smtp_url) : {}
  const isNear = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const tls = oneOf('SMTP_TLS', ['required', 'none'], isNear ? 'none' : 'required')
  if (smtp_url === undefined) return undefined
  // The value may hold a password, so the line does not repeat it.
  if (!/^smtps?:$/.test(protocol ?? '') || !hostname) wrong.push('SMTP_URL is not an smtp:// or smtps:// URL')
  else if (!isDecodable(`${username}${password}`))
    wrong.push('SMTP_URL has a user name or a password that is not percent-encoded')
  if (sender === undefined) wrong.push('MAIL_FROM is not set: SMTP_URL needs it')
  return { smtp_url, tls: protocol === 'smtps:' ? 'required' : tls, ca_file, from: from ?? { name: '', address: '' } }
}

const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** No part may hold characters that begin another header or another recipient. */
function mailboxOf(text: string): Mailbox | undefined {
  const [, name = '', bracketed, plain] = /^(?:(.*?)\s*<([^<>]*)>|([^<>]*))$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  if (!isAddress(address) || /[\p{Cc}<>]/u.test(name)) return undefined
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}
