import { headersOf, openSmtp, partsOf, type Smtp, subjectOf } from '../fakes/smtp.ts'
import { openWorld, type World } from './world.ts'

/** Where the pages of the mail world are. */
export const public_url = 'https://qms.example'

/** A world that sends its messages to a mail server of its own. Both are to be closed. */
export async function openMailWorld(environment: Record<string, string> = {}): Promise<{ world: World; smtp: Smtp }> {
  const smtp = await openSmtp()
  const world = await openWorld({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'attest@qms.example',
    PUBLIC_URL: public_url,
    ...environment,
  })
  return { world, smtp }
}

/** Sends what is queued, and takes what the mail server has received since the last time. */
export async function takeLetters({ world, smtp }: { world: World; smtp: Smtp }) {
  await world.work()
  return smtp.received.splice(0).map(each => ({
    to: String(each.to),
    subject: subjectOf(each),
    text: partsOf(each)['text/plain']!,
    html: partsOf(each)['text/html']!,
    headers: headersOf(each),
    raw: each.raw,
  }))
}

/** The code of a message with which a password is chosen. */
export const codeIn = (text: string) => /reset-password:\s+(\S+)/.exec(text)?.[1]
