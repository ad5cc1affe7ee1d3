import type { ActionContext } from '#action'
import { refuseStale } from '#action/revision.ts'
import { notFound } from '#kernel/errors.ts'
import { todayOf } from '#modules/accounts'
import { listRepresented } from '#modules/deputies'
import { documentOfCopy, findCopy, listPrints, lockCopy, type Visibility } from './queries.ts'
import type { ControlledCopy, ControlledCopyDetails } from './schema.ts'

export const managing = 'documents.print_controlled'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The quality unit and readers of the audit trail see every copy, others those of their own and of people whose tasks they do. */
export async function visibilityOf({ tx, actor, services }: Reading): Promise<Visibility> {
  if (actor.userId === null || actor.permissions.has(managing) || actor.permissions.has('audit.read')) return {}
  const represented = await listRepresented({ tx, actor, services })
  return {
    of: [actor.userId, ...represented.filter(({ scopes }) => scopes.includes('tasks')).map(({ userId }) => userId)],
  }
}

export async function requireCopy(context: Reading, id: number): Promise<ControlledCopy> {
  const { tx } = context
  const found = await findCopy(tx, id, await visibilityOf(context), await todayOf(context))
  if (!found) throw notFound('Controlled copy')
  return found
}

/** The copy for somebody who is known to have to do with it, such as one who ends its version. */
export const currentCopy = async (context: Pick<Reading, 'tx' | 'services'>, id: number): Promise<ControlledCopy> =>
  (await findCopy(context.tx, id, {}, await todayOf(context)))!

export const readCopy = async (context: Reading, id: number): Promise<ControlledCopyDetails> => ({
  ...(await requireCopy(context, id)),
  printed: await listPrints(context.tx, id),
})

/** The copy as it is under its lock. */
export async function lockForWork(context: ActionContext<unknown>, id: number): Promise<ControlledCopy> {
  if (!(await lockCopy(context.tx, id))) throw notFound('Controlled copy')
  const copy = await requireCopy(context, id)
  await refuseStale(context, 'controlled_copy', copy)
  return copy
}

/** A document is locked before its copies, as by the transition that recalls them. */
export async function requireDocumentId({ tx }: Pick<Reading, 'tx'>, copyId: number) {
  const id = await documentOfCopy(tx, copyId)
  if (id === undefined) throw notFound('Controlled copy')
  return id
}

/** A copy as the audit trail and notifications show it. */
export const recorded = ({
  version,
  holder,
  location,
  status,
  due_date,
  confirmed_outcome,
  revision,
}: ControlledCopy) => ({ version, holder: holder.username, location, status, due_date, confirmed_outcome, revision })

/** The copy after a change, which is recorded as the difference to `before`. */
export async function finish(
  context: ActionContext<unknown>,
  before: ControlledCopy,
  {
    event,
    ...change
  }: { event: Parameters<typeof context.record>[0] } & Pick<
    NonNullable<Parameters<typeof context.record>[2]>,
    'reason' | 'notify' | 'assignees'
  >,
): Promise<ControlledCopyDetails> {
  const after = await currentCopy(context, before.id)
  context.record(event, before.id, {
    number: before.number,
    before: recorded(before),
    after: recorded(after),
    ...change,
  })
  return { ...after, printed: await listPrints(context.tx, before.id) }
}
