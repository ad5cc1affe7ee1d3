import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

const url = '/api/auth/preferences'

describe('preferences', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())
  const get = async (by: string): Promise<Json> => ok(await world.as(by).get(url))
  const put = (by: string, body: object) => world.as(by).put(url, body)
  const entries = () =>
    world.rows<{ username: string; changes: Json }>(
      `select username, changes from audit_entries where action = 'user.preferences_changed' order by id`,
    )

  // proves: SVC-01
  it('are one’s own, and stay until they are changed or forgotten', async () => {
    const none = { language: null, theme: null, views: null, columns: null, layout: null }
    assert.deepEqual(await get('uma'), none)
    const views = {
      documents: [{ name: 'Mine', query: { status: ['draft'], 'a\0b': '\ud83d\ude00 \ud800', n: 1e21 } }],
    }
    const chosen = ok(await put('uma', { language: 'de', views }))
    assert.deepEqual(chosen, { ...none, language: 'de', views })
    assert.deepEqual(ok(await put('uma', { theme: 'dark', columns: { users: ['role'] } })), {
      ...{ language: 'de', theme: 'dark', views, columns: { users: ['role'] }, layout: null },
    })
    assert.deepEqual(ok(await put('uma', { views: null, language: null })), {
      ...{ ...none, theme: 'dark', columns: { users: ['role'] } },
    })
    for (const other of ['alan', 'rita', 'pat']) assert.deepEqual(await get(other), none, other)
  })

  // proves: AUD-01
  it('leave an entry that says which were changed, and none where nothing was', async () => {
    const before = (await entries()).length
    ok(await put('anna', { language: 'en', views: { documents: ['secret of mine'] } }))
    ok(await put('anna', { language: 'en', views: { documents: ['secret of mine'] } }))
    const added = (await entries()).slice(before)
    assert.deepEqual(
      added.map(({ username, changes }) => [username, changes.language, changes.changed?.to]),
      [['anna', { from: null, to: 'en' }, ['language', 'views']]],
    )
    assert.ok(!JSON.stringify(added).includes('secret'))
  })

  it('are typed at their top, up to 32 kB, and not endlessly deep', async () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
    const code = async (body: object) => {
      const reply = await put('alan', body)
      return [reply.statusCode, reply.json().detail?.[0]?.type]
    }
    assert.equal((await code({ language: 'fr' }))[0], 422)
    assert.equal((await code({ theme: 'pink' }))[0], 422)
    assert.equal((await code({ views: [] }))[0], 422)
    assert.equal((await code({ density: 'high' }))[0], 422)
    assert.deepEqual(await code({ views: { a: 'x'.repeat(32_768) } }), [422, 'preferences_too_large'])
    assert.deepEqual(await code({ layout: nested(20) }), [422, 'preferences_too_deep'])
    assert.equal((await code({ layout: nested(18) }))[0], 200)
    assert.equal((await code({ views: { a: 'ä'.repeat(16_000) } }))[0], 200)
    assert.deepEqual(await code({ columns: { a: 'ä'.repeat(16_000) } }), [422, 'preferences_too_large'])
  })

  it('of two requests at the same moment are both kept', async () => {
    await Promise.all([
      put('petra', { theme: 'light' }),
      put('petra', { language: 'de' }),
      put('petra', { layout: { a: 1 } }),
    ])
    const { theme, language, layout } = await get('petra')
    assert.deepEqual({ theme, language, layout }, { theme: 'light', language: 'de', layout: { a: 1 } })
  })
})
