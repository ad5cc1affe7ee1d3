// One-time links to choose a password, as an Admin, an outsider and somebody with the database login attack them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ok } from '#test/builders/documents.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { until } from '#test/world/background.ts'
import { codeIn, openMailWorld, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const chosen = 'Giraffe 4 umbrella'
const hour_ms = 3_600_000

describe('a link to choose a password', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld())
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })
  beforeEach(async () => {
    await world.work()
    smtp.received.length = 0
  })

  const idOf = (name: string) => world.people[name]!.id
  const open = (url: string, payload: object, remoteAddress = '198.51.100.7') =>
    world.server.inject({ method: 'POST', url, payload, remoteAddress })
  const logIn = (username: string, given: string) => open('/api/auth/token', { username, password: given })
  const forget = (username: string, address?: string) => open('/api/auth/forgot-password', { username }, address)
  const choose = (token: string, new_password = chosen) => open('/api/auth/reset-password', { token, new_password })
  const reset = (name: string, by = 'ada', body: object = {}) =>
    world.as(by).post(`/api/users/${idOf(name)}/reset-password`, body)
  const verify = (verifier: string, name: string) =>
    world.as(verifier).post(`/api/users/${idOf(name)}/verify-identity`, { method: 'In person' })
  const entriesOf = (name: string, action: string) =>
    world.rows<{ outcome: string; reason: string | null; changes: object; user_id: string | null }>(
      `select outcome, reason, changes, user_id from audit_entries
       where action = $1 and resource_type = 'user' and resource_id = $2 order by id`,
      [action, idOf(name)],
    )
  const letters = () => takeLetters({ world, smtp })
  /** The one link that was sent since. */
  const sent = async () => {
    const tokens = (await letters()).flatMap(({ text }) => codeIn(text) ?? [])
    assert.equal(tokens.length, 1)
    return tokens[0]!
  }
  const isEnded = (reply: Awaited<ReturnType<typeof choose>>) => {
    assert.equal(reply.statusCode, 422, reply.body)
    assert.equal(reply.json().detail[0].type, 'password_link_ended')
  }

  // proves: AUTH-05, SIG-01
  it('of a reset goes to the user alone: the Admin sets and sees no password, and signing waits for a third person', async () => {
    ok(await verify('quinn', 'quentin'))
    const refused = await reset('quentin', 'ada', { temporary_password: 'Temporary staple 7' })
    assert.deepEqual([refused.statusCode, refused.json().detail[0].type], [422, 'password_link_by_mail'])
    assert.equal((await logIn('quentin', password)).statusCode, 200)
    const answer = await reset('quentin', 'ada', { change_reason: 'Called by phone' })
    const after = ok(answer)
    assert.deepEqual([after.identity_verified, after.identity_reset_at === null], [null, false])
    assert.equal((await logIn('quentin', password)).statusCode, 401, 'the password before has ended')
    const all = await letters()
    assert.deepEqual(
      all.map(({ to }) => to),
      ['quentin@example.com', 'quentin@example.com'],
    )
    const letter = all.find(({ subject }) => subject === 'Choose a new password')!
    const token = codeIn(letter.text)!
    assert.match(letter.text, /Ada Example reset the password of quentin/)
    assert.match(letter.text, /within 30 minutes/)
    assert.ok(letter.html.includes(`<code>${token}</code>`))
    assert.ok(!answer.body.includes(token))

    assert.equal((await choose(token)).statusCode, 204)
    const { access_token } = ok(await logIn('quentin', chosen))
    const document = ok(
      await world
        .as('alan')
        .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') }),
    )
    const payload = { document_id: document.id, signature_type: 'witness', intent: 'I have seen it', password: chosen }
    const sign = () =>
      world.server.inject({
        ...{ method: 'POST', url: '/api/signatures/', payload },
        headers: { authorization: `Bearer ${access_token}` },
      })
    assert.equal((await sign()).json().code, 'signing_identity_reset')
    assert.equal((await verify('ada', 'quentin')).json().code, 'user_identity_by_opener')
    const asked = await world.rows<{ username: string }>(
      `select u.username from notifications n join users u on u.id = n.user_id
       where n.type = 'identity_verification_requested' and n.resource_id = $1`,
      [idOf('quentin')],
    )
    assert.deepEqual(asked, [{ username: 'quinn' }])
    ok(await verify('quinn', 'quentin'))
    assert.equal((await sign()).statusCode, 201)
    const [entry] = await entriesOf('quentin', 'user.password_chosen')
    assert.deepEqual([entry!.user_id, entry!.reason], [String(idOf('quentin')), 'By a link after a reset'])
  })

  // proves: AUTH-05
  it('works once, for 30 minutes, until a newer one, a change of password or address, or a deactivation', async () => {
    const endings: Record<string, (name: string) => Promise<unknown>> = {
      petra: async () => {
        world.clock.moved_ms += 31 * 60_000
      },
      anna: async name => ok(await reset(name)),
      alan: async name => {
        const change = { current_password: password, new_password: 'Umbrella 4 giraffe' }
        ok(await world.as(name).post('/api/auth/change-password', change))
      },
      uma: async name => ok(await world.as('ada').put(`/api/users/${idOf(name)}`, { email: 'uma@new.example' })),
      otto: async name => {
        ok(await world.as('ada').post(`/api/users/${idOf(name)}/deactivate`, { change_reason: 'Left' }))
        ok(await world.as('ada').post(`/api/users/${idOf(name)}/reactivate`, { change_reason: 'Back' }))
      },
    }
    for (const [name, end] of Object.entries(endings)) {
      assert.equal((await forget(`${name}@EXAMPLE.com`)).statusCode, 204)
      const token = await sent()
      await end(name)
      isEnded(await choose(token))
      assert.equal((await logIn(name, chosen)).statusCode, 401, name)
      await letters()
    }
    await forget('quinn')
    const token = await sent()
    const weak = await choose(token, 'short')
    assert.deepEqual([weak.statusCode, weak.json().detail[0].loc], [422, ['body', 'new_password']])
    assert.equal((await choose(token, password)).statusCode, 422, 'the password before')
    const both = await Promise.all([choose(token), choose(token)])
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [204, 422],
    )
    isEnded(await choose(token, 'Another 4 giraffe'))
    for (const text of [
      '',
      ' ',
      'x'.repeat(300),
      '2.1.x',
      `${token.slice(0, -2)}AA`,
      '999999999999999.1.' + 'a'.repeat(43),
    ])
      assert.equal((await choose(text)).statusCode, 422, text)
  })

  // proves: AUTH-05, LOG-02
  it('stands in no log line, no table and no queue', async () => {
    await forget('rita')
    const token = await sent()
    assert.equal((await choose(token)).statusCode, 204)
    const secret = token.split('.')[2]!
    assert.ok(!JSON.stringify(world.lines).includes(secret))
    const tables = await world.rows<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    )
    assert.ok(tables.length > 50)
    for (const { name } of tables) {
      const found = await world.rows(`select 1 from ${name} as row where row::text like $1 limit 1`, [`%${secret}%`])
      assert.deepEqual(found, [], name)
    }
  })

  // proves: AUTH-05
  it('that somebody asked for changes nothing until it is used, and is told of nowhere else', async () => {
    const token = await world.tokenOf('rob')
    await forget('rob')
    const me = await world.server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
    assert.equal(me.statusCode, 200, 'the session goes on')
    assert.equal((await logIn('rob', password)).statusCode, 200)
    const [letter, ...more] = await letters()
    assert.deepEqual([more, letter!.to], [[], 'rob@example.com'])
    assert.match(letter!.text, /Somebody asked for a new password for rob/)
    assert.match(letter!.text, /your password stays as it is/)
    const user = ok(await world.as('rex').get(`/api/users/${idOf('rob')}`))
    assert.deepEqual([user.identity_reset_at, user.must_change_password], [null, false])
    const [entry] = await entriesOf('rob', 'user.password_link_requested')
    assert.equal(entry!.user_id, null, 'nobody knows who asked')
  })

  // proves: AUTH-05
  it('is asked for with the same answer in the same time, whether the account exists', async () => {
    const names = ['rex', 'nobody', 'nobody@example.com', 'pat', 'x'.repeat(254)]
    const answers = new Set<string>()
    for (const [at, name] of names.entries()) {
      const begun = performance.now()
      const { statusCode, body, headers } = await forget(name, `192.0.2.${at}`)
      assert.ok(performance.now() - begun >= 245, name)
      answers.add(JSON.stringify([statusCode, body, Object.keys(headers).sort()]))
    }
    assert.equal(answers.size, 1)
    assert.deepEqual(
      (await letters()).map(({ to }) => to),
      ['rex@example.com'],
      'the operators of the platform get none',
    )
  })

  // proves: AUTH-05
  it('fills no mailbox: three an hour for a user, and twenty requests an hour from an address', async () => {
    let count = 0
    for (let n = 0; n < 5; n++) {
      assert.equal((await forget('rita', `203.0.113.${n}`)).statusCode, 204)
      count += (await letters()).length
    }
    assert.equal(count, 2, 'one was sent before')
    world.clock.moved_ms += hour_ms
    await forget('rita')
    assert.equal((await letters()).length, 1)
    let refused: Awaited<ReturnType<typeof forget>> | undefined
    await until(async () => {
      const all = await Promise.all(Array.from({ length: 21 }, (_, n) => forget(`nobody${n}`, '203.0.113.200')))
      refused = all.find(({ statusCode }) => statusCode !== 204)
      return refused !== undefined
    })
    assert.deepEqual([refused!.statusCode, refused!.json().code], [503, 'too_many_link_requests'])
    assert.equal(Number(refused!.headers['retry-after']) > 3000, true)
    assert.equal((await forget('nobody', '203.0.113.201')).statusCode, 204)
  })

  // proves: AUTH-05, SIG-01
  it('does not go to a mailbox that an Admin has just made the address of somebody else', async () => {
    world.clock.moved_ms += hour_ms
    assert.equal((await logIn('quinn', chosen)).statusCode, 200)
    ok(await world.as('ada').put(`/api/users/${idOf('quinn')}`, { email: 'attacker@example.com' }))
    assert.deepEqual((await letters()).map(({ to }) => to).sort(), ['attacker@example.com', 'quinn@example.com'])
    const refused = await reset('quinn')
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'user_address_changed_recently'])
    assert.equal((await forget('quinn')).statusCode, 204)
    assert.deepEqual(await letters(), [])
    assert.equal((await logIn('quinn', chosen)).statusCode, 200)
    const [entry] = await entriesOf('quinn', 'user.password_link_requested').then(all => all.reverse())
    assert.deepEqual([entry!.outcome, /24 hours/.test(entry!.reason!)], ['denied', true])
    world.clock.moved_ms += 25 * hour_ms
    assert.equal((await forget('quinn')).statusCode, 204)
    assert.equal((await choose(await sent(), 'Umbrella 4 giraffe')).statusCode, 204)
    world.people.quinn!.session_version = (
      await world.rows<{ session_version: number }>('select session_version from credentials where user_id = $1', [
        idOf('quinn'),
      ])
    )[0]!.session_version
    assert.equal((await verify('ada', 'quinn')).json().code, 'user_identity_by_opener')
  })

  // proves: NOTE-01, AUTH-05
  it('is made anew when its message has to be sent again, and never sent a day late', async () => {
    smtp.behaviour.content = () => [451, 'Busy']
    await forget('anna')
    await world.work()
    assert.equal(smtp.received.length, 0)
    smtp.behaviour.content = undefined
    world.clock.moved_ms += hour_ms
    assert.equal((await choose(await sent())).statusCode, 204, '30 minutes from the moment at which it was sent')
    smtp.behaviour.content = () => [451, 'Busy']
    await forget('alan')
    await world.work()
    smtp.behaviour.content = undefined
    world.clock.moved_ms += 25 * hour_ms
    assert.deepEqual(
      (await letters()).filter(({ to }) => to === 'alan@example.com'),
      [],
    )
    const [mail] = await world.rows(`select status from mails where user_id = $1 order by id desc limit 1`, [
      idOf('alan'),
    ])
    assert.deepEqual(mail, { status: 'suppressed' })
  })

  // proves: AUTH-03, AUTH-05
  it('of an invitation lets a new user choose the first password within 48 hours, and nobody else knows one', async () => {
    const body = { username: 'nora', email: 'nora@example.com', full_name: 'Nora Novak' }
    const invited = await world.as('ada').post('/api/users/invite', body)
    assert.equal(invited.statusCode, 201, invited.body)
    const { id } = invited.json()
    assert.equal(invited.headers.location, `/api/users/${id}`)
    const [first] = await letters()
    assert.match(first!.subject, /You are invited to Attest at/)
    assert.match(first!.text, /Your user name is nora/)
    assert.match(first!.text, /within 48 hours/)
    ok(await world.as('ada').post(`/api/users/${id}/invite`))
    isEnded(await choose(codeIn(first!.text)!))
    const second = await sent()
    world.clock.moved_ms += 47 * hour_ms
    assert.equal((await choose(second)).statusCode, 204)
    const { access_token } = ok(await logIn('nora', chosen))
    const me = await world.server.inject({
      url: '/api/auth/me',
      headers: { authorization: `Bearer ${access_token}` },
    })
    assert.equal(me.json().must_change_password, false)
    const again = await world.as('ada').post(`/api/users/${id}/invite`)
    assert.deepEqual([again.statusCode, again.json().code], [409, 'invitation_not_open'])
    const nameless = await world.as('ada').post('/api/users/invite', { username: 'nina', email: 'nina@example.com' })
    assert.equal(nameless.statusCode, 422)
    const direct = {
      username: 'nils',
      email: 'nils@example.com',
      full_name: 'Nils Example',
      password: 'Temporary staple 7',
    }
    assert.equal(
      (await world.as('ada').post('/api/users/', direct)).statusCode,
      201,
      'a temporary password is still taken',
    )
    assert.equal((await world.as('quinn').post('/api/users/invite', body)).statusCode, 403)
  })

  // proves: AUTH-05
  it('cannot be made with the database login, moved to another user, or opened again', async () => {
    world.clock.moved_ms += 2 * hour_ms
    await forget('petra')
    const own = await sent()
    await forget('uma')
    await world.work()
    const [, linkId, secret] = own.split('.')
    await world.superuser.query(
      `begin; set local session_replication_role = replica;
        update password_links l set token_hash = (select token_hash from password_links where id = ${linkId})
         where l.user_id = ${idOf('uma')} and ended_at is null; commit`,
    )
    const [theirs] = await world.rows<{ id: string }>(
      'select id from password_links where user_id = $1 and ended_at is null',
      [idOf('uma')],
    )
    isEnded(await choose(`${own.split('.')[0]}.${theirs!.id}.${secret}`))
    assert.equal((await choose(own)).statusCode, 204)
    await assert.rejects(
      world.superuser.query('update password_links set ended_at = null, is_used = false where id = $1', [linkId]),
      { code: 'QA002' },
    )
  })

  // proves: NOTE-01
  it('changes no account in silence: the person is told in the product and by mail, at the former address too', async () => {
    const otto = idOf('otto')
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items as { id: number; name: string }[]
    world.people.otto!.session_version += 2
    const none = { preferences: [{ type: 'account_changed', email: 'none' }] }
    ok(await world.as('otto').put('/api/notifications/preferences', none))
    ok(await world.as('ada').put(`/api/users/${otto}`, { email: 'otto@new.example' }))
    const both = await letters()
    assert.deepEqual(both.map(({ to }) => to).sort(), ['otto@example.com', 'otto@new.example'])
    for (const { text } of both) assert.match(text, /The e-mail address of your account was changed by Ada Example/)
    ok(await world.as('ada').put(`/api/users/${otto}/permissions`, { granted: ['ai.use'], denied: [] }))
    ok(await world.as('ada').put(`/api/users/${otto}/role`, { role_id: roles.find(({ name }) => name === 'User')!.id }))
    world.clock.moved_ms += 25 * hour_ms
    ok(await reset('otto'))
    const all = await letters()
    assert.equal((await choose(all.flatMap(({ text }) => codeIn(text) ?? [])[0]!)).statusCode, 204)
    const texts = [...all, ...(await letters())].filter(({ to }) => to === 'otto@new.example').map(({ text }) => text)
    for (const [change, times] of Object.entries({ 'A permission': 1, 'The role': 1, 'The password': 2 }))
      assert.equal(texts.filter(text => text.includes(`${change} of your account was changed`)).length, times, change)
  })
})

describe('without e-mail', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  // proves: AUTH-05
  it('an Admin gives a temporary password, and nobody asks for a link', async () => {
    const forgotten = await world.server.inject({
      ...{ method: 'POST', url: '/api/auth/forgot-password', payload: { username: 'uma' } },
    })
    assert.deepEqual([forgotten.statusCode, forgotten.json().code], [409, 'mail_not_set_up'])
    const url = `/api/users/${world.people.uma!.id}/reset-password`
    const bare = await world.as('ada').post(url)
    assert.deepEqual([bare.statusCode, bare.json().detail[0].type], [422, 'temporary_password_missing'])
    ok(await world.as('ada').post(url, { temporary_password: 'Temporary staple 7' }))
    const body = { username: 'nora', email: 'nora@example.com', full_name: 'Nora Novak' }
    assert.equal((await world.as('ada').post('/api/users/invite', body)).json().code, 'mail_not_set_up')
  })
})
