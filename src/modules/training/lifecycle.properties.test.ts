// Whatever people do about a training, in whatever order and at the same moment: what must hold of it holds.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { transitionsFrom } from '#kernel/machine.ts'
import type { Json } from '#test/builders/documents.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { remembered } from '#test/world/as-of.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { type AssignmentState, openStates, trainingMachine } from './rules.ts'

const runs = roundsOf('PROPERTY_RUNS', 6)
const max_attempts = 2

let world: World
let training: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  training = trainings(world)
})
after(() => world.close())

const trainee = fc.constantFrom('uma', 'alan', 'petra')
const manager = fc.constantFrom('quinn', 'petra', 'ada', 'quentin')
const deed = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('assign' as const),
      by: manager,
      to: fc.uniqueArray(trainee, { minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('start' as const), by: trainee }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('complete' as const), by: trainee, isRight: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom('verify' as const, 'verify' as const, 'waive' as const, 'cancel' as const),
      by: manager,
      of: trainee,
    }),
  },
)
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

/** One deed, or two or three at the same moment, each on what its person has read before. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(deed) },
  { weight: 2, arbitrary: fc.tuple(deed, deed) },
  { weight: 1, arbitrary: fc.tuple(deed, deed, deed) },
)

const rowsOf = async (program: number): Promise<Json[]> =>
  (
    await world.rows<Json>('select to_jsonb(a) as row from training_assignments a where program_id = $1 order by id', [
      program,
    ])
  ).map(({ row }) => row)

async function act(program: Json, seen: Json[], each: Deed) {
  const url = training.url(program.id)
  const as = world.as(each.by)
  const idOf = (name: string) => world.people[name]!.id
  switch (each.what) {
    case 'assign':
      return as.post('/api/training/assign', { training_id: program.id, user_ids: each.to.map(idOf) })
    case 'start':
      return as.post(`${url}/start`)
    case 'complete': {
      const answers = training.answersTo(program, { wrong: each.isRight ? 0 : 2 })
      return as.post(`${url}/complete`, program.question_count > 0 ? { answers } : {})
    }
    default: {
      const newest = seen.findLast(({ user_id }) => user_id === idOf(each.of))
      const path = `/api/training/assignments/${newest?.id ?? 999_999_999}/${each.what}`
      return as.post(path, each.what === 'verify' ? {} : { reason: 'Because' })
    }
  }
}

async function assertSound(program: Json, rows: Json[]) {
  for (const name of ['uma', 'alan', 'petra']) {
    const open = rows.filter(({ user_id, status }) => user_id === world.people[name]!.id && openStates.includes(status))
    assert.ok(open.length <= 1, `${name} has it open ${open.length} times`)
  }
  for (const row of rows) {
    await assertTold(row)
    await assertSigned(program, row)
    await assertAttempted(program, row)
  }
}

/** The trail tells one way from the beginning to where it stands, each step one of the table, and knows of each revision. */
async function assertTold({ id, status, revision, reason }: Json) {
  const told = await world.rows<Json>(
    `select action, user_id, changes -> 'status' as status, resource_revision as revision from audit_entries
     where resource_type = 'training_assignment' and resource_id = $1 and outcome = 'success' order by id`,
    [id],
  )
  assert.equal(told[0].action, 'training_assignment.assigned')
  let at: AssignmentState = 'assigned'
  for (const { status: step } of told.slice(1)) {
    if (!step || step.from === step.to) continue
    assert.equal(step.from, at)
    assert.ok(
      transitionsFrom(trainingMachine, at).some(({ to }) => to === step.to),
      `${at} to ${step.to}`,
    )
    at = step.to
  }
  assert.equal(at, status)
  const revisions = [...new Set(told.map(each => each.revision))]
  assert.deepEqual(
    revisions,
    Array.from({ length: revision }, (_, i) => i + 1),
  )
  if (['waived', 'cancelled', 'failed'].includes(status)) assert.ok(reason)
}

async function assertSigned(program: Json, { id, user_id, status, verified_by, signature_id }: Json) {
  const signatures = await world.rows<Json>(
    'select id, signer_id, signature_type as type from signatures where training_assignment_id = $1 order by id',
    [id],
  )
  assert.deepEqual(
    signatures.map(({ type }) => type),
    [...(status === 'completed' ? ['training'] : []), ...(verified_by ? ['verification'] : [])],
  )
  if (status !== 'completed') return
  assert.deepEqual([Number(signatures[0].id), Number(signatures[0].signer_id)], [signature_id, user_id])
  if (!verified_by) return
  assert.ok(program.requires_verification)
  assert.notEqual(verified_by, user_id)
  assert.equal(Number(signatures[1].signer_id), verified_by)
}

async function assertAttempted(program: Json, { id, status, attempts, score }: Json) {
  const made = await world.rows<Json>(
    'select attempt_number as n, score, passed from training_attempts where assignment_id = $1 order by attempt_number',
    [id],
  )
  assert.deepEqual(
    made.map(({ n }) => n),
    Array.from({ length: attempts }, (_, i) => i + 1),
  )
  assert.ok(attempts <= max_attempts)
  assert.deepEqual(
    made.map(({ passed }) => passed),
    made.map((_, i) => status === 'completed' && i === made.length - 1),
  )
  assert.equal(made.at(-1)?.score ?? null, score)
  assert.equal(status === 'failed', attempts === max_attempts && status !== 'completed')
  if (program.question_count > 0 && status === 'completed') assert.ok(score >= program.passing_score)
}

it('a training makes no illegal move, is open once for each person, and its trail tells what happened and what it was at each moment (proves: TRN-01, TRN-03)', async () => {
  const happened = new Map<string, number>()
  const count = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1)
  const tryAll = () =>
    fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.boolean(),
        fc.array(event, { minLength: 10, maxLength: 25 }),
        async (requires_verification, hasQuiz, events) => {
          const program = await training.create({ requires_verification, ...(hasQuiz && { questions, max_attempts }) })
          await training.assign(program.id, ['uma', 'alan', 'petra'])
          const record = `/api/training/records/${world.people.uma!.id}?training_id=${program.id}&page_size=100`
          const answers = remembered(world, { by: 'quinn', url: record })
          for (const deeds of events) {
            await answers.look()
            const seen = await rowsOf(program.id)
            const replies = await Promise.all(deeds.map(each => act(program, seen, each)))
            for (const [i, { statusCode, body }] of replies.entries()) {
              assert.ok(statusCode < 500 && statusCode !== 400, `${deeds[i]!.what}: ${statusCode} ${body}`)
              if (statusCode < 300) count(deeds[i]!.what)
            }
            const now = await rowsOf(program.id)
            if (replies.every(({ statusCode }) => statusCode >= 300)) assert.deepEqual(now, seen)
            await assertSound(program, now)
            for (const { status } of now) count(status)
          }
          await answers.look()
          await answers.assertAll()
        },
      ),
      { numRuns: runs },
    )
  await runUntilAllHappened(tryAll, happened, ['assign', 'start', 'complete', 'verify', 'waive', 'cancel', 'failed'])
})
