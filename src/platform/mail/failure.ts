import { failureWords } from '../failure-words.ts'

/** What nodemailer throws, as far as we look at it. */
interface SmtpError {
  code?: string
  originalCode?: string
  response?: string
  responseCode?: number
  permanent?: boolean
  command?: string
}

/** Why a message did not leave. Its text may be shown and kept: it is ours, or the server's without the address. */
export class MailFailure extends Error {
  /** Of this message alone; the next one may well be taken. Otherwise no message would leave now. */
  readonly isOfMessage: boolean
  /** The same message will never be taken. */
  readonly isPermanent: boolean
  constructor(text: string, { isOfMessage, isPermanent }: { isOfMessage: boolean; isPermanent: boolean }) {
    super(text)
    this.isOfMessage = isOfMessage
    this.isPermanent = isPermanent
  }
}

const longest_text = 300
/** The service is going away: what it answered to is by chance. */
const going_away = 421

/** What was said of the recipient or of the content is of the message; what was said before that, and every silence, is not. */
export function failureOf(thrown: unknown, address: string): MailFailure {
  const { code, originalCode, command = '', response, responseCode, permanent = false } = thrown as SmtpError
  if (responseCode && responseCode !== going_away && /^(RCPT TO|DATA)/.test(command))
    return new MailFailure(`The mail server refuses it: ${withoutAddress(response ?? '', address)}`, {
      isOfMessage: true,
      isPermanent: permanent,
    })
  if ((code === 'EENVELOPE' || code === 'EMESSAGE') && !responseCode)
    return new MailFailure('It cannot be sent as it is: the address or its size is not taken', {
      isOfMessage: true,
      isPermanent: true,
    })
  const answered = response ? `It answers ${withoutAddress(response, address)}` : undefined
  const words = (originalCode !== code && failureWords(originalCode)) || failureWords(code)
  return new MailFailure(
    `The mail server does not take messages. ${words ?? answered ?? 'It ended the conversation'}`,
    {
      isOfMessage: false,
      isPermanent: false,
    },
  )
}

/** An answer often repeats to whom it was, in whatever way: the whole address, or the name before the @. */
function withoutAddress(text: string, address: string): string {
  const name = address.slice(0, address.lastIndexOf('@'))
  const plain = text.replace(/[\p{Cc}\s]+/gu, ' ').replace(/\S*@\S*/g, '[address]')
  const own = plain.replace(
    new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
    '[address]',
  )
  return (name === '' ? plain : own).slice(0, longest_text)
}
