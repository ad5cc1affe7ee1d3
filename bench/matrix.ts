// How long the training matrix of many people and programs takes, as a page of JSON and whole as CSV; and a PDF of as much as there may be.
//
//   node bench/matrix.ts [--people 10000] [--programs 100] [--rounds 5]
import { parseArgs } from 'node:util'
import { addCrowd } from '#test/builders/assignments.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'
import { percentile } from './service.ts'

const { values: given } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    programs: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const [people, programs, rounds] = [Number(given.people), Number(given.programs), Number(given.rounds)]

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  await addCrowd(world, people)
  await fill(world)
  await measure(world)
} finally {
  await world.close()
  await server.close()
}

/** Everybody has everything; half of the programs are readings of a document that has two versions. By statement, while triggers sleep. */
async function fill({ superuser, people: cast, as }: World) {
  const { id: document } = await papers(world).effective()
  ok(await as('alan').get(`/api/documents/${document}`))
  const { id: user, tenant_id: tenant } = cast.quinn!
  await superuser.query(
    `set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; set session_replication_role = replica`,
  )
  await superuser.query('drop index training_programs_reading')
  await superuser.query(
    `insert into training_programs (number, title, type, due_days, document_id)
     select 'TRN-9' || lpad(n::text, 3, '0'), 'Program ' || n, case when n % 2 = 0 then 'read_and_understand' else 'on_the_job' end, 14,
       case when n % 2 = 0 then ${document} end
     from generate_series(1, ${programs}) n`,
  )
  await superuser.query(
    `insert into training_assignments (program_id, user_id, status, source, document_id, version_id, due_date, completed_at, signature_id, program_title, valid_until)
     select p.id, u.id, case when r < 0.9 then 'completed' else 'assigned' end, 'bulk', p.document_id, v.id, current_date - 5 + (r * 1000)::int % 10,
       case when r < 0.9 then now() end, case when r < 0.9 then 0 end, case when r < 0.9 then p.title end, case when r < 0.9 then current_date + (r * 400)::int end
     from training_programs p cross join users u cross join lateral (select random() + 0 * (p.id + u.id) as r) c
       left join document_versions v on v.document_id = p.document_id
     where p.number like 'TRN-9%' and u.tenant_id = ${tenant} and u.username like 'crowd%'`,
  )
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze')
  await superuser.query('checkpoint')
}

async function measure({ as }: World) {
  const some = Math.floor(20_000 / programs)
  const ids = (
    await world.rows<{ id: number }>(
      `select id::int from users where username like 'crowd%' order by id limit ${Math.min(500, some)}`,
    )
  ).map(({ id }) => id)
  const questions = {
    'JSON, the first page of 20': '?page=1',
    'JSON, a page of 100': '?page_size=100&page=3',
    'JSON, status=overdue': '?status=overdue',
    'CSV of all': '?format=csv',
    [`PDF of ${ids.length} people`]: `?format=pdf&user_ids=${ids.join(',')}`,
  }
  console.log(`${people} people, ${programs} programs; ${loadNow()}`)
  for (const [name, query] of Object.entries(questions)) {
    const taken: number[] = []
    let [bytes, most] = [0, 0]
    for (let round = -1; round < (query.includes('format') ? 1 : rounds); round++) {
      const before = process.memoryUsage().rss
      const begun = performance.now()
      const reply = await as('quinn').get(`/api/training/matrix${query}`)
      if (reply.statusCode !== 200) throw new Error(`${name}: ${reply.body}`)
      if (round >= 0) taken.push(performance.now() - begun)
      bytes = reply.rawPayload.length
      most = Math.max(most, process.memoryUsage().rss - before)
    }
    console.log(
      `${name.padEnd(32)} ${percentile(taken, 0.5).toFixed(0).padStart(7)} ms ${(bytes / 1024 / 1024).toFixed(2).padStart(7)} MiB`,
    )
  }
}
