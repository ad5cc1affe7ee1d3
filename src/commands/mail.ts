import { randomUUID } from 'node:crypto'
import { AppError } from '#kernel/errors.ts'
import { systemActor } from '#modules/accounts'
import { listMails, maxRetried, retryMails } from '#modules/mail'
import { readConfig } from '#platform/config.ts'
import { isAddress } from '#platform/mail/address.ts'
import { MailFailure } from '#platform/mail/failure.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { type Command, print, quiet, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, tenantsOf, withService } from './start.ts'

const maxListed = 1000

export const mailList: Command = {
  options: {
    '--failed': 'only failed e-mails',
    '--queued': 'only e-mails that are not sent yet',
    '--tenant S': 'the slug of one tenant; all tenants by default',
    '--limit N': 'the number for each tenant; 50 by default',
  },
  async run(args, env) {
    const options = readOptions(args, {
      failed: { type: 'boolean' },
      queued: { type: 'boolean' },
      tenant: { type: 'string' },
      limit: { type: 'string', default: '50' },
    })
    if (options.failed && options.queued)
      throw new Refusal(lines.options_exclusive({ options: ['--failed', '--queued'] }))
    const limit = numberOf('--limit', options.limit)
    if (limit > maxListed) throw new Refusal(lines.option_too_large({ option: '--limit', maximum: maxListed }))
    const status = options.failed ? 'failed' : options.queued ? 'queued' : undefined
    await withService(env, lines.service_running_mail_list, async services => {
      for (const tenantId of await tenantsOf(services, options.tenant)) {
        const mails = await services.database.transaction({ tenantId, userId: null }, 'read only', tx =>
          listMails(tx, { status, limit }),
        )
        for (const { id, tenant_id, created_at, kind, username, attempts, status, error } of mails)
          print(
            [
              `${id}  tenant ${tenant_id}  ${created_at}  ${kind} to ${username}`,
              `${status} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
              ...(error ? [error] : []),
            ].join('  '),
          )
      }
    })
    return 0
  },
}

export const mailRetry: Command = {
  options: {
    '--id N': 'one e-mail, by the number that mail list shows',
    '--all': 'all failed e-mails',
    '--tenant S': 'the slug of one tenant; all tenants by default',
  },
  async run(args, env) {
    const options = readOptions(args, { id: { type: 'string' }, all: { type: 'boolean' }, tenant: { type: 'string' } })
    if ((options.id === undefined) === !options.all)
      throw new Refusal(lines.option_one_needed({ options: ['--id', '--all'] }))
    const body = options.id === undefined ? {} : { id: numberOf('--id', options.id) }
    await withService(env, lines.service_running_mail_retry, async services => {
      let total = 0
      for (const tenantId of await tenantsOf(services, options.tenant)) {
        for (let isMore = true; isMore; ) {
          const retried = await services.runner
            .run(retryMails, systemActor(tenantId), { body }, { origin })
            .then(answer => answer.retried, ifNone)
          total += retried
          isMore = retried === maxRetried
        }
      }
      if (total === 0) throw new Refusal(lines.mail_none_failed())
      say(lines.mail_queued_again({ count: total }))
    })
    return 0
  },
}

/** A 409 means that this tenant has none. */
const ifNone = (error: unknown) => {
  if (error instanceof AppError && error.status === 409) return 0
  throw error
}

export const mailTest: Command = {
  options: { '--to A': 'an e-mail address' },
  async run(args, env) {
    const address = required('to', readOptions(args, { to: { type: 'string' } }).to)
    if (!isAddress(address)) throw new Refusal(lines.option_no_email({ option: '--to' }))
    const config = readConfig(env)
    const mailer = openMailer(config, quiet)
    if (!mailer) throw new Refusal(lines.mail_server_missing())
    const line = 'Attest can send e-mail by this server.'
    try {
      await mailer.send({
        message_id: `<${randomUUID()}@${config.mail!.from.address.split('@')[1]}>`,
        date: new Date().toISOString(),
        to: { name: '', address },
        subject: 'A test message of Attest',
        text: `${line}\n`,
        html: `<p>${line}</p>\n`,
        isUrgent: false,
      })
    } catch (error) {
      if (error instanceof MailFailure) throw new Refusal(lines.failure_reported({ reason: error.message }))
      throw error
    } finally {
      mailer.close()
    }
    say(lines.mail_server_accepted({ address }))
    return 0
  },
}

function numberOf(option: string, text: string) {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Refusal(lines.option_positive_number({ option }))
  return Number(text)
}
