import { fillAudit } from '#test/builders/audit-fill.ts'
import { rebuildProjections } from '#test/builders/projections.ts'
import type { World } from '#test/world/world.ts'
import { pieces_each, seedDocuments, seedPieces } from './search-set/many.ts'
import { descriptions } from './severity-descriptions.ts'

export interface Size {
  documents: number
  deviations: number
  /** Entries of the audit trail, with those of the deviations. */
  entries: number
}

const documents_at_once = 100_000
const entries_at_once = 100_000

/** A tenant with so much, and another with a tenth as many documents. Says what is being made while it takes its time. */
export async function fillTenant(world: World, size: Size, say: (progress: string) => void) {
  const { superuser } = world
  await seedPieces(world, size.documents * pieces_each)
  for (let from = 1; from <= size.documents; from += documents_at_once) {
    const to = Math.min(size.documents, from + documents_at_once - 1)
    await seedDocuments(world, { owner: 'alan', from, to })
    say(`${to} of ${size.documents} documents`)
  }
  await seedDocuments(world, { owner: 'rob', from: 1, to: Math.ceil(size.documents / 10) })
  for (const who of ['alan', 'rob']) await rebuildProjections(world, world.people[who]!.tenant_id, ['statistics'])
  say('statistics')
  await fillDeviations(world, size.deviations)
  say(`${size.deviations} deviations`)
  const [{ count }] = (await world.rows<{ count: number }>('select count(*)::int from audit_entries')) as [
    { count: number },
  ]
  for (let from = count; from < size.entries; from += entries_at_once) {
    const to = Math.min(size.entries, from + entries_at_once)
    await fillAudit(world, { by: 'quinn', entries: to - from, from })
    say(`${to} of ${size.entries} audit entries`)
  }
  await world.seal()
  say('sealed')
  await superuser.query('reset app.tenant_id; reset app.user_id; drop table pool')
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
}

/**
 * By statement: sentences of real descriptions put together by chance, so that some words are in every deviation and others in one of
 * a hundred; nine years of them, the last three in a hundred not over. Each has its history and audit entries, some have comments
 * and links. Triggers sleep; they are indexed at the end, before the indexes of that table are made.
 */
export async function fillDeviations(world: World, count: number) {
  const { superuser, people } = world
  const { id: user, tenant_id: tenant } = people.quinn!
  await superuser.query(`set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; select setseed(0.5)`)
  await superuser.query('set session_replication_role = replica')
  const { rows: indexes } = await superuser.query<{ name: string; definition: string }>(
    "select indexname as name, indexdef as definition from pg_indexes where tablename = 'deviation_index' and indexdef like '% gin %'",
  )
  for (const { name } of indexes) await superuser.query(`drop index ${name}`)
  const pick = (chance: string) => `(p.sentences)[1 + floor(${chance} * cardinality(p.sentences))::int]`
  const one = (list: string[], chance: string) => `(array['${list.join("','")}'])[1 + (${chance})::int]`
  await superuser.query(
    `with p as (select $1::text[] as sentences, $2::int as total, $3::bigint as person)
    insert into deviations (number, title, description, severity, status, category, department, detected_at, reported_at, reported_by,
      assigned_to, affected_items, investigation, root_cause, due_date, original_due_date, closed_at, closed_by)
    select 'DEV-' || extract(year from day) || '-' || lpad(n::text, 6, '0'),
      left(${pick('a')}, 90) || ' at ' || ${one(['line', 'room', 'tank', 'press', 'freezer'], 'n % 5')} || ' ' || n % 997,
      concat_ws(' ', ${pick('a')}, ${pick('b')}, ${pick('c')}, 'Batch ' || n || '.'),
      ${one(['minor', 'minor', 'minor', 'major', 'major', 'critical'], 'floor(b * 6)')},
      case when is_over then 'closed' else ${one(['open', 'under_investigation', 'pending_approval'], 'n % 3')} end,
      ${one(['process', 'equipment', 'laboratory', 'documentation', 'environmental', 'packaging', 'material', 'training'], 'floor(c * 8)')},
      'Department ' || n % 12, day, day, p.person, case when n % 3 = 0 then p.person end,
      jsonb_build_array(jsonb_build_object('kind', 'equipment', 'identifier', 'EQ-' || n % 2000)),
      case when n % 2 = 0 then ${pick('c')} end,
      case when n % 4 > 0 then jsonb_build_object('method', 'other', 'summary', 'Found',
        'category', ${one(['human_error', 'equipment_failure', 'training_gap'], 'n % 3')}) end,
      (day + interval '30 days')::date, (day + interval '30 days')::date,
      case when is_over then day + interval '20 days' end, case when is_over then p.person end
    from p, generate_series(1, p.total) n, lateral (select n <= p.total * 0.97 as is_over, now() - (p.total - n) * interval '9 years' / p.total as day) moment, lateral (select random() + 0 * n as a, random() + 0 * n as b, random() + 0 * n as c) chance
    order by n`,
    [descriptions.map(({ text }) => text), count, user],
  )
  await superuser.query(`insert into record_history (deviation_id, transition, from_status, to_status, occurred_at)
    select id, 'report', null, 'open', detected_at from deviations
    union all select id, 'investigate', 'open', 'under_investigation', detected_at + interval '1 day' from deviations where status <> 'open'
    union all select id, 'close', 'pending_approval', 'closed', closed_at from deviations where status = 'closed'`)
  await superuser.query(`insert into audit_entries (transaction_id, username, user_role, outcome, action, resource_type, resource_id,
      resource_number, resource_revision, changes, request_id, client_addr, occurred_at)
    select gen_random_uuid(), 'quinn', 'QA Manager', 'success', action, 'deviation', id, number, step, '{"title": {"from": null, "to": "x"}}', '', '',
      detected_at + step * interval '1 hour'
    from deviations, unnest(array['deviation.created', 'deviation.updated', 'deviation.state_changed', 'deviation.state_changed']) with ordinality e (action, step)`)
  await superuser.query(`insert into record_comments (deviation_id, text, created_at)
    select id, 'Looked at again', detected_at + interval '2 days' from deviations, generate_series(1, 3) where id % 10 = 0`)
  await superuser.query(`insert into deviation_deviations (deviation_id, other_id, relation)
    select d.id, o.id, 'recurrence' from deviations d join deviations o on o.id = d.id - 2000 where d.id % 5 = 0`)
  await superuser.query('reset session_replication_role')
  await rebuildProjections(world, tenant, ['deviation-index'])
  for (const { definition } of indexes) await superuser.query(definition)
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
}
