// Random actions on a CAPA, in any order and at the same time, never break its rules.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { transitionsFrom } from '#kernel/machine.ts'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { remembered } from '#test/world/as-of.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { type CapaState, capaMachine, capaStates } from './rules.ts'

const runs = roundsOf('PROPERTY_RUNS', 6)

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  capa = capas(world)
})
after(() => world.close())

const person = fc.constantFrom('alan', 'petra', 'quentin', 'quinn', 'quinn', 'ada')
const deed = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constant('edit' as const), by: person }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fill' as const), by: person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('assign' as const), by: person, to: person }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('add' as const), by: person, to: person }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('work' as const),
      by: person,
      status: fc.constantFrom('in_progress', 'done', 'done', 'done', 'done', 'cancelled'),
      all: fc.boolean(),
    }),
  },
  {
    weight: 9,
    // Mostly the next state, sometimes any state.
    arbitrary: fc.record({
      what: fc.constant('move' as const),
      by: person,
      to: fc.oneof(
        { weight: 6, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom(...capaStates) },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
      by: person,
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('plan' as const), by: person, to: person }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('conclude' as const), by: person, isEffective: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('extend' as const), by: fc.constantFrom('petra', 'quinn') }) },
)
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

/** One to three requests at the same time, each based on what its sender read before. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(deed) },
  { weight: 2, arbitrary: fc.tuple(deed, deed) },
  { weight: 1, arbitrary: fc.tuple(deed, deed, deed) },
)

const forward: Partial<Record<CapaState, CapaState>> = {
  open: 'in_progress',
  in_progress: 'pending_effectiveness',
  pending_effectiveness: 'closed',
}

function act(seen: Json, review: Json, each: Deed) {
  const { id, revision } = seen
  const as = world.as(each.by)
  const put = (fields: object) => as.put(capa.url(id), { change_reason: 'Because', revision, ...fields })
  const ids = seen.actions.map((action: Json) => ({ id: action.id }))
  switch (each.what) {
    case 'edit':
      return put({ title: `As of ${performance.now()}` })
    case 'fill':
      return put({ root_cause: `Cause ${performance.now()}`, adverse_effect_assessment: 'None' })
    case 'assign':
      return put({ assigned_to: capa.idOf(each.to) })
    case 'add':
      return put({ actions: [...ids, { description: 'One more', assigned_to: capa.idOf(each.to) }] })
    case 'work': {
      const said = { status: each.status, ...(each.status === 'done' && { evidence: 'Report' }) }
      return put({
        actions: ids.map((action: object, i: number) => (each.all || i === 0 ? { ...action, ...said } : action)),
      })
    }
    case 'move':
      return put({ status: each.to ?? forward[seen.status as CapaState] ?? 'open' })
    case 'approve':
    case 'reject':
      return as.post(`${capa.url(id)}/${each.what}-draft`, { comment: 'Because', revision })
    case 'plan':
      return capa.plan(each.by, id, { reviewer_id: capa.idOf(each.to) })
    case 'conclude':
      return capa.conclude(each.by, id, review?.id ?? 999_999_999, {
        password: undefined,
        ...(!each.isEffective && { result: 'not_effective', follow_up: 'Once more' }),
      })
    case 'extend':
      return as.post(`${capa.url(id)}/extend`, {
        due_date: `2150-01-${String((seen.extension_count % 28) + 1).padStart(2, '0')}`,
        reason: 'Late',
        revision,
      })
  }
}

/** The number by which a success raises the revision of the CAPA. An assignee's extension waits for another person. */
const countOf = (each: Deed, body: string) =>
  each.what === 'plan' ||
  (each.what === 'conclude' && each.isEffective) ||
  (each.what === 'extend' && JSON.parse(body).status === 'requested')
    ? 0
    : 1

