// When a version becomes effective: on the day that people chose, where they are.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Type } from 'typebox'
import { command } from '#action'
import { dayIn, daysLater } from '#kernel/day.ts'
import { IdParams } from '#kernel/schema.ts'
import { systemActor } from '#modules/accounts'
import type { TrainedVersion, TrainingGate } from '#modules/documents'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { meeting } from '#test/builders/races.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { trainingCompleted } from './effective.ts'

let world: World
let paper: ReturnType<typeof papers>
/** Stands in for the training module; everybody is trained until a test says otherwise. */
const trained = { isComplete: true, mayRead: true, lacks: [] as string[], told: [] as string[] }
const progress = (isComplete: boolean) => ({ assigned: 1, completed: isComplete ? 1 : 0, is_assigned: true })
const training: TrainingGate = {
  progress: async () => progress(trained.isComplete),
  hasReaders: async () => true,
  mayRead: async () => trained.mayRead || { training: 'TRN-0001' },
  lacking: async (_tx, { user_ids }) =>
    new Map(trained.lacks.length > 0 ? user_ids.map(id => [id, trained.lacks]) : []),
  released: async (_context, { version_id }: TrainedVersion, as) => {
    trained.told.push(`${version_id} ${as}`)
  },
}
before(async () => {
  world = await openWorld({}, { training })
  paper = papers(world)
})
after(() => world.close())

const today = (zone = 'UTC') => dayIn(zone, world.clock.now())
const inDays = (days: number) => daysLater(today(), days)
const put = (by: string, id: number, body: object) => world.as(by).put(`/api/documents/${id}`, body)
const setDate = (by: string, id: number, effective_date: string | null) =>
  put(by, id, { effective_date, change_reason: 'The training takes longer' })

/** At noon (UTC) of a day from now, so that a test is not about the hour at which it runs. */
function goTo(day: string, time = '12:00:00') {
  world.clock.moved_ms = Date.parse(`${day}T${time}Z`) - Date.now()
}
async function at<T>(day: string, work: () => Promise<T>, time?: string): Promise<T> {
  goTo(day, time)
  try {
    return await work()
  } finally {
    world.clock.moved_ms = 0
  }
}
async function inZone<T>(zone: string, work: () => Promise<T>): Promise<T> {
  ok(await world.as('ada').put('/api/settings/', { time_zone: zone }))
  try {
    return await work()
  } finally {
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC' }))
  }
}

/** Approved, and waiting for its day. */
async function waiting(effective_date: string, type = 'SOP') {
  const { id } = await paper.upload({ type, effective_date })
  return paper.release(id)
}
const moves = async (id: number): Promise<string[]> =>
  (await paper.get('quinn', id, '/history'))
    .filter(({ kind }: Json) => kind === 'transition')
    .map(({ version, transition }: Json) => `${version} ${transition}`)

