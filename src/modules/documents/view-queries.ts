import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** Waits until another request by which the actor opens the same version has ended, so that one of them is recorded. */
export const holdOpening = (tx: Tx, versionId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(
    format('document view %s %s %s', current_tenant(), current_actor(), ${versionId}::bigint), 0))`.execute(tx)

/** The actor's opening of this version on this day is recorded. */
export async function isViewed(
  tx: Tx,
  { id, version, sha256, day }: { id: number; version: string; sha256: string; day: string },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from audit_entries e where e.user_id = (select current_actor()) and e.resource_id = ${id}
      and e.action = 'document.viewed' and e.outcome = 'success'
      and e.changes #>> '{version,to}' = ${version} and e.changes #>> '{sha256,to}' = ${sha256}
      and e.changes #>> '{day,to}' = ${day}) as found`.execute(tx)
  return rows[0]!.found
}
