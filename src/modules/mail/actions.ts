import { type ActionContext, command, query } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { messages } from './messages.ts'
import { queueMails } from './post.ts'
import { countMails, dismiss, findMail, listPage, lockMail, mailSorts, queueAgain } from './queries.ts'
import { Decision, Mail, MailFilter } from './schema.ts'

export const list = query({
  summary: 'List e-mails',
  description:
    'The latest failure first. It says to whom, about what kind of thing and how it went, and nothing of what it says.',
  permission: 'settings.read',
  input: { query: MailFilter },
  response: Page(Mail),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, mailSorts, { field: 'failed_at', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => (await listPage(tx, query, sort, limit, offset)) as Mail[],
      () => countMails(tx, query),
    )
  },
})

const readMail = async (tx: ActionContext<unknown>['tx'], id: number) => {
  const mail = await findMail(tx, id)
  if (!mail) throw notFound('E-mail')
  return mail as Mail
}

/** The message, locked, if a person can still decide about it. */
async function lockFailed(tx: ActionContext<unknown>['tx'], id: number) {
  const mail = await lockMail(tx, id)
  if (!mail) throw notFound('E-mail')
  if (mail.status !== 'failed') throw conflict(messages.mail_is_over())
  return mail
}

export const retry = command({
  summary: 'Send a failed e-mail again',
  description: 'It is tried for about a day, as a new one, and under the same Message-ID.',
  permission: 'settings.manage',
  input: { params: IdParams, body: Decision },
  response: Mail,
  async run({ tx, services, record }, { params, body: { change_reason } }) {
    const mail = await lockFailed(tx, params.id)
    if (!services.mailer) throw conflict(messages.mail_without_server())
    const { id, kind, user_id, attempts } = mail
    await queueAgain(tx, [id])
    await queueMails(tx, [mail])
    record('mail.retried', id, {
      before: { status: 'failed' },
      after: { status: 'queued', kind, user_id, attempts },
      reason: change_reason ?? null,
    })
    return readMail(tx, id)
  },
})

export const dismissMail = command({
  summary: 'Dismiss a failed e-mail',
  description: 'It stays on record, counts as failed no longer, and is not tried again.',
  permission: 'settings.manage',
  input: { params: IdParams, body: Decision },
  response: Mail,
  async run({ tx, record }, { params, body: { change_reason } }) {
    const { id, kind, user_id, attempts } = await lockFailed(tx, params.id)
    await dismiss(tx, id)
    record('mail.dismissed', id, {
      before: { status: 'failed' },
      after: { status: 'dismissed', kind, user_id, attempts },
      reason: change_reason ?? null,
    })
    return readMail(tx, id)
  },
})
