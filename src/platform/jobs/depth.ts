import type { Database } from '../db/database.ts'

/** Of all processes together. */
export interface Depth {
  name: string
  /** Due, and begun by nobody yet. */
  waiting: number
  /** Since when the oldest of them is due. */
  waiting_since: string | null
  /** Failed so far, or not to be done before its time. */
  later: number
  active: number
  /** Failed in its last attempt, within the last hour. */
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
