// The terms of an approval: how many people must approve, by when, and who is notified.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { dayIn, daysLater } from '#kernel/day.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { dueTerms } from './approval-terms.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())
afterEach(() => {
  world.clock.moved_ms = 0
})

type Reply = Awaited<ReturnType<typeof paper.approve>>
function refused(reply: Reply, status: number, words: RegExp) {
  assert.equal(reply.statusCode, status, reply.body)
  assert.match(reply.body, words)
}
const idOf = (name: string) => world.people[name]!.id
const day_ms = 24 * 60 * 60 * 1000
const today = () => dayIn('UTC', world.clock.now())
const configure = (id: number, body: object, by = 'ada') =>
  world.as(by).post(`/api/documents/${id}/configure-approval`, {
    ...{ transition: 'review', change_reason: 'A colleague is absent' },
    ...body,
  })
const pendingOf = async (id: number) => (await paper.get('quinn', id)).workflow.pending[0]

/** A type whose workflow is the GMP one, with this about its review. */
let types = 0
async function typeWith(review: object, permissions?: object) {
  const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/2'))
  const gate = definition.transitions.find(({ name }: Json) => name === 'review')
  Object.assign(gate.approval, review, permissions)
  const name = `Type ${++types}`
  const template = ok(await world.as('quinn').post('/api/workflow-templates/', { name, definition }))
  const prefix = `T${types}`
  ok(await world.as('quinn').post('/api/document-types/', { name, prefix, workflow_template_id: template.id }))
  return name
}

describe('an approval by so many of the people who are named (proves: DOC-05, DOC-06)', () => {
  it("moves the document at the second of two of three, and is nobody else's to give", async () => {
    const { id } = await paper.upload()
    const who = ['petra', 'quentin', 'quinn'].map(idOf)
    ok(await configure(id, { approvers: [{ kind: 'user', who, count: 2 }] }))
    ok(await paper.move('alan', id, 'submit'))
    refused(await paper.approve('ada', id), 403, /decided by 2 of Petra Example, Quentin Example and Quinn Example/)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_review')
    assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
  })

  it('names each of them once, who is there and may decide', async () => {
    const { id } = await paper.upload()
    for (const [who, loc, words] of [
      [['petra', 'petra'], [0, 'who', 1], /workflow_person_named_twice/],
      [['petra', 'uma'], [0, 'who', 1], /workflow_person_cannot_approve/],
      [['petra', 'rita'], [0, 'who', 1], /workflow_person_cannot_approve/],
    ] as const) {
      const reply = await configure(id, { approvers: [{ kind: 'user', who: who.map(idOf) }] })
      refused(reply, 422, words)
      assert.deepEqual(reply.json().detail[0].loc, ['body', 'approvers', ...loc])
    }
    const many = { kind: 'user', who: ['petra', 'quentin'].map(idOf), count: 3 }
    refused(await configure(id, { approvers: [many] }), 422, /Only 2 of the 3 people/)
    refused(await configure(id, { approvers: [{ kind: 'user', who: [] }] }), 422, /who/)
  })
})

