import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { Post } from './deliver.ts'
import type { Preferences } from './schema.ts'

const url = '/api/notifications/preferences'

describe('by which way somebody is told', () => {
  let world: World
  let document: number
  const posted: Parameters<Post>[1][number][] = []
  before(async () => {
    world = await openWorld({}, { post: async (_, mails) => void posted.push(...mails) })
    const form = { title: 'Gowning', document_type: await world.typeId('SOP') }
    document = (await accepted(world.as('alan').upload('/api/documents/upload', form))).json().id
  })
  after(() => world.close())

  const id = (name: string) => world.people[name]!.id
  const of = async (name: string) => (await accepted(world.as(name).get(url))).json() as Preferences
  const one = async (name: string, type: string) => (await of(name)).preferences.find(each => each.type === type)!
  const choose = (name: string, ...preferences: object[]) => world.as(name).put(url, { preferences })
  /** Petra comments on Alan's document, which is told to him. */
  const comment = () =>
    accepted(world.as('petra').post(`/api/documents/${document}/comments`, { text: 'Which gloves?' }))
  const commentsOf = async (name: string) =>
    (await accepted(world.as(name).get('/api/notifications/?type=document_commented'))).json()
  const clear = async () => {
    posted.length = 0
    await world.superuser.query('delete from notifications')
  }

  // proves: NOTE-01
  it('is by the priority of what it is, until they choose', async () => {
    const { preferences } = await of('uma')
    const ways = new Set(preferences.map(({ priority, email, in_app }) => `${priority} ${email} ${in_app}`))
    assert.deepEqual([...ways].sort(), [
      'high immediate true',
      'low none true',
      'normal digest true',
      'urgent immediate true',
    ])
    assert.ok(preferences.every(({ is_default }) => is_default))
  })

  it('is theirs to choose, of each type; what they leave out stays, and what they name alone is as usual again', async () => {
    await accepted(
      choose('uma', { type: 'training_assigned', email: 'immediate' }, { type: 'group_joined', in_app: false }),
    )
    const chosen = { in_app: true, email: 'immediate', is_default: false, is_required: false, priority: 'normal' }
    assert.deepEqual(await one('uma', 'training_assigned'), { type: 'training_assigned', ...chosen })
    assert.equal((await one('uma', 'group_joined')).in_app, false)
    await accepted(choose('uma', { type: 'group_joined' }))
    assert.deepEqual(await one('uma', 'training_assigned'), { type: 'training_assigned', ...chosen })
    assert.equal((await one('uma', 'group_joined')).is_default, true)
    for (const name of ['alan', 'rob']) assert.equal((await one(name, 'training_assigned')).is_default, true, name)
    const [entry] = await world.rows(
      `select resource_type, resource_id::int, changes from audit_entries where action = 'user.notification_preferences_changed' order by id desc limit 1`,
    )
    assert.deepEqual(entry, {
      resource_type: 'user',
      resource_id: id('uma'),
      changes: { group_joined: { from: { in_app: false, email: 'none' }, to: null } },
    })
  })

  it('keeps what asks a decision or warns, and sends nothing that is not there', async () => {
    const refusalOf = async (...preferences: object[]) => {
      const reply = await choose('petra', ...preferences)
      assert.equal(reply.statusCode, 422, reply.body)
      return (reply.json().detail as { loc: string[]; type: string }[]).map(({ loc, type }) => [loc.join('.'), type])
    }
    for (const type of ['document_approval_requested', 'account_locked', 'escalation'])
      assert.deepEqual(await refusalOf({ type: 'training_assigned', email: 'none' }, { type, in_app: false }), [
        ['body.preferences.1.in_app', 'notification_type_required'],
      ])
    const off = { type: 'document_moved', in_app: false, email: 'immediate' }
    assert.deepEqual(await refusalOf(off), [['body.preferences.0.email', 'notification_email_without_app']])
    const twice = { type: 'document_moved', email: 'none' }
    assert.deepEqual(await refusalOf(twice, twice), [['body.preferences.1.type', 'notification_type_repeated']])
    assert.equal((await choose('petra', { type: 'document_melted', email: 'none' })).statusCode, 422)
    assert.equal((await one('petra', 'training_assigned')).is_default, true, 'nothing of a refused request is kept')
    await accepted(choose('petra', { type: 'document_approval_requested', email: 'none' }))
  })

  it('is followed from then on: at once, once a day, not by e-mail, or not at all', async () => {
    await clear()
    await comment()
    assert.deepEqual((await commentsOf('alan')).items[0].email, { status: 'waiting', sent_at: null })
    assert.deepEqual(posted, [])
    await clear()
    await accepted(choose('alan', { type: 'document_commented', email: 'immediate' }))
    await comment()
    const [told] = (await commentsOf('alan')).items
    assert.equal(told.email, null)
    assert.deepEqual(posted, [{ user_id: id('alan'), kind: 'notification', notification_ids: [told.id] }])
    await clear()
    await accepted(choose('alan', { type: 'document_commented', email: 'none' }))
    await comment()
    assert.deepEqual([(await commentsOf('alan')).total, posted.length], [1, 0])
    await clear()
    await accepted(choose('alan', { type: 'document_commented', in_app: false }))
    await comment()
    assert.deepEqual([(await commentsOf('alan')).total, posted.length], [0, 0])
    await accepted(choose('alan', { type: 'document_commented' }))
  })

  it('takes what waits out of the digest, where they want it in none', async () => {
    await clear()
    await comment()
    await accepted(choose('alan', { type: 'document_commented', email: 'none' }))
    assert.equal((await commentsOf('alan')).items[0].email, null)
    await accepted(choose('alan', { type: 'document_commented' }))
  })

  it('keeps both of two choices at the same moment', async () => {
    await Promise.all(
      ['document_moved', 'document_reviewed', 'deviation_moved', 'capa_moved'].map(type =>
        accepted(choose('quinn', { type, email: 'none' })),
      ),
    )
    const rows = await world.rows('select type from notification_preferences where user_id = $1', [id('quinn')])
    assert.equal(rows.length, 4)
  })

  it('sends e-mails only where there is somebody who sends them', async () => {
    const silent = await openWorld()
    try {
      const form = { title: 'Gowning', document_type: await silent.typeId('SOP') }
      const { id: other } = (await accepted(silent.as('alan').upload('/api/documents/upload', form))).json()
      await accepted(silent.as('petra').post(`/api/documents/${other}/comments`, { text: 'Which gloves?' }))
      assert.deepEqual(await silent.rows('select digest_on from notifications'), [{ digest_on: null }])
    } finally {
      await silent.close()
    }
  })
})
