import type { Database } from '../db/database.ts'

/** The length of a queue, over all processes. */
export interface Depth {
  name: string
  /** Items that are due and not begun. */
  waiting: number
  /** The time at which the oldest of them became due. */
  waiting_since: string | null
  /** Items that wait for their next attempt or for their time. */
  later: number
  active: number
  /** Items that failed in their last attempt, within the last hour. */
  failed: number
}

const perQueue = `select name,
    count(*) filter (where state < 'active' and start_after <= now())::int as waiting,
    min(start_after) filter (where state < 'active' and start_after <= now()) as waiting_since,
    count(*) filter (where state < 'active' and start_after > now())::int as later,
    count(*) filter (where state = 'active')::int as active,
    count(*) filter (where state = 'failed')::int as failed
  from pgboss.job where name = any ($1) and (state <= 'active' or state = 'failed') group by name`

export async function depthOf(database: Database, names: readonly string[]): Promise<Depth[]> {
  const { rows } = await database.queueStatement(perQueue, [names])
  const found = rows as Depth[]
  return names.map(name => found.find(row => row.name === name) ?? { ...nothing, name })
}

const nothing = { waiting: 0, waiting_since: null, later: 0, active: 0, failed: 0 }
