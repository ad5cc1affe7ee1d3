import type { Origin, Services } from '#action'
import { issuePasswordLink, systemActor } from '#modules/accounts'
import type { Job } from '#modules/jobs'
import { type Attempt, Postponed } from '#platform/jobs/queue.ts'
import { MailFailure } from '#platform/mail/failure.ts'
import { connections } from '#platform/mail/mailer.ts'
import { compose, composeLink } from './compose.ts'
import { itemOf } from './post.ts'
import type { MailItem } from './queries.ts'
import { findLetter, type Letter, listQueued, noteOutcome } from './queries.ts'

const origin: Origin = { requestId: '', clientAddr: '' }
const maxRequeued = 1000

/**
 * A message is sent outside of any transaction. If the process dies after the server has accepted it and before it is stored as sent, it
 * is sent again under the same Message-ID. A message that is given up is recorded in the audit trail.
 */
export const mailJob: Job<MailItem> = {
  name: 'mail',
  queue: 'mail',
  at_once: connections,
  isOn: ({ mailer }) => mailer !== undefined,
  run: send,
  records: 'mails',
  find: async tx => (await listQueued(tx, maxRequeued)).map(itemOf),
}

async function send(services: Services, { tenant_id, id }: MailItem, { isLast, signal }: Attempt) {
  const { database, mailer, clock } = services
  const of = { tenantId: tenant_id, userId: null }
  const letter = await database.transaction(of, 'read only', tx => findLetter(tx, id))
  if (letter?.status !== 'queued') return
  const note = (outcome: Parameters<typeof noteOutcome>[2]) =>
    database.transaction(of, 'read write', tx => noteOutcome(tx, id, outcome), { canRunAgain: true })
  const message = letter.is_reachable ? await messageOf(services, tenant_id, letter) : undefined
  if (!message) {
    await note({ status: 'suppressed' })
    return
  }
  const failure = await mailer!.send(message, signal).then(() => undefined, failureOf(signal))
  if (!failure) await note({ status: 'sent', sent_at: clock.now().toISOString(), error: null })
  else if (isLast || failure.isPermanent) await giveUp(services, tenant_id, letter, failure.message)
  else {
    await note({ error: failure.message })
    throw new Postponed(failure.message)
  }
}

/** Undefined if there is nothing to say any more. */
async function messageOf(services: Services, tenantId: number, letter: Letter) {
  const { public_url } = services.config
  if (letter.password_link_id !== null) {
    const link = await issuePasswordLink(services, tenantId, letter.password_link_id, origin)
    return link && composeLink(letter, link, public_url)
  }
  const notifications = letter.notifications.filter(each => !isOver(letter, each))
  return notifications.length === 0 ? undefined : compose({ ...letter, notifications }, public_url)
}

async function giveUp(
  { runner, clock, log }: Services,
  tenantId: number,
  { id, kind, user_id, attempts }: Letter,
  reason: string,
) {
  const failed_at = clock.now().toISOString()
  await runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ tx, record }) => {
    if (!(await noteOutcome(tx, id, { status: 'failed', failed_at, error: reason }))) return
    record('mail.failed', id, {
      before: { status: 'queued' },
      after: { status: 'failed', kind, user_id, attempts: attempts + 1 },
      reason,
    })
  })
  log.child({ logger: 'attest.mail' }).warn(`message ${id} could not be sent: ${reason}`)
}

/** A digest leaves out notifications that were read in the meantime. */
const isOver = ({ kind }: Letter, { is_read }: Letter['notifications'][number]) => kind === 'digest' && is_read

const failureOf = (signal: AbortSignal) => (error: unknown) => {
  if (error instanceof MailFailure) return error
  if (signal.aborted) throw new Postponed('the process ends')
  throw error
}
