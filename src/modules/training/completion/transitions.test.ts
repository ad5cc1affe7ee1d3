import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { trainingMachine, trainingTransitions } from '../rules.ts'

type MoveName = keyof typeof trainingTransitions

let world: World
let training: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld()
  training = trainings(world)
})
after(() => world.close())

interface Given {
  program: Json
  assignment: number
}

/** An assignment of Uma in this state, for this transition. */
async function given(name: MoveName, from: string): Promise<Given> {
  const program = await training.create(name === 'fail' ? { questions, max_attempts: 1 } : {})
  const assignment = await training.assign(program.id, ['uma'])
  if (from === 'in_progress') ok(await training.start('uma', program.id))
  return { program, assignment }
}

const manage = (path: 'waive' | 'cancel', { assignment }: Given, body: object) =>
  world.as('quinn').post(`/api/training/assignments/${assignment}/${path}`, body)

const requests = {
  start: (at: Given) => training.start('uma', at.program.id),
  complete: (at: Given) => training.complete('uma', at.program.id),
  fail: ({ program }: Given) =>
    training.complete('uma', program.id, { answers: training.answersTo(program, { wrong: 2 }) }),
  waive: (at: Given, body: object = { reason: 'Trained elsewhere' }) => manage('waive', at, body),
  cancel: (at: Given, body: object = { reason: 'Assigned by mistake' }) => manage('cancel', at, body),
} satisfies Record<MoveName, unknown>

const moves = Object.values(trainingTransitions)

describe('each transition of the table of training (proves: TRN-03)', () => {
  it('leads from each of its states to the next one, with the signature that it names', async () => {
    for (const { name, from, to, ...move } of moves)
      for (const state of from) {
        const at = await given(name, state)
        ok(await requests[name](at))
        const { status } = await training.assignment(at.assignment)
        assert.equal(status, to, `${name} from ${state}`)
        const signatures = await world.rows<{ type: string }>(
          'select signature_type as type from signatures where training_assignment_id = $1',
          [at.assignment],
        )
        const expected = 'signature' in move ? [move.signature.type] : []
        assert.deepEqual(
          signatures.map(({ type }) => type),
          expected,
          name,
        )
      }
  })

  it('asks for its permission', async () => {
    for (const { name, permission } of moves) {
      const at = await given(name, 'assigned')
      const actor = world.people[name === 'waive' || name === 'cancel' ? 'quinn' : 'uma']!.id
      const deny = async (denied: string[]) =>
        ok(await world.as('ada').put(`/api/users/${actor}/permissions`, { granted: [], denied }))
      await deny([permission])
      const reply = await requests[name](at)
      assert.deepEqual([reply.statusCode, reply.json().params], [403, { permission }], name)
      await deny([])
      ok(await requests[name](at))
    }
  })

  it('asks for a reason where the table does', async () => {
    const withReason = trainingMachine.transitions.filter(({ needs_reason }) => needs_reason).map(({ name }) => name)
    assert.deepEqual(withReason, ['waive', 'cancel'])
    for (const name of ['waive', 'cancel'] as const) {
      const reply = await requests[name](await given(name, 'assigned'), {})
      assert.deepEqual([reply.statusCode, reply.json().detail[0].loc], [422, ['body', 'reason']], name)
    }
  })
})
