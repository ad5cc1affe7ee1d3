import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '#test/world/world.ts'

describe('the settings of a tenant', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())
  const defaults = {
    time_zone: 'UTC',
    language: 'en',
    due_days: { critical: 3, major: 15, minor: 30 },
    signature_reauth_minutes: null,
    admin_may_approve: true,
    password: { min_length: 12 },
    upload_types: ['pdf', 'docx', 'xlsx', 'pptx', 'txt', 'csv', 'md', 'png', 'jpg'],
    signature_otp_required: false,
    signature_identity_verified_required: false,
    configuration_needs_approval: false,
    signature_statement: null,
    fda_letter: null,
    report_takers: [],
    search_synonyms: [],
    hand_over_role: null,
    number_patterns: { deviation: 'DEV-{year}-{0000}', capa: 'CAPA-{year}-{0000}' },
    digest_hour: 7,
    escalation_hours: { urgent: 24, high: 72, normal: 72 },
    session_idle_minutes: 30,
    session_max_hours: 12,
    sessions_most: 10,
    sso_required: false,
    signature_methods: ['password', 'password_otp', 'session', 'passkey', 'provider'],
    passkeys_device_bound: false,
  }

  /** Without what the answer says about them. */
  const read = async (name: string) => {
    const {
      defaults: _defaults,
      last_changes: _changes,
      people: _people,
      ...settings
    } = (await world.as(name).get('/api/settings/')).json()
    return settings
  }

  it('have defaults; a change keeps what it leaves out, is audited field by field, and is no other tenant’s', async () => {
    const first = await world.as('otto').get('/api/settings/')
    assert.deepEqual(first.json().defaults, defaults)
    assert.deepEqual(await read('otto'), { ...defaults, revision: 1 })
    const changed = await world
      .as('ada')
      .put(
        '/api/settings/',
        { time_zone: 'Europe/Berlin', due_days: { major: 10 }, change_reason: 'SOP-0007' },
        { 'if-match': first.headers.etag as string },
      )
    const now = {
      ...defaults,
      time_zone: 'Europe/Berlin',
      due_days: { critical: 3, major: 10, minor: 30 },
      revision: 2,
    }
    assert.deepEqual([changed.statusCode, changed.json()], [200, now])
    assert.deepEqual(await read('quinn'), now)
    assert.deepEqual(await read('rex'), { ...defaults, revision: 1 })
    const [entry] = await world.rows<{ changes: object; reason: string }>(
      `select changes, reason from audit_entries where action = 'settings.updated'`,
    )
    assert.deepEqual(entry, {
      reason: 'SOP-0007',
      changes: {
        time_zone: { from: 'UTC', to: 'Europe/Berlin' },
        due_days: { from: defaults.due_days, to: now.due_days },
        revision: { from: 1, to: 2 },
      },
    })
    const stale = await world.as('ada').put('/api/settings/', { admin_may_approve: false, revision: 1 })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /settings\.updated/)
  })

  it('refuse what is no setting, no time zone, or too weak', async () => {
    for (const body of [
      { time_zone: 'Mars/Olympus' },
      { due_days: { critical: 0 } },
      { password: { min_length: 8 } },
      { colour: 'red' },
      { due_days: { urgent: 1 } },
      { admin_may_approve: 'yes' },
      { upload_types: [] },
      { upload_types: ['pdf', 'exe'] },
      { upload_types: ['svg'] },
      { upload_types: ['pdf', 'pdf'] },
      { upload_types: 'pdf' },
    ]) {
      assert.equal((await world.as('ada').put('/api/settings/', body)).statusCode, 422, JSON.stringify(body))
    }
    assert.equal((await world.as('quinn').put('/api/settings/', { admin_may_approve: false })).statusCode, 403)
  })

  it('decide how long a new password is', async () => {
    assert.equal((await world.as('ada').put('/api/settings/', { password: { min_length: 20 } })).statusCode, 200)
    const reply = await world.as('ada').post('/api/users/', {
      username: 'nora',
      email: 'nora@example.com',
      full_name: 'Nora',
      password: 'Giraffe 4 umbrella',
    })
    const [{ type, params }] = reply.json().detail
    assert.deepEqual([reply.statusCode, type, params], [422, 'password_too_short', { minimum: 20 }])
  })

  it('keep both of two changes at the same moment', async () => {
    const replies = await Promise.all([
      world.as('ada').put('/api/settings/', { due_days: { critical: 1 } }),
      world.as('ada').put('/api/settings/', { due_days: { minor: 60 } }),
    ])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200, 200],
    )
    assert.deepEqual((await world.as('ada').get('/api/settings/')).json().due_days, {
      critical: 1,
      major: 10,
      minor: 60,
    })
  })
})
