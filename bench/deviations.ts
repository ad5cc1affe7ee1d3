// How long who works with deviations waits, where a tenant has many: lists, one of them, similar ones, a timeline.
//
//   node bench/deviations.ts [--deviations 100000] [--rounds 100]
//
// Each question goes over HTTP to the whole service, one at a time, and in turn with all others; what is printed are the times
// until the whole answer is there. The load of the machine is printed before and after.
import { parseArgs } from 'node:util'
import { addPeople } from '#test/people.ts'
import { openTestServer } from '#test/postgres.ts'
import { openWorld, type World } from '#test/world.ts'
import { timeQuestions } from './questions.ts'
import { descriptions } from './severity-descriptions.ts'

const { values: given } = parseArgs({
  options: { deviations: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '100' } },
})
const deviations = Number(given.deviations)
const rounds = Number(given.rounds)

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const begun = performance.now()
  await fill(world, deviations)
  console.log(`${deviations} deviations in the tenant, made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  await measure(world, deviations)
} finally {
  await world.close()
  await server.close()
}

/**
 * By statement: sentences of real descriptions put together by chance, so that some words are in every deviation and others in one of
 * a hundred; nine years of them, the last three in a hundred not over. Each has its history and audit entries, some have comments
 * and links. Triggers sleep, but for the one that indexes, whose indexes are made at the end.
 */
async function fill({ superuser, people }: World, count: number) {
  const { id: user, tenant_id: tenant } = people.quinn!
  await superuser.query(`set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; select setseed(0.5)`)
  await superuser.query('set session_replication_role = replica; alter table deviations enable always trigger indexed')
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
  await superuser.query(`insert into record_history (deviation_id, move, from_status, to_status, occurred_at)
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
  await superuser.query('alter table deviations enable trigger indexed; reset session_replication_role')
  for (const { definition } of indexes) await superuser.query(definition)
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
}

/** What is asked, with as many answers of it as there are to tell apart. */
function questions(world: World, count: number): Record<string, (round: number) => string> {
  const id = (round: number) => 10 * (1 + Math.floor(((round + 0.5) * count) / (10 * (rounds + 1))))
  const texts = descriptions.map(({ text }) => encodeURIComponent(text))
  const deep = Math.floor((count * 0.8) / 20)
  return {
    'list: the first page': () => '/',
    'list: page_size=100': () => '/?page_size=100',
    'list: status=open': () => '/?status=open',
    'list: severity=critical, category': () => '/?severity=critical&category=equipment',
    'list: assigned_to': () => `/?assigned_to=${world.people.quinn!.id}`,
    'list: overdue': () => '/?overdue=true',
    'list: a year of dates': () => '/?date_from=2024-01-01&date_to=2024-12-31',
    'list: sort=due_date:desc': () => '/?sort=due_date:desc',
    'list: sort=severity:asc': () => '/?sort=severity:asc',
    [`list: page ${deep}`]: () => `/?page=${deep}`,
    'list: q=autoclave (1 in 70)': () => '/?q=autoclave',
    'list: q=glass particles': () => '/?q=glass+particles',
    'list: q=batch (all)': () => '/?q=batch',
    'list: q is a number': round => `/?q=${String(id(round)).padStart(6, '0')}`,
    details: round => `/${id(round)}`,
    'similar: q, three words': () => '/similar?q=glass+particles+vials',
    'similar: q, a description': round => `/similar?q=${texts[round % texts.length]}`,
    'similar: q, misspelled': () => '/similar?q=autoclve+steriliation',
    'similar: q, a word of all': () => '/similar?q=batch',
    'similar: deviation_id': round => `/similar?deviation_id=${id(round)}`,
    'similar: deviation_id, critical ones': round => `/similar?deviation_id=${id(round)}&severity=critical`,
    timeline: round => `/${id(round)}/timeline`,
  }
}

function measure(world: World, count: number) {
  return timeQuestions(world, { by: 'quinn', below: '/api/deviations', questions: questions(world, count), rounds })
}
