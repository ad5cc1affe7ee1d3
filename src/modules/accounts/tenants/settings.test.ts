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
    deviation_form: null,
    retention_years: { deviation: null, capa: null },
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
      company_name: _name,
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

  it('have the name of the company, which an Admin changes with a reason; the slug stays (proves: AUD-01)', async () => {
    const url = '/api/settings/company-name'
    const name = 'Acme Pharma SE'
    assert.equal((await world.as('ada').put(url, { name })).statusCode, 422)
    assert.equal((await world.as('quinn').put(url, { name, change_reason: 'Mine' })).statusCode, 403)
    const { revision, company_name: before } = (await world.as('ada').get('/api/settings/')).json()
    const change = { name, change_reason: 'New legal form', revision }
    const [one, other] = await Promise.all([world.as('ada').put(url, change), world.as('ada').put(url, change)])
    assert.deepEqual(new Set([one.statusCode, other.statusCode]), new Set([200, 409]))
    const { tenant } = (await world.as('uma').get('/api/auth/me')).json()
    assert.deepEqual([tenant.name, tenant.slug], [name, 'acme'])
    const settings = (await world.as('otto').get('/api/settings/')).json()
    assert.equal(settings.company_name, name)
    const last = settings.last_changes.find(({ field }: { field: string }) => field === 'company_name')
    assert.deepEqual([last.changed_by.username, last.change_reason], ['ada', 'New legal form'])
    assert.deepEqual(
      await world.rows(
        `select changes::jsonb -> 'name' as name, reason from audit_entries where action = 'tenant.updated' and changes::jsonb ? 'name'`,
      ),
      [{ name: { from: before, to: name }, reason: 'New legal form' }],
    )
    assert.notEqual((await world.as('rex').get('/api/settings/')).json().company_name, name)
  })

  it('name the form that is offered first when a deviation is reported (proves: DEV-01)', async () => {
    const fields = [{ key: 'line', label: 'Line', type: 'text' }]
    const sections = [{ key: 'where', title: 'Where', fields }]
    const url = '/api/deviations/form-templates/'
    const [first, second] = [
      (await world.as('quinn').post(url, { name: 'Line clearance', sections })).json(),
      (await world.as('quinn').post(url, { name: 'Cold chain', sections })).json(),
    ]
    const set = (deviation_form: number | null) => world.as('ada').put('/api/settings/', { deviation_form })
    assert.equal((await set(second.id)).statusCode, 200)
    const { items } = (await world.as('uma').get(url)).json()
    assert.deepEqual(
      items.flatMap(({ id, is_default }: { id: number; is_default: boolean }) => (is_default ? [id] : [])),
      [second.id],
    )
    const [entry] = await world.rows<{ change: object }>(
      `select changes::jsonb -> 'deviation_form' as change from audit_entries where changes::jsonb ? 'deviation_form'`,
    )
    assert.deepEqual(entry!.change, { from: null, to: 'Cold chain' })
    assert.equal((await world.as('quinn').put(`${url}${first.id}`, { is_active: false })).statusCode, 200)
    assert.equal((await set(first.id)).json().code, 'deviation_form_inactive')
    assert.equal((await set(999_999)).statusCode, 404)
    assert.equal((await set(null)).statusCode, 200)
  })
})
