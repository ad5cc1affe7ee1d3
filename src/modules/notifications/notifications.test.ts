import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Type } from 'typebox'
import { command, createRunner, type Recorded, type Sink } from '#action'
import { type EventName, events } from '#kernel/catalogue.ts'
import { daysLater } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import type { MessageParams, TitledMessage } from '#kernel/message.ts'
import { pages } from '#kernel/pages.ts'
import { systemActor } from '#modules/accounts'
import { auditSink } from '#modules/audit'
import { assignments } from '#test/builders/assignments.ts'
import { cases } from '#test/builders/cases.ts'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { statementsDuring } from '../../../bench/statements.ts'
import { sinks } from '../../app.ts'
import { markEveryRead, maxMarkedAtOnce } from './actions.ts'
import { addressOf } from './link-queries.ts'
import { messages } from './messages.ts'
import { rules } from './rules/rules.ts'
import { notificationSink } from './sink.ts'

interface Notification {
  id: number
  type: string
  priority: string
  title: string
  message: string
  code: string
  params: object
  resource_type: string
  resource_id: number | null
  link: string | null
  is_read: boolean
  read_at: string | null
}

describe('notifications', () => {
  let world: World
  let document: number
  before(async () => {
    world = await openWorld()
    const uploaded = await accepted(
      world.as('alan').upload('/api/documents/upload', {
        title: 'Gowning for the filling room',
        document_type: await world.typeId('SOP'),
      }),
    )
    document = uploaded.json().id
  })
  after(() => world.close())

  const id = (name: string) => world.people[name]!.id
  const listOf = async (name: string, search = '') =>
    (await accepted(world.as(name).get(`/api/notifications/${search}`))).json() as {
      items: Notification[]
      total: number
      pages: number
    }
  const unreadOf = async (name: string) =>
    (await accepted(world.as(name).get('/api/notifications/unread-count'))).json().unread as number
  const clear = () => world.superuser.query('delete from notifications')

  type Event = Pick<Recorded, 'event' | 'notify' | 'assignees' | 'after' | 'reason'> & { id?: number | null }
  /** A command of `by`, or of the system, that records these and then perhaps fails. */
  async function happens(
    recorded: Event[],
    { by, fails = false, through }: { by?: string; fails?: boolean; through?: Sink[] } = {},
  ) {
    const { services } = world
    const { tenant_id } = world.people.ada!
    const system = systemActor(tenant_id)
    const actor = by ? { ...system, userId: id(by), username: by, fullName: `${by} Example` } : system
    const action = command({
      summary: 'Let something happen',
      permission: 'documents.read',
      input: {},
      response: Type.Null(),
      async run({ record }) {
        for (const { event, id = document, ...change } of recorded) record(event, id, change)
        if (fails) throw conflict({ code: 'not_now', params: {}, text: 'Not now.' })
        return null
      },
    })
    const origin = { requestId: '', clientAddr: '' }
    return createRunner({ ...services, post: undefined }, through ?? sinks).run(action, actor, {}, { origin })
  }

  // proves: NOTE-01
  it('ask those for a decision who may decide, and tell author and owner what became of it', async () => {
    await clear()
    await accepted(world.as('alan').post(`/api/documents/${document}/transition`, { transition: 'submit' }))
    const [asked] = (await listOf('petra')).items
    assert.deepEqual(
      { ...asked, id: 0, created_at: '' },
      {
        id: 0,
        type: 'document_approval_requested',
        priority: 'high',
        title: 'SOP-0001 awaits your decision',
        message: 'SOP-0001, "Gowning for the filling room", version 1.0. Its state is: In review.',
        code: 'document_approval_requested',
        params: {
          ...{ number: 'SOP-0001', title: 'Gowning for the filling room', version: '1.0', state: 'In review' },
          ...{ by: 'Alan Example', comment: null, due_date: null, effective_date: null, quote: null },
        },
        resource_type: 'document',
        resource_id: document,
        link: `/api/documents/${document}`,
        is_read: false,
        read_at: null,
        settled_at: null,
        email: null,
        created_at: '',
      },
    )
    const totals = ['petra', 'quentin', 'quinn', 'alan', 'anna', 'uma'].map(async name => (await listOf(name)).total)
    assert.deepEqual(await Promise.all(totals), [1, 1, 1, 0, 0, 0], 'who may decide, each once, and not who did it')
    const no = { decision: 'reject', comment: 'Step 3 is missing' }
    await accepted(world.as('petra').post(`/api/documents/${document}/approve`, no))
    const { items } = await listOf('alan')
    assert.deepEqual(
      items.map(({ type, priority, title, message }) => [type, priority, title, message]),
      [
        [
          'document_rejected',
          'high',
          'SOP-0001 was rejected by Petra Example',
          'SOP-0001, "Gowning for the filling room", version 1.0. Its state is: Draft. "Step 3 is missing"',
        ],
      ],
    )
  })

  // proves: NOTE-01
  it('are there with the change that they tell of, or neither is', async () => {
    await clear()
    const told: Event[] = [{ event: 'document.commented', notify: [id('alan')], after: { comment: 'Which gloves?' } }]
    await assert.rejects(happens(told, { by: 'petra', fails: true }), /Not now/)
    assert.equal((await listOf('alan')).total, 0)
    await happens(told, { by: 'petra' })
    assert.match((await listOf('alan')).items[0]!.message, /version 1\.0\. "Which gloves\?"$/)
    const [entry] = await world.rows('select outcome from audit_entries where action = $1', ['document.commented'])
    assert.deepEqual(entry, { outcome: 'success' })
  })

  it('remind once of the same facts, also who did it themselves, and again of others', async () => {
    await clear()
    const due = (due_date: string): Event => ({
      event: 'document.review_due',
      after: { version: '1.0', due_date },
      notify: [id('alan')],
    })
    await happens([due('2026-12-24')])
    await happens([due('2026-12-24')], { by: 'alan' })
    assert.equal((await listOf('alan')).total, 1)
    await happens([due('2027-12-24')], { by: 'alan' })
    assert.deepEqual(
      (await listOf('alan')).items.map(({ message }) => /due on ([\d-]+)/.exec(message)![1]),
      ['2027-12-24', '2026-12-24'],
    )
  })

  it('are for people who can log in, of the same tenant', async () => {
    await clear()
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query('update users set is_active = false where id = $1', [id('anna')])
    await world.superuser.query('commit')
    await happens([{ event: 'document.commented', notify: [id('anna'), id('rob'), id('alan')] }])
    const rows = await world.rows<{ user_id: string }>('select user_id from notifications')
    assert.deepEqual(
      rows.map(({ user_id }) => Number(user_id)),
      [id('alan')],
    )
  })

  // proves: NOTE-02, SVC-01
  it("are one's own: nobody lists, counts or marks another's, of the same tenant or of another", async () => {
    await clear()
    await happens([{ event: 'document.commented', notify: [id('alan'), id('petra')] }])
    const [own] = (await listOf('alan')).items
    assert.equal((await listOf('quinn')).total, 0)
    assert.equal(await unreadOf('ada'), 0)
    for (const name of ['petra', 'ada', 'rex']) {
      const reply = await world.as(name).post(`/api/notifications/${own!.id}/mark-read`)
      assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Notification not found'])
    }
    assert.deepEqual((await accepted(world.as('petra').post('/api/notifications/mark-all-read'))).json(), {
      marked_read: 1,
    })
    assert.equal(await unreadOf('alan'), 1)
    assert.equal(await unreadOf('petra'), 0)
  })

  // proves: NOTE-02
  it('are marked as read one by one or all at once; when it was first is kept, and the trail says so', async () => {
    await clear()
    for (let day = 10; day < 15; day++)
      await happens([{ event: 'document.review_due', after: { due_date: `2026-12-${day}` }, notify: [id('alan')] }])
    assert.equal(await unreadOf('alan'), 5)
    const [first] = (await listOf('alan')).items
    const mark = () => world.as('alan').post(`/api/notifications/${first!.id}/mark-read`)
    const marked = (await accepted(mark())).json()
    assert.equal(marked.is_read, true)
    assert.equal((await accepted(mark())).json().read_at, marked.read_at)
    assert.equal(await unreadOf('alan'), 4)
    assert.equal((await listOf('alan', '?is_read=false')).total, 4)
    assert.deepEqual(
      (await listOf('alan', '?is_read=true')).items.map(each => each.id),
      [first!.id],
    )
    const all = () => world.as('alan').post('/api/notifications/mark-all-read')
    assert.deepEqual((await accepted(all())).json(), { marked_read: 4 })
    assert.deepEqual((await accepted(all())).json(), { marked_read: 0 })
    assert.equal(await unreadOf('alan'), 0)
    const entries = await world.rows<{ resource_id: string | null; changes: object }>(
      `select resource_id, changes from audit_entries where action = 'notification.read' and user_id = $1 order by id desc limit 4`,
      [id('alan')],
    )
    assert.deepEqual(
      entries.map(({ changes }) => changes),
      [
        { marked_read: { from: null, to: 0 } },
        { marked_read: { from: null, to: 4 } },
        {},
        { is_read: { from: false, to: true } },
      ],
    )
  })

  it('are listed the newest first, in pages, and found by type and priority', async () => {
    await clear()
    for (const [event, due_date] of [
      ['document.review_due', '2026-12-01'],
      ['document.review_overdue', '2026-12-01'],
      ['document.review_due', '2027-12-01'],
    ] as const)
      await happens([{ event, after: { due_date }, notify: [id('alan')] }])
    const types = async (search: string) => (await listOf('alan', search)).items.map(({ type }) => type)
    assert.deepEqual(await types(''), ['document_review_due', 'document_review_overdue', 'document_review_due'])
    assert.deepEqual(await types('?type=document_review_overdue'), ['document_review_overdue'])
    assert.deepEqual(await types('?priority=high&is_read=false'), ['document_review_overdue'])
    const page = await listOf('alan', '?page=2&page_size=2&sort=id:asc')
    assert.deepEqual([page.total, page.pages, page.items.map(({ type }) => type)], [3, 2, ['document_review_due']])
    assert.equal((await world.as('alan').get('/api/notifications/?type=nonsense')).statusCode, 422)
  })

  // proves: NOTE-01, AUTH-03
  it('are found by the days on which they were told, and sorted by priority', async () => {
    await clear()
    await happens([
      { event: 'document.review_due', after: { due_date: '2026-12-01' }, notify: [id('alan')] },
      { event: 'document.rejected', notify: [id('alan')] },
      { event: 'document.comment_resolved', notify: [id('alan')] },
    ])
    await world.rows(`update notifications set created_at = '2026-02-28T23:30:00Z' where type = 'document_rejected'`)
    const typesOf = async (search: string) => (await listOf('alan', search)).items.map(({ type }) => type)
    assert.deepEqual(await typesOf('?date_from=2026-02-28&date_to=2026-02-28'), ['document_rejected'])
    assert.deepEqual(await typesOf('?date_to=2026-02-28T23:29:59Z'), [])
    assert.equal((await listOf('alan', '?date_from=2026-03-01')).total, 2)
    const byPriority = ['document_rejected', 'document_review_due', 'document_comment_resolved']
    assert.deepEqual(await typesOf('?sort=priority:desc'), byPriority)
    assert.deepEqual(await typesOf('?sort=priority'), byPriority.toReversed())
    assert.equal((await world.as('alan').get('/api/notifications/?sort=title')).statusCode, 422)
  })

  it('lead to their record, also to a review that is read under its CAPA', async () => {
    await clear()
    const capa = await cases(world).capa({ by: 'alan', assigned_to: id('alan') })
    const plan = { criteria: 'No more of it', method: 'trend', due_date: '2199-01-31', reviewer_id: id('petra') }
    const review = (await accepted(world.as('quinn').post(`/api/capa/${capa.id}/effectiveness`, plan))).json()
    const [told] = (await listOf('petra', '?type=capa_review_planned')).items
    assert.equal(told!.link, `/api/capa/${capa.id}/effectiveness/${review.id}`)
    assert.equal((await world.as('petra').get(told!.link!)).statusCode, 200)
    const training = assignments(world)
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: [id('petra')] })
    const [assigned] = (await listOf('petra', '?type=training_assigned')).items
    const addresses = Object.fromEntries(Object.entries(pages).map(([place, { address }]) => [place, address]))
    const found = await world.database.transaction(
      { tenantId: world.people.petra!.tenant_id, userId: id('petra') },
      'read only',
      tx =>
        tx
          .selectFrom('notifications')
          .select(addressOf(addresses).as('page'))
          .where('id', 'in', [told!.id, assigned!.id])
          .orderBy('id')
          .execute(),
    )
    assert.deepEqual(
      found.map(({ page }) => page),
      [`/capa/${capa.id}`, `/training/${program.id}`],
    )
  })

  it('tell hundreds of people in one statement, each of what is theirs', async () => {
    await clear()
    const people = ['alan', 'quinn', 'uma', 'otto', 'petra']
    const all = Array.from({ length: 300 }, (_, i) => ({
      event: 'document.review_due' as const,
      after: { due_date: daysLater('2026-12-01', i) },
      notify: [id(people[i % people.length]!)],
    }))
    const sent: string[] = []
    const counted: Sink = async (tx, by, recorded) => {
      // Entries are sealed meanwhile.
      for (const statement of await statementsDuring(async () => notificationSink(tx, by, recorded)))
        if (typeof statement !== 'string' && !/\baudit_/.test(statement.text)) sent.push(statement.text)
    }
    await happens(all, { through: [auditSink, counted] })
    assert.deepEqual(await Promise.all(people.map(async name => (await listOf(name)).total)), [60, 60, 60, 60, 60])
    assert.ok(sent.length < 10, `${sent.length} statements:\n${sent.join('\n')}`)
    assert.equal(sent.filter(text => /insert into "?notifications/.test(text)).length, 1)
  })

  // proves: NOTE-02
  it('are marked as read in parts where there are very many, and all of them', async () => {
    await clear()
    await world.rows(
      `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, dedupe_key)
       select $1, $2, 'document_moved', 'low', 'Moved', 'Moved', 'document', n::text from generate_series(1, 45) n`,
      [world.people.alan!.tenant_id, id('alan')],
    )
    const { actor } = (await world.services.accounts.find({
      tenantId: world.people.alan!.tenant_id,
      userId: id('alan'),
      sessionId: null,
    }))!
    const { runner } = world.services
    const origin = { requestId: '', clientAddr: '' }
    const marked = await runner.run(markEveryRead(20), { ...actor, authTime: 0 }, {}, { origin })
    assert.deepEqual(marked, { marked_read: 45 })
    assert.equal(await unreadOf('alan'), 0)
    const entries = await world.rows<{ n: number }>(
      `select (changes #>> '{marked_read,to}')::int as n from audit_entries where action = 'notification.read' order by id desc limit 3`,
    )
    assert.deepEqual(
      entries.map(({ n }) => n),
      [5, 20, 20],
    )
    assert.equal(maxMarkedAtOnce, 20_000, 'in the service')
  })

  it('are told once, where two tell the same facts at the same moment, and to people in either order', async () => {
    await clear()
    const remind = (...names: string[]): Event[] =>
      names.map(name => ({ event: 'document.review_due', after: { due_date: '2026-12-24' }, notify: [id(name)] }))
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        happens(i % 2 === 0 ? remind('alan', 'petra', 'uma') : remind('uma', 'petra', 'alan')),
      ),
    )
    for (const name of ['alan', 'petra', 'uma']) assert.equal((await listOf(name)).total, 1, name)
  })

  it('stay unread that come while all are marked', async () => {
    await clear()
    const tell = (n: number) =>
      happens([{ event: 'document.review_due', after: { due_date: `2027-01-${n}` }, notify: [id('alan')] }])
    await Promise.all(Array.from({ length: 10 }, (_, i) => tell(10 + i)))
    const mark = async () =>
      (await accepted(world.as('alan').post('/api/notifications/mark-all-read'))).json().marked_read
    const [marked, again] = await Promise.all([mark(), mark(), tell(25), tell(26), tell(27)])
    assert.equal(marked + again + (await unreadOf('alan')), 13)
  })

  it('tell the Admins at once of an account that is locked, and its owner where they are one', async () => {
    await clear()
    const fail = (username: string) =>
      world.server.inject({ method: 'POST', url: '/api/auth/token', payload: { username, password: 'not it at all' } })
    for (let attempt = 0; attempt < 5; attempt++) await fail('uma')
    for (let attempt = 0; attempt < 5; attempt++) await fail('ada')
    const { items } = await listOf('ada')
    assert.deepEqual(
      items.map(({ type, priority, title, resource_type, resource_id }) => [
        type,
        priority,
        title,
        resource_type,
        resource_id,
      ]),
      [
        ['account_locked', 'urgent', 'The account of Ada Example (ada) is locked', 'user', id('ada')],
        ['account_locked', 'urgent', 'The account of Uma Example (uma) is locked', 'user', id('uma')],
      ],
    )
    assert.match(items[1]!.message, /5 failed attempts in a row: locked for 30 seconds/)
    for (const name of ['uma', 'quinn', 'rex']) assert.equal((await listOf(name)).total, 0, name)
  })

  it('never fail what they tell of: each rule speaks of whatever is recorded of its event', async () => {
    await clear()
    for (const event of Object.keys(events) as EventName[]) {
      for (const after of [
        undefined,
        {},
        { version: '9.9' },
        { version: '1.0', due_date: '2026-12-24', effective_date: null },
      ])
        await happens([{ event, ...(after && { after }), notify: [id('alan')], assignees: [id('petra')] }], {
          by: 'quinn',
        })
      await happens([{ event, id: null, notify: [id('alan')], assignees: [id('petra')] }])
    }
    const told = await world.rows<{ title: string; message: string; code: string; params: MessageParams }>(
      'select title, message, code, params from notifications',
    )
    assert.ok(told.length > 20)
    const catalogue = messages as unknown as Record<string, (params: MessageParams) => TitledMessage>
    for (const { title, message, code, params } of told) {
      assert.doesNotMatch(`${title} ${message}`, /undefined|null|NaN|\[object|\.\.| {2}/, title)
      assert.deepEqual(
        catalogue[code]!(params),
        { code, params, title, text: message },
        'a page can say it by its code',
      )
    }
    const loud = Object.entries(rules).filter(([, rule]) => rule !== 'silent')
    assert.ok(loud.length >= 15)
  })
})
