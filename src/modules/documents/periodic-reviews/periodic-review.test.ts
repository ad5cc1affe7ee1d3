// Periodic reviews of effective versions, and their reminders.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayIn, daysLater, monthsLater } from '#kernel/day.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const today = () => dayIn('UTC', world.clock.now())
const hour = 3600
const comment = 'Compared with what is done on the line: it is as written'
const review = (by: string, id: number, body: object = {}, options: { logged_in?: number } = {}) =>
  world.as(by, options).post(`/api/documents/${id}/periodic-review`, { outcome: 'keep_effective', comment, ...body })
const list = (by: string, query: string) => world.as(by).get(`/api/documents/?page_size=100&${query}`)
const numbersOf = async (query: string) => ok(await list('petra', query)).items.map(({ id }: Json) => id) as number[]
async function at<T>(day: string, work: () => Promise<T>): Promise<T> {
  world.clock.moved_ms = Date.parse(`${day}T12:00:00Z`) - Date.now()
  try {
    return await work()
  } finally {
    world.clock.moved_ms = 0
  }
}

describe('the periodic review of an effective document (proves: SIG-01, FLOW-02)', () => {
  it('is signed, keeps it effective for another period from that day on, and is kept', async () => {
    const { id, review_due_date } = await paper.effective()
    const day = daysLater(review_due_date, -10)
    const document = await at(day, () => review('petra', id, { password }, { logged_in: hour }).then(ok))
    assert.equal(document.status, 'effective')
    assert.equal(document.review_due_date, monthsLater(day, 24))
    assert.deepEqual(
      [document.last_review.outcome, document.last_review.reviewer.username, document.last_review.due_date],
      ['keep_effective', 'petra', review_due_date],
    )
    const [kept, ...others] = await paper.get('uma', id, '/periodic-reviews')
    assert.deepEqual([kept, others.length], [document.last_review, 0])
    // A signature that is dated ahead of the clock of the service does not verify.
    const signature = await at(day, () => world.as('otto').get(`/api/signatures/${kept.signature_id}`).then(ok))
    assert.deepEqual(
      [signature.signature_type, signature.intent, signature.occasion.kind, signature.verification.valid],
      ['review', comment, 'periodic_review', true],
    )
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:desc&page_size=1`),
    ).items
    assert.deepEqual(
      [entry.action, entry.reason, entry.changes.review_due_date],
      ['document.reviewed', comment, { from: review_due_date, to: document.review_due_date }],
    )
  })

  it('is done by the same person year after year, and each time is a signature of its own', async () => {
    const { id } = await paper.effective()
    for (let year = 1; year <= 3; year++) await at(monthsLater(today(), 12 * year), () => review('petra', id).then(ok))
    const reviews = await paper.get('petra', id, '/periodic-reviews')
    assert.equal(new Set(reviews.map(({ signature_id }: Json) => signature_id)).size, 3)
  })

  it('sets an earlier day, never a later one than the period of the type, nor one that has come', async () => {
    const { id } = await paper.effective()
    const soon = daysLater(today(), 90)
    assert.equal(ok(await review('petra', id, { next_review_date: soon })).review_due_date, soon)
    const last = monthsLater(today(), 24)
    assert.equal(ok(await review('petra', id, { next_review_date: last })).review_due_date, last)
    for (const next_review_date of [today(), daysLater(today(), -1), daysLater(last, 1)])
      assert.equal((await review('petra', id, { next_review_date })).statusCode, 422, next_review_date)
    const other = await review('petra', id, { outcome: 'needs_revision', next_review_date: soon })
    assert.deepEqual([other.statusCode, other.json().detail[0].loc], [422, ['body', 'next_review_date']])
    const { id: without } = await paper.upload({ type: 'General document' })
    ok(await paper.move('alan', without, 'submit'))
    ok(await paper.approve('quentin', without))
    assert.equal(ok(await review('petra', without)).review_due_date, null)
  })

  it('that asks for a revision is seen until a newer version is effective, and no further review is due meanwhile', async () => {
    const { id } = await paper.effective()
    const document = ok(await review('petra', id, { outcome: 'needs_revision' }))
    assert.deepEqual([document.status, document.needs_revision, document.review_due_date], ['effective', true, null])
    assert.equal((await paper.get('uma', id)).last_review.outcome, 'needs_revision')
    assert.ok((await numbersOf('needs_revision=true')).includes(id))
    ok(await paper.addVersion(id))
    const released = await paper.release(id)
    assert.deepEqual([released.needs_revision, released.last_review], [false, null])
    assert.ok(released.review_due_date)
    assert.ok(!(await numbersOf('needs_revision=true')).includes(id))
    assert.deepEqual(
      (await paper.get('petra', id, '/periodic-reviews')).map(({ version, outcome }: Json) => [version, outcome]),
      [['1.0', 'needs_revision']],
    )
    assert.deepEqual(await paper.get('uma', id, '/periodic-reviews'), [], 'that of a version that one may not read')
  })

  it('that finds it of no use takes it out of use by the same signature, for whom that is permitted', async () => {
    const { id } = await paper.effective()
    const refused = await review('petra', id, { outcome: 'make_obsolete' })
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().code, 'document_obsolescence_permission_required')
    const document = ok(await review('quinn', id, { outcome: 'make_obsolete' }))
    assert.deepEqual([document.status, document.review_due_date], ['obsolete', null])
    const [{ signature_id }] = await paper.get('quinn', id, '/periodic-reviews')
    const signatures = ok(await world.as('otto').get(`/api/signatures/?document_id=${id}&sort=id:desc`)).items
    assert.deepEqual(
      [signatures[0].id, signatures[0].signature_type, signatures.length],
      [signature_id, 'obsolescence', 3],
    )
    assert.equal((await paper.get('quinn', id, '/history')).at(-1).signature_id, signature_id)
    assert.equal((await review('quinn', id)).statusCode, 409)
  })

  it('is of what people work by: there is none of a draft, and it is decided by whom the permission names', async () => {
    const { id } = await paper.upload()
    const early = await review('petra', id)
    assert.deepEqual([early.statusCode, early.json().code], [409, 'document_not_effective'])
    const { id: effective } = await paper.effective()
    assert.equal((await review('alan', effective)).statusCode, 403)
    assert.equal((await review('petra', effective, {}, { logged_in: hour })).statusCode, 401)
    assert.equal((await review('petra', effective, { password: 'wrong' })).statusCode, 401)
    assert.equal((await review('petra', effective, { comment: ' ' })).statusCode, 422)
    assert.equal((await review('petra', effective, { outcome: 'fine' })).statusCode, 422)
    assert.deepEqual(await paper.get('petra', effective, '/periodic-reviews'), [])
  })

  it('sent twice at the same moment is decided once', async () => {
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await paper.effective()
      const replies = await Promise.all([review('petra', id), review('petra', id), review('quinn', id)])
      const statuses = replies.map(({ statusCode }) => statusCode)
      assert.ok(statuses.includes(200) && statuses.every(status => [200, 409].includes(status)), statuses.join())
      const count = statuses.filter(status => status === 200).length
      assert.equal((await paper.get('petra', id, '/periodic-reviews')).length, count)
    }
  })
})

describe('a review that is due', () => {
  const told = (id: number) =>
    world.rows<{ action: string }>(
      `select action from audit_entries where resource_type = 'document' and resource_id = $1
       and action in ('document.review_due', 'document.review_overdue') order by id`,
      [id],
    )
  const actions = async (id: number) => (await told(id)).map(({ action }) => action)

  it('is told of once thirty days before, and once when it is overdue, for each due date', async () => {
    const { id, review_due_date, revision } = await paper.effective()
    await at(daysLater(review_due_date, -31), world.tick)
    assert.deepEqual(await actions(id), [])
    for (const day of [-30, -29, 0]) await at(daysLater(review_due_date, day), world.tick)
    assert.deepEqual(await actions(id), ['document.review_due'])
    for (const day of [1, 2, 100]) await at(daysLater(review_due_date, day), world.tick)
    assert.deepEqual(await actions(id), ['document.review_due', 'document.review_overdue'])
    assert.equal((await paper.get('petra', id)).revision, revision, 'a reminder is no change of the document')
    await at(daysLater(review_due_date, 100), () => review('petra', id).then(ok))
    const next = (await paper.get('petra', id)).review_due_date
    await at(next, world.tick)
    assert.equal((await actions(id)).length, 3)
  })

  it('is told of when it is overdue where nothing ran before', async () => {
    const { id, review_due_date } = await paper.effective()
    await at(daysLater(review_due_date, 40), world.tick)
    await at(daysLater(review_due_date, 41), world.tick)
    assert.deepEqual(await actions(id), ['document.review_overdue'])
  })

  it('is told of once by several processes that look at the same moment', async () => {
    const { id, review_due_date } = await paper.effective()
    await at(review_due_date, () => Promise.all([world.tick(), world.tick(), world.tick()]))
    assert.deepEqual(await actions(id), ['document.review_due'])
  })

  it('is told of no more once the document is out of use, replaced, or to be revised', async () => {
    const [one, two, three] = [await paper.effective(), await paper.effective(), await paper.effective()]
    ok(await paper.move('quinn', one.id, 'obsolete', 'Gone'))
    ok(await review('petra', two.id, { outcome: 'needs_revision' }))
    ok(await paper.addVersion(three.id))
    await at(monthsLater(today(), 12), () => paper.release(three.id))
    await at(one.review_due_date, world.tick)
    for (const { id } of [one, two, three]) assert.deepEqual(await actions(id), [])
  })

  it('is found by its day, and when it is overdue, by whoever plans reviews', async () => {
    const { id, review_due_date } = await paper.effective()
    const { id: later } = await paper.effective()
    ok(await review('petra', later, { next_review_date: daysLater(today(), 20) }))
    const before = await numbersOf(`review_due_before=${daysLater(today(), 21)}`)
    assert.ok(before.includes(later) && !before.includes(id))
    assert.ok(!(await numbersOf(`review_due_before=${daysLater(today(), 20)}`)).includes(later))
    assert.ok((await numbersOf(`review_due_before=${daysLater(review_due_date, 1)}`)).includes(id))
    assert.ok(!(await numbersOf('overdue_review=true')).includes(later))
    const overdue = await at(daysLater(today(), 21), () => numbersOf('overdue_review=true'))
    assert.ok(overdue.includes(later) && !overdue.includes(id))
    const sorted = ok(await list('petra', `review_due_before=${review_due_date}&sort=review_due_date:asc`)).items
    assert.equal(sorted[0].id, later)
    assert.equal((await list('petra', 'overdue_review=false')).statusCode, 422)
    assert.equal((await list('petra', 'review_due_before=soon')).statusCode, 422)
  })
})
