import { randomUUID } from 'node:crypto'
import type { Services } from '#action'
import { MailFailure } from '#platform/mail/failure.ts'
import type { Mailer } from '#platform/mail/mailer.ts'
import { within } from '#platform/within.ts'
import { composeTest } from './compose.ts'
import { hostOf } from './post.ts'
import type { Recipient } from './queries.ts'

/** Less than a request may take, and longer than a mail server that works. */
const patienceMs = 20_000

/** Sends a message past the queue, so that somebody sees at once what comes of it. Null, or what the mail server or the connection to it says. */
export async function testMail(
  { mailer, config, clock }: { mailer: Mailer } & Pick<Services, 'config' | 'clock'>,
  recipient: Recipient,
): Promise<string | null> {
  const message = composeTest(recipient, {
    message_id: `<${randomUUID()}@${hostOf(config)}>`,
    date: clock.now().toISOString(),
  })
  const sending = mailer.send(message, AbortSignal.timeout(patienceMs)).then(
    () => null,
    error => {
      if (error instanceof MailFailure) return error.message
      throw error
    },
  )
  return within(sending, patienceMs, 'The mail server has not answered within 20 seconds')
}
