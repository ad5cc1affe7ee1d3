// How long somebody with very many notifications waits for them, and how long a command takes that tells very many people.
//
//   node bench/notifications.ts [--notifications 1000000] [--rounds 50] [--people 10000]
//
// Each question goes over HTTP to the whole service, one at a time, and in turn with all others; what is printed are the times
// until the whole answer is there. The load of the machine is printed before and after.
import { parseArgs } from 'node:util'
import { notificationSink } from '#modules/notifications'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow, timeQuestions } from './questions.ts'

const { values: given } = parseArgs({
  options: {
    notifications: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '50' },
    people: { type: 'string', default: '10000' },
  },
})
const notifications = Number(given.notifications)
const rounds = Number(given.rounds)
const people = Number(given.people)

const seconds = (begun: number) => `${((performance.now() - begun) / 1000).toFixed(1)} s`

const questions: Record<string, string> = {
  'the first page': '',
  'page 4000': '?page=4000',
  'page 40000': '?page=40000',
  'page_size=100': '?page_size=100',
  'is_read=false': '?is_read=false',
  'is_read=false, page 4000': '?is_read=false&page=4000',
  'is_read=true': '?is_read=true',
  'priority=urgent': '?priority=urgent',
  'priority=urgent, is_read=false': '?priority=urgent&is_read=false',
  'type=account_locked (1 in 1000)': '?type=account_locked',
  'a year of dates': '?date_from=2024-01-01&date_to=2024-12-31',
  'sort=priority:desc': '?sort=priority:desc',
  'sort=priority:desc, is_read=false': '?sort=priority:desc&is_read=false',
  'sort=id:asc, page 4000': '?sort=id:asc&page=4000',
  'unread-count': 'unread-count',
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const begun = performance.now()
  await fill(world, notifications)
  console.log(`${notifications} notifications of one person, made in ${seconds(begun)}`)
  await measure(world)
  await tellMany(world, people)
  await markAll(world)
} finally {
  await world.close()
  await server.close()
}

/** By statement: nine years of them, one in ten not read, one type in a thousand; another person has a tenth as many. */
async function fill({ superuser, people }: World, count: number) {
  const { tenant_id: tenant } = people.quinn!
  await superuser.query(`set app.tenant_id = '${tenant}'; set session_replication_role = replica`)
  for (const [name, of] of [
    ['quinn', count],
    ['petra', count / 10],
  ] as const)
    await superuser.query(
      `insert into notifications (user_id, type, priority, title, message, resource_type, resource_id, dedupe_key, created_at, read_at, requires_action)
      select $1, case when n % 1000 = 0 then 'account_locked' else (array['document_moved', 'deviation_moved', 'training_assigned'])[1 + n % 3] end,
        (array['low', 'normal', 'normal', 'high', 'urgent'])[1 + n % 5], 'SOP-' || lpad((n % 9999)::text, 4, '0') || ' was moved to: In review',
        'SOP-' || lpad((n % 9999)::text, 4, '0') || ', "Gowning for the filling room ' || n % 997 || '", version 1.0. Its state is: In review.',
        'document', 1 + n % 9999, 'bench:' || n, day, case when n % 10 > 0 then day + interval '1 hour' end, n % 10 = 1
      from generate_series(1, $2::int) n, lateral (select now() - ($2 - n) * interval '9 years' / $2 as day) moment`,
      [people[name]!.id, of],
    )
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze notifications')
  await superuser.query('checkpoint')
}

function measure(world: World) {
  return timeQuestions(world, { by: 'quinn', below: '/api/notifications/', questions, rounds })
}

/** Measures the sink for a command that notifies many people, each of a training of their own, by e-mail too. */
async function tellMany({ superuser, database, services, people: known }: World, count: number) {
  const { tenant_id: tenantId, id: by } = known.quinn!
  await superuser.query(`set app.tenant_id = '${tenantId}'; set session_replication_role = replica`)
  const { rows } = await superuser.query<{ id: string; user_id: string }>(
    `with person as (
      insert into users (username, email, role_id) select 'bench' || n, 'bench' || n || '@example.com', (select role_id from users where id = $2)
      from generate_series(1, $1::int) n returning id
    ), program as (
      insert into training_programs (number, title, type, due_days) values ('TRN-9999', 'Gowning', 'classroom', 14) returning id
    )
    insert into training_assignments (program_id, user_id, status, source, due_date)
    select program.id, person.id, 'assigned', 'bulk', current_date + 14 from person, program returning id, user_id`,
    [count, by],
  )
  await superuser.query('reset session_replication_role')
  const recorded = rows.map(({ id, user_id }) => ({
    event: 'training_assignment.assigned' as const,
    id: Number(id),
    outcome: 'success' as const,
    after: { due_date: '2026-12-24' },
    concerns: [Number(user_id)],
  }))
  const origin = { requestId: '', clientAddr: '' }
  const actor = {
    ...{
      tenantId,
      userId: by,
      username: 'quinn',
      fullName: 'Quinn',
      role: 'QA Manager',
      roles: [],
      isAdmin: false,
      authTime: 0,
    },
    permissions: new Set<never>(),
  }
  console.log()
  for (const size of [200, count]) {
    const begun = performance.now()
    for (let at = 0; at < count; at += size) {
      await database.transaction({ tenantId, userId: by }, 'read write', async tx => {
        await notificationSink(
          tx,
          { actor, origin, services: { ...services, post: async () => {} } },
          recorded.slice(at, at + size),
        )
      })
    }
    console.log(`${count} people told of their training, ${size} in a transaction: ${seconds(begun)}`)
  }
}

async function markAll({ as, superuser, people: known }: World) {
  await superuser.query('update notifications set read_at = null where user_id = $1', [known.quinn!.id])
  await superuser.query('vacuum analyze notifications')
  const begun = performance.now()
  const reply = await as('quinn').post('/api/notifications/mark-all-read')
  console.log(`mark-all-read: ${reply.body} in ${seconds(begun)}; ${loadNow()}`)
}