describe('a version with an effective date (proves: DOC-05)', () => {
  it('waits for its day when it is approved, and is effective by itself on it, from its first minute on', async () => {
    const day = inDays(10)
    const { id, status, effective_date, effective_version } = await waiting(day)
    assert.deepEqual([status, effective_date, effective_version], ['approved', day, null])
    await at(daysLater(day, -1), world.tick, '23:59:59')
    assert.equal((await paper.get('quinn', id)).status, 'approved')
    await at(day, world.tick, '00:00:00')
    const document = await paper.get('uma', id)
    assert.deepEqual(
      [document.status, document.effective_version, document.effective_date, document.review_due_date.slice(5)],
      ['effective', '1.0', day, day.slice(5)],
    )
    const [last] = (await paper.get('uma', id, '/history')).slice(-1)
    assert.deepEqual([last.transition, last.trigger, last.user], ['make_effective', 'automatic', null])
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:desc`),
    ).items
    assert.deepEqual(
      [entry.action, entry.user.username, entry.changes.status],
      ['document.state_changed', 'system', { from: 'approved', to: 'effective' }],
    )
  })

  it('replaces the effective one on its day, and not before (proves: FLOW-02)', async () => {
    const { id } = await paper.effective()
    const day = inDays(5)
    ok(await paper.addVersion(id, { change_type: 'major', effective_date: day }))
    await paper.release(id)
    const before = await paper.get('quinn', id)
    assert.deepEqual(
      [before.version, before.status, before.pending_version],
      ['1.0', 'effective', { version: '2.0', status: 'approved', effective_date: day }],
    )
    assert.equal((await paper.get('uma', id)).pending_version, null)
    await at(day, world.tick)
    const after = await paper.get('uma', id)
    assert.deepEqual([after.version, after.status, after.pending_version], ['2.0', 'effective', null])
    const versions = await paper.get('quinn', id, '/versions')
    assert.deepEqual(
      versions.map(({ version, status, effective_date }: Json) => [version, status, effective_date]),
      [
        ['2.0', 'effective', day],
        ['1.0', 'superseded', today()],
      ],
    )
    assert.deepEqual((await moves(id)).slice(-2), ['1.0 supersede', '2.0 make_effective'])
  })

  it('is effective at once where the day has come by the time of the approval', async () => {
    for (const effective_date of [inDays(0), inDays(3)]) {
      const { id } = await paper.upload({ effective_date })
      const released = await at(inDays(3), () => paper.release(id))
      assert.deepEqual([released.status, released.effective_date], ['effective', inDays(3)])
    }
  })

  it('is effective at the next look where nothing ran on its day, and the record says the day on which it really was', async () => {
    const { id } = await waiting(inDays(2))
    await at(inDays(9), world.tick)
    const document = await paper.get('uma', id)
    assert.deepEqual([document.status, document.effective_date], ['effective', inDays(9)])
    const [version] = await paper.get('uma', id, '/versions')
    assert.equal(version.effective_at.slice(0, 10), inDays(9))
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:desc`),
    ).items
    assert.deepEqual(entry.changes.effective_date, { from: inDays(2), to: inDays(9) })
  })

  it('keeps its day when it is sent back and approved again, and gives it to the file that replaces it', async () => {
    const day = inDays(20)
    const { id } = await waiting(day)
    const draft = ok(await put('alan', id, { title: 'Cleaning of line 2', change_reason: 'It is line 2' }))
    assert.deepEqual([draft.status, draft.effective_date], ['draft', day])
    const next = ok(await paper.addVersion(id))
    assert.deepEqual([next.version, next.effective_date], ['1.1', day])
    assert.equal((await paper.release(id)).status, 'approved')
    const [, replaced] = await paper.get('alan', id, '/versions')
    assert.deepEqual([replaced.status, replaced.effective_date], ['superseded', null])
  })

  it('is not effective in a day of the past, nor is what has been effective made so on another day', async () => {
    const upload = await world.as('alan').upload('/api/documents/upload', {
      title: 'Late',
      document_type: await world.typeId('SOP'),
      effective_date: inDays(-1),
    })
    assert.equal(upload.statusCode, 422, upload.body)
    assert.match(upload.body, /"effective_date"\],.*"type":"document_day_past"/)
    const { id } = await paper.effective()
    assert.equal((await paper.addVersion(id, { effective_date: inDays(-1) })).statusCode, 422)
    assert.equal((await setDate('quinn', id, inDays(1))).statusCode, 409)
    const { id: draft } = await paper.upload()
    assert.equal((await setDate('alan', draft, inDays(-1))).statusCode, 422)
    for (const nonsense of ['2026-02-30', 'tomorrow', '', 5])
      assert.equal((await put('alan', draft, { effective_date: nonsense })).statusCode, 422, String(nonsense))
  })
})

