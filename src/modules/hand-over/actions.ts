import { type ActionContext, command, query, type Services } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { findAccount, listPeople, type OpenItem, readSettings, type WorkOfKind } from '#modules/accounts'
import { JobAnswer, startJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { handOverJob } from './job.ts'
import { countOpen, kindsOfWork } from './kinds.ts'
import { messages } from './messages.ts'
import { takersInOrder } from './rules.ts'
import { HandOverRequest, OpenWork, OpenWorkFilter } from './schema.ts'

const linkOf: Record<WorkOfKind['kind'], (item: OpenItem) => string> = {
  deviation: ({ record_id }) => `/api/deviations/${record_id}`,
  capa: ({ record_id }) => `/api/capa/${record_id}`,
  capa_action: ({ record_id }) => `/api/capa/${record_id}`,
  effectiveness_review: ({ id, record_id }) => `/api/capa/${record_id}/effectiveness/${id}`,
  document: ({ record_id }) => `/api/documents/${record_id}`,
  controlled_copy: ({ id }) => `/api/controlled-copies/${id}`,
  service_account: ({ id }) => `/api/service-accounts/${id}`,
  document_approval: ({ record_id }) => `/api/documents/${record_id}/workflow`,
}

async function requireAccount(tx: Tx, id: number) {
  const account = await findAccount(tx, id)
  if (!account) throw notFound('User')
  return account
}

/** The taker of the first open item of each kind, as `takersInOrder` says and as far as they may do such work. */
async function listTakers(
  tx: Tx,
  leaver_id: number,
  { counts, successor_id }: { counts: Record<WorkOfKind['kind'], number>; successor_id: number | null },
) {
  const { hand_over_role: role } = await readSettings(tx)
  const inOrder = takersInOrder(await listPeople(tx), { leaver_id, successor_id, role, given: {} })
  const takers = []
  for (const { kind, needs } of kindsOfWork) {
    if (counts[kind] === 0) continue
    const first = inOrder.find(({ permissions }) => needs.every(each => permissions.has(each)))
    const account = first && (await findAccount(tx, first.userId))
    const person = account ? { id: account.id, username: account.username, full_name: account.full_name } : null
    takers.push({ kind, person })
  }
  return takers
}

export const openWork = query({
  summary: 'List the open work of a user',
  description:
    'Work for another person when the user leaves: deviations to investigate, CAPAs and actions, planned effectiveness reviews, documents owned (with their drafts and periodic reviews), and pending approvals that name the user or were delegated to them, controlled copies that they hold, and service accounts that they own. Open training is not listed: it is cancelled at the deactivation.',
  permission: 'users.manage',
  input: { params: IdParams, query: OpenWorkFilter },
  response: OpenWork,
  async run({ tx }, { params, query: { limit = 20, successor_id = null } }) {
    const { is_active, revision: _revision, ...user } = await requireAccount(tx, params.id)
    if (successor_id !== null) await requireSuccessor(tx, user, successor_id)
    const { counts } = await countOpen(tx, user.id)
    const items = []
    for (const { kind, list } of kindsOfWork)
      for (const item of await list(tx, user.id, { after: 0, limit })) {
        const { record_id: _, ...shown } = item
        items.push({ kind, ...shown, link: linkOf[kind](item) })
      }
    return { user, is_active, items, counts, takers: await listTakers(tx, user.id, { counts, successor_id }) }
  },
})

/** The successor can take work; undefined without one. */
async function requireSuccessor(tx: Tx, leaver: { id: number }, successor_id: number | undefined) {
  if (successor_id === undefined) return
  const { username, is_active } = await requireAccount(tx, successor_id)
  if (successor_id === leaver.id) throw conflict(messages.hand_over_to_leaver({ username }))
  if (!is_active) throw conflict(messages.hand_over_successor_inactive({ username }))
}

const start = (
  context: ActionContext<unknown>,
  { id: user_id }: { id: number },
  {
    successor_id = null,
    reason,
    total,
  }: { successor_id?: number | null | undefined; reason: string | null; total: number },
) => startJob(context, handOverJob, { input: { user_id, successor_id, reason }, total })

/** Called in the transaction of the deactivation. */
export const startHandOver: Services['startHandOver'] = async (context, leaver, { successor_id, reason }) => {
  const { tx } = context
  await requireSuccessor(tx, leaver, successor_id)
  const { hand_over_role } = await readSettings(tx)
  if (successor_id === undefined && hand_over_role === null) return null
  const { total } = await countOpen(tx, leaver.id)
  if (total === 0) return null
  const { id, href } = await start(context, leaver, { successor_id, reason, total })
  return { id, href, total }
}

export const handOver = command({
  summary: 'Hand over the open work of a deactivated user',
  description:
    'Starts a background job, which hands over what is still open: to `successor_id`, and what this person may not do to people with the role `hand_over_role` of the settings. Each record has an audit entry with the reason and both people. What nobody may take stays, and `GET /api/dashboard/orphaned-items` shows it.',
  permission: 'users.manage',
  input: { params: IdParams, body: HandOverRequest },
  response: JobAnswer,
  async run(context, { params, body: { successor_id, change_reason: reason } }) {
    const { tx } = context
    const { is_active, ...leaver } = await requireAccount(tx, params.id)
    const { username } = leaver
    await refuseStale(context, 'user', leaver)
    await requireSuccessor(tx, leaver, successor_id)
    if (is_active) throw conflict(messages.hand_over_user_active({ username }))
    const { hand_over_role } = await readSettings(tx)
    if (successor_id === undefined && hand_over_role === null) throw conflict(messages.hand_over_to_nobody())
    const { total } = await countOpen(tx, leaver.id)
    if (total === 0) throw conflict(messages.hand_over_nothing_open({ username }))
    return start(context, leaver, { successor_id, reason, total })
  },
})
