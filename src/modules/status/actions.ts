import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { openAction } from '#action'
import { OneOf } from '#kernel/schema.ts'
import type { Database } from '#platform/db/database.ts'

const database_budget_ms = 1000

const Health = Type.Object({
  status: OneOf('ok', 'unavailable'),
  database: OneOf('up', 'down'),
  version: Type.String(),
})

/** HLTH-01: whether the service can do its work, and nothing of how it is set up. */
export const health = (version: string) =>
  openAction({
    summary: 'Whether the service can do its work',
    description: '503 where the database does not answer within a second.',
    input: {},
    response: Health,
    statusOf: ({ database }) => (database === 'up' ? 200 : 503),
    async run({ database }) {
      const isUp = await answers(database)
      return {
        status: isUp ? ('ok' as const) : ('unavailable' as const),
        database: isUp ? ('up' as const) : ('down' as const),
        version,
      }
    },
  })

async function answers(database: Database): Promise<boolean> {
  const probe = database.transaction({ tenantId: null, userId: null }, 'read only', tx => sql`select 1`.execute(tx))
  const timer = new AbortController()
  const late = setTimeout(database_budget_ms, false, { signal: timer.signal, ref: false }).catch(() => false)
  try {
    return await Promise.race([
      probe.then(
        () => true,
        () => false,
      ),
      late,
    ])
  } finally {
    timer.abort()
  }
}
