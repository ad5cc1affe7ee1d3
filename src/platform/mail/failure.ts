import { failureWords } from '../failure-words.ts'

/** The fields that we read of an error of nodemailer. */
interface SmtpError {
  code?: string
  originalCode?: string
  response?: string
  responseCode?: number
  permanent?: boolean
  command?: string
}

/** A message was not sent. The text may be shown and stored: it is ours, or the server's without the address. */
export class MailFailure extends Error {
  /** Concerns this message only. Otherwise no message can be sent now. */
  readonly isOfMessage: boolean
  /** The server will never accept this message. */
  readonly isPermanent: boolean
  constructor(text: string, { isOfMessage, isPermanent }: { isOfMessage: boolean; isPermanent: boolean }) {
    super(text)
    this.isOfMessage = isOfMessage
    this.isPermanent = isPermanent
  }
}

const maxTextLength = 300
/** The server is shutting down; the command that it refused is a matter of chance. */
const goingAway = 421

/** A refusal of the recipient or of the content concerns the message; an earlier one, or no answer at all, concerns the server. */
export function failureOf(thrown: unknown, address: string): MailFailure {
  const { code, originalCode, command = '', response, responseCode, permanent = false } = thrown as SmtpError
  if (responseCode && responseCode !== goingAway && /^(RCPT TO|DATA)/.test(command))
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

/** Answers often quote the recipient: the whole address, or the part before the @. */
function withoutAddress(text: string, address: string): string {
  const name = address.slice(0, address.lastIndexOf('@'))
  const plain = text.replace(/[\p{Cc}\s]+/gu, ' ').replace(/\S*@\S*/g, '[address]')
  const own = plain.replace(
    new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
    '[address]',
  )
  return (name === '' ? plain : own).slice(0, maxTextLength)
}
