// A person names a deputy for the days of their absence. Somebody who manages deputies does it for a person who cannot, such as one who is ill.
import { type ActionContext, type Actor, command, deputyScopes, query } from '#action'
import { daysLater } from '#kernel/day.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { listPeople, mayApprove, readSettings, todayOf } from '#modules/accounts'
import { messages } from './messages.ts'
import {
  countDeputies,
  deputySorts,
  endDeputy,
  findDeputy,
  findOverlapping,
  insertDeputy,
  listDeputies,
  lockBoth,
  lockDeputy,
  type Visibility,
} from './queries.ts'
import { missingFor } from './rules.ts'
import { Deputy, DeputyCreate, DeputyEnd, DeputyFilter } from './schema.ts'
import { nameOf } from './standing-in.ts'

const managing = 'deputies.manage'
const maxDays = 366

/** Who reads the audit trail sees there who stands in for whom. */
const visibilityOf = ({ userId, permissions }: Actor): Visibility =>
  permissions.has(managing) || permissions.has('audit.read') ? {} : { of: userId ?? 0 }

const mayEnd = ({ userId, permissions }: Actor, { person, deputy }: Deputy) =>
  permissions.has(managing) || person.id === userId || deputy.id === userId

const numberOf = (id: number) => `Deputy ${id}`

export const list = query({
  summary: 'List deputies',
  description:
    'Your own, and those for whom you stand in; all of them with the permission audit.read or deputies.manage.',
  permission: 'deputies.read',
  input: { query: DeputyFilter },
  response: Page(Deputy),
  async run({ tx, actor, services }, { query }) {
    const sort = parseSort(query.sort, deputySorts, { field: 'starts_on', direction: 'desc' })
    const today = await todayOf({ tx, services })
    return pageOf(
      query,
      (limit, offset) => listDeputies(tx, query, visibilityOf(actor), today, sort, limit, offset),
      () => countDeputies(tx, query, visibilityOf(actor), today),
    )
  },
})

async function requireDeputy(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  id: number,
) {
  const found = await findDeputy(tx, id, visibilityOf(actor), await todayOf({ tx, services }))
  if (!found) throw notFound('Deputy')
  return found
}

export const details = query({
  summary: 'Read a deputy',
  permission: 'deputies.read',
  input: { params: IdParams },
  response: Deputy,
  run: (context, { params }) => requireDeputy(context, params.id),
})

function requirePeriod({ starts_on, ends_on }: DeputyCreate, today: string) {
  if (starts_on < today) throw invalidField('starts_on', messages.deputy_day_past())
  if (ends_on < starts_on) throw invalidField('ends_on', messages.deputy_ends_before_start())
  const last = daysLater(starts_on, maxDays - 1)
  if (ends_on > last) throw invalidField('ends_on', messages.deputy_too_long({ last }))
}

/** Whoever names the deputy of another person says why, and is not the deputy. */
function requireNamer(
  actor: Actor,
  { person, deputy_id }: { person: { id: number; name: string }; deputy_id: number },
  reason: string | undefined,
) {
  if (person.id === actor.userId) return
  if (!actor.permissions.has(managing))
    throw forbidden(messages.deputy_of_another_permission_required({ permission: managing }))
  if (deputy_id === actor.userId) throw forbidden(messages.deputy_named_by_oneself({ person: person.name }))
  if (reason === undefined) throw invalidField('reason', messages.deputy_reason_required())
}

