import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { hourIn } from '#kernel/day.ts'
import { meeting } from '#test/builders/races.ts'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { Post } from './deliver.ts'
import { lastDigestDay, nextDigestDay } from './digest-day.ts'

describe('the digest', () => {
  let world: World
  let document: number
  const posted: Parameters<Post>[1][number][] = []
  before(async () => {
    world = await openWorld({}, { post: async (_, mails) => void posted.push(...mails) })
    const form = { title: 'Gowning', document_type: await world.typeId('SOP') }
    document = (await accepted(world.as('alan').upload('/api/documents/upload', form))).json().id
    await accepted(world.as('ada').put('/api/settings/', { time_zone: 'Europe/Berlin' }))
  })
  after(() => world.close())
  beforeEach(async () => {
    await world.superuser.query('delete from notifications')
    posted.length = 0
  })

  const id = (name: string) => world.people[name]!.id
  const at = (moment: string) => {
    world.clock.moved_ms = new Date(moment).getTime() - Date.now()
  }
  /** Petra comments on Alan's document, which waits for his digest. */
  const comment = async () => {
    await accepted(world.as('petra').post(`/api/documents/${document}/comments`, { text: 'Which gloves?' }))
    const [{ id: told }] = (await world.rows('select max(id)::int as id from notifications')) as [{ id: number }]
    return told
  }
  const task = () => world.app.schedules.find(({ name }) => name === 'notifications.send_digests')!
  const look = () => world.round(task())

  // proves: NOTE-01
  it('has what waits and is not read, at seven in the morning where the tenant is, and once', async () => {
    at('2055-01-11T09:00:00+01:00')
    const first = await comment()
    const second = await comment()
    const read = await comment()
    await accepted(world.as('alan').post(`/api/notifications/${read}/mark-read`))
    at('2055-01-12T06:59:30+01:00')
    assert.equal((await look()).done, 0)
    at('2055-01-12T07:00:00+01:00')
    assert.deepEqual(await look(), { done: 1, refused: 0, failed: 0 })
    assert.deepEqual(posted, [{ user_id: id('alan'), kind: 'digest', notification_ids: [first, second] }])
    assert.deepEqual(await look(), { done: 0, refused: 0, failed: 0 })
    const [entry] = await world.rows(
      `select changes from audit_entries where action = 'notification.digested' order by id desc limit 1`,
    )
    assert.deepEqual(entry, {
      changes: { day: { from: null, to: '2055-01-12' }, people: { from: null, to: 1 } },
    })
  })

  it('of the days that were missed is one, and what is told after its hour is in the next one', async () => {
    at('2055-02-01T06:00:00+01:00')
    const early = await comment()
    at('2055-02-03T12:00:00+01:00')
    const late = await comment()
    await look()
    at('2055-02-04T08:00:00+01:00')
    await look()
    assert.deepEqual(
      posted.map(({ notification_ids }) => notification_ids),
      [[early], [late]],
    )
  })

  it('goes at the hour that the tenant says', async () => {
    await accepted(world.as('ada').put('/api/settings/', { digest_hour: 18 }))
    at('2055-03-01T12:00:00+01:00')
    await comment()
    at('2055-03-01T17:59:00+01:00')
    await look()
    assert.deepEqual(posted, [])
    at('2055-03-01T18:00:00+01:00')
    await look()
    assert.equal(posted.length, 1)
    await accepted(world.as('ada').put('/api/settings/', { digest_hour: 7 }))
  })

  it('is one, of however many processes that look at the same moment', async () => {
    at('2055-04-01T09:00:00+02:00')
    const told = await comment()
    at('2055-04-02T09:00:00+02:00')
    const lock = { text: 'select from notifications where id = $1 for update', values: [told], waiting: 2 }
    const looks = await meeting(world, lock, () => [look(), look()])
    assert.deepEqual(looks.map(({ done, refused, failed }) => [done, refused, failed].join()).sort(), [
      '0,1,0',
      '1,0,0',
    ])
    assert.deepEqual(posted, [{ user_id: id('alan'), kind: 'digest', notification_ids: [told] }])
  })

  it('says of each notification that it waits for it, and what became of it', async () => {
    at('2055-05-01T09:00:00+02:00')
    const [first, second] = [await comment(), await comment()]
    const emailOf = async () =>
      (await accepted(world.as('alan').get('/api/notifications/?sort=id:asc')))
        .json()
        .items.map(({ email }: { email: object }) => email)
    const waiting = { status: 'waiting', sent_at: null }
    assert.deepEqual(await emailOf(), [waiting, waiting])
    at('2055-05-02T09:00:00+02:00')
    await look()
    // The mail module composes the message.
    await world.superuser.query(
      `insert into mails (tenant_id, user_id, kind, notification_ids, message_id, status, sent_at)
       values ($1, $2, 'digest', $3, '<1@example.com>', 'sent', '2055-05-02T07:00:01Z')`,
      [world.people.alan!.tenant_id, id('alan'), [first, second]],
    )
    const sent = { status: 'sent', sent_at: '2055-05-02T07:00:01.000000Z' }
    assert.deepEqual(await emailOf(), [sent, sent])
    const third = await comment()
    await world.superuser.query('update notifications set digest_on = null where id = $1', [third])
    assert.deepEqual((await emailOf()).at(-1), null)
    await world.superuser.query(
      `insert into mails (tenant_id, user_id, kind, notification_ids, message_id, status)
       values ($1, $2, 'notification', $3, '<2@example.com>', 'queued')`,
      [world.people.alan!.tenant_id, id('alan'), [third]],
    )
    assert.deepEqual((await emailOf()).at(-1), { status: 'queued', sent_at: null })
  })

  it('finds its day on the clocks of every place, also when they are changed', () => {
    const berlin = { time_zone: 'Europe/Berlin', digest_hour: 2 }
    // At two o'clock it becomes three.
    assert.equal(lastDigestDay(berlin, new Date('2055-03-28T00:59:00Z')), '2055-03-27')
    assert.equal(lastDigestDay(berlin, new Date('2055-03-28T01:00:00Z')), '2055-03-28')
    assert.equal(nextDigestDay(berlin, new Date('2055-03-28T01:00:00Z')), '2055-03-29')
    const kiritimati = { time_zone: 'Pacific/Kiritimati', digest_hour: 0 }
    assert.equal(lastDigestDay(kiritimati, new Date('2054-12-31T10:00:00Z')), '2055-01-01')
    assert.deepEqual(
      ['2055-01-01T00:00:00Z', '2055-01-01T23:00:00Z'].map(moment => hourIn('UTC', new Date(moment))),
      [0, 23],
    )
  })
})
