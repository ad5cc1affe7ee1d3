import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, Id } from '#kernel/schema.ts'
import { messages, reasons } from './messages.ts'
import { queueMails } from './post.ts'
import { lockFailed, queueAgain } from './queries.ts'

/** The limit of one transaction; the command line repeats it. */
export const maxRetried = 1000

/** For the operators, on the command line and their page: queues one failed message again, or all of the tenant's up to the limit. */
export const retryMails = command({
  summary: 'Queue failed messages again',
  permission: 'settings.manage',
  input: { body: Body({ id: Type.Optional(Id) }) },
  response: Type.Object({ retried: Type.Integer() }),
  async run({ tx, record }, { body: { id } }) {
    const failed = await lockFailed(tx, id, maxRetried)
    if (failed.length === 0) throw conflict(messages.mail_not_failed())
    await queueAgain(
      tx,
      failed.map(each => each.id),
    )
    await queueMails(tx, failed)
    for (const { id, kind, user_id, attempts } of failed)
      record('mail.retried', id, {
        before: { status: 'failed' },
        after: { status: 'queued', kind, user_id, attempts },
        reason: reasons.reason_mails_retried().text,
      })
    return { retried: failed.length }
  },
})
