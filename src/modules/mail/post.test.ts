import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '#test/world.ts'
import { mailPosting } from './post.ts'

describe('a message', () => {
  let world: World
  before(async () => {
    world = await openWorld({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'attest@example.com' })
  })
  after(() => world.close())

  const inAcme = <T>(work: Parameters<typeof world.database.transaction<T>>[2]) =>
    world.database.transaction({ tenantId: world.people.ada!.tenant_id, userId: null }, 'read write', work)
  const person = () => world.people.ada!.id

  it('is queued by its id, with a Message-ID of its own that does not come from its number', async () => {
    const queued: unknown[] = []
    const post = mailPosting(world.services.config, async (_, name, items) => void queued.push(name, ...items))
    await inAcme(tx =>
      post(tx, [
        { user_id: person(), kind: 'notification', notification_ids: [7] },
        { user_id: person(), kind: 'digest', notification_ids: [7, 8] },
      ]),
    )
    const rows = await world.rows('select * from mails order by id')
    assert.deepEqual(
      rows.map(({ kind, notification_ids, status }) => [kind, notification_ids, status]),
      [
        ['notification', ['7'], 'queued'],
        ['digest', ['7', '8'], 'queued'],
      ],
    )
    const ids = rows.map(({ message_id }) => String(message_id))
    for (const id of ids) assert.match(id, /^<[0-9a-f-]{36}@example\.com>$/)
    assert.notEqual(ids[0], ids[1])
    const { tenant_id } = world.people.ada!
    assert.deepEqual(queued, [
      'mail',
      ...rows.map(({ id }) => ({ key: `${tenant_id}:${Number(id)}`, data: { tenant_id, id: Number(id) } })),
    ])
  })

  it('is not made where the installation sends none', async () => {
    const before = await world.rows('select id from mails')
    const post = mailPosting({ mail: undefined, public_url: undefined }, () => assert.fail('nothing is queued'))
    await inAcme(tx => post(tx, [{ user_id: person(), kind: 'notification', notification_ids: [7] }]))
    assert.deepEqual(await world.rows('select id from mails'), before)
  })
})
