// How long the statistics of a tenant take, where it has many records, and how long all of its records take to be counted anew. Ten
// programs are assigned to a crowd as well: what the answer costs while nobody, everybody, and all but one of them are counted.
//
//   node bench/dashboard.ts [--records 100000] [--people 10000] [--rounds 30]
import { parseArgs } from 'node:util'
import { countByNewZone } from '#modules/projections'
import { countTenant } from '#modules/training'
import { addCrowd } from '#test/builders/assignments.ts'
import { ok } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'

const { values: given } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    people: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '30' },
  },
})
const [records, people, rounds] = [Number(given.records), Number(given.people), Number(given.rounds)]

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
const { tenant_id } = world.people.ada!
const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function assignToCrowd() {
  const crowd = await addCrowd(world, people)
  await world.rows(`set app.tenant_id = '${tenant_id}'; set session_replication_role = replica`)
  await world.rows(
    `insert into training_assignments (program_id, user_id, status, source, due_date, completed_at, signature_id, program_title)
     select p.id, u, 'completed', 'bulk', current_date, now(), 1, p.title
     from (select id, title from training_programs where tenant_id = ${tenant_id} order by id limit 10) p, unnest($1::bigint[]) u`,
    [crowd],
  )
  await world.rows('reset session_replication_role; reset app.tenant_id')
}
const markOne = () =>
  world.rows(
    `insert into compliance_changes (tenant_id, user_id) select tenant_id, max(id) from users where tenant_id = ${tenant_id} group by 1`,
  )

async function measure(standing: string, before?: () => Promise<unknown>) {
  await before?.()
  const times: number[] = []
  for (let round = 0; round < rounds; round++)
    times.push(await timed(async () => ok(await world.as('quinn').get('/api/dashboard/stats'))))
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor((times.length - 1) * part)]!.toFixed(0)
  console.log(`GET /api/dashboard/stats, ${standing}: median ${at(0.5)} ms, p95 ${at(0.95)} ms`)
}

try {
  const filled = await timed(() =>
    manyRecords(world, records, made => console.error(`${made} of ${2 * records} records made`)),
  )
  await assignToCrowd()
  await world.rows('vacuum analyze')
  console.log(
    `${records} deviations, as many trainings and ${people} people in the tenant, made in ${(filled / 1000).toFixed(1)} s`,
  )
  await measure('nobody is counted yet')
  const counting = await timed(() => countTenant(world.services, tenant_id))
  console.log(`counting the training of all people: ${(counting / 1000).toFixed(1)} s`)
  await world.rows('vacuum analyze')
  await measure('all are counted')
  await measure('all but one', markOne)
  const { revision } = ok(await world.as('ada').get('/api/settings'))
  const anew = await timed(async () =>
    ok(await world.as('ada').put('/api/settings', { time_zone: 'Asia/Tokyo', revision, change_reason: 'Moved' })),
  )
  const later = await timed(() => world.round(countByNewZone()))
  console.log(
    `another time zone: answered after ${(anew / 1000).toFixed(1)} s, all counted after ${(later / 1000).toFixed(1)} s more`,
  )
} finally {
  await world.close()
  await server.close()
}
