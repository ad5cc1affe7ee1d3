// Several people act on a deviation in random order and at the same time. The result matches the model for one order of their requests,
// no success is lost, and history and audit trail agree.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { remembered } from '#test/world/as-of.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

const runs = roundsOf('PROPERTY_RUNS', 6)

let world: World
let cases: ReturnType<typeof deviations>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  cases = deviations(world)
})
after(() => world.close())

type State = 'open' | 'under_investigation' | 'pending_approval' | 'closed' | 'cancelled'
interface Model {
  status: State
  severity: 'minor' | 'major' | 'critical'
  department: string | null
  assigned_to: string | null
  has_cause: boolean
  has_impact: boolean
  has_reason_for_no_capa: boolean
  revision: number
  /** The revision of each signed closure. */
  signed: number
  /** Everybody who reported, investigated or reassigned it, or was its assignee. */
  involved: string[]
}
interface Deed {
  by: string
  status?: State | undefined
  severity?: Model['severity'] | undefined
  department?: string | undefined
  assigned_to?: string | null | undefined
  cause?: boolean | undefined
  impact?: boolean | undefined
  no_capa?: boolean | undefined
}

const qualityUnit = ['petra', 'quentin', 'quinn', 'ada']
/** The people who may take each transition, written out by hand: `uma` reports, and `otto` audits. */
const movers: Record<string, Record<string, readonly string[]>> = {
  open: { under_investigation: qualityUnit, cancelled: qualityUnit },
  under_investigation: { pending_approval: qualityUnit, cancelled: qualityUnit },
  pending_approval: { under_investigation: qualityUnit, closed: qualityUnit },
  closed: { under_investigation: ['quinn', 'ada'] },
  cancelled: {},
}

const sorted = (names: readonly (string | null | undefined)[]) =>
  [...new Set(names.filter(name => name != null))].sort()

/** The record after the request, or undefined where it is refused. */
function foretell(model: Model, deed: Deed): Model | undefined {
  const { by, status, department, severity = model.severity, assigned_to = model.assigned_to } = deed
  const next: Model = {
    ...model,
    severity,
    department: department ?? model.department,
    assigned_to,
    has_cause: deed.cause ?? model.has_cause,
    has_impact: deed.impact ?? model.has_impact,
    has_reason_for_no_capa: deed.no_capa ?? model.has_reason_for_no_capa,
    status: status ?? model.status,
    revision: model.revision + 1,
    involved: sorted([
      ...model.involved,
      assigned_to,
      model.assigned_to !== null && model.assigned_to !== assigned_to ? by : null,
      (deed.cause ?? model.has_cause) !== model.has_cause || status === 'pending_approval' ? by : null,
    ]),
  }
  if (['closed', 'cancelled'].includes(model.status) && status === undefined) return undefined
  if (status !== undefined && !movers[model.status]![status]?.includes(by)) return undefined
  // The reporter may write the report while it is open, and nothing else.
  const graver = ['severity', 'assigned_to', 'has_cause', 'has_impact', 'has_reason_for_no_capa'] as const
  const isReport = graver.every(field => next[field] === model[field])
  if (!qualityUnit.includes(by) && !(by === 'uma' && model.status === 'open' && isReport)) return undefined
  if (model.status === 'pending_approval' && severity !== model.severity && status !== 'under_investigation')
    return undefined
  const isSerious = severity !== 'minor'
  if (status === 'under_investigation' && model.status === 'open' && assigned_to === null) return undefined
  if ((status === 'pending_approval' || status === 'closed') && isSerious && !(next.has_cause && next.has_impact))
    return undefined
  if (status === 'closed') {
    if (next.involved.includes(by) || (severity === 'critical' && !next.has_reason_for_no_capa)) return undefined
    return { ...next, signed: model.signed + (isSerious ? 1 : 0) }
  }
  if (status === 'cancelled') {
    if (severity !== model.severity) return undefined
    return { ...next, signed: model.signed + (isSerious ? 1 : 0) }
  }
  return next
}

function act(id: number, { by, status, severity, department, assigned_to, cause, impact, no_capa }: Deed) {
  const textOf = (there: boolean | undefined) => there && 'Told'
  return cases.put(by, id, {
    change_reason: 'Because',
    ...(status && { status }),
    ...(severity && { severity }),
    ...(department !== undefined && { department }),
    ...(assigned_to !== undefined && { assigned_to: assigned_to && world.people[assigned_to]!.id }),
    ...(cause !== undefined && { root_cause: cause ? rootCause : null }),
    ...(impact !== undefined && { impact_assessment: textOf(impact) || null }),
    ...(no_capa !== undefined && { no_capa_reason: textOf(no_capa) || null }),
  })
}

