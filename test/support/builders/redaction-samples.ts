import { openPool } from '#platform/db/pool.ts'
import { redact } from '../../../src/modules/audit/trail/redaction.ts'
import type { RedactablePart } from '../../../src/modules/audit/trail/schema.ts'
import { quiet } from '../world/postgres.ts'
import type { World } from '../world/world.ts'

/** As an operator does it at the command line: with the login that owns the tables. */
export async function redactAs(
  world: World,
  tenant_id: number,
  entries: number[],
  parts: readonly RedactablePart[] = ['person', 'detail'],
  { reason = 'Erasure was asked for', redacted_by = 'Ola Operator' } = {},
) {
  const pool = openPool(world.postgres.owner, quiet)
  const owner = await pool.connect()
  try {
    await redact(owner, { tenant_id, entries, parts, reason, redacted_by })
  } finally {
    owner.release()
    await pool.end()
  }
}

/** A redaction of a refused attempt, which says nothing else about a record. */
export async function addRedaction(world: World, { by, word }: { by: string; word: string }) {
  const { tenant_id } = world.people[by]!
  const [entry] = await world.rows<{ id: string }>(
    `select id from audit_entries where tenant_id = $1 and action = 'document.commented' order by id limit 1`,
    [tenant_id],
  )
  await redactAs(world, tenant_id, [Number(entry!.id)], undefined, { reason: word, redacted_by: word })
}
