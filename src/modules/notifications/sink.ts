import { createHash } from 'node:crypto'
import type { Recorded, Services, Sink } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { currentTransaction, type Delivery, deliver, type Post } from './deliver.ts'
import { rules } from './rules.ts'
import { openSubjects, resourceOf, type Subjects } from './subjects.ts'
import type { Rule, Told } from './told.ts'

/** What the sink needs of others. Without `post` nobody is told anything by e-mail. */
interface Parties {
  clock: Services['clock']
  subjects: Subjects
  post: Post | undefined
}

/** NOTE-01: people are told in the transaction of what they are told of, so that there is never the one without the other. */
export const notificationSink =
  ({ clock, subjects, post }: Parties): Sink =>
  async (tx, { actor }, recorded) => {
    const heard = recorded.flatMap(each => {
      const rule = rules[each.event]
      if (rule === 'silent') return []
      const audience = audienceOf(rule, each, actor.userId)
      return audience.concerned.length + audience.asked.length > 0 ? [{ each, rule, audience }] : []
    })
    if (heard.length === 0) return
    const by = actor.userId === null ? null : (actor.fullName ?? actor.username)
    const deliveries = await deliveriesOf(tx, subjects, { by, recorded, heard })
    await deliver(tx, deliveries, { post, now: clock.now() })
  }

interface Heard {
  each: Recorded
  rule: Rule
  audience: Record<'asked' | 'concerned', number[]>
}

async function deliveriesOf(
  tx: Tx,
  subjects: Subjects,
  { by, recorded, heard }: { by: string | null; recorded: readonly Recorded[]; heard: readonly Heard[] },
): Promise<Delivery[]> {
  const subjectOf = await openSubjects(
    subjects,
    tx,
    heard.map(({ each }) => each),
  )
  const transaction = await currentTransaction(tx)
  const together = Map.groupBy(recorded, ({ id }) => id)
  const deliveries: Delivery[] = []
  for (const { each, rule, audience } of heard) {
    const told: Told = {
      recorded: each,
      together: new Set(together.get(each.id)!.map(({ event }) => event)),
      by,
      ...(await subjectOf(each)),
    }
    const occasion = rule.isReminder ? factsOf(each) : `${each.id}:${transaction}`
    for (const part of ['asked', 'concerned'] as const) {
      const notice = audience[part].length > 0 ? rule[part]?.(told) : undefined
      if (!notice) continue
      deliveries.push({
        ...notice,
        to: audience[part],
        resource_type: resourceOf(each.event),
        resource_id: each.id,
        // Of the same type about the same record, once for each command; of a reminder, once for the same facts.
        dedupe_key: `${notice.type}:${occasion}`,
        // A reminder asks what was asked before it.
        requires_action: part === 'asked' && !rule.isReminder,
      })
    }
  }
  return deliveries
}

/** Who is asked is not told as well that it concerns them. */
function audienceOf({ isReminder, isForActor }: Rule, { concerns = [], asks = [] }: Recorded, actorId: number | null) {
  const isTold = (id: number) => isReminder || isForActor || id !== actorId
  return {
    asked: asks.filter(isTold),
    concerned: concerns.filter(id => isTold(id) && !asks.includes(id)),
  }
}

function factsOf({ id, after }: Recorded) {
  const { revision: _, ...facts } = (after ?? {}) as Record<string, unknown>
  return `${id}:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`
}
