// Whatever people do to a document, in whatever order and at the same moment, while days pass: what must hold of it holds.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { dayIn, daysLater } from '#kernel/day.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { assertIndexed } from '#test/builders/search-index.ts'
import { remembered } from '#test/world/as-of.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

const day_ms = 86_400_000
const runs = roundsOf('PROPERTY_RUNS', 6)

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  paper = papers(world)
})
after(() => world.close())

/** The schedules of documents. The sweep of the store is left out: the times of files do not move with the world's clock. */
async function tick() {
  for (const task of world.app.schedules.filter(({ name }) => name.startsWith('documents.'))) {
    const { failed } = await world.round(task)
    assert.equal(failed, 0, `${task.name}: ${JSON.stringify(world.lines.at(-1))}`)
  }
}

const today = () => dayIn('UTC', world.clock.now())

const person = fc.constantFrom('alan', 'petra', 'quentin', 'quinn', 'ada', 'anna', 'uma')
const reason = 'Because'
const deed = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('submit' as const), by: fc.constantFrom('alan', 'petra') }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('approve' as const), by: person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('reject' as const, 'withdraw' as const), by: person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('cancel' as const, 'obsolete' as const), by: person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('edit' as const), by: person }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('date' as const),
      by: person,
      in_days: fc.option(fc.integer({ min: -1, max: 9 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('version' as const),
      by: fc.constantFrom('alan', 'petra'),
      in_days: fc.option(fc.integer({ min: 0, max: 9 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('review' as const),
      by: person,
      outcome: fc.constantFrom('keep_effective', 'needs_revision', 'make_obsolete'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('comment' as const), by: person }) },
)
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

/** One deed, two at the same moment, or days that pass. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(deed) },
  { weight: 2, arbitrary: fc.tuple(deed, deed) },
  { weight: 3, arbitrary: fc.record({ pass: fc.integer({ min: 0, max: 12 }), meanwhile: fc.option(deed) }) },
)

function act(id: number, each: Deed) {
  const as = world.as(each.by)
  const url = `/api/documents/${id}`
  switch (each.what) {
    case 'approve':
      return as.post(`${url}/approve`, { comment: reason })
    case 'edit':
      return as.put(url, { description: `As of ${performance.now()}`, change_reason: reason })
    case 'date': {
      const effective_date = each.in_days === null ? null : daysLater(today(), each.in_days)
      return as.put(url, { effective_date, change_reason: reason })
    }
    case 'version': {
      const day = each.in_days === null ? {} : { effective_date: daysLater(today(), each.in_days) }
      const file = { bytes: pdf(String(performance.now())), name: 'next.pdf' }
      return as.upload(`${url}/versions`, { change_type: 'minor', change_reason: reason, ...day }, file)
    }
    case 'review':
      return as.post(`${url}/periodic-review`, { outcome: each.outcome, comment: reason })
    case 'comment':
      return as.post(`${url}/comments`, { text: reason })
    default:
      return as.post(`${url}/transition`, { transition: each.what, comment: reason })
  }
}

const versionsOf = (id: number) =>
  world.rows<Json>(
    `select v.id::int, v.version, v.status, v.status_kind, v.round, v.content_revision, v.is_waiting, v.effective_date::text,
       to_char(v.effective_at at time zone 'UTC', 'YYYY-MM-DD') as effective_on, v.review_due_date::text, v.review_notice_on::text,
       v.needs_revision, d.effective_version_id::int, d.latest_version_id::int
     from document_versions v join documents d on d.id = v.document_id where v.document_id = $1 order by v.id`,
    [id],
  )

async function assertSound(id: number) {
  const versions = await versionsOf(id)
  const effective = versions.filter(({ status_kind }) => status_kind === 'effective')
  assert.ok(effective.length <= 1, 'two effective versions')
  assert.equal(versions[0].effective_version_id, effective[0]?.id ?? null)
  const underWay = versions.filter(({ status_kind }) => ['initial', 'review'].includes(status_kind))
  assert.ok(underWay.length <= 1, 'two versions under way')
  const latest = versions.find(version => version.id === version.latest_version_id)
  if (underWay[0]) assert.equal(underWay[0].id, latest.id)
  else if (versions.some(({ effective_on }) => effective_on))
    assert.ok(latest.effective_on, 'shows what was never effective')
  for (const version of versions) {
    assert.equal(version.is_waiting, version.status === 'approved')
    if (version.effective_on) assert.equal(version.effective_date, version.effective_on)
    else if (version.status_kind === 'final') assert.equal(version.effective_date, null)
    if (version.status_kind !== 'effective')
      assert.deepEqual([version.review_due_date, version.review_notice_on, version.needs_revision], [null, null, false])
    if (version.review_notice_on) assert.ok(version.review_due_date)
  }
  await assertTold(id, versions)
}

/** Each version's moves are one way from its beginning to where it stands, and the trail tells of each of them. */
async function assertTold(id: number, versions: Json[]) {
  const moves = await world.rows<Json>(
    `select version_id::int, transition, from_status, to_status, trigger, signature_id::int from document_history
     where document_id = $1 order by id`,
    [id],
  )
  const told = await world.rows<Json>(
    `select changes from audit_entries where resource_type = 'document' and resource_id = $1
     and action = 'document.state_changed' and outcome = 'success' order by id`,
    [id],
  )
  assert.deepEqual(
    told.map(({ changes: { transition, status } }) => [transition.to, status.from, status.to]),
    moves
      .filter(({ transition }) => transition !== 'created')
      .map(({ transition, from_status, to_status }) => [transition, from_status, to_status]),
  )
  for (const version of versions) {
    const way = moves.filter(({ version_id }) => version_id === version.id)
    assert.deepEqual([way[0]?.transition, way[0]?.from_status], ['created', null])
    for (const [i, { from_status }] of way.entries()) if (i > 0) assert.equal(from_status, way[i - 1].to_status)
    assert.equal(way.at(-1)?.to_status, version.status)
    for (const { transition, from_status, signature_id } of way)
      assert.equal(signature_id !== null, from_status === 'effective' && transition === 'obsolete')
  }
}

/** With no training to wait for, whatever was planned for today or before has happened once the clock has looked. */
async function assertNothingOverdue(id: number) {
  const waiting = (await versionsOf(id)).filter(
    ({ is_waiting, effective_date }) => is_waiting && (effective_date === null || effective_date <= today()),
  )
  assert.deepEqual(waiting, [])
}

it('a document stays sound, nothing that is due is left lying, and its trail says what it was at each moment (proves: DOC-04, DOC-05, FLOW-02)', async () => {
  const seen = new Map<string, number>()
  const tryAll = () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('SOP', 'Policy'),
        fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
        fc.array(event, { minLength: 10, maxLength: 40 }),
        async (type, in_days, events) => {
          const day = in_days === undefined ? {} : { effective_date: daysLater(today(), in_days) }
          const { id } = await paper.upload({ type, ...day })
          const answers = remembered(world, { by: 'quinn', url: `/api/documents/${id}` })
          for (const each of events) {
            await answers.look()
            const before = await versionsOf(id)
            const deeds = Array.isArray(each) ? each : each.meanwhile ? [each.meanwhile] : []
            if (!Array.isArray(each)) world.clock.moved_ms += each.pass * day_ms
            const looking = Array.isArray(each) ? [] : [tick()]
            const [replies] = await Promise.all([Promise.all(deeds.map(one => act(id, one))), ...looking])
            for (const [i, { statusCode, body }] of replies.entries()) {
              const { what } = deeds[i]!
              assert.ok(statusCode < 500 && statusCode !== 400, `${what}: ${statusCode} ${body}`)
              if (statusCode < 300) seen.set(what, (seen.get(what) ?? 0) + 1)
            }
            if (looking.length === 0 && replies.every(({ statusCode }) => statusCode >= 400))
              assert.deepEqual(await versionsOf(id), before, 'what is refused changes nothing')
            await assertSound(id)
            await assertIndexed(world)
          }
          await tick()
          await assertNothingOverdue(id)
          await answers.look()
          await answers.assertAll()
          for (const { status } of await versionsOf(id)) seen.set(status, (seen.get(status) ?? 0) + 1)
          // The result must be readable: history, comments and reviews.
          for (const path of ['', '/versions', '/history', '/comments', '/periodic-reviews'])
            ok(await world.as('quinn').get(`/api/documents/${id}${path}`))
        },
      ),
      { numRuns: runs },
    )
  await runUntilAllHappened(tryAll, seen, ['submit', 'approve', 'version', 'date', 'effective', 'superseded'])
})