const modelOf = (row: Json): Model => ({
  status: row.status,
  severity: row.severity,
  department: row.department,
  assigned_to: row.assigned_to?.username ?? null,
  has_cause: row.root_cause !== null,
  has_impact: row.impact_assessment !== null,
  has_reason_for_no_capa: row.no_capa_reason !== null,
  revision: row.revision,
  signed: row.signed,
  involved: row.involved,
})

async function standing(id: number): Promise<Model> {
  const signatures = await world.rows('select id from signatures where deviation_id = $1', [id])
  const entries = await world.rows<{ username: string; action: string; changes: Json }>(
    `select username, action, changes from audit_entries where resource_type = 'deviation' and resource_id = $1 and outcome = 'success'`,
    [id],
  )
  const involved = entries.flatMap(({ username, action, changes: { assigned_to, root_cause, status } }) => [
    action === 'deviation.created' || assigned_to?.from || root_cause || status?.to === 'pending_approval'
      ? username
      : null,
    assigned_to?.to,
  ])
  return modelOf({ ...(await cases.get('quinn', id)), signed: signatures.length, involved: sorted(involved) })
}

/** The history leads without a gap from the report to the current state, and the audit trail agrees with each step. */
async function assertTold(id: number, { status, revision, signed }: Model) {
  const history: Json[] = await cases.get('quinn', id, '/history')
  for (const [i, { from, to }] of history.entries()) {
    assert.equal(from, history[i - 1]?.to ?? null)
    if (from !== null) assert.ok(movers[from]![to], `${from} became ${to}`)
  }
  assert.equal(history.at(-1).to, status)
  const told = await world.rows<Json>(
    `select changes, reason, user_id::int, resource_revision from audit_entries
     where resource_type = 'deviation' and resource_id = $1 and action = 'deviation.state_changed' order by id`,
    [id],
  )
  assert.deepEqual(
    told.map(({ changes, reason, user_id }) => [
      changes.status.from,
      changes.status.to,
      changes.transition.to,
      reason,
      user_id,
    ]),
    history.slice(1).map(({ from, to, transition, reason, user }) => [from, to, transition, reason, user.id]),
  )
  assert.equal(history.filter(({ signature_id }) => signature_id !== null).length, signed)
  // Each success counted once and has its entry: no revision is missing, and none has two entries.
  const counted = await world.rows<{ resource_revision: number }>(
    `select distinct resource_revision from audit_entries where resource_type = 'deviation' and resource_id = $1
     and resource_revision is not null order by 1`,
    [id],
  )
  assert.deepEqual(
    counted.map(({ resource_revision }) => resource_revision),
    Array.from({ length: revision }, (_, i) => i + 1),
  )
}

const seen = new Map<string, number>()
interface Real {
  id: number
  answers: ReturnType<typeof remembered>
}

const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
const told = (deed: Deed) =>
  Object.entries(deed)
    .flatMap(([field, value]) => (value === undefined ? [] : [`${field}=${value}`]))
    .join(' ')

class One implements fc.AsyncCommand<Model, Real> {
  readonly deed: Deed
  constructor(deed: Deed) {
    this.deed = deed
  }
  check() {
    return true
  }
  async run(model: Model, { id, answers }: Real) {
    const foretold = foretell(model, this.deed)
    const reply = await act(id, this.deed)
    assert.ok(reply.statusCode < 500, reply.body)
    assert.equal(reply.statusCode < 300, foretold !== undefined, `${told(this.deed)}: ${reply.body}`)
    assert.deepEqual(await standing(id), foretold ?? model)
    if (foretold && this.deed.status) count(`${model.status} ${foretold.status}`)
    Object.assign(model, foretold)
    await assertTold(id, model)
    await answers.look()
  }
  toString() {
    return told(this.deed)
  }
}

/** The result of the two in this order. A signed closure may be refused after a change that its signer had not read. */
function foretoldOf(model: Model, first: Deed, second: Deed): [boolean, boolean, Model][] {
  const one = foretell(model, first)
  const two = foretell(one ?? model, second)
  const outcomes: [boolean, boolean, Model][] = [[one !== undefined, two !== undefined, two ?? one ?? model]]
  if (one && two && two.signed > one.signed) outcomes.push([true, false, one])
  return outcomes
}

