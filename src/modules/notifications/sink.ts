import { createHash } from 'node:crypto'
import { type Actor, nameOfPerson, type Recorded, type Services, type Sink } from '#action'
import { listCurrentDeputies } from '#modules/deputies'
import type { Tx } from '#platform/db/database.ts'
import { type Delivery, deliver } from './deliver.ts'
import { messages } from './messages.ts'
import type { NotificationInput, Rule } from './notice.ts'
import { currentTransaction } from './queries.ts'
import { rules } from './rules/rules.ts'
import { deputyKey, settleRequests } from './settle.ts'
import { openSubjects, resourceOf } from './subjects.ts'
import { deputyScopeOf } from './types.ts'

/** NOTE-01: notifies in the transaction of the change, so that neither exists without the other. */
export const notificationSink: Sink = async (tx, { actor, services }, recorded) => {
  const matched = recorded.flatMap(each => {
    const rule = rules[each.event]
    if (rule === 'silent') return []
    const audience = audienceOf(rule, each, actor.userId)
    return audience.notify.length + audience.assignees.length > 0 ? [{ each, rule, audience }] : []
  })
  const by = actor.userId === null ? null : nameOfActor(actor)
  const deliveries = matched.length === 0 ? [] : await deliveriesOf(tx, { by, recorded, matched })
  await settleRequests(tx, recorded, deliveries, services.clock.now())
  if (deliveries.length === 0) return
  const all = await withDeputies({ tx, services, actor_id: actor.userId }, deliveries)
  await deliver(tx, all, { post: services.post, now: services.clock.now() })
}

const nameOfActor = ({ fullName, username, standsInFor }: Actor) => {
  const name = fullName ?? username
  return standsInFor ? `${name} for ${nameOfPerson(standsInFor)}` : name
}

interface MatchedRule {
  each: Recorded
  rule: Rule
  audience: Record<'assignees' | 'notify', number[]>
}

async function deliveriesOf(
  tx: Tx,
  { by, recorded, matched }: { by: string | null; recorded: readonly Recorded[]; matched: readonly MatchedRule[] },
): Promise<Delivery[]> {
  const subjectOf = await openSubjects(
    tx,
    matched.map(({ each }) => each),
  )
  const transaction = await currentTransaction(tx)
  const together = Map.groupBy(recorded, ({ id }) => id)
  const deliveries: Delivery[] = []
  for (const { each, rule, audience } of matched) {
    const input: NotificationInput = {
      recorded: each,
      together: new Set(together.get(each.id)!.map(({ event }) => event)),
      by,
      ...(await subjectOf(each)),
    }
    const occasion = rule.isReminder ? factsOf(each) : `${each.id}:${transaction}`
    for (const part of ['assignees', 'notify'] as const) {
      const notice = audience[part].length > 0 ? rule[part]?.(input) : undefined
      if (!notice) continue
      deliveries.push({
        ...notice,
        to: audience[part],
        resource_type: resourceOf(each.event),
        resource_id: each.id,
        // One notification of a type about a record for each command; a reminder comes once for the same facts.
        dedupe_key: `${notice.type}:${occasion}`,
        // A reminder asks what was asked before it.
        requires_action: part === 'assignees' && !rule.isReminder,
        is_request: part === 'assignees',
      })
    }
  }
  return deliveries
}

/** An assignee gets the request alone, not the general notification as well. */
function audienceOf(
  { isReminder, isForActor }: Rule,
  { notify = [], assignees = [] }: Recorded,
  actorId: number | null,
) {
  const isNotified = (id: number) => isReminder || isForActor || id !== actorId
  return {
    assignees: assignees.filter(isNotified),
    notify: notify.filter(id => isNotified(id) && !assignees.includes(id)),
  }
}

function factsOf({ id, after }: Recorded) {
  const { revision: _, ...facts } = (after ?? {}) as Record<string, unknown>
  return `${id}:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`
}

/**
 * Who is away does not read their notifications in time, so their deputies get those about work and decisions as well: these deliveries, and their copies for deputies of the readers. Nobody is
 * told twice, nor of what they did themselves.
 */
async function withDeputies(
  { tx, services, actor_id }: { tx: Tx; services: Services; actor_id: number | null },
  deliveries: readonly Delivery[],
): Promise<Delivery[]> {
  const readers = deliveries.flatMap(({ type, to }) => (deputyScopeOf(type) ? to : []))
  const deputies = await listCurrentDeputies({ tx, services }, [...new Set(readers)])
  return [
    ...deliveries,
    ...deliveries.flatMap(delivery => {
      const scope = deputyScopeOf(delivery.type)
      if (!scope) return []
      const standing = deputies.filter(
        ({ person_id, deputy_id, scopes }) =>
          delivery.to.includes(person_id) &&
          scopes.includes(scope) &&
          deputy_id !== actor_id &&
          !delivery.to.includes(deputy_id),
      )
      return standing.map(({ person_id, deputy_id, full_name, username }): Delivery => {
        const { title, text, code, params } = delivery.message
        const person = full_name ?? username
        return {
          ...delivery,
          to: [deputy_id],
          message: messages.for_another({
            ...params,
            ...{ person, request: code, request_title: title, request_text: text },
          }),
          dedupe_key: `${delivery.dedupe_key}${deputyKey(person_id)}`,
          // It is escalated where the person leaves it unread, and once is enough.
          requires_action: false,
        }
      })
    }),
  ]
}
