import type { Represented, Sink } from '#action'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { announce } from '#platform/db/database.ts'
import { announcedAs } from '../sealing/sealer.ts'
import { insertEntries } from './queries.ts'
import { changesBetween } from './rules.ts'

const forPerson = ({ username }: Represented) => ({ on_behalf_of: username })

/** AUD-01: writes an entry for each recorded event, in the transaction of the change. */
export const auditSink: Sink = async (tx, { actor, origin }, recorded) => {
  const entries = recorded.map(({ event, id, number, before, after, reason, outcome }) => ({
    username: actor.username,
    user_role: actor.role,
    outcome,
    action: event,
    resource_type: event.split('.')[0]!,
    resource_id: id,
    resource_number: number ?? null,
    resource_revision: (after as { revision?: number } | undefined)?.revision ?? null,
    // These bytes are stored and hashed.
    changes: canonicalBytes(
      changesBetween(before, actor.standsInFor ? { ...after, ...forPerson(actor.standsInFor) } : after),
    ).toString(),
    reason: reason ?? null,
    request_id: origin.requestId,
    client_addr: origin.clientAddr,
  }))
  await insertEntries(tx, entries)
  announce(tx, announcedAs)
}
