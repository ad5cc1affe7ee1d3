// Who is away does not read their notifications in time, so their deputies get those about work and decisions as well.
import type { Services } from '#action'
import { listCurrentDeputies } from '#modules/deputies'
import type { Tx } from '#platform/db/database.ts'
import type { Delivery } from './deliver.ts'
import { messages } from './messages.ts'
import { deputyScopeOf } from './types.ts'

/** These deliveries, and their copies for deputies of the readers. Nobody is told twice, nor of what they did themselves. */
export async function withDeputies(
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
          dedupe_key: `${delivery.dedupe_key}:for:${person_id}`,
          // It is escalated where the person leaves it unread, and once is enough.
          requires_action: false,
        }
      })
    }),
  ]
}