describe('an approval by a percentage (proves: DOC-05)', () => {
  const reviewers = (percent: number) => [{ kind: 'permission', who: 'documents.review', percent }]

  it('is of the people there are when the document is submitted, rounded up, the author not among them', async () => {
    // Quinn, Petra and Quentin review, and not Ada, who chooses so.
    for (const [percent, needed] of [
      [1, 1],
      [33, 1],
      [34, 2],
      [50, 2],
      [66, 2],
    ] as const) {
      const { id } = await paper.upload()
      ok(await configure(id, { approvers: reviewers(percent) }))
      ok(await paper.move('alan', id, 'submit'))
      const [rule] = (await pendingOf(id)).rules
      assert.deepEqual([rule.needed, rule.rule.percent], [needed, percent])
    }
    const { id } = await paper.upload({ by: 'petra' })
    ok(await configure(id, { approvers: reviewers(34) }))
    ok(await paper.move('petra', id, 'submit'))
    assert.equal((await pendingOf(id)).rules[0].needed, 1)
  })

  it('stays as it was settled while the round lasts, whoever is hired, and is settled anew in the next', async () => {
    const { id } = await paper.upload()
    ok(await configure(id, { approvers: reviewers(50) }))
    ok(await paper.move('alan', id, 'submit'))
    const hire = async (name: string, role: string) => {
      const [row] = await world.rows<Json>(
        `select r.id from roles r join users u on u.tenant_id = r.tenant_id where u.username = 'ada' and r.name = $1`,
        [role],
      )
      const { id: role_id } = row!
      return ok(
        await world.as('ada').post('/api/users/', {
          username: name,
          email: `${name}@example.com`,
          full_name: name,
          role_id: Number(role_id),
          password: 'Purple kettle 47 boats',
        }),
      ).id as number
    }
    const hired = [await hire('nina', 'QA'), await hire('noah', 'QA')]
    assert.equal((await pendingOf(id)).rules[0].needed, 2)
    ok(await paper.approve('petra', id))
    ok(await paper.move('alan', id, 'withdraw'))
    ok(await paper.move('alan', id, 'submit'))
    assert.equal((await pendingOf(id)).rules[0].needed, 3)
    for (const one of hired)
      ok(await world.as('ada').post(`/api/users/${one}/deactivate`, { change_reason: 'Left again' }))
    assert.equal((await pendingOf(id)).rules[0].needed, 3)
    for (const name of ['petra', 'quentin']) assert.equal(ok(await paper.approve(name, id)).status, 'in_review')
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_approval')
  })

  it('is settled as well where a draft is submitted and approved at once, and where it is configured in review', async () => {
    const { id } = await paper.upload({ type: 'General document', by: 'quinn' })
    const approvers = [{ kind: 'permission', who: 'documents.approve', percent: 25 }]
    ok(await configure(id, { transition: 'approve', approvers }))
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
    const { id: other } = await paper.submitted()
    ok(await configure(other, { approvers: reviewers(50) }))
    assert.equal((await pendingOf(other)).rules[0].needed, 2)
    ok(await paper.approve('petra', other))
    assert.equal(ok(await paper.approve('quentin', other)).status, 'in_approval')
  })

  it('is in the place of a count, not beside it', async () => {
    const { id } = await paper.upload()
    const both = [{ kind: 'role', who: 'QA', percent: 50, count: 1 }]
    const reply = await configure(id, { approvers: both })
    refused(reply, 422, /workflow_count_and_percent/)
    assert.deepEqual(reply.json().detail[0].loc, ['body', 'approvers', 0, 'percent'])
    refused(await configure(id, { approvers: [{ kind: 'role', who: 'QA', percent: 101 }] }), 422, /percent/)
  })
})

