import { sql } from 'kysely'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'

interface PersonName {
  id: number
  full_name: string | null
  /** The entries from the first one on that changed the name, or may have, in order. */
  changes: { id: number; previous: string | null; is_redacted: boolean }[]
}

/** The present names of people, and what changed them in the entries from `first` on. */
export const listNames = (tx: Tx, ids: readonly number[], first: number): Promise<PersonName[]> =>
  readNames(tx, { ids, first })
const readNames = builtOnce(
  (_, { ids, first }: { ids: readonly number[]; first: number }) => sql<PersonName>`
      select u.id, u.full_name, coalesce(c.changes, '[]') as changes
      from users u cross join lateral (
        select jsonb_agg(jsonb_build_object('id', e.id, 'previous', e.changes -> 'full_name' ->> 'from', 'is_redacted', e.detail_salt is null)
          order by e.id) as changes
        from audit_entries e
        where e.resource_type = 'user' and e.resource_id = u.id and e.id >= ${first}
          and (e.detail_salt is null or e.changes -> 'full_name' is not null)) c
      where u.id = any(${ids}::bigint[])`,
)
