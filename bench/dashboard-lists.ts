// How long who works waits for what is assigned to them, what awaits their decision, and what is late, where a tenant has many records.
//
//   node bench/dashboard-lists.ts [--records 100000] [--rounds 50]
//
// So many documents, deviations, CAPAs and trainings each, three in a hundred of them open.
import { parseArgs } from 'node:util'
import { fillDashboards } from '#test/builders/dashboard-fill.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'
import { timeQuestions } from './questions.ts'

const { values: given } = parseArgs({
  options: { records: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '50' } },
})
const records = Number(given.records)
const open = Math.ceil(records * 0.03)

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  await fillDashboards(world, { over: records - open, open })
  console.log(`${records} of each kind, ${open} of them open`)
  const lists = [
    'assigned-items',
    'pending-approvals',
    'overdue-items',
    'overdue-items?yours=true',
    'approaching-deadlines',
  ]
  await timeQuestions(world, {
    by: 'quinn',
    below: '/api/dashboard/',
    questions: Object.fromEntries(lists.map(list => [list, list])),
    rounds: Number(given.rounds),
  })
} finally {
  await world.close()
  await server.close()
}