describe('the effective date of a version under way (proves: DOC-04)', () => {
  it('is its author’s while it is a draft, and from then on that of whom the permission names, with a reason', async () => {
    const { id } = await paper.upload()
    assert.equal(ok(await put('alan', id, { effective_date: inDays(7) })).effective_date, inDays(7))
    ok(await paper.move('alan', id, 'submit'))
    const refused = await setDate('alan', id, inDays(8))
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().code, 'document_effective_date_permission_required')
    const unreasoned = await put('petra', id, { effective_date: inDays(8) })
    assert.deepEqual([unreasoned.statusCode, unreasoned.json().detail[0].loc], [422, ['body', 'change_reason']])
    assert.equal(ok(await setDate('petra', id, inDays(8))).effective_date, inDays(8))
    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id&page_size=50`),
    )
    assert.deepEqual(
      items
        .filter(({ action }: Json) => action === 'document.effective_date_set')
        .map(({ user, changes, reason }: Json) => [user.username, changes.effective_date, reason]),
      [
        ['alan', { from: null, to: inDays(7) }, null],
        ['petra', { from: inDays(7), to: inDays(8) }, 'The training takes longer'],
      ],
    )
    assert.equal(items.filter(({ action }: Json) => action === 'document.updated').length, 0)
  })

  it('is no part of what is approved: a round under way goes on', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    assert.equal(ok(await setDate('quinn', id, inDays(3))).status, 'in_approval')
    assert.equal(ok(await paper.approve('quentin', id)).status, 'approved')
    for (const { id: signature } of ok(await world.as('otto').get(`/api/signatures/?document_id=${id}`)).items)
      assert.equal(ok(await world.as('otto').get(`/api/signatures/${signature}`)).verification.valid, true)
  })

  it('is put off, and drawn near: today, or none, is at once', async () => {
    const { id } = await waiting(inDays(3))
    assert.equal(ok(await setDate('petra', id, inDays(30))).status, 'approved')
    await at(inDays(3), world.tick)
    assert.equal((await paper.get('quinn', id)).status, 'approved')
    const advanced = ok(await setDate('petra', id, inDays(0)))
    assert.deepEqual([advanced.status, advanced.effective_date], ['effective', inDays(0)])

    const { id: cleared } = await waiting(inDays(3))
    const document = ok(await setDate('petra', cleared, null))
    assert.deepEqual([document.status, document.effective_date], ['effective', inDays(0)])
  })

  it('counts one revision, and a stale one is refused', async () => {
    const { id, revision } = await waiting(inDays(3))
    const changed = ok(await put('petra', id, { effective_date: inDays(4), change_reason: 'x', revision }))
    assert.equal(changed.revision, revision + 1)
    assert.equal((await put('petra', id, { effective_date: inDays(5), change_reason: 'x', revision })).statusCode, 409)
  })

  it('that is set already changes nothing', async () => {
    const { id } = await waiting(inDays(3))
    const before = await moves(id)
    ok(await setDate('petra', id, inDays(3)))
    assert.deepEqual(await moves(id), before)
  })
})

describe('the day is that of the tenant', () => {
  // Day, and the moment (UTC) at which it begins there.
  const beginnings: [zone: string, day: string, begins: string][] = [
    ['Europe/Berlin', '2055-03-28', '2055-03-27T23:00:00Z'],
    ['Europe/Berlin', '2055-11-01', '2055-10-31T23:00:00Z'],
    ['America/New_York', '2055-03-14', '2055-03-14T05:00:00Z'],
    ['America/Santiago', '2055-09-05', '2055-09-05T04:00:00Z'],
    ['Pacific/Kiritimati', '2055-01-01', '2054-12-31T10:00:00Z'],
    ['Asia/Kathmandu', '2055-06-01', '2055-05-31T18:15:00Z'],
  ]
  for (const [zone, day, begins] of beginnings)
    it(`${day} in ${zone} begins at ${begins}`, () =>
      inZone(zone, async () => {
        const { id } = await waiting(day)
        const first = new Date(begins)
        const last = new Date(first.getTime() - 1000)
        await at(last.toISOString().slice(0, 10), world.tick, last.toISOString().slice(11, 19))
        assert.equal((await paper.get('quinn', id)).status, 'approved')
        await at(begins.slice(0, 10), world.tick, begins.slice(11, 19))
        const document = await paper.get('quinn', id)
        assert.deepEqual([document.status, document.effective_date], ['effective', day])
      }))

  it('another time zone moves what is planned, and nothing that has been', async () => {
    const { id: old } = await at('2055-05-01', () => paper.effective(), '12:00:00')
    const { id } = await waiting('2055-05-02')
    // At noon of 1 May in Greenwich it is 2 May on Kiritimati.
    await inZone('Pacific/Kiritimati', () => at('2055-05-01', world.tick))
    assert.equal((await paper.get('quinn', id)).effective_date, '2055-05-02')
    assert.equal((await paper.get('quinn', old)).effective_date, '2055-05-01')
  })
})

describe('several at the same moment', () => {
  const inStates = (id: number) =>
    world.rows<{ status: string }>('select status from document_versions where document_id = $1 order by id', [id])
  const transitions = async (id: number, transition: string) =>
    (await moves(id)).filter(each => each.endsWith(` ${transition}`)).length

  /** All of them find the same, and wait for the document's lock before any goes on. */
  const meetAt = <T>(id: number, waiting: number, send: () => Promise<T>[]) =>
    meeting(world, { text: 'select from documents where id = $1 for update', values: [id], waiting }, send)

  it('three processes look at the same moment, and again: one transition each time', async () => {
    const { id } = await paper.effective()
    const count = races(20)
    for (let repetition = 0; repetition < count; repetition++) {
      ok(await paper.addVersion(id, { effective_date: inDays(1) }))
      await paper.release(id)
      await at(inDays(1), () => meetAt(id, 3, () => [world.tick(), world.tick(), world.tick()]))
    }
    assert.equal(await transitions(id, 'make_effective'), count + 1)
    assert.equal(await transitions(id, 'supersede'), count)
  })

  it('the clock against who puts the day off, uploads a newer file, or sends the version back: one of the two', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const { id } = await waiting(inDays(1))
      const other = [
        () => setDate('petra', id, inDays(9)),
        () => paper.addVersion(id),
        () => put('alan', id, { title: 'Other', change_reason: 'Typo' }),
      ][repetition % 3]!
      const deeds = repetition % 2 === 0 ? [world.tick, other] : [other, world.tick]
      const answers = await at(inDays(1), () => meetAt<Json>(id, 2, () => deeds.map(each => each())))
      const reply = answers.find(answer => answer !== undefined)
      assert.ok([200, 201, 409].includes(reply.statusCode), reply.body)
      const effective = (await inStates(id)).filter(({ status }) => status === 'effective').length
      assert.equal(await transitions(id, 'make_effective'), effective)
      // A newer file is a draft beside the effective version, or in the place of the approved one.
      if (reply.statusCode === 200) assert.equal(effective, 0)
    }
  })
})

describe('a training gate (proves: TRN-04)', () => {
  const gated = async (gate: 'before_effective' | 'before_access' | 'before_sign' | 'none') => {
    await world.rows('begin')
    await world.rows('set local session_replication_role = replica')
    await world.rows(
      `update document_types set training_gate = $1, signing_program_ids = '{1}' where name = 'Policy'`,
      [gate],
    )
    await world.rows('commit')
  }
  after(() => gated('none'))
  const policy = async (fields: object = {}) => {
    const { id } = await paper.upload({ type: 'Policy', ...fields })
    ok(await paper.move('alan', id, 'submit'))
    return ok(await paper.approve('quentin', id))
  }
  /** As the module of training will, at the end of a command of its own. */
  const completion = command({
    summary: 'Complete the last training of a document',
    permission: 'training.complete',
    input: { params: IdParams },
    response: Type.Boolean(),
    async run(context, { params }) {
      context.record('document.updated', params.id)
      return trainingCompleted(context, params.id)
    },
  })
  const complete = (id: number) =>
    world.services.runner.run(
      completion,
      systemActor(world.people.ada!.tenant_id),
      { params: { id } },
      { origin: { requestId: '', clientAddr: '' } },
    )

  it('before_effective: an approved version waits until its training is complete, whatever its day', async () => {
    await gated('before_effective')
    trained.isComplete = false
    const { id, status } = await policy()
    assert.equal(status, 'approved')
    await world.tick()
    assert.equal(ok(await world.as('quinn').get(`/api/documents/${id}`)).status, 'approved')
    trained.isComplete = true
    assert.equal(await complete(id), true)
    assert.equal((await paper.get('uma', id)).status, 'effective')
    assert.equal(await complete(id), false)
  })

  it('before_effective: training that is complete before the day does not hasten it', async () => {
    trained.isComplete = false
    const { id } = await policy({ effective_date: inDays(4) })
    trained.isComplete = true
    assert.equal(await complete(id), false)
    await at(inDays(4), world.tick)
    assert.equal((await paper.get('uma', id)).status, 'effective')
  })

  it('before_effective: the clock finds one that is ready behind as many as it takes at once that are not', async () => {
    await gated('before_effective')
    trained.isComplete = false
    for (let count = 0; count < 100; count += 20) await Promise.all(Array.from({ length: 20 }, () => policy()))
    const { id } = await policy()
    const [{ id: version }] = await paper.get('quinn', id, '/versions')
    const { progress: usual } = training
    training.progress = async (_tx, { version_id }) => progress(version_id === version)
    await world.tick()
    training.progress = usual
    trained.isComplete = true
    assert.equal((await paper.get('uma', id)).status, 'effective')
    await world.tick()
    const [rest] = await world.rows(
      'select count(*)::int as waiting from document_versions where is_waiting and effective_date is null',
    )
    assert.deepEqual(rest, { waiting: 0 })
  })

  it('before_access: who is not trained finds the document, and does not get its file', async () => {
    await gated('before_access')
    const { id, status } = await policy()
    assert.equal(status, 'effective')
    trained.mayRead = false
    const refused = await world.as('uma').get(`/api/documents/${id}/download`)
    assert.equal(refused.statusCode, 403)
    assert.match(
      refused.json().detail,
      /^Only people trained on .* may open its file\. Ask for the training TRN-0001\.$/,
    )
    assert.equal((await paper.get('uma', id)).status, 'effective')
    trained.mayRead = true
    assert.equal((await world.as('uma').get(`/api/documents/${id}/download`)).statusCode, 200)
  })

  it('who is not trained to decide is refused with the reason, and the attempt is remembered', async () => {
    await gated('before_sign')
    const { id, number } = await paper.submitted({ type: 'Policy' })
    trained.lacks = ['TRN-0001 Approving', 'TRN-0002 Signing']
    const refused = await paper.approve('petra', id)
    trained.lacks = []
    assert.equal(refused.statusCode, 403)
    assert.deepEqual(refused.json(), {
      detail: `You need a valid training in TRN-0001 Approving, TRN-0002 Signing to decide about ${number}. Complete the training first.`,
      code: 'document_approver_not_trained',
      params: { number, programs: ['TRN-0001 Approving', 'TRN-0002 Signing'] },
    })
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc')).items
    assert.match(entry.reason, /TRN-0002 Signing/)
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
  })

  it('the training is told when a version is approved, and when it is effective', async () => {
    trained.told = []
    const { id } = await waiting(inDays(1))
    const [{ id: version }] = await paper.get('quinn', id, '/versions')
    const told = () => trained.told.filter(each => each.startsWith(`${version} `))
    assert.deepEqual(told(), [`${version} approved`])
    await at(inDays(1), world.tick)
    assert.deepEqual(told(), [`${version} approved`, `${version} effective`])
  })
})
