import type { EventName } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'

/**
 * The user names of the people who were reminded of the record on that day by such an event. It names them in `reminded`, and the day in
 * `told_on`. The caller holds the lock of the record, so that nobody reminds them meanwhile.
 */
export async function listReminded(tx: Tx, event: EventName, id: number, day: string): Promise<string[]> {
  const entries = await tx
    .selectFrom('audit_entries')
    .select('changes')
    .where('resource_type', '=', event.split('.')[0]!)
    .where('resource_id', '=', id)
    .where('action', '=', event)
    .where('outcome', '=', 'success')
    .where('changes', 'is not', null)
    .execute()
  return entries
    .map(({ changes }) => changes as unknown as { told_on?: { to: string }; reminded?: { to: string[] } })
    .filter(({ told_on }) => told_on?.to === day)
    .flatMap(({ reminded }) => reminded?.to ?? [])
}
