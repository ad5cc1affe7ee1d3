// An unread request is escalated to the next person in charge.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { PersonAtWork } from '#modules/accounts'
import { capas } from '#test/builders/capas.ts'
import { cases } from '#test/builders/cases.ts'
import { meeting } from '#test/builders/races.ts'
import { accepted } from '#test/builders/samples.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { nextInCharge } from './in-charge.ts'

const hour_ms = 3_600_000

describe('a request that is ignored', () => {
  let world: World
  let made: ReturnType<typeof cases>
  let type: number
  before(async () => {
    world = await openWorld()
    made = cases(world)
    type = await world.typeId('SOP')
  })
  after(() => world.close())
  beforeEach(async () => {
    world.clock.moved_ms = 0
    await world.superuser.query('delete from notifications')
  })

  const id = (name: string) => world.people[name]!.id
  const hoursLater = (hours: number) => {
    world.clock.moved_ms = hours * hour_ms
  }
  const look = () => world.round(world.app.schedules.find(({ name }) => name === 'notifications.escalate')!)
  const told = async () =>
    (
      await world.rows<{ username: string; priority: string; title: string; message: string }>(
        `select u.username, n.priority, n.title, n.message from notifications n join users u on u.id = n.user_id
         where n.type = 'escalation' order by n.id`,
      )
    ).map(({ username, ...rest }) => ({ to: username, ...rest }))
  const submitted = async () => {
    const form = { title: 'Gowning', document_type: type }
    const document = (await accepted(world.as('alan').upload('/api/documents/upload', form))).json()
    await accepted(world.as('alan').post(`/api/documents/${document.id}/transition`, { transition: 'submit' }))
    return document as { id: number; number: string }
  }

  // proves: NOTE-01
  it('is told to the next in charge after the hours of the tenant, once, and names whom it waited for', async () => {
    const { number } = await submitted()
    hoursLater(71)
    assert.equal((await look()).done, 0)
    hoursLater(73)
    assert.deepEqual(await look(), { done: 1, refused: 0, failed: 0 })
    const all = await told()
    const title = `"${number} awaits your decision"`
    assert.deepEqual(
      all.map(each => [each.to, each.priority, each.title]),
      [
        ['ada', 'urgent', `Waiting for Quinn Example: ${title}`],
        ['quinn', 'urgent', `Waiting for Petra Example and Quentin Example: ${title}`],
      ],
    )
    assert.match(
      all[1]!.message,
      /^Petra Example, Quentin Example were notified on \d{4}-\d\d-\d\d, and have not read it\. SOP-\d+, "Gowning"/,
    )
    const [latest] = await world.rows<{ code: string; params: Record<string, unknown> }>(
      `select code, params from notifications where type = 'escalation' order by id desc limit 1`,
    )
    const { code, params } = latest!
    assert.equal(code, 'escalation')
    assert.deepEqual(
      [params.readers, params.request, params.number, params.state],
      [['Petra Example', 'Quentin Example'], 'document_approval_requested', number, 'In review'],
    )
    hoursLater(1000)
    assert.equal((await look()).done, 0)
    assert.equal((await told()).length, 2)
    const entries = await world.rows(
      `select changes -> 'told' -> 'to' as told from audit_entries where action = 'notification.escalated' order by id`,
    )
    assert.deepEqual(entries, [{ told: [id('ada')] }, { told: [id('quinn')] }])
  })

  it('is left alone once it is read, and by those who have read it', async () => {
    const { number } = await submitted()
    for (const name of ['petra', 'quinn', 'ada'])
      await accepted(world.as(name).post('/api/notifications/mark-all-read'))
    hoursLater(73)
    await look()
    assert.deepEqual(
      (await told()).map(({ title }) => title),
      [`Waiting for Quentin Example: "${number} awaits your decision"`],
    )
  })

  it('is left at that once it is decided, by whomever', async () => {
    const { id: document } = await submitted()
    const no = { decision: 'reject', comment: 'Step 3 is missing' }
    await accepted(world.as('petra').post(`/api/documents/${document}/approve`, no))
    hoursLater(73)
    assert.equal((await look()).done, 0, 'the decision settled them')
    assert.deepEqual(await told(), [])
  })

  it('is left at that where it asks its readers no more though nobody changed its record', async () => {
    const { id: document } = await submitted()
    // What no event of the record tells, such as that a reader lost a role, is found by the round.
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update document_versions set status = 'draft', status_kind = 'initial' where document_id = ${document}; commit`)
    hoursLater(73)
    assert.deepEqual(await look(), { done: 1, refused: 0, failed: 0 })
    assert.deepEqual(await told(), [])
    const asking = await world.rows(
      `select from notifications where (requires_action or settled_at is null) and is_request and resource_id = $1`,
      [document],
    )
    assert.equal(asking.length, 0)
    const [entry] = await world.rows(
      `select changes -> 'settled' -> 'to' as settled from audit_entries where action = 'notification.settled' order by id desc limit 1`,
    )
    assert.deepEqual(entry, { settled: 4 })
    assert.equal((await look()).done, 0)
  })

  it('is left to the workflow where that reports an approval that is overdue itself', async () => {
    const [version] = await world.rows<{ definition: { transitions: { approval?: object }[] } }>(
      `select v.definition from document_types t join workflow_template_versions v on v.template_id = t.workflow_template_id
       where t.id = $1 order by v.version desc limit 1`,
      [type],
    )
    const definition = structuredClone(version!.definition)
    for (const each of definition.transitions)
      if (each.approval) each.approval = { ...each.approval, due_days: 2, escalate_to: { kind: 'role', who: 'Admin' } }
    const { id: template } = (
      await accepted(world.as('ada').post('/api/workflow-templates/', { name: 'With a due date', definition }))
    ).json()
    const { id: dated } = (
      await accepted(
        world.as('ada').post('/api/document-types/', { name: 'Dated', prefix: 'DAT', workflow_template_id: template }),
      )
    ).json()
    const form = { title: 'Gowning', document_type: dated }
    const document = (await accepted(world.as('alan').upload('/api/documents/upload', form))).json()
    await accepted(world.as('alan').post(`/api/documents/${document.id}/transition`, { transition: 'submit' }))
    hoursLater(96)
    await world.tick()
    assert.deepEqual(await told(), [])
    const overdue = await world.rows(
      `select from notifications where type = 'document_approval_overdue' and user_id = $1 and resource_id = $2`,
      [id('ada'), document.id],
    )
    assert.equal(overdue.length, 1)
  })

  it('goes from who works on a deviation to those who assess it, while it is theirs', async () => {
    const { id: deviation } = await made.deviation({ by: 'petra', assigned_to: id('alan') })
    const { id: other } = await made.deviation({ by: 'petra', assigned_to: id('anna') })
    await made.cancel(other)
    hoursLater(73)
    await look()
    const all = await told()
    assert.deepEqual(all.map(({ to }) => to).sort(), ['petra', 'quentin'], 'the role above an Author')
    const rows = await world.rows(`select distinct resource_id::int from notifications where type = 'escalation'`)
    assert.deepEqual(rows, [{ resource_id: deviation }])
  })

  // proves: NOTE-01
  describe('goes on for as long as its record asks it', () => {
    const inState = (state: 'draft' | 'rejected' | 'open' | 'pending_effectiveness' | 'closed') => async () =>
      (await capas(world).inState(state)).id as number
    const laterDay = async () => {
      const id = await inState('open')()
      const body = { due_date: '2199-01-31', reason: 'The pump is late' }
      await accepted(world.as('alan').post(`/api/capa/${id}/extend`, body))
      return id
    }
    const laterDayDecided = async () => {
      const id = await laterDay()
      const extensions = await capas(world).get('petra', id, '/extensions')
      const url = `/api/capa/${id}/extensions/${extensions[0].id}/decide`
      await accepted(world.as('petra').post(url, { decision: 'approve' }))
      return id
    }
    const cancelled = async () => {
      const id = await inState('open')()
      await accepted(capas(world).put('petra', id, { status: 'cancelled' }))
      return id
    }
    const review = (state: 'planned' | 'concluded' | 'closed') => async () => {
      const made = capas(world)
      const { id: capa } = await made.inState(state === 'planned' ? 'in_progress' : 'pending_effectiveness')
      if (state === 'planned') return (await accepted(made.plan('petra', capa))).json().id as number
      const reviews = await made.get('petra', capa, '/effectiveness')
      await accepted(made.conclude('quentin', capa, reviews[0].id))
      if (state === 'closed') await accepted(made.put('quinn', capa, { status: 'closed', password }))
      return reviews[0].id as number
    }
    const trained = async () => {
      const made = trainings(world)
      const { id } = await made.create({ type: 'on_the_job', requires_verification: true })
      const assignment = await made.assign(id, ['uma'])
      await accepted(made.complete('uma', id))
      return assignment
    }
    const verified = async () => {
      const assignment = await trained()
      await accepted(trainings(world).verify('petra', assignment))
      return assignment
    }
    for (const [asked, waiting, over] of [
      ['capa_approval_requested', inState('draft'), inState('rejected')],
      ['capa_assigned', inState('open'), cancelled],
      ['capa_extension_requested', laterDay, laterDayDecided],
      ['capa_review_planned', review('planned'), review('concluded')],
      ['capa_review_requested', inState('pending_effectiveness'), inState('closed')],
      ['capa_reviewed', review('concluded'), review('closed')],
      ['training_verification_requested', trained, verified],
    ] as const) {
      it(asked, async () => {
        const still = await waiting()
        const settled = await over()
        const ignored = await world.rows<{ id: number }>(
          'select distinct resource_id::int as id from notifications where requires_action and type = $1 order by 1',
          [asked],
        )
        assert.deepEqual(ignored, [{ id: still }, { id: settled }])
        await world.superuser.query('delete from notifications where type <> $1', [asked])
        hoursLater(1000)
        await look()
        const told = await world.rows(
          `select distinct resource_id::int as id from notifications where type = 'escalation'`,
        )
        assert.deepEqual(told, [{ id: still }])
      })
    }
  })

  it('goes by its urgency, and by the hours that the tenant chose', async () => {
    const due = () =>
      world.rows('update notifications set priority = $1 where requires_action', ['urgent']).then(() => hoursLater(25))
    await accepted(world.as('ada').put('/api/settings/', { escalation_hours: { high: 5 } }))
    await submitted()
    hoursLater(6)
    assert.equal((await look()).done, 1)
    world.clock.moved_ms = 0
    await accepted(world.as('ada').put('/api/settings/', { escalation_hours: { high: 72 } }))
    await submitted()
    hoursLater(25)
    assert.equal((await look()).done, 0)
    await due()
    assert.equal((await look()).done, 1)
  })

  it('is told once, of however many processes that look at the same moment', async () => {
    const { id: document } = await submitted()
    hoursLater(73)
    const lock = { text: 'select from notifications where resource_id = $1 for update', values: [document], waiting: 2 }
    const looks = await meeting(world, lock, () => [look(), look()])
    assert.deepEqual(looks.map(({ done, refused, failed }) => [done, refused, failed].join()).sort(), [
      '0,1,0',
      '1,0,0',
    ])
    assert.equal((await told()).length, 2)
  })

  it('is told on or read, where both are at the same moment', async () => {
    const { id: document } = await submitted()
    await world.rows(`delete from notifications where user_id <> $1`, [id('quentin')])
    hoursLater(73)
    const lock = { text: 'select from notifications where resource_id = $1 for update', values: [document], waiting: 2 }
    const markAll = async () => {
      await accepted(world.as('quentin').post('/api/notifications/mark-all-read'))
    }
    const [looked] = await meeting(world, lock, () => [look(), markAll().then(() => undefined)])
    assert.equal(looked!.failed, 0)
    assert.equal((await told()).length, looked!.done, 'one or the other was first')
    assert.equal((await look()).done, 0)
  })

  it('goes up the roles to the first with anybody who may read the record', () => {
    const person = (userId: number, roles: string[], permissions = ['capa.read']) =>
      ({ userId, role: roles[0], roles, permissions: new Set(permissions) }) as unknown as PersonAtWork
    const people = [
      person(1, ['User']),
      person(2, ['Author', 'User']),
      person(3, ['QA', 'Author', 'User'], []),
      person(4, ['Validation', 'QA', 'Author', 'User']),
      person(5, ['QA Manager', 'QA', 'Author', 'User']),
      person(6, ['Admin', 'QA Manager', 'QA', 'Author', 'User']),
      person(7, ['Auditor', 'User']),
    ]
    const next = (ignoredBy: number) => nextInCharge(people, ignoredBy, 'capa.read')
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 99].map(each => next(each)),
      [[2], [4], [5], [5], [6], [], [2], [2]],
    )
  })
})
