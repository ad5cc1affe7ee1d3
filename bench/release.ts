// How long it takes until a new version has reached those who are to read it, and how long what waits for them takes meanwhile.
//
//   node bench/release.ts [--people 10000]
import { parseArgs } from 'node:util'
import { addCrowd } from '#test/builders/assignments.ts'
import { ok } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'

const { values: given } = parseArgs({ options: { people: { type: 'string', default: '10000' } } })
const people = Number(given.people)

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  await measure(world)
} finally {
  await world.close()
  await server.close()
}

async function timed(name: string, work: () => Promise<unknown>) {
  const begun = performance.now()
  await work()
  console.log(`${name.padEnd(60)} ${((performance.now() - begun) / 1000).toFixed(2).padStart(6)} s`)
}

/** A document that waits for one in a hundred of its readers. */
async function measure({ as, work, tick, superuser }: World) {
  const gated = gatedDocuments(world)
  const crowd = await addCrowd(world, people)
  const type = await gated.type({ training_gate: 'before_effective', training_threshold: 1 })
  const { id } = await gated.draft(type.id)
  const reading = await gated.assign(id, ['uma'])
  ok(await as('quinn').post('/api/training/bulk-assign', { training_id: reading, user_ids: crowd }))
  await work()
  await superuser.query('vacuum analyze')
  console.log(`${people} readers; ${loadNow()}`)
  await timed('submit and approve', () => gated.release(id))
  await timed('until what they have open is of the version', work)
  await superuser.query('vacuum analyze')
  await timed('GET /api/documents/{id}/workflow', () => gated.gateOf(id))
  await timed('one of them completes', () => gated.complete('uma', reading))
  await completeAll(world, reading)
  await timed('the clock finds that enough have, and makes it effective', tick)
  await timed('the next version: submit and approve', () => gated.renew(id))
  await timed('until it is assigned to everybody', work)
}

/** By statement, while triggers sleep. */
async function completeAll({ superuser }: World, reading: number) {
  await superuser.query(
    `begin; set local session_replication_role = replica;
     update training_assignments set status = 'completed', completed_at = now(), signature_id = 1, program_title = 'Reading'
       where program_id = ${reading} and status = 'assigned';
     commit`,
  )
}
