import { createHash } from 'node:crypto'
import type { Recorded, Sink } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import { currentTransaction, deliver } from './queries.ts'
import { rules } from './rules.ts'
import type { DocumentSubject, Notice, RecordSubject, Rule, Told } from './told.ts'

/** How records are called, asked of the modules whose they are. */
export interface Subjects {
  document(tx: Tx, id: number, version: string | undefined): Promise<DocumentSubject | undefined>
  record(tx: Tx, kind: 'deviation' | 'capa', id: number): Promise<RecordSubject | undefined>
  person(tx: Tx, id: number): Promise<string | undefined>
}

/** NOTE-01: people are told in the transaction of what they are told of, so that there is never the one without the other. */
export const notificationSink =
  (subjects: Subjects): Sink =>
  async (tx, { actor }, recorded) => {
    for (const each of recorded) {
      const rule = rules[each.event]
      if (rule === 'silent') continue
      const audience = audienceOf(rule, each, actor.userId)
      if (audience.concerned.length + audience.asked.length === 0) continue
      const told: Told = {
        recorded: each,
        together: new Set(recorded.filter(({ id }) => id === each.id).map(({ event }) => event)),
        by: actor.userId === null ? null : (actor.fullName ?? actor.username),
        ...(await subjectOf(subjects, tx, each)),
      }
      const about = {
        resource_type: resourceOf(each.event),
        resource_id: each.id,
        dedupe_key: rule.isReminder ? factsOf(each) : `${each.id}:${await currentTransaction(tx)}`,
      }
      for (const part of ['asked', 'concerned'] as const) {
        const notice = audience[part].length > 0 ? rule[part]?.(told) : undefined
        if (notice) await deliver(tx, { ...notice, ...about, to: audience[part], dedupe_key: keyOf(notice, about) })
      }
    }
  }

/** Who is asked is not told as well that it concerns them. */
function audienceOf({ isReminder, isForActor }: Rule, { concerns = [], asks = [] }: Recorded, actorId: number | null) {
  const isTold = (id: number) => isReminder || isForActor || id !== actorId
  return {
    asked: asks.filter(isTold),
    concerned: concerns.filter(id => isTold(id) && !asks.includes(id)),
  }
}

const resourceOf = (event: EventName) => {
  const [resource] = event.split('.')
  return resource === 'auth' ? 'user' : resource!
}

async function subjectOf(subjects: Subjects, tx: Tx, { event, id, after }: Recorded) {
  if (id === null) return {}
  const { version } = (after ?? {}) as { version?: unknown }
  const resource = resourceOf(event)
  switch (resource) {
    case 'document':
      return { document: await subjects.document(tx, id, typeof version === 'string' ? version : undefined) }
    case 'deviation':
    case 'capa':
      return { record: await subjects.record(tx, resource, id) }
    case 'user':
      return { person: await subjects.person(tx, id) }
    default:
      return {}
  }
}

/** Of the same type about the same record, once for each command; of a reminder, once for the same facts. */
const keyOf = ({ type }: Notice, { dedupe_key }: { dedupe_key: string }) => `${type}:${dedupe_key}`

function factsOf({ id, after }: Recorded) {
  const { revision: _, ...facts } = (after ?? {}) as Record<string, unknown>
  return `${id}:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`
}
