import { Type } from 'typebox'
import { type ActionContext, type Actor, command, query } from '#action'
import { Allowed, allowedActs, type Check, oneself, requireAll, requirePermission } from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { Body, ChangeFields, Day, Id, IdParams, OneOf, Words } from '#kernel/schema.ts'
import { mayApprove, readSettings, requireApprover, todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { type CaseAccess, type CaseRecord, openCase, requireOpen } from './base/access.ts'
import { caseKinds } from './base/kinds.ts'
import { filterReaders, listApprovers } from './base/people.ts'
import {
  decideExtension,
  Extension,
  findExtension,
  findWaiting,
  insertExtension,
  listExtensions,
} from './extension-queries.ts'
import { messages } from './messages.ts'

type Context = ActionContext<unknown>
const requesting = 'extensions.request'
const deciding = 'extensions.approve'

const ExtensionShown = Type.Object({ ...Extension.properties, you: Allowed })

export const extensions = (access: CaseAccess) =>
  query({
    summary: `List the extensions of a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: IdParams },
    response: Type.Array(ExtensionShown),
    async run(context, { params }) {
      const record = await openCase(context.tx, context.actor, access, params.id)
      const found = await listExtensions(context.tx, record)
      return Promise.all(found.map(each => present(context, record, each)))
    },
  })

async function present(context: Deciding, record: CaseRecord, extension: Extension) {
  const asked = { ...context, actor: oneself(context.actor) }
  const acts = {
    approve: checksOfDecision(asked, record, extension, 'approve'),
    reject: checksOfDecision(asked, record, extension, 'reject'),
  }
  return { ...extension, you: await allowedActs(acts) }
}

/** With the record as it is after the command. */
async function reload(context: Context, access: CaseAccess, { id: record_id }: CaseRecord, id: number) {
  const record = await openCase(context.tx, context.actor, access, record_id)
  return present(context, record, (await findExtension(context.tx, record, id))!)
}

async function requireLater(context: Context, { due_date }: CaseRecord, day: string) {
  if (day <= due_date) throw invalidField('due_date', messages.record_due_date_not_later({ due_date }))
  if (day < (await todayOf(context))) throw invalidField('due_date', messages.record_due_date_past())
}

/** Moves the due date under the lock of the record, and records it. */
async function move(
  { tx, record: tell }: Context,
  access: CaseAccess,
  record: CaseRecord,
  { id, to_date, reason, notify }: { id: number; to_date: string; reason: string | null; notify: readonly number[] },
) {
  const revision = await access.moveDueDate(tx, record.id, to_date)
  tell(`${record.kind}.extension_decided`, record.id, {
    number: record.number,
    before: { due_date: record.due_date, revision: record.revision },
    after: { due_date: to_date, revision, extension_id: id, decision: 'approved' },
    reason,
    notify: await filterReaders(tx, record.kind, notify),
  })
}

/** Nobody gives themselves more time: the request of the assignee waits for another person. */
const canExtend = async (tx: Tx, actor: Actor, record: CaseRecord) =>
  record.assigned_to !== actor.userId && actor.permissions.has(deciding) && mayApprove(await readSettings(tx), actor)

async function requireExtender(tx: Tx, actor: Actor, record: CaseRecord) {
  if (!(await canExtend(tx, actor, record)) && !record.people.includes(actor.userId!))
    throw forbidden(messages.extension_not_yours({ number: record.number, permission: deciding }), record)
}

function requireNoneWaiting(waiting: Extension | undefined) {
  if (waiting)
    throw conflict(
      messages.extension_already_requested({ username: waiting.requested_by.username, to_date: waiting.to_date }),
    )
}

/** The conditions of an extension of the due date, or of a request for one. */
export const checksOfExtending = (
  { tx, actor }: Pick<Context, 'tx' | 'actor'>,
  record: CaseRecord,
  waiting: Extension | undefined,
): Check[] => [
  () => requirePermission(actor, requesting),
  () => requireExtender(tx, actor, record),
  () => requireOpen(record),
  () => requireNoneWaiting(waiting),
]

export const extend = (access: CaseAccess) =>
  command({
    summary: `Extend the due date of a ${caseKinds[access.kind].noun}, or request it`,
    description: `A person with the permission ${deciding} extends it at once, except the assignee. Otherwise the request waits for such a person, and its status is requested.`,
    permission: requesting,
    input: { params: IdParams, body: Body({ due_date: Day, reason: Words(2000), revision: ChangeFields.revision }) },
    response: ExtensionShown,
    async run(context, { params, body: { due_date, reason } }) {
      const { tx, actor, record: tell } = context
      const record = await openCase(tx, actor, access, params.id, { lock: true })
      const decides = await canExtend(tx, actor, record)
      await requireExtender(tx, actor, record)
      await refuseStale(context, access.kind, record)
      requireOpen(record)
      await requireLater(context, record, due_date)
      requireNoneWaiting(await findWaiting(tx, record))
      const asked = { from_date: record.due_date, to_date: due_date, reason }
      const { id } = await insertExtension(tx, record, asked, decides ? actor.userId : null)
      if (decides) await move(context, access, record, { id, to_date: due_date, reason, notify: record.people })
      else {
        tell(`${record.kind}.extension_requested`, record.id, {
          number: record.number,
          after: { extension_id: id, due_date: record.due_date, requested_due_date: due_date },
          reason,
          assignees: await listApprovers(tx, access.kind, deciding),
        })
      }
      return reload(context, access, record, id)
    },
  })

const ExtensionParams = Type.Object({ id: Id, extension_id: Id })

type Deciding = Pick<Context, 'tx' | 'actor' | 'services'>

/** The conditions of a decision about a request. */
function checksOfDecision(
  context: Deciding,
  record: CaseRecord,
  { status, to_date, requested_by, decided_by }: Extension,
  decision: 'approve' | 'reject',
): Check[] {
  const { tx, actor } = context
  const { number, due_date } = record
  const checks = [
    () => requirePermission(actor, deciding),
    () => {
      if (status !== 'requested')
        throw conflict(messages.extension_already_decided({ status, username: decided_by!.username }))
    },
    () => {
      if (requested_by.id === actor.userId) throw forbidden(messages.extension_own_request(), record)
    },
    () => requireApprover(tx, actor, record),
  ]
  if (decision === 'reject') return checks
  return [
    ...checks,
    () => {
      if (record.assigned_to === actor.userId)
        throw forbidden(messages.extension_own_work({ number, permission: deciding }), record)
    },
    () => requireOpen(record),
    async () => {
      const today = await todayOf(context)
      if (to_date < today || to_date <= due_date)
        throw conflict(messages.extension_day_not_later({ to_date, today, due_date }))
    },
  ]
}

export const decide = (access: CaseAccess) =>
  command({
    summary: `Decide an extension request of a ${caseKinds[access.kind].noun}`,
    description: 'By another person than the requester and the assignee. A rejection needs a comment.',
    permission: deciding,
    input: {
      params: ExtensionParams,
      body: Body({ decision: OneOf('approve', 'reject'), comment: Type.Optional(Words(2000)) }),
    },
    response: ExtensionShown,
    async run(context, { params, body: { decision, comment = null } }) {
      const { tx, actor, record: tell } = context
      const record = await openCase(tx, actor, access, params.id, { lock: true })
      const extension = await findExtension(tx, record, params.extension_id)
      if (!extension) throw notFound('Extension')
      const { id, to_date, requested_by } = extension
      await requireAll(checksOfDecision(context, record, extension, decision))
      if (decision === 'reject' && comment === null)
        throw invalidField('comment', messages.extension_comment_required())
      const by = { decided_by: actor.userId!, comment }
      const notify = [requested_by.id, ...record.people]
      if (decision === 'approve') {
        await decideExtension(tx, id, { status: 'approved', ...by })
        await move(context, access, record, { id, to_date, reason: comment, notify })
      } else {
        await decideExtension(tx, id, { status: 'rejected', ...by })
        tell(`${record.kind}.extension_decided`, record.id, {
          number: record.number,
          after: { extension_id: id, decision: 'rejected', requested_due_date: to_date },
          reason: comment,
          notify: await filterReaders(tx, record.kind, notify),
        })
      }
      return reload(context, access, record, id)
    },
  })
