// E-mails to people, from the recorded event to the mail server of test/support/fakes/smtp.ts.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { pages } from '#kernel/pages.ts'
import { systemActor } from '#modules/accounts'
import { recoverLost } from '#modules/jobs'
import { accepted, draftDocument, giveSecondFactor } from '#test/builders/samples.ts'
import { messageIdOf, partsOf, type Smtp, subjectOf } from '#test/fakes/smtp.ts'
import { openMailWorld, public_url } from '#test/world/mail-world.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { mailPosting } from './post.ts'
import type { NewMail } from './queries.ts'
import { retryMails } from './retry.ts'
import { mailJob } from './send.ts'

const hour_ms = 3_600_000
const attempts = 13

describe('a message to a person', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld({ PUBLIC_URL: `${public_url}/` }))
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })
  afterEach(async () => {
    for (const each of ['recipient', 'content', 'greeting'] as const) smtp.behaviour[each] = undefined
    smtp.received.length = 0
    await world.superuser.query(`delete from pgboss.job; delete from mails`)
  })

  const acme = () => world.people.ada!.tenant_id
  const inAcme = <T>(work: Parameters<typeof world.database.transaction<T>>[2]) =>
    world.database.transaction({ tenantId: acme(), userId: null }, 'read write', work)
  const mails = () =>
    world.rows<{ id: string; status: string; attempts: number; error: string | null; message_id: string }>(
      'select * from mails order by id',
    )
  const notificationOf = async (name: string, title = 'A title', priority = 'high') => {
    const [{ id }] = (await world.rows(
      `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, resource_id, dedupe_key)
       values ($1, $2, 'document_approved', $4, $3, 'What there is to say', 'document', 7, gen_random_uuid()) returning id`,
      [world.people[name]!.tenant_id, world.people[name]!.id, title, priority],
    )) as [{ id: string }]
    return Number(id)
  }
  const post = (...news: NewMail[]) => inAcme(tx => mailPosting(world.services.config)!(tx, news))
  const postTo = async (name: string, title?: string) =>
    post({
      user_id: world.people[name]!.id,
      kind: 'notification',
      notification_ids: [await notificationOf(name, title)],
    })
  const later = (hours: number) => {
    world.clock.moved_ms += hours * hour_ms
    return world.work()
  }

  // proves: NOTE-01
  it('leaves once what it tells of is there, with its words and the page of its record where there is one', async () => {
    const id = await draftDocument(world, 'alan', await world.typeId('SOP'), 'Gowning')
    await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    assert.equal(smtp.received.length, 0)
    await world.work()
    const told = await world.rows<{ title: string; message: string }>(
      `select title, message from notifications where resource_id = $1 and type = 'document_approval_requested'`,
      [id],
    )
    assert.ok(told.length > 0)
    assert.equal(smtp.received.length, told.length)
    for (const received of smtp.received) {
      assert.equal(received.from, 'attest@qms.example')
      assert.equal(subjectOf(received), told[0]!.title)
      const parts = partsOf(received)
      assert.ok(parts['text/plain']!.includes(told[0]!.message))
      const page = pages.document.isServed ? [`https://qms.example/documents/${id}`] : []
      for (const part of Object.values(parts))
        assert.deepEqual([...new Set(part.match(/https:\/\/qms[^\s"<]*/g))], page)
    }
    assert.deepEqual(
      (await mails()).map(({ status, attempts, error }) => [status, attempts, error]),
      told.map(() => ['sent', 1, null]),
    )
    assert.deepEqual((await mails()).map(({ message_id }) => message_id).sort(), smtp.received.map(messageIdOf).sort())
    await world.work()
    assert.equal(smtp.received.length, told.length)
  })

  it('has a Message-ID of its own, and is not there where what it tells of is rolled back', async () => {
    await postTo('quinn')
    await postTo('quinn')
    const ids = (await mails()).map(({ message_id }) => message_id)
    for (const id of ids) assert.match(id, /^<[0-9a-f-]{36}@qms\.example>$/)
    assert.notEqual(ids[0], ids[1])
    const notification = await notificationOf('quinn')
    const refused = inAcme(async tx => {
      await mailPosting(world.services.config)!(tx, [
        { user_id: world.people.quinn!.id, kind: 'notification', notification_ids: [notification] },
      ])
      throw new Error('it is refused')
    })
    await assert.rejects(refused, { message: 'it is refused' })
    await world.work()
    assert.deepEqual(smtp.received.map(messageIdOf).sort(), ids.sort())
  })

  it('does not leave where they may not be told any more: inactive, or of a tenant that is', async () => {
    const without = async (change: string, undo: string) => {
      await postTo('petra')
      const guarded = (text: string) =>
        world.superuser.query(`begin; set local session_replication_role = replica; ${text}; commit`)
      await guarded(change)
      await world.work()
      await guarded(undo)
    }
    await without(
      `update users set is_active = false where username = 'petra'`,
      `update users set is_active = true where username = 'petra'`,
    )
    await without(
      `update tenants set is_active = false where slug = 'acme'`,
      `update tenants set is_active = true where slug = 'acme'`,
    )
    assert.deepEqual(
      (await mails()).map(({ status, attempts }) => [status, attempts]),
      [
        ['suppressed', 0],
        ['suppressed', 0],
      ],
    )
    assert.equal(smtp.received.length, 0)
  })

  it('of which somebody of another tenant is the reader says nothing of theirs', async () => {
    const theirs = await notificationOf('rex', 'A secret of rival')
    const user_id = world.people.quinn!.id
    await post({ user_id, kind: 'notification', notification_ids: [theirs, await notificationOf('ada', 'Of ada')] })
    await world.work()
    assert.deepEqual([(await mails()).map(({ status }) => status), smtp.received.length], [['suppressed'], 0])
  })

  it('that collects what waited leaves out what was read meanwhile, and does not leave where that is all', async () => {
    const user_id = world.people.quinn!.id
    const [read, unread] = [await notificationOf('quinn', 'Read'), await notificationOf('quinn', 'Not read')]
    await accepted(world.as('quinn').post(`/api/notifications/${read}/mark-read`))
    await post(
      { user_id, kind: 'digest', notification_ids: [read, unread] },
      { user_id, kind: 'digest', notification_ids: [read] },
      { user_id, kind: 'notification', notification_ids: [read] },
    )
    await world.work()
    assert.deepEqual(
      (await mails()).map(({ status }) => status),
      ['sent', 'suppressed', 'sent'],
    )
    assert.deepEqual(smtp.received.map(subjectOf).sort(), ['1 notification', 'Read'])
    assert.ok(smtp.received.every(received => !partsOf(received)['text/plain']!.includes('* Read')))
  })

  it('is sent again later, as the same, where the server does not take it yet', async () => {
    await postTo('quinn')
    smtp.behaviour.recipient = () => [451, '4.7.1 Greylisted']
    assert.deepEqual(await world.work(), { done: 0, postponed: 1, failed: 0 })
    const [waiting] = await mails()
    assert.deepEqual(
      [waiting!.status, waiting!.attempts, waiting!.error],
      ['queued', 1, 'The mail server refuses it: 451 4.7.1 Greylisted'],
    )
    assert.deepEqual(await world.work(), { done: 0, postponed: 0, failed: 0 }, 'its time has not come')
    smtp.behaviour.recipient = undefined
    await later(0.1)
    const [sent] = await mails()
    assert.deepEqual([sent!.status, sent!.attempts, sent!.error], ['sent', 2, null])
    assert.deepEqual(smtp.received.map(messageIdOf), [waiting!.message_id])
  })

  it('is given up at once where the server refuses its reader for ever; the trail, the report and the command say so', async () => {
    await giveSecondFactor(world, 'pat')
    await postTo('quinn')
    smtp.behaviour.recipient = address => [550, `5.1.1 <${address}> unknown`]
    await world.work()
    const [mail] = await mails()
    const reason = 'The mail server refuses it: 550 5.1.1 [address] unknown'
    assert.deepEqual([mail!.status, mail!.attempts, mail!.error], ['failed', 1, reason])
    const trail = async () =>
      (await world.as('ada').get('/api/audit/?resource_type=mail&sort=id:asc'))
        .json()
        .items.map(
          (entry: { action: string; reason: string; changes: { status: object }; user: { username: string } }) => [
            entry.action,
            entry.reason,
            entry.changes.status,
            entry.user.username,
          ],
        )
    const failed = ['mail.failed', reason, { from: 'queued', to: 'failed' }, 'system']
    assert.deepEqual(await trail(), [failed])
    const { dependencies, mail: counted } = (await world.as('pat').get('/api/status')).json()
    assert.deepEqual(counted, { configured: true, waiting: 0, failed: 1 })
    const { status, detail } = dependencies.find(({ name }: { name: string }) => name === 'Email service')
    assert.deepEqual([status, detail], ['Degraded', '1 message of the last 7 days could not be sent'])
    assert.ok(!JSON.stringify([world.lines, await world.rows('select error from mails')]).includes('quinn@example.com'))

    smtp.behaviour.recipient = undefined
    const retry = (body: { id?: number }) =>
      world.services.runner.run(
        retryMails,
        systemActor(acme()),
        { body },
        { origin: { requestId: '', clientAddr: '' } },
      )
    await assert.rejects(retry({ id: Number(mail!.id) + 1 }), { status: 409 })
    assert.deepEqual(await retry({ id: Number(mail!.id) }), { retried: 1 })
    await assert.rejects(retry({}), { status: 409 })
    await world.work()
    assert.deepEqual(smtp.received.map(messageIdOf), [mail!.message_id])
    assert.deepEqual(
      (await trail()).map(([action]: [string]) => action),
      ['mail.failed', 'mail.retried'],
    )
    assert.deepEqual((await world.as('pat').get('/api/status')).json().mail, {
      configured: true,
      waiting: 0,
      failed: 0,
    })
  })

  it(`is given up after ${attempts} attempts over about a day`, async () => {
    await postTo('quinn')
    let asked = 0
    smtp.behaviour.recipient = () => {
      asked += 1
      return [450, '4.2.1 Mailbox is busy']
    }
    await world.work()
    const begun = world.clock.moved_ms
    while ((await mails())[0]!.status === 'queued') await later(0.25)
    assert.equal(asked, attempts)
    const hours = (world.clock.moved_ms - begun) / hour_ms
    assert.ok(hours > 8 && hours < 30, `${hours} hours`)
    await later(48)
    assert.equal(asked, attempts)
    assert.deepEqual(
      (await mails()).map(({ status, attempts }) => [status, attempts]),
      [['failed', attempts]],
    )
  })

  it('is one of many that wait together for a server that is away, which is asked by few of them', async () => {
    const count = 120
    const ids: number[] = []
    while (ids.length < count) ids.push(await notificationOf('quinn'))
    await post(
      ...ids.map(id => ({ user_id: world.people.quinn!.id, kind: 'notification' as const, notification_ids: [id] })),
    )
    smtp.behaviour.greeting = [421, 'later']
    const before = smtp.visits()
    const stopped = world.app.background.runPending()
    while (smtp.visits() - before < 10) await new Promise(done => setTimeout(done, 10))
    smtp.behaviour.greeting = undefined
    await stopped
    await later(1)
    assert.equal(new Set(smtp.received.map(messageIdOf)).size, count)
    assert.ok((await mails()).every(({ status }) => status === 'sent'))
    assert.ok(smtp.visits() - before < 40, `${smtp.visits() - before} connections`)
  })

  it('that the queue has lost is found again by its row', async () => {
    await postTo('quinn')
    await world.superuser.query('delete from pgboss.job')
    assert.deepEqual(await world.work(), { done: 0, postponed: 0, failed: 0 })
    await world.round(recoverLost([mailJob]))
    await world.work()
    assert.equal(smtp.received.length, 1)
  })
})

describe('without a mail server', () => {
  it('nobody is written to, and nothing is queued', async () => {
    const world = await openWorld({ MAIL_FROM: 'attest@qms.example' })
    try {
      assert.equal(mailPosting(world.services.config), undefined)
      const id = await draftDocument(world, 'alan', await world.typeId('SOP'))
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      assert.ok((await world.rows('select from notifications')).length > 0)
      assert.deepEqual(await world.rows('select id from mails'), [])
      assert.deepEqual(await world.rows("select name from pgboss.job where name = 'mail'"), [])
    } finally {
      await world.close()
    }
  })
})
