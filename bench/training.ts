// How long it takes to assign a training to many people, and how long who works with training waits where a tenant has many.
//
//   node bench/training.ts [--people 10000] [--assignments 1000000] [--rounds 20]
//
// For the assignment it prints the time until its answer, and until the last person has it, each with an entry in the audit trail
// and a notification. For the lists it prints the times until the whole answer is there, over HTTP and one at a time.
import { parseArgs } from 'node:util'
import { addCrowd, assignments } from '#test/builders/assignments.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { timeQuestions } from './questions.ts'

const { values: given } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    assignments: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
  },
})
const [people, many, rounds] = [Number(given.people), Number(given.assignments), Number(given.rounds)]

const seconds = (begun: number) => `${((performance.now() - begun) / 1000).toFixed(1)} s`

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const crowd = await addCrowd(world, people)
  await assignAll(world, crowd)
  await fill(world)
  await look(world)
  await measure(world)
} finally {
  await world.close()
  await server.close()
}

async function assignAll({ as, work, rows }: World, user_ids: number[]) {
  const { id } = await assignments(world).program()
  const begun = performance.now()
  const reply = await as('quinn').post('/api/training/bulk-assign', { training_id: id, user_ids })
  if (reply.statusCode !== 200) throw new Error(reply.body)
  console.log(`bulk-assign of ${user_ids.length} people is answered after ${seconds(begun)}`)
  await work()
  const [made] = await rows(
    `select count(*) as assignments, count(distinct user_id) as people,
       (select count(*) from notifications n where type = 'training_assigned') as notifications,
       (select count(*) from audit_entries where action = 'training_assignment.assigned') as entries
     from training_assignments where program_id = $1`,
    [id],
  )
  console.log(`done after ${seconds(begun)}: ${JSON.stringify(made)}`)
}

/** A hundred programs; most of it completed, some open and overdue. By statement, while triggers sleep. */
async function fill({ superuser, people: cast }: World) {
  const { id: user, tenant_id: tenant } = cast.quinn!
  await superuser.query(
    `set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; set session_replication_role = replica`,
  )
  await superuser.query(
    `insert into training_programs (number, title, type, due_days)
     select 'TRN-9' || lpad(n::text, 3, '0'), 'Program ' || n, 'on_the_job', 14 from generate_series(1, 100) n`,
  )
  await superuser.query(
    `insert into training_assignments (program_id, user_id, status, source, due_date, assigned_at, completed_at, signature_id, program_title, reason)
     select p.id, u.id, case when r < 0.95 then 'completed' when r < 0.97 then 'cancelled' else 'assigned' end, 'bulk',
       day::date + 14, day, case when r < 0.95 then day + interval '5 days' end, case when r < 0.95 then 1 end, case when r < 0.95 then '' end,
       case when r between 0.95 and 0.97 then 'Not needed' end
     from (select id, row_number() over (order by id) as n from training_programs where number like 'TRN-9%') p
     join (select id, row_number() over (order by id) as n from users where tenant_id = ${tenant} and username like 'crowd%') u
       on (p.n + u.n) % 100 < ${Math.ceil((100 * many) / (100 * people))},
     lateral (select random() as r, now() - random() * interval '3 years' + 0 * (p.n + u.n) * interval '1 second' as day) c
     limit ${many}`,
  )
  await superuser.query(`insert into groups (name, group_type) values ('All of them', 'custom')`)
  await superuser.query(
    `insert into group_members (group_id, user_id)
     select (select id from groups where name = 'All of them'), id from users where tenant_id = ${tenant} and username like 'crowd%'`,
  )
  await superuser.query(
    `insert into training_group_assignments (program_id, group_id)
     select id, (select id from groups where name = 'All of them') from training_programs where number like 'TRN-9%' order by number limit 50`,
  )
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
}

/** The cost of the schedules when there is nothing to do, and their progress with 50 programs of a group of everybody. */
async function look({ app, round, rows }: World) {
  const schedules = app.schedules.filter(({ name }) => name.startsWith('training.'))
  for (const again of ['first', 'second'])
    for (const schedule of schedules) {
      const begun = performance.now()
      const { done, refused, failed } = await round(schedule)
      console.log(`${again} look of ${schedule.name}: ${seconds(begun)}, ${JSON.stringify({ done, refused, failed })}`)
    }
  const [pairs] = await rows(
    `select count(*) as pairs from training_group_assignments g join group_members m on m.group_id = g.group_id`,
  )
  console.log(`it went through ${JSON.stringify(pairs)}`)
}

async function measure(world: World) {
  const [one] = await world.rows<{ id: string; program_id: string; user_id: string; total: string }>(
    'select id, program_id, user_id, count(*) over () as total from training_assignments order by id desc limit 1',
  )
  const { id, program_id, user_id, total } = one!
  const deep = Math.floor((Number(total) * 0.8) / 20)
  const questions = {
    'the first page': '/assignments/',
    'sort=due_date:asc': '/assignments/?sort=due_date:asc',
    'sort=assigned_at:desc': '/assignments/?sort=assigned_at:desc',
    'overdue=true': '/assignments/?overdue=true',
    'overdue=true&sort=due_date:asc': '/assignments/?overdue=true&sort=due_date:asc',
    'status=assigned': '/assignments/?status=assigned',
    'status=completed': '/assignments/?status=completed',
    training_id: `/assignments/?training_id=${program_id}`,
    user_id: `/assignments/?user_id=${user_id}`,
    'awaiting_verification=true': '/assignments/?awaiting_verification=true',
    'a year of dates': '/assignments/?date_from=2025-01-01&date_to=2025-12-31',
    'q=crowd77': '/assignments/?q=crowd77',
    [`page ${deep}`]: `/assignments/?page=${deep}`,
    'one of them': `/assignments/${id}`,
    'my-training': '/my-training',
  }
  console.log(`${total} assignments`)
  await timeQuestions(world, { by: 'quinn', below: '/api/training', questions, rounds })
}