export const create = command({
  summary: 'Name a deputy',
  description:
    'From the first to the last day, in the time zone of the tenant, the deputy can do what is named in `scopes` for the person (by default all): they send `on_behalf_of` with the request, decide by their own permissions and sign in their own name, "for" the person. They never do what needs the person: their training, their password and second factor, their acknowledgements. A deputy of a deputy decides nothing.',
  permission: 'deputies.manage_own',
  input: { body: DeputyCreate },
  response: Deputy,
  async run(context, { body }) {
    const { tx, actor, services, record } = context
    const { deputy_id, person_id = actor.userId!, starts_on, ends_on, scopes = [...deputyScopes], reason } = body
    const users = new Map((await lockBoth(tx, [person_id, deputy_id])).map(each => [each.id, each]))
    const [person, deputy] = [users.get(person_id), users.get(deputy_id)]
    if (!person || !deputy) throw notFound('User')
    if (deputy_id === person_id) throw invalidField('deputy_id', messages.deputy_is_oneself())
    requirePeriod(body, await todayOf({ tx, services }))
    requireNamer(actor, { person: { id: person_id, name: nameOf(person) }, deputy_id }, reason)
    const inactive = [person, deputy].find(({ is_active }) => !is_active)
    if (inactive) throw conflict(messages.deputy_inactive({ username: inactive.username }))
    await requireAble(tx, { person, deputy, scopes })
    const other = await findOverlapping(tx, person_id, starts_on, ends_on)
    if (other) throw conflict(messages.deputy_overlaps(other))
    const away = await findOverlapping(tx, deputy_id, starts_on, ends_on)
    if (away) throw conflict(messages.deputy_is_away(away))
    const { id } = await insertDeputy(tx, {
      ...{ person_id, deputy_id, starts_on, ends_on, reason: reason ?? null },
      for_approvals: scopes.includes('approvals'),
      for_tasks: scopes.includes('tasks'),
    })
    record('deputy.created', id, {
      number: numberOf(id),
      after: { person: person.username, deputy: deputy.username, starts_on, ends_on, scopes },
      reason: reason ?? null,
      notify: [person_id, deputy_id],
    })
    return requireDeputy(context, id)
  },
})

type Both = Record<'person' | 'deputy', { id: number; username: string; full_name: string | null }>

/** The deputy can do what the person may do. It is asked again whenever they act for the person. */
async function requireAble(
  tx: ActionContext<unknown>['tx'],
  { person, deputy, scopes }: Both & { scopes: NonNullable<DeputyCreate['scopes']> },
) {
  const people = new Map((await listPeople(tx)).map(each => [each.userId, each]))
  const [away, able] = [people.get(person.id)!, people.get(deputy.id)!]
  const permissions = missingFor(scopes, away.permissions, able.permissions)
  if (permissions.length > 0)
    throw conflict(messages.deputy_cannot_do({ deputy: nameOf(deputy), person: nameOf(person), permissions }))
  const approves = scopes.includes('approvals') && away.permissions.has('documents.approve')
  if (approves && !mayApprove(await readSettings(tx), able))
    throw conflict(messages.deputy_may_not_approve({ deputy: nameOf(deputy) }))
}

export const end = command({
  summary: 'End a deputy early',
  description:
    'By the person, the deputy, or somebody with the permission deputies.manage. It ends at once; what was decided stays.',
  permission: 'deputies.manage_own',
  input: { params: IdParams, body: DeputyEnd },
  response: Deputy,
  async run(context, { params: { id }, body: { end_reason } }) {
    const { tx, actor, services, record } = context
    if (!(await lockDeputy(tx, id))) throw notFound('Deputy')
    const found = await requireDeputy(context, id)
    if (!mayEnd(actor, found))
      throw forbidden(messages.deputy_end_permission_required({ permission: managing }), { id, number: numberOf(id) })
    if (found.status === 'ended') throw conflict(messages.deputy_already_ended())
    if (found.status === 'over') throw conflict(messages.deputy_over({ ends_on: found.ends_on }))
    await endDeputy(tx, id, {
      ended_at: services.clock.now().toISOString(),
      ended_by: actor.userId,
      end_reason,
    })
    const after = await requireDeputy(context, id)
    record('deputy.ended', id, {
      number: numberOf(id),
      before: { ended_at: null },
      after: { person: found.person.username, deputy: found.deputy.username, ended_at: after.ended_at },
      reason: end_reason,
      notify: [found.person.id, found.deputy.id],
    })
    return after
  },
})
