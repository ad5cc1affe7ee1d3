// An insider with the login attest_app, who writes an audit entry of their own in the same transaction and is after an account.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('somebody with the login attest_app and an entry of their own', () => {
  let world: World
  let app: pg.Client
  before(async () => {
    world = await openWorld({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'attest@qms.example' })
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(async () => {
    await app.end()
    await world.close()
  })
  beforeEach(() => app.query('rollback'))

  const idOf = (name: string) => world.people[name]!.id
  async function attempt(as: string, victim: string, statements: string[], action = 'user.updated') {
    const { id, tenant_id } = world.people[as]!
    await app.query(
      `rollback; begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`,
    )
    await app.query(
      `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
       values ('', '', '', 'success', $1, 'user', $2, '{}', '')`,
      [action, idOf(victim)],
    )
    for (const statement of statements) await app.query(statement.replaceAll(':victim', String(idOf(victim))))
    await app.query('commit')
  }
  const setsPassword = `update credentials set password_hash = 'of the attacker' where user_id = :victim`

  // proves: AUD-01, AUTH-05
  it('sets no password under another entry, nor for somebody else without the reset of their identity', async () => {
    await assert.rejects(attempt('uma', 'quinn', [setsPassword]), { code: 'QA001' })
    await world.rows(`update credentials set last_login_at = now() where user_id = ${idOf('quinn')}`)
    for (const action of ['user.password_changed', 'user.password_chosen', 'user.password_reset'])
      await assert.rejects(attempt('uma', 'quinn', [setsPassword], action), { code: 'QA002' }, action)
  })

  // proves: SIG-01, AUD-01
  it('verifies no identity in the name of another, under another entry, or after a reset of their own', async () => {
    const verified = (by: string) =>
      `update users set identity_verified_at = now(), identity_verified_by = ${idOf(by)}, identity_verified_method = 'forged',
         identity_reset_at = null, account_openers = '{}' where id = :victim`
    await assert.rejects(attempt('uma', 'petra', [verified('quinn')], 'user.identity_verified'), { code: 'QA002' })
    await assert.rejects(attempt('quinn', 'petra', [verified('quinn')]), { code: 'QA002' })
    ok(await world.as('ada').post(`/api/users/${idOf('petra')}/reset-password`))
    await assert.rejects(attempt('ada', 'petra', [verified('ada')], 'user.identity_verified'), { code: 'QA002' })
    const forgets = [
      'update users set identity_reset_at = null where id = :victim',
      `update users set account_openers = '{${idOf('uma')}}' where id = :victim`,
    ]
    for (const statement of forgets) await assert.rejects(attempt('uma', 'petra', [statement]), { code: 'QA002' })
    ok(await world.as('quinn').post(`/api/users/${idOf('petra')}/verify-identity`, { method: 'In person' }))
  })

  // proves: AUD-01, AUTH-05
  it('turns no message with a link to another mailbox, and hides no change of an address', async () => {
    ok(await world.as('ada').post(`/api/users/${idOf('alan')}/reset-password`))
    const [mail] = await world.rows<{ id: string }>(
      `select id from mails where user_id = $1 and kind = 'password_link'`,
      [idOf('alan')],
    )
    for (const change of [`address = 'attacker@example.com'`, `user_id = ${idOf('uma')}`])
      await assert.rejects(
        attempt('uma', 'alan', [`update mails set ${change} where id = ${mail!.id}`]),
        { code: 'QA002' },
        change,
      )
    const [link] = await world.rows<{ id: string }>('select id from password_links where user_id = $1', [idOf('alan')])
    const another = `insert into mails (user_id, kind, notification_ids, password_link_id, address, message_id)
      values (:victim, 'password_link', '{}', ${link!.id}, 'attacker@example.com', 'x')`
    await assert.rejects(attempt('uma', 'alan', [another]), { code: '23514' })
    const own = `insert into mails (user_id, kind, notification_ids, password_link_id, message_id)
      values (${idOf('uma')}, 'password_link', '{}', ${link!.id}, 'x')`
    await assert.rejects(attempt('uma', 'alan', [own]), { code: '23503' })
    for (const change of [`user_id = ${idOf('uma')}`, `purpose = 'invitation'`, 'requested_by = null'])
      await assert.rejects(
        attempt('uma', 'alan', [`update password_links set ${change} where id = ${link!.id}`]),
        { code: 'QA002' },
        change,
      )
    const moves = [
      `email = 'attacker@example.com'`,
      `email = 'attacker@example.com', email_changed_at = now() - interval '2 days'`,
      `email = 'attacker@example.com', email_changed_at = now()`,
    ]
    for (const move of moves)
      await assert.rejects(
        attempt('uma', 'alan', [`update users set ${move} where id = :victim`]),
        { code: 'QA002' },
        move,
      )
  })

  // proves: ROLE-01, AUTH-05, AUD-01
  it('raises no role under another entry or of their own, and removes no second factor under another entry', async () => {
    const raises = [`role_id = (select role_id from users where id = ${idOf('ada')})`, `granted = '{users.manage}'`]
    for (const raise of raises)
      for (const [as, action] of [
        ['ada', 'user.updated'],
        ['uma', 'user.role_changed'],
      ] as const)
        await assert.rejects(
          attempt(as, 'uma', [`update users set ${raise} where id = :victim`], action),
          { code: 'QA002' },
          `${raise} ${action}`,
        )
    const other = `update credentials set totp_secret = 'x' where user_id = :victim`
    await assert.rejects(attempt('uma', 'quinn', [other]), { code: 'QA001' })
  })

  // proves: AUTH-04, AUD-01
  it('brings no ended token back, and changes no user name or creator', async () => {
    await assert.rejects(
      attempt('uma', 'anna', ['update credentials set session_version = session_version - 1 where user_id = :victim']),
      { code: 'QA002' },
    )
    await world.rows(`update credentials set last_login_at = now() where user_id = ${idOf('anna')}`)
    for (const change of ['last_login_at = null', 'last_login_at = null, password_hash = password_hash'])
      await assert.rejects(attempt('uma', 'anna', [`update credentials set ${change} where user_id = :victim`]), {
        code: 'QA002',
      })
    for (const change of [`username = 'quinn2'`, `created_by = ${idOf('uma')}`])
      await assert.rejects(
        attempt('uma', 'anna', [`update users set ${change} where id = :victim`]),
        { code: 'QA002' },
        change,
      )
  })
})