async function assertSound(id: number) {
  const now = await capa.get('otto', id)
  const reviews: Json[] = await capa.get('otto', id, '/effectiveness')
  const history: Json[] = await capa.get('otto', id, '/history')
  // The history leads without a gap from the first state to the current one, by allowed transitions.
  assert.equal(history[0].from, null)
  assert.equal(history.at(-1).to, now.status)
  for (const [i, { from, to, transition, reason }] of history.entries()) {
    if (i === 0) continue
    assert.equal(from, history[i - 1].to)
    const step = transitionsFrom(capaMachine, from as CapaState).find(each => each.name === transition)
    assert.equal(step?.to, to, `${transition} from ${from}`)
    if (step?.needs_reason) assert.ok(reason, transition)
  }
  // The audit trail matches the history, and has an entry for each revision.
  const told = await world.rows<Json>(
    `select action, changes, resource_revision from audit_entries
     where resource_type = 'capa' and resource_id = $1 and outcome = 'success' order by id`,
    [id],
  )
  assert.deepEqual(
    told
      .filter(({ action }) => action === 'capa.state_changed')
      .map(({ changes }) => [changes.status.from, changes.status.to]),
    history.slice(1).map(({ from, to }) => [from, to]),
  )
  const revisions = new Set(told.map(({ resource_revision }) => resource_revision).filter(each => each !== null))
  assert.deepEqual(
    [...revisions].sort((a: number, b: number) => a - b),
    Array.from({ length: now.revision }, (_, i) => i + 1),
  )
  assertGuarded(now, reviews)
}

/** The conditions of the transitions that led to the current state still hold. */
function assertGuarded(now: Json, reviews: Json[]) {
  const done = now.actions.filter(({ status }: Json) => status === 'done')
  const planned = reviews.filter(({ status }) => status === 'planned')
  assert.ok(planned.length <= 1, 'two planned reviews')
  for (const { reviewer } of planned) assert.notEqual(reviewer.id, now.assigned_to?.id)
  for (const { status, signature_id } of reviews) assert.equal(signature_id !== null, status === 'completed')
  if (['pending_effectiveness', 'closed'].includes(now.status)) {
    assert.ok(done.length > 0 && now.actions.every(({ status }: Json) => ['done', 'cancelled'].includes(status)))
    for (const { approved_by, assigned_to, completed_by } of done) {
      assert.ok(approved_by)
      assert.equal([assigned_to.id, completed_by.id].includes(approved_by.id), false)
    }
    assert.ok(now.root_cause && now.adverse_effect_assessment && now.assigned_to)
  }
  assert.equal(now.closed_by !== null, now.status === 'closed')
  assert.equal(now.signature_id !== null, now.status === 'closed')
  if (now.status !== 'closed') return
  assert.deepEqual([reviews[0].status, reviews[0].result], ['completed', 'effective'])
  const people = now.actions.flatMap(({ assigned_to, completed_by }: Json) => [assigned_to.id, completed_by?.id])
  assert.equal([now.assigned_to.id, now.created_by.id, ...people].includes(now.closed_by.id), false)
}

it('a CAPA makes no illegal move and loses no update, and its trail tells what happened and what it was at each moment (proves: CAPA-01, CAPA-03, CAPA-04)', async () => {
  const happened = new Map<string, number>()
  const count = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1)
  const tryAll = () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom<CapaState>('draft', 'draft', 'open', 'in_progress', 'pending_effectiveness'),
        fc.array(event, { minLength: 12, maxLength: 30 }),
        async (state, events) => {
          const { id } = await capa.inState(state)
          const answers = remembered(world, { by: 'otto', url: capa.url(id) })
          for (const deeds of events) {
            const seen = await capa.get('otto', id)
            const [review] = await capa.get('otto', id, '/effectiveness')
            const replies = await Promise.all(deeds.map(each => act(seen, review, each)))
            let { revision } = seen
            for (const [i, { statusCode, body }] of replies.entries()) {
              const each = deeds[i]!
              assert.ok(statusCode < 500 && statusCode !== 400, `${each.what}: ${statusCode} ${body}`)
              if (statusCode >= 300) continue
              count(each.what)
              revision += countOf(each, body)
            }
            // Each success was stored, and nothing of a refused request.
            const now = await capa.get('otto', id)
            assert.equal(now.revision, revision, JSON.stringify(deeds.map(({ what }) => what)))
            if (replies.every(({ statusCode }) => statusCode >= 300)) assert.deepEqual(now, seen)
            await assertSound(id)
            await answers.look()
            if (now.status !== seen.status) count(now.status)
          }
          await answers.assertAll()
          ok(await world.as('otto').get(`${capa.url(id)}/timeline`))
        },
      ),
      { numRuns: runs },
    )
  const expected = ['edit', 'work', 'move', 'approve', 'conclude', 'open', 'in_progress', 'pending_effectiveness']
  await runUntilAllHappened(tryAll, happened, expected)
})
