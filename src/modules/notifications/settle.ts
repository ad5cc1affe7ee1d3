import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Delivery } from './deliver.ts'
import { listOpenRequests, markSettled, type OpenRequest } from './queries.ts'
import { requests } from './requests.ts'

/** Frequent, and after them a record asks what it asked before. */
const reads: ReadonlySet<EventName> = new Set(['document.viewed', 'document.downloaded'])

const changedBy = (recorded: readonly Recorded[]) => {
  const changed = recorded.flatMap(({ event, id }) => {
    const [resource_type] = event.split('.') as [string]
    return id === null || reads.has(event) || !(resource_type in requests) ? [] : [{ resource_type, resource_id: id }]
  })
  return [...new Map(changed.map(each => [`${each.resource_type} ${each.resource_id}`, each])).values()]
}

/** The end of the key of the copy that a deputy of the reader gets. */
export const deputyKey = (person_id: number) => `:for:${person_id}`

/** The person who is asked: the reader, or the one whose deputy they are. */
const askedOf = ({ user_id, dedupe_key }: OpenRequest) => Number(/:for:(\d+)$/.exec(dedupe_key)?.[1] ?? user_id)

/**
 * Settles what the changed records ask nobody for any more: it was decided, withdrawn or handed over. A person who is asked anew for the same
 * keeps the new request alone.
 */
export async function settleRequests(
  tx: Tx,
  recorded: readonly Recorded[],
  deliveries: readonly Delivery[],
  now: Date,
) {
  const changed = changedBy(recorded)
  if (changed.length === 0) return
  const open = await listOpenRequests(tx, changed)
  const over: number[] = []
  for (const rows of Map.groupBy(open, each => `${each.type} ${each.resource_type} ${each.resource_id}`).values()) {
    const { type, resource_type, resource_id } = rows[0]!
    const people = [...new Set(rows.map(askedOf))]
    const asked = await requests[resource_type]!.stillAsks(tx, type, resource_id, people)
    const anew = new Set(
      deliveries
        .filter(
          each =>
            each.requires_action &&
            each.type === type &&
            each.resource_type === resource_type &&
            each.resource_id === resource_id,
        )
        .flatMap(({ to }) => to),
    )
    for (const row of rows) {
      const person = askedOf(row)
      if (!asked.includes(person) || anew.has(person)) over.push(row.id)
    }
  }
  if (over.length > 0) await markSettled(tx, over, now)
}
