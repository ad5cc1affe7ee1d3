import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { TrailEntry } from './involvement.ts'
import type { CaseKind } from './kinds.ts'

/** The audit entries of records of one kind that tell of people, in order. The trail has the people of the past, which the record forgets. */
export const listInvolving = async (tx: Tx, kind: CaseKind, ids: readonly number[]) =>
  (
    await sql<TrailEntry & { record_id: number }>`
      select e.resource_id as record_id, u.username as by, e.occurred_at as at, e.action = ${`${kind}.created`} as is_creation,
        e.changes -> 'assigned_to' as assigned_to, e.changes -> 'status' as status,
        (e.changes -> 'investigation' is not null or e.changes -> 'root_cause' is not null) as is_investigation,
        (select jsonb_agg(jsonb_build_object('id', a -> 'id', 'assigned_to', a -> 'assigned_to', 'completed_by', a -> 'completed_by'))
          from jsonb_path_query(e.changes::jsonb, '$.actions.*[*] ? (@.id > 0)') a) as actions
      from audit_entries e left join users u on u.id = e.user_id
      where e.resource_type = ${kind} and e.resource_id = any(${ids}::bigint[]) and e.outcome = 'success'
        and e.action in (${`${kind}.created`}, ${`${kind}.updated`}, ${`${kind}.state_changed`})
      order by e.id`.execute(tx)
  ).rows

/** The names of the people among these, in order. */
export const listNamed = (tx: Tx, ids: readonly number[]) =>
  tx.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).orderBy('username').execute()