describe('until when an approval is due', () => {
  it('is so many days from its beginning, in the time zone of the tenant, and begins anew with the next approval', async () => {
    const type = await typeWith({ due_days: 5 })
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Pacific/Kiritimati' }))
    const { id } = await paper.submitted({ type })
    assert.equal((await pendingOf(id)).due_date, daysLater(dayIn('Pacific/Kiritimati', world.clock.now()), 5))
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC' }))
    ok(await paper.approve('petra', id))
    assert.equal((await pendingOf(id)).due_date, null)
    ok(await paper.move('alan', id, 'withdraw'))
    world.clock.moved_ms = 3 * day_ms
    ok(await paper.move('alan', id, 'submit'))
    assert.equal((await pendingOf(id)).due_date, daysLater(today(), 5))
  })

  it('is configured for one document, before or while its approval is pending, and not in the past', async () => {
    const type = await typeWith({ due_days: 5 })
    const { id } = await paper.upload({ type })
    const [tomorrow, soon] = [daysLater(today(), 1), daysLater(today(), 3)]
    refused(await configure(id, { due_date: daysLater(today(), -1) }), 422, /"type":"document_day_past"/)
    ok(await configure(id, { due_date: tomorrow }))
    ok(await paper.move('alan', id, 'submit'))
    assert.equal((await pendingOf(id)).due_date, tomorrow)
    ok(await configure(id, { due_date: soon }))
    assert.equal((await pendingOf(id)).due_date, soon)
    // Other approvers leave the day as it was, and the day leaves the approvers.
    ok(await configure(id, { approvers: [{ kind: 'user', who: [idOf('petra'), idOf('quentin')], count: 2 }] }))
    assert.equal((await pendingOf(id)).due_date, soon)
    ok(await paper.approve('petra', id))
    ok(await configure(id, { due_date: null }))
    assert.equal((await pendingOf(id)).due_date, daysLater(today(), 5))
    assert.equal((await pendingOf(id)).rules[0].needed, 2)
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.approval_configured&resource_id=${id}&sort=id:desc`),
    ).items
    assert.deepEqual(entry.changes.approval_due_date, { from: soon, to: daysLater(today(), 5) })
  })

  it('is told of a reminder on the day before the last two, and once when it is over; a reminder that was missed is passed over', () => {
    const terms = (due_days?: number, remind_days_before?: number, configured?: string) => {
      const gate = { ...(due_days && { due_days }), ...(remind_days_before !== undefined && { remind_days_before }) }
      const { approval_due_date, approval_notice, approval_notice_on } = dueTerms(gate, configured, '2026-03-10')
      return [approval_due_date, approval_notice, approval_notice_on]
    }
    assert.deepEqual(terms(), [null, null, null])
    assert.deepEqual(terms(5), ['2026-03-15', 'reminder', '2026-03-13'])
    assert.deepEqual(terms(5, 0), ['2026-03-15', 'reminder', '2026-03-15'])
    assert.deepEqual(terms(1), ['2026-03-11', 'reminder', '2026-03-11'])
    assert.deepEqual(terms(undefined, undefined, '2026-03-10'), ['2026-03-10', 'escalation', '2026-03-11'])
    assert.deepEqual(terms(5, 1, '2026-04-01'), ['2026-04-01', 'reminder', '2026-03-31'])
    assert.deepEqual(terms(5, 1, '2026-03-09'), ['2026-03-15', 'reminder', '2026-03-14'])
  })
})

describe('what the clock tells about an approval', () => {
  const told = async (id: number) =>
    (
      await world.rows<Json>(
        `select action from audit_entries where resource_id = $1 and action in ('document.approval_due', 'document.approval_escalated') order by id`,
        [id],
      )
    ).map(({ action }) => action)

  it('a reminder once, an escalation once, and nothing more', async () => {
    const type = await typeWith({ due_days: 5, escalate_to: { kind: 'role', who: 'QA Manager' } })
    const { id } = await paper.submitted({ type })
    for (const [days, expected] of [
      [0, []],
      [2, []],
      [3, ['document.approval_due']],
      [4, ['document.approval_due']],
      [5, ['document.approval_due']],
      [6, ['document.approval_due', 'document.approval_escalated']],
      [30, ['document.approval_due', 'document.approval_escalated']],
    ] as const) {
      world.clock.moved_ms = days * day_ms
      await world.tick()
      await world.tick()
      assert.deepEqual(await told(id), expected, `after ${days} days`)
    }
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.approval_escalated&resource_id=${id}`),
    ).items
    assert.deepEqual([entry.user.username, entry.changes.transition.to], ['system', 'review'])
  })

  it('nothing of what was decided in time, and of the next approval what is its own', async () => {
    const type = await typeWith({ due_days: 5 })
    const { id } = await paper.submitted({ type })
    ok(await paper.approve('petra', id))
    world.clock.moved_ms = 40 * day_ms
    await world.tick()
    assert.deepEqual(await told(id), [])
  })

  it('after a stop over both days, the later of the two alone; two processes tell it once', async () => {
    const type = await typeWith({ due_days: 5 })
    const { id } = await paper.submitted({ type })
    world.clock.moved_ms = 40 * day_ms
    await Promise.all([world.tick(), world.tick()])
    assert.deepEqual(await told(id), ['document.approval_escalated'])
  })

  it('of a round that was withdrawn, in the next round anew', async () => {
    const type = await typeWith({ due_days: 5 })
    const { id } = await paper.submitted({ type })
    world.clock.moved_ms = 4 * day_ms
    await world.tick()
    ok(await paper.move('alan', id, 'withdraw'))
    world.clock.moved_ms = 20 * day_ms
    await world.tick()
    assert.deepEqual(await told(id), ['document.approval_due'])
    ok(await paper.move('alan', id, 'submit'))
    world.clock.moved_ms = 24 * day_ms
    await world.tick()
    assert.deepEqual(await told(id), ['document.approval_due', 'document.approval_due'])
  })
})
