import type pg from 'pg'
import type { World } from '../world/world.ts'

/**
 * So many entries of the tenant of `by`, later than all others, by its people in turn, under names that change and on a clock that is never
 * quite right.
 */
export async function fillAudit(
  { superuser, people }: { superuser: pg.Client; people: World['people'] },
  { by, entries, from = 0, name = 'person' }: { by: string; entries: number; from?: number; name?: string },
) {
  await superuser.query(`set app.tenant_id = '${people[by]!.tenant_id}'`)
  await superuser.query(
    `insert into audit_entries (transaction_id, user_id, username, user_role, outcome, occurred_at, action, resource_type, resource_id,
       resource_number, changes, reason, request_id, client_addr)
     select gen_random_uuid(), case when h % 9 > 0 then ids[1 + h % cardinality(ids)] end, $4 || h % 5, 'QA',
       (array['success', 'success', 'success', 'denied', 'failed'])[1 + h / 7 % 5],
       timestamptz '2030-03-01' + n * interval '10 min' + h % 3600 * interval '1 s' + h % 1000 * interval '1 us',
       kind || '.' || (array['created', 'updated'])[1 + h / 11 % 2], kind, case when h % 13 > 0 then n / 20 + 1 end,
       case when h % 3 > 0 then 'NUM-' || lpad((n / 20)::text, 4, '0') end, '{}',
       case when h % 100 = 0 then 'Seen at the hygrometer' when h % 4 = 0 then 'Decided of ' || $3 || ' as ' || n || '%' end, '', ''
     from generate_series($1::int, $1::int + $2::int - 1) n cross join lateral (select hashint4(n) & 1048575 as h) h
       cross join lateral (select (array['document', 'deviation', 'capa'])[1 + h / 100 % 3] as kind) k
       cross join (select array_agg(id order by id) as ids from users where tenant_id = $5) u`,
    [from, entries, by, name, people[by]!.tenant_id],
  )
}
