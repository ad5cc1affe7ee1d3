// Invitations by e-mail, one at a time and from a list, as an Admin with a bad list and outsiders with an old link meet them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ok } from '#test/builders/documents.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { codeIn, openMailWorld, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, type World } from '#test/world/world.ts'

const chosen = 'Giraffe 4 umbrella'
const hour_ms = 3_600_000

describe('invitations', () => {
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
  const invite = (username: string, more: object = {}) =>
    world.as('ada').post('/api/users/invite', {
      ...{ username, email: `${username}@example.org`, full_name: 'A Guest' },
      ...more,
    })
  const inviteMany = (csv: string, by = 'ada') => world.as(by).post('/api/users/invite-many', { csv })
  const header = 'username,email,full_name,role\n'
  const choose = (token: string | undefined) =>
    world.server.inject({
      ...{ method: 'POST', url: '/api/auth/reset-password', payload: { token, new_password: chosen } },
    })
  const letters = () => takeLetters({ world, smtp })
  const stateOf = async (id: number) => ok(await world.as('ada').get(`/api/users/${id}`)).invitation
  const issuesOf = (reply: Awaited<ReturnType<typeof inviteMany>>): [(string | number)[], string][] => {
    assert.equal(reply.statusCode, 422, reply.body)
    return reply.json().detail.map(({ loc, type }: { loc: (string | number)[]; type: string }) => [loc.slice(1), type])
  }
  const countUsers = async () => (await world.rows<{ n: number }>('select count(*)::int as n from users'))[0]!.n

  // proves: AUTH-05, ROLE-01
  it('show their state to people who manage accounts: queued, sent, accepted or ended', async () => {
    const { id } = (await invite('nora')).json()
    const queued = await stateOf(id)
    assert.deepEqual([queued.status, queued.invited_by.username, queued.expires_at], ['queued', 'ada', null])
    const [letter] = await letters()
    const { status, expires_at } = await stateOf(id)
    assert.equal(status, 'sent')
    assert.ok(Math.abs(Date.parse(expires_at) - world.clock.now().getTime() - 48 * hour_ms) < 60_000)
    assert.equal('invitation' in ok(await world.as('quinn').get(`/api/users/${id}`)), false)
    const listed = async (states: string) =>
      (ok(await world.as('ada').get(`/api/users/?${states}`)).items as { username: string }[]).map(
        ({ username }) => username,
      )
    assert.deepEqual(await listed('invitation=sent&invitation=queued'), ['nora'])
    assert.equal((await choose(codeIn(letter!.text))).statusCode, 204)
    assert.equal((await stateOf(id)).status, 'accepted')
    assert.deepEqual(await listed('invitation=sent'), [])
    assert.equal(await stateOf(idOf('uma')), null)
  })

  // proves: AUTH-05, AUD-01
  it('that are withdrawn or replaced open nothing, and their account asks for no other link', async () => {
    const { id } = (await invite('nils')).json()
    const first = codeIn((await letters())[0]!.text)
    ok(await world.as('ada').post(`/api/users/${id}/invite`))
    const second = codeIn((await letters())[0]!.text)
    assert.equal((await choose(first)).statusCode, 422)
    const url = `/api/users/${id}/withdraw-invitation`
    assert.equal((await world.as('quinn').post(url)).statusCode, 403)
    assert.equal((await world.as('rex').post(url)).statusCode, 404)
    const withdrawn = ok(await world.as('ada').post(url, { change_reason: 'Does not join' }))
    assert.deepEqual([withdrawn.is_active, withdrawn.invitation.status], [false, 'ended'])
    assert.equal((await choose(second)).statusCode, 422)
    const payload = { username: 'nils' }
    await world.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload })
    assert.deepEqual(await letters(), [])
    assert.equal((await world.as('ada').post(url)).statusCode, 409)
    const entries = await world.rows<{ action: string; reason: string | null }>(
      `select action, reason from audit_entries where resource_type = 'user' and resource_id = $1
         and action in ('user.created', 'user.invited_again', 'user.deactivated', 'user.invitation_withdrawn') order by id`,
      [id],
    )
    assert.deepEqual(
      entries.map(({ action, reason }) => [action, reason]),
      [
        ['user.created', null],
        ['user.invited_again', null],
        ['user.deactivated', 'Does not join'],
        ['user.invitation_withdrawn', 'Does not join'],
      ],
    )
    ok(await world.as('ada').post(`/api/users/${id}/reactivate`))
    ok(await world.as('ada').post(`/api/users/${id}/invite`))
    assert.equal((await choose(codeIn((await letters())[0]!.text))).statusCode, 204)
    const refused = await world.as('ada').post(url)
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'invitation_none'])
    const never = await world.as('ada').post(`/api/users/${idOf('uma')}/withdraw-invitation`)
    assert.equal(never.json().code, 'invitation_none')
  })

  // proves: AUTH-05
  it('that are used and withdrawn at the same moment end in one of both', async () => {
    for (let n = 0; n < 5; n++) {
      const { id } = (await invite(`racer${n}`)).json()
      const token = codeIn((await letters())[0]!.text)
      const [used, withdrawn] = await Promise.all([
        choose(token),
        world.as('ada').post(`/api/users/${id}/withdraw-invitation`),
      ])
      const outcome = [used.statusCode, withdrawn.statusCode]
      const { is_active } = ok(await world.as('ada').get(`/api/users/${id}`))
      if (is_active) assert.deepEqual(outcome, [204, 409])
      else assert.deepEqual(outcome, [422, 200])
      await letters()
    }
  })

  // proves: AUTH-05, NOTE-01
  it('carry no line of their own into the headers of their message', async () => {
    const evil = 'Nina\r\nBcc: victim@example.net'
    assert.equal((await invite('nina', { email: 'nina@example.org\r\nBcc: victim@example.net' })).statusCode, 422)
    const reply = await invite('nina', { full_name: evil })
    const all = await letters()
    if (reply.statusCode === 201) assert.equal(all.length, 1)
    for (const { to, headers } of all) {
      assert.equal(to, 'nina@example.org')
      assert.equal(headers.has('bcc'), false)
    }
    assert.deepEqual(issuesOf(await inviteMany(`${header}nancy,nancy@example.org,"${evil}",\n`)), [
      [['csv', 2, 'full_name'], 'list_control_character'],
    ])
  })

  // proves: AUTH-05, ROLE-01, AUD-01
  it('of a list create everybody with their role and send each a link of their own', async () => {
    const csv =
      '\uFEFFUser name;E-mail;Full name;Role\r\n"lara";lara@example.org;"Lind; Lara";Author\r\n;;;\r\nleon;leon@example.org;Leon Ek;\r\n'
    const { invited } = ok(await inviteMany(csv))
    assert.deepEqual(
      invited.map(({ username, role }: { username: string; role: string }) => [username, role]),
      [
        ['lara', 'Author'],
        ['leon', 'User'],
      ],
    )
    const all = await letters()
    assert.deepEqual(all.map(({ to }) => to).sort(), ['lara@example.org', 'leon@example.org'])
    assert.notEqual(codeIn(all[0]!.text), codeIn(all[1]!.text))
    for (const { text } of all) assert.equal((await choose(codeIn(text))).statusCode, 204)
    const payload = { username: 'lara', password: chosen }
    const token = ok(await world.server.inject({ method: 'POST', url: '/api/auth/token', payload }))
    assert.equal(token.user.role, 'Author')
    for (const { id } of invited) {
      const [entry] = await world.rows<{ user_id: string; changes: string }>(
        `select user_id, changes::text from audit_entries where action = 'user.created' and resource_id = $1`,
        [id],
      )
      assert.equal(entry!.user_id, String(idOf('ada')))
      assert.match(entry!.changes, /queued/)
    }
  })

  // proves: AUTH-05, ERR-01
  it('of a list with any fault create nobody, and the report names line and column', async () => {
    const before = await countUsers()
    const rows = [
      'ok,ok@example.org,Fine Person,Author',
      'x y,x@example.org,Bad Name,',
      'bad,no-address,Bad Address,',
      'noname,noname@example.org,,',
      'OK,other@example.org,Same Name,',
      'other,OK@EXAMPLE.ORG,Same Address,',
      'formula,formula@example.org,"=HYPERLINK(""http://x"")",',
      'plus,+plus@example.org,Plus Person,',
      'control,control@example.org,"Tab\there",',
      'more,more@example.org,More Values,User,extra',
    ]
    assert.deepEqual(issuesOf(await inviteMany(header + rows.join('\n'))), [
      [['csv', 11], 'list_line_too_long'],
      [['csv', 3, 'username'], 'wrong_pattern'],
      [['csv', 4, 'email'], 'invalid_email'],
      [['csv', 5, 'full_name'], 'too_short'],
      [['csv', 8, 'full_name'], 'list_formula'],
      [['csv', 9, 'email'], 'list_formula'],
      [['csv', 10, 'full_name'], 'list_control_character'],
      [['csv', 6, 'username'], 'list_named_twice'],
      [['csv', 7, 'email'], 'list_named_twice'],
    ])
    const known = [
      'newcomer,newcomer@example.org,New Comer,Nothing',
      'UMA,uma2@example.org,Uma Again,author',
      'uma2,Uma@Example.com,Uma Again,',
    ]
    assert.deepEqual(issuesOf(await inviteMany(header + known.join('\n'))), [
      [['csv', 2, 'role'], 'list_role_unknown'],
      [['csv', 3, 'username'], 'list_person_known'],
      [['csv', 3, 'role'], 'list_role_unknown'],
      [['csv', 4, 'email'], 'list_person_known'],
    ])
    for (const [csv, type] of [
      [header, 'list_empty'],
      ['username,email\na,a@example.org', 'list_column_missing'],
      ['username,email,full_name,email\na,a@example.org,A,a@example.org', 'list_column_unknown'],
      ['username,email,full_name,password\na,a@example.org,A,b', 'list_column_unknown'],
      [`${header}a,"a@example.org,A`, 'csv_quotes_do_not_match'],
      [header + Array.from({ length: 501 }, (_, n) => `p${n}x,p${n}@example.org,P,`).join('\n'), 'list_too_long'],
    ] as const)
      assert.deepEqual(issuesOf(await inviteMany(csv)), [[['csv'], type]])
    const many = issuesOf(await inviteMany(header + Array.from({ length: 300 }, () => 'x,x,,').join('\n')))
    assert.deepEqual([many.length, many.at(-1)], [101, [['csv'], 'list_more_issues']])
    assert.equal(await countUsers(), before)
    assert.deepEqual(await letters(), [])
  })

  // proves: SVC-01, AUD-01
  it('of a list tell of people in other tenants no more than single ones do, and it is on record', async () => {
    const before = await countUsers()
    const csv = `${header}fresh,fresh@example.org,Fresh,\nrita,rita2@example.org,Rita,\nrobert,rob@example.com,Rob,\n`
    assert.deepEqual(issuesOf(await inviteMany(csv)), [[['csv', 3], 'username_or_email_taken']])
    assert.equal(await countUsers(), before)
    const entries = await world.rows(`select outcome from audit_entries where action = 'user.invitations_refused'`)
    assert.deepEqual(entries, [{ outcome: 'denied' }])
  })

  // proves: ROLE-01, AUD-01
  it('of a list give no role that the inviter may not give', async () => {
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items as { id: number; name: string }[]
    const user = roles.find(({ name }) => name === 'User')!
    ok(
      await world.as('ada').post('/api/roles/', {
        ...{ name: 'Reception', inherits_role_id: user.id, granted: ['users.manage'], denied: [] },
      }),
    )
    const reception = (
      ok(await world.as('ada').get('/api/roles/?page_size=100')).items as { id: number; name: string }[]
    ).find(({ name }) => name === 'Reception')!
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/role`, { role_id: reception.id }))
    world.people.anna!.session_version += 1
    const raised = await inviteMany(`${header}boss,boss@example.org,Boss,Admin\n`, 'anna')
    assert.deepEqual([raised.statusCode, raised.json().code], [403, 'user_role_permission_missing'])
    ok(await inviteMany(`${header}clerk,clerk@example.org,Clerk,\n`, 'anna'))
    assert.equal((await inviteMany(`${header}nobody1,nobody1@example.org,Nobody,\n`, 'quinn')).statusCode, 403)
    await letters()
  })

  // proves: AUTH-05, SVC-01
  it('of 500 people hold nobody up: requests of others go on, and links of others are sent first', async () => {
    const csv =
      header + Array.from({ length: 500 }, (_, n) => `crowd${n},crowd${n}@example.org,Person ${n},Author`).join('\n')
    let isOver = false
    const list = inviteMany(csv).finally(() => {
      isOver = true
    })
    let longest = 0
    let asked = 0
    while (!isOver) {
      const begun = performance.now()
      ok(await world.as('rex').get('/api/auth/me'))
      longest = Math.max(longest, performance.now() - begun)
      asked += 1
    }
    assert.equal(ok(await list).invited.length, 500)
    assert.ok(asked > 3 && longest < 2000, `${asked} requests, the longest took ${longest} ms`)
    const forgot = { method: 'POST', url: '/api/auth/forgot-password' } as const
    for (const username of ['quinn', 'rex']) await world.server.inject({ ...forgot, payload: { username } })
    const all = await letters()
    assert.equal(all.length, 502)
    const places = ['quinn@example.com', 'rex@example.com'].map(address => all.findIndex(({ to }) => to === address))
    assert.ok(Math.max(...places) < 20, String(places))
  })

  // proves: AUTH-05
  it('of the same list at the same moment create everybody once', async () => {
    const csv = header + Array.from({ length: 20 }, (_, n) => `twin${n},twin${n}@example.org,Twin ${n},`).join('\n')
    const replies = await Promise.all([inviteMany(csv), inviteMany(csv)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 422],
    )
    assert.equal((await letters()).length, 20)
  })
})

describe('a list of people without e-mail', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  // proves: AUTH-05
  it('is refused', async () => {
    const csv = 'username,email,full_name\nnora,nora@example.org,Nora\n'
    const reply = await world.as('ada').post('/api/users/invite-many', { csv })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'mail_not_set_up'])
  })
})
