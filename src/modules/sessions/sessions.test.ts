import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accepted } from '#test/builders/samples.ts'
import { cookieIn, logInBrowser, logInProgram, openBrowser, ours, sendWith } from '#test/builders/sessions.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { statementsDuring } from '../../../bench/statements.ts'

const minutes = 60_000

// proves: SES-01
describe('the session of a browser', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())
  const entriesOf = (name: string, action: string) =>
    world.rows<{ changes: Record<string, { to: unknown }>; username: string; reason: string | null }>(
      `select changes, username, reason from audit_entries where action = $1 and resource_type = 'auth' and resource_id = $2 order by id`,
      [action, world.people[name]!.id],
    )
  const seenOf = async (id: number) =>
    (
      await world.rows<{ seen: Date }>('select last_seen_at as seen from sessions where id = $1', [id])
    )[0]!.seen.getTime()

  it('begins with a cookie and nothing else, and is on record', async () => {
    const reply = await logInBrowser(world, 'uma', { headers: { 'user-agent': 'Firefox/150' } })
    assert.deepEqual([reply.statusCode, reply.body], [204, ''])
    assert.match(
      String(reply.headers['set-cookie']),
      /^__Host-attest=[\w.-]{90,}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    )
    const me = await accepted(sendWith(world, cookieIn(reply), 'GET', '/api/auth/me'))
    assert.equal(me.json().username, 'uma')
    const [row] = await world.rows('select id, kind, amr, client_addr, user_agent, idle_minutes from sessions')
    assert.deepEqual(
      { ...row, id: 0 },
      { id: 0, kind: 'browser', amr: ['pwd'], client_addr: '127.0.0.1', user_agent: 'Firefox/150', idle_minutes: 30 },
    )
    const [entry] = await entriesOf('uma', 'auth.logged_in')
    assert.equal(entry!.changes.session!.to, Number(row!.id))
    assert.equal(entry!.changes.session_kind!.to, 'browser')
  })

  it('says who is logged in, and when it ends, without counting that as use', async () => {
    const browser = await openBrowser(world, 'anna')
    const first = (await accepted(browser.get('/api/auth/session'))).json()
    const { id, username, full_name, role } = first.user
    assert.deepEqual(
      [id, username, full_name, role, first.kind],
      [world.people.anna!.id, 'anna', 'Anna Example', 'Author', 'browser'],
    )
    const now = world.clock.now().getTime()
    assert.ok(Math.abs(Date.parse(first.idle_ends_at) - now - 30 * minutes) < 10_000, first.idle_ends_at)
    assert.ok(Math.abs(Date.parse(first.ends_at) - now - 12 * 60 * minutes) < 10_000, first.ends_at)
    world.clock.moved_ms += 10 * minutes
    for (const url of ['/api/auth/session', '/api/notifications/unread-count']) await accepted(browser.get(url))
    assert.equal((await browser.get('/api/jobs/1')).statusCode, 404)
    assert.deepEqual((await accepted(browser.get('/api/auth/session'))).json(), first)
    const extended = (await accepted(browser.post('/api/auth/session/extend'))).json()
    assert.ok(Date.parse(extended.idle_ends_at) >= Date.parse(first.idle_ends_at) + 10 * minutes)
    assert.equal(extended.ends_at, first.ends_at)
  })

  it('writes its use down once a minute at most, whatever comes at once', async () => {
    const browser = await openBrowser(world, 'alan')
    const { id } = (await browser.get('/api/auth/session')).json()
    const begun = await seenOf(id)
    await accepted(browser.get('/api/auth/me'))
    assert.equal(await seenOf(id), begun)
    world.clock.moved_ms += minutes
    const writes = async () =>
      (
        await statementsDuring(async () => {
          world.services.accounts.changed()
          await Promise.all(Array.from({ length: 8 }, () => accepted(browser.get('/api/auth/me'))))
        })
      ).filter(each => typeof each !== 'string' && /update "sessions"/.test(each.text)).length
    assert.ok((await writes()) >= 1)
    assert.ok((await seenOf(id)) >= begun + minutes)
    assert.equal(await writes(), 0)
  })

  it('goes on while the database takes no writes, and its use is written down when it does again', async () => {
    const browser = await openBrowser(world, 'alan')
    const { id } = (await browser.get('/api/auth/session')).json()
    const begun = await seenOf(id)
    await world.superuser.query(`create function refuse_writes() returns trigger language plpgsql as $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$;
      create trigger refuse_writes before update on sessions for each row execute function refuse_writes()`)
    try {
      world.clock.moved_ms += 2 * minutes
      const attempts = await statementsDuring(() => accepted(browser.get('/api/auth/me')))
      assert.ok(attempts.some(each => typeof each !== 'string' && /update "sessions"/.test(each.text)))
      assert.equal(await seenOf(id), begun)
    } finally {
      await world.superuser.query('drop function refuse_writes cascade')
    }
    world.services.accounts.changed()
    await accepted(browser.get('/api/auth/me'))
    assert.ok((await seenOf(id)) >= begun + 2 * minutes)
  })

  it('costs no statement more than a token did: one reads the account and the session', async () => {
    const browser = await openBrowser(world, 'petra')
    const program = await logInProgram(world, 'petra')
    const before = await world.tokenOf('petra')
    const withoutSession = {
      get: () => world.server.inject({ url: '/api/auth/session', headers: { authorization: `Bearer ${before}` } }),
    }
    const texts: unknown[][] = []
    for (const caller of [withoutSession, program, browser]) {
      world.services.accounts.changed()
      const sent = await statementsDuring(() => accepted(caller.get('/api/auth/session')))
      texts.push(sent.map(each => (typeof each === 'string' ? each.replace(/'.*/, '') : each.text)))
      // The account is in memory and not read again. The transaction of the request itself reads nothing.
      const again = await statementsDuring(() => accepted(caller.get('/api/auth/session')))
      assert.equal(again.filter(each => typeof each !== 'string').length, 0)
    }
    assert.equal(texts[0]!.filter(each => /^with recursive/.test(String(each))).length, 1)
    assert.deepEqual(texts[1], texts[0])
    assert.deepEqual(texts[2], texts[0])
  })

  it('is listed and ended by its owner', async () => {
    const here = await openBrowser(world, 'quinn', { agent: 'Here' })
    const there = await openBrowser(world, 'quinn', { agent: 'There' })
    const program = await logInProgram(world, 'quinn', { agent: 'Script' })
    const list = async () => (await accepted(here.get('/api/auth/sessions/'))).json()
    const all = await list()
    assert.deepEqual(
      all.map(({ kind, is_current, user_agent }: Record<string, unknown>) => [user_agent, kind, is_current]).sort(),
      [
        ['Here', 'browser', true],
        ['Script', 'token', false],
        ['There', 'browser', false],
      ],
    )
    const idOf = (agent: string) => all.find((each: { user_agent: string }) => each.user_agent === agent).id
    assert.equal((await here.delete(`/api/auth/sessions/${idOf('There')}`)).statusCode, 204)
    assert.deepEqual([await here.status(), await there.status(), await program.status()], [200, 401, 200])
    assert.equal((await here.delete(`/api/auth/sessions/${idOf('There')}`)).statusCode, 404)
    assert.deepEqual((await accepted(here.post('/api/auth/sessions/end-others'))).json(), { ended: 1 })
    assert.deepEqual([await here.status(), await program.status()], [200, 401])
    assert.deepEqual((await accepted(here.post('/api/auth/sessions/end-others'))).json(), { ended: 0 })
    const ended = await entriesOf('quinn', 'auth.session_ended')
    assert.deepEqual(
      ended.map(({ changes }) => [changes.sessions!.to, changes.cause!.to]),
      [
        [[idOf('There')], 'ended_by_user'],
        [[idOf('Script')], 'ended_by_user'],
      ],
    )
    const own = await here.delete(`/api/auth/sessions/${idOf('Here')}`)
    assert.match(String(own.headers['set-cookie']), /^__Host-attest=; .*Max-Age=0$/)
    assert.equal(await here.status(), 401)
  })

  it('ends with the log-out, and no other does', async () => {
    const browser = await openBrowser(world, 'quentin')
    const program = await logInProgram(world, 'quentin')
    const { id } = (await browser.get('/api/auth/session')).json()
    const out = await browser.post('/api/auth/logout')
    assert.deepEqual([out.statusCode, out.body], [204, ''])
    assert.match(String(out.headers['set-cookie']), /^__Host-attest=; .*Max-Age=0$/)
    assert.deepEqual([await browser.status(), await program.status()], [401, 200])
    const entries = await entriesOf('quentin', 'auth.logged_out')
    assert.deepEqual(
      entries.map(({ changes }) => changes.session!.to),
      [id],
    )
    const [row] = await world.rows('select revoke_reason, revoked_by from sessions where id = $1', [id])
    assert.deepEqual(row, { revoke_reason: 'logged_out', revoked_by: String(world.people.quentin!.id) })
    const other = await program.post('/api/auth/logout')
    assert.deepEqual([other.statusCode, other.headers['set-cookie']], [204, undefined])
    assert.equal(await program.status(), 401)
  })

  it('is listed and ended by an Admin, and the person is told', async () => {
    const browser = await openBrowser(world, 'otto', { agent: 'Lost laptop' })
    const program = await logInProgram(world, 'otto')
    const { id } = world.people.otto!
    const listed = (await accepted(world.as('ada').get(`/api/users/${id}/sessions`))).json()
    assert.equal(listed.length, 2)
    assert.ok(listed.some((each: { user_agent: string }) => each.user_agent === 'Lost laptop'))
    const body = { change_reason: 'The laptop was lost' }
    assert.equal((await world.as('ada').post(`/api/users/${id}/end-sessions`, body)).statusCode, 204)
    assert.deepEqual([await browser.status(), await program.status()], [401, 401])
    world.people.otto!.session_version += 1
    assert.deepEqual((await accepted(world.as('ada').get(`/api/users/${id}/sessions`))).json(), [])
    const [entry] = await entriesOf('otto', 'auth.session_ended')
    assert.deepEqual([entry!.username, entry!.reason], ['ada', 'The laptop was lost'])
    const { items } = (await accepted(world.as('otto').get('/api/notifications/'))).json()
    assert.deepEqual([items[0].type, items[0].title], ['session_ended', 'Your sessions were ended'])
    for (const who of ['quinn', 'otto'])
      assert.equal((await world.as(who).get(`/api/users/${id}/sessions`)).statusCode, 403, who)
    assert.equal((await world.as('rex').get(`/api/users/${id}/sessions`)).statusCode, 404)
    assert.equal((await world.as('rex').post(`/api/users/${id}/end-sessions`)).statusCode, 404)
  })

  it('goes on with another cookie when the password is changed in it, and every other session ends', async () => {
    const here = await openBrowser(world, 'rita')
    const there = await openBrowser(world, 'rita')
    const before = (await here.get('/api/auth/session')).json()
    world.clock.moved_ms += 2 * minutes
    const change = { current_password: password, new_password: 'Purple kettle 47 boats' }
    const changed = await accepted(here.post('/api/auth/change-password', change))
    assert.deepEqual([changed.json().access_token, changed.json().token_type], [null, 'cookie'])
    assert.ok(!changed.body.includes('eyJ'), 'no token reaches a page')
    const cookie = cookieIn(changed)
    assert.notEqual(cookie, here.cookie)
    assert.deepEqual([await here.status(), await there.status()], [401, 401])
    const now = (await accepted(sendWith(world, cookie, 'GET', '/api/auth/session'))).json()
    assert.deepEqual([now.kind, now.ends_at], ['browser', before.ends_at])
    assert.equal((await entriesOf('rita', 'auth.session_renewed'))[0]!.changes.session!.to, now.id)
  })

  it('lasts as the tenant decides, from 5 minutes to 8 hours without use and from 1 to 24 hours in all', async () => {
    for (const wrong of [
      { session_idle_minutes: 4 },
      { session_idle_minutes: 481 },
      { session_idle_minutes: null },
      { session_max_hours: 0 },
      { session_max_hours: 25 },
      { sessions_most: 0 },
    ])
      assert.equal((await world.as('rex').put('/api/settings/', wrong)).statusCode, 422, JSON.stringify(wrong))
    const longer = { session_idle_minutes: 480, session_max_hours: 24 }
    const open = await openBrowser(world, 'rob')
    await accepted(world.as('rex').put('/api/settings/', longer))
    const later = await openBrowser(world, 'rob')
    world.clock.moved_ms += 31 * minutes
    assert.equal(await open.status(), 401, 'a longer time does not bring it back')
    world.clock.moved_ms += 440 * minutes
    assert.equal(await later.status(), 200)
    await accepted(world.as('rex').put('/api/settings/', { session_idle_minutes: 5 }))
    assert.equal(await later.status(), 401, 'a shorter one holds at once')
  })

  it('tells what a page needs before somebody types', async () => {
    const { tenant, features } = (await accepted(world.as('uma').get('/api/auth/me'))).json()
    assert.equal(tenant.time_zone, 'UTC')
    const { upload_types, max_upload_bytes, ...rest } = features
    assert.ok(upload_types.includes('pdf') && max_upload_bytes > 1_000_000)
    assert.deepEqual(rest, {
      signature: {
        otp: false,
        reauth_minutes: world.services.config.signature_reauth_minutes,
        methods: ['password', 'password_otp', 'session', 'passkey', 'provider'],
      },
      password: { min_length: 12 },
      assistant: false,
      mail: false,
      passkeys: false,
    })
  })

  it('leaves its row until 90 days after its end, and its entries for ever', async () => {
    const ids: number[] = []
    for (let count = 0; count < 3; count++) {
      const { get } = await logInProgram(world, 'petra')
      ids.push((await get('/api/auth/session')).json().id)
    }
    const daysAgo = (id: number, days: number) =>
      world.superuser.query(
        `update sessions set (created_at, auth_time, last_seen_at) = row (at, at, at), expires_at = at + interval '8 hours'
          from (select now() - $2 * interval '1 day' - interval '8 hours' as at) moment where id = $1`,
        [id, days],
      )
    await world.superuser.query('alter table sessions disable trigger user')
    await daysAgo(ids[0]!, 91)
    await daysAgo(ids[1]!, 89)
    await world.superuser.query('alter table sessions enable trigger user')
    await world.round(world.app.schedules.find(({ name }) => name === 'accounts.sessions')!)
    const left = await world.rows('select id from sessions where id = any($1) order by id', [ids])
    assert.deepEqual(
      left.map(({ id }) => Number(id)),
      ids.slice(1),
    )
    assert.equal(
      (await entriesOf('petra', 'auth.logged_in')).filter(({ changes }) => changes.session!.to === ids[0]).length,
      1,
    )
    // Nobody with the database login removes the traces of a session of yesterday.
    const { tenant_id } = world.people.petra!
    for (const id of ids.slice(1))
      await assert.rejects(
        world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
          tx.deleteFrom('sessions').where('id', '=', id).execute(),
        ),
        /is kept until 90 days after its end/,
      )
  })

  it('is of the platform too', async () => {
    const browser = await openBrowser(world, 'pat')
    assert.equal((await browser.get('/api/auth/me')).json().is_platform_user, true)
    assert.equal((await browser.post('/api/auth/logout', undefined, ours)).statusCode, 204)
  })
})

describe('a token (proves: AUTH-01, AUTH-04)', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  it('names its session, which lasts as long as it does and is never idle', async () => {
    const { token, get, status } = await logInProgram(world, 'uma')
    const { sid, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
    const session = (await get('/api/auth/session')).json()
    assert.deepEqual(
      [session.id, session.kind, session.idle_ends_at, session.ends_at],
      [sid, 'token', null, new Date(exp * 1000).toISOString()],
    )
    world.clock.moved_ms += 479 * minutes
    assert.equal(await status(), 200)
    world.clock.moved_ms += minutes
    assert.equal(await status(), 401)
  })

  it('of an earlier release, without a session, is good until it ends, and its log-out ends all sessions', async () => {
    const old = await world.tokenOf('alan')
    const by = (method: 'GET' | 'POST', url: string) =>
      world.server.inject({ method, url, headers: { authorization: `Bearer ${old}` } })
    const { user, ...session } = (await accepted(by('GET', '/api/auth/session'))).json()
    assert.deepEqual([user.username, session.id, session.kind, session.idle_ends_at], ['alan', null, 'token', null])
    assert.deepEqual((await accepted(by('GET', '/api/auth/sessions/'))).json(), [])
    const [browser, program] = [await openBrowser(world, 'alan'), await logInProgram(world, 'alan')]
    assert.equal((await by('POST', '/api/auth/logout')).statusCode, 204)
    assert.deepEqual(
      [(await by('GET', '/api/auth/me')).statusCode, await browser.status(), await program.status()],
      [401, 401, 401],
    )
  })

  it('is not counted among the browsers, so that no program ends another', async () => {
    const programs = []
    for (let count = 0; count < 12; count++) programs.push(await logInProgram(world, 'anna'))
    for (const { status } of programs) assert.equal(await status(), 200)
  })
})