class Both implements fc.AsyncCommand<Model, Real> {
  readonly deeds: readonly [Deed, Deed]
  constructor(deeds: readonly [Deed, Deed]) {
    this.deeds = deeds
  }
  check() {
    return true
  }
  async run(model: Model, { id, answers }: Real) {
    const [a, b] = this.deeds
    const [one, two] = await Promise.all([act(id, a), act(id, b)])
    for (const { statusCode, body } of [one, two]) assert.ok(statusCode < 500, body)
    const came: [boolean, boolean, Model] = [one.statusCode < 300, two.statusCode < 300, await standing(id)]
    const turned = foretoldOf(model, b, a).map(([y, x, then]): [boolean, boolean, Model] => [x, y, then])
    const possible = [...foretoldOf(model, a, b), ...turned]
    assert.ok(
      possible.some(each => JSON.stringify(each) === JSON.stringify(came)),
      `${this.toString()}\ncame to ${JSON.stringify(came)}\n${possible.map(each => JSON.stringify(each)).join('\n')}\n${one.body}\n${two.body}`,
    )
    if (came[0] && came[1]) count('both')
    else if (came[0] || came[1]) count('one of two')
    Object.assign(model, came[2])
    await assertTold(id, model)
    await answers.look()
  }
  toString() {
    return `(${told(this.deeds[0])} | ${told(this.deeds[1])})`
  }
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 4) => fc.option(arbitrary, { nil: undefined, freq })
const who = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('petra', 'quentin', 'quinn', 'ada') },
  { weight: 1, arbitrary: fc.constantFrom('uma', 'otto') },
)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  // Requests that lead on, mixed with random ones.
  {
    weight: 3,
    arbitrary: fc.record({
      by: who,
      status: fc.constantFrom<State>('under_investigation', 'pending_approval', 'closed'),
      assigned_to: maybe(fc.constantFrom('petra', 'quentin')),
      cause: maybe(fc.constant(true)),
      impact: maybe(fc.constant(true)),
      no_capa: maybe(fc.constant(true)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      by: who,
      status: maybe(
        fc.constantFrom<State>('open', 'under_investigation', 'pending_approval', 'closed', 'cancelled'),
        1,
      ),
      severity: maybe(fc.constantFrom('minor', 'major', 'critical'), 1),
      department: maybe(fc.constantFrom('QC', 'Production', 'Packaging')),
      assigned_to: maybe(fc.constantFrom('petra', 'quentin', null), 1),
      cause: maybe(fc.boolean(), 1),
      impact: maybe(fc.boolean(), 1),
      no_capa: maybe(fc.boolean(), 1),
    }),
  },
)

/** Asked of each deviation at its end, because chance seldom comes to a closure: whoever has done nothing else may close it. */
const closing: Deed[] = [
  { by: 'petra', status: 'under_investigation', assigned_to: 'petra', cause: true, impact: true, no_capa: true },
  { by: 'petra', status: 'pending_approval', cause: true, impact: true, no_capa: true },
  ...qualityUnit.map((by): Deed => ({ by, status: 'closed' })),
]

// proves: DEV-01, AUD-01
it('comes to what the model says of one order of the deeds, and tells it in history and audit trail, which says of each moment what it was', async () => {
  const commands = fc.commands([deed.map(each => new One(each)), fc.tuple(deed, deed).map(each => new Both(each))], {
    maxCommands: 16,
    size: 'max',
  })
  const severity = fc.constantFrom<Model['severity']>('minor', 'major', 'critical')
  const tryAll = () =>
    fc.assert(
      fc.asyncProperty(severity, commands, async (severity, commands) => {
        const { id } = await cases.report({ severity })
        const model = await standing(id)
        const answers = remembered(world, { by: 'otto', url: `/api/deviations/${id}` })
        await answers.look()
        await fc.asyncModelRun(() => ({ model, real: { id, answers } }), commands)
        for (const each of closing) await new One(each).run(model, { id, answers })
        await answers.assertAll()
        // The result can be read by everyone who may read deviations.
        for (const path of ['', '/history', '/timeline', '/links', '/comments', '/attachments'])
          ok(await world.as('uma').get(`/api/deviations/${id}${path}`))
      }),
      { numRuns: runs },
    )
  const expected = [
    'open under_investigation',
    'under_investigation pending_approval',
    'pending_approval closed',
    'both',
    'one of two',
  ]
  await runUntilAllHappened(tryAll, seen, expected)
})
