// Access reviews: a person reviews the accounts and their access, and signs the findings (EU GMP Annex 11, 12.3; 21 CFR 11.300(b)).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { behindTheApi, type Json, ok } from '#test/builders/documents.ts'
import { altered, intact, signatures } from '#test/builders/signatures.ts'
import { until } from '#test/world/background.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const days = 86_400_000

let world: World
let seals: ReturnType<typeof signatures>
before(async () => {
  world = await openWorld()
  seals = signatures(world)
})
after(() => world.close())

const page = async (query = '', by = 'otto'): Promise<Json> =>
  ok(await world.as(by).get(`/api/users/access-review?page_size=100&${query}`))
const of = ({ items }: Json, name: string): Json => items.find(({ username }: Json) => username === name)
const post = async (fields: object = {}, by = 'ada', options = {}) =>
  world.as(by, options).post('/api/users/access-reviews/', {
    accounts_sha256: (await page()).accounts_sha256,
    outcome: 'no_findings',
    ...fields,
  })
const review = async (fields?: object): Promise<Json> => ok(await post(fields))
const read = async (id: number, by = 'otto'): Promise<Json> =>
  ok(await world.as(by).get(`/api/users/access-reviews/${id}`))
const refusal = (reply: { statusCode: number; json(): Json }) => [reply.statusCode, reply.json().code]
const logIn = (username: string, secret = password) =>
  world.server.inject({ method: 'POST', url: '/api/auth/token', payload: { username, password: secret } })
const permissionsOf = (name: string, granted: string[], denied: string[] = []) =>
  world.as('ada').put(`/api/users/${world.people[name]!.id}/permissions`, { granted, denied, change_reason: 'Holiday' })

// proves: AUTH-05, ROLE-04
describe('the list of accounts for a review', () => {
  it('has every account of the tenant, and of no other', async () => {
    const { items, total, accounts } = await page()
    const users = await world.rows<{ username: string }>('select username from users where tenant_id = $1 order by 1', [
      world.people.ada!.tenant_id,
    ])
    assert.deepEqual(items.map(({ username }: Json) => username).sort(), users.map(({ username }) => username).sort())
    assert.deepEqual([total, accounts], [users.length, users.length])
  })

  it('shows role, single permissions, source, protection and the last log-in of each', async () => {
    ok(await permissionsOf('uma', ['audit.read'], ['search.use']))
    ok(await logIn('uma'))
    const uma = of(await page(), 'uma')
    assert.equal(Math.abs(Date.parse(uma.last_login_at) - Date.now()) < days, true)
    assert.deepEqual(
      { ...uma, user_id: 0, last_login_at: '' },
      {
        ...{ user_id: 0, username: 'uma', full_name: 'Uma Example', role: 'User', is_active: true, source: 'local' },
        ...{ last_login_at: '', dormant_since: null, locked_until: null },
        ...{ second_factor: false, identity_verified: of(await page(), 'petra').identity_verified },
        ...{ granted: ['audit.read'], granted_count: 1, denied: ['search.use'], denied_count: 1 },
      },
    )
  })

  it('says who is locked, who is deactivated, and since when an active account is dormant', async () => {
    for (let attempt = 0; attempt < 5; attempt++) await logIn('petra', 'Wrong horse 1 battery')
    assert.ok(Date.parse(of(await page(), 'petra').locked_until) > Date.now())
    ok(await world.as('ada').post(`/api/users/${world.people.alan!.id}/deactivate`, { change_reason: 'Left' }))
    const [{ last_login_at }] = (await world.rows<Json>('select last_login_at from credentials where user_id = $1', [
      world.people.uma!.id,
    ])) as [Json]
    const since = new Date(last_login_at).getTime() + 90 * days
    try {
      world.clock.moved_ms = since - 60_000 - Date.now()
      assert.equal(of(await page(), 'uma').dormant_since, null)
      world.clock.moved_ms = since + 60_000 - Date.now()
      const later = await page()
      assert.equal(Math.abs(Date.parse(of(later, 'uma').dormant_since) - since) < 1000, true)
      assert.deepEqual([of(later, 'alan').is_active, of(later, 'alan').dormant_since], [false, null])
      assert.equal(of(later, 'petra').locked_until, null)
      const dormant = await page('is_dormant=true&is_active=true')
      assert.ok(dormant.total > 0 && dormant.items.every((each: Json) => each.dormant_since !== null))
      assert.deepEqual([dormant.accounts, dormant.accounts_sha256], [later.accounts, later.accounts_sha256])
    } finally {
      world.clock.moved_ms = 0
      ok(await world.as('ada').post(`/api/users/${world.people.alan!.id}/reactivate`, { change_reason: 'Back' }))
    }
  })

  it('names settings that weaken the control of access', async () => {
    const codes = async () => (await page()).remarks.map(({ code }: Json) => code)
    assert.deepEqual(await codes(), [
      'access_review_admins_may_approve',
      'access_review_identity_not_required',
      'access_review_otp_not_required',
      'access_review_configuration_alone',
    ])
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    assert.deepEqual(await codes(), [
      'access_review_identity_not_required',
      'access_review_otp_not_required',
      'access_review_configuration_alone',
    ])
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
  })

  it('is for those who manage accounts and for Auditors', async () => {
    for (const name of ['quinn', 'petra', 'anna', 'uma'])
      assert.equal((await world.as(name).get('/api/users/access-review')).statusCode, 403, name)
    assert.equal((await page('', 'ada')).accounts, (await page('', 'otto')).accounts)
  })

  // proves: AUD-01
  it('is exported as CSV that a spreadsheet does not calculate, and the export is an entry of the trail', async () => {
    const id = world.people.petra!.id
    ok(await world.as('ada').put(`/api/users/${id}`, { full_name: '=HYPERLINK("http://evil.example")' }))
    const { accounts, accounts_sha256 } = await page()
    const reply = await world.as('otto').get('/api/users/access-review?format=csv')
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-type']), /^text\/csv/)
    assert.deepEqual(
      [reply.headers['x-accounts'], reply.headers['x-accounts-sha256']],
      [String(accounts), accounts_sha256],
    )
    const lines = reply.body.trimEnd().split('\r\n')
    assert.equal(lines.length, accounts + 1)
    assert.match(lines[0]!, /^\uFEFFUser ID,Username,Full name,Role,/)
    assert.ok(
      lines.some(line => line.includes(`petra,"'=HYPERLINK(""http`)),
      reply.body,
    )
    const few = await world.as('otto').get('/api/users/access-review?format=csv&q=petra')
    assert.equal(few.body.trimEnd().split('\r\n').length, 2)
    const [{ user, changes }] = ok(await world.as('otto').get('/api/audit/?action=access_review.exported')).items
    assert.deepEqual([user.username, changes.q.to, changes.accounts_sha256.to], ['otto', 'petra', accounts_sha256])
    ok(await world.as('ada').put(`/api/users/${id}`, { full_name: 'Petra Example' }))
  })
})

// proves: SIG-01, SIG-02, AUD-01, AUTH-05
describe('an access review', () => {
  it('is signed over the list that was read, with the account of the reviewer, and is an entry of the trail', async () => {
    const { accounts, accounts_sha256, remarks } = await page()
    const later = { logged_in: 7200 }
    assert.equal((await post({}, 'ada', later)).statusCode, 401)
    const made: Json = ok(
      await post({ outcome: 'findings', findings: 'Two dormant accounts', password, intent: 'Q3' }, 'ada', later),
    )
    assert.deepEqual(
      [made.accounts, made.own_accounts, made.accounts_sha256, made.remarks, made.reviewer.username],
      [accounts, 1, accounts_sha256, remarks, 'ada'],
    )
    const [signature] = await seals.listed('access_review', made.id)
    assert.deepEqual(
      [signature.id, signature.signature_type, signature.intent, signature.method, signature.resource_number],
      [made.signature.id, 'review', 'Q3', 'password', `Access review ${made.id}`],
    )
    assert.equal(made.signature.signed_at, signature.signed_at, 'one form of one moment')
    assert.deepEqual(signature.occasion, { kind: 'access_review', ref: '' })
    assert.deepEqual(await seals.found(signature.id), intact)
    const undone = await world.as('ada').post(`/api/signatures/${signature.id}/void`, { reason: 'x', password })
    assert.deepEqual(refusal(undone), [409, 'signature_of_access_review'])
    const { items } = ok(await world.as('otto').get(`/api/audit/?resource_type=access_review&resource_id=${made.id}`))
    assert.deepEqual(
      items.map(({ action, reason, changes }: Json) => [action, reason, changes.accounts_sha256.to]),
      [['access_review.created', 'Two dormant accounts', accounts_sha256]],
    )
  })

  it('is refused where an account changed since the list was read, also at the same moment', async () => {
    const { accounts_sha256 } = await page()
    const changed = [409, 'access_review_list_changed']
    ok(await permissionsOf('uma', ['audit.read', 'audit.export']))
    assert.deepEqual(refusal(await post({ accounts_sha256 })), changed)
    ok(await permissionsOf('uma', ['audit.read', 'roles.read']))
    assert.deepEqual(refusal(await post({ accounts_sha256 })), changed)
    // A log-in changes the last log-in alone, which nobody decides by but for dormant accounts.
    const seen = await page()
    ok(await logIn('quinn'))
    ok(await post({ accounts_sha256: seen.accounts_sha256 }))

    const count = async () => (await world.rows('select from access_reviews')).length
    const before = await count()
    const other = new pg.Client(world.postgres.superuser)
    await other.connect()
    try {
      await other.query(
        'begin; set local session_replication_role = replica; lock table access_reviews in exclusive mode',
      )
      const asked = post()
      const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await until(async () => (await world.rows(isWaiting)).length > 0)
      await other.query(`update users set granted = '{}' where id = ${world.people.uma!.id}; commit`)
      assert.deepEqual(refusal(await asked), changed)
    } finally {
      await other.end()
    }
    assert.equal(await count(), before)
  })

  it('keeps the list as it was, and says how many accounts differ from it today', async () => {
    const made = await review()
    const seen = await page()
    const standing = async () => {
      const { is_intact, changed_accounts } = await read(made.id)
      return [is_intact, changed_accounts]
    }
    assert.deepEqual(await standing(), [true, 0])
    ok(await permissionsOf('uma', ['capa.read']))
    assert.deepEqual(await standing(), [true, 1])
    const url = `/api/users/access-reviews/${made.id}/accounts`
    const kept: Json = ok(await world.as('otto').get(`${url}?page_size=100`))
    assert.deepEqual(
      [kept.accounts, kept.accounts_sha256, of(kept, 'uma').granted],
      [seen.accounts, seen.accounts_sha256, of(seen, 'uma').granted],
    )
    const csv = await world.as('otto').get(`${url}?format=csv`)
    assert.equal(csv.body.trimEnd().split('\r\n').length, seen.accounts + 1)
    assert.equal(csv.headers['x-accounts-sha256'], made.accounts_sha256)
    ok(await permissionsOf('uma', []))
  })

  it('is never changed, and its signature fails where somebody does it behind the service', async () => {
    const made = await review()
    await assert.rejects(world.rows('update access_reviews set accounts = 1 where id = $1', [made.id]), {
      code: 'QA002',
    })
    const look = () => seals.found(made.signature.id)
    for (const set of [
      { outcome: `'findings'`, findings: `'x'` },
      { own_accounts: '0' },
      { accounts_sha256: `repeat('0', 64)` },
      { remarks: `'[]'` },
    ])
      assert.deepEqual(
        await seals.whileAltered('access_reviews', made.id, set, look),
        altered('record_integrity'),
        JSON.stringify(set),
      )
    assert.deepEqual(await look(), intact)
    const key = [made.id, world.people.uma!.id]
    const set = (granted: string) =>
      behindTheApi(
        world,
        'access_review_accounts',
        `update access_review_accounts set granted = '${granted}' where access_review_id = $1 and user_id = $2`,
        key,
      )
    await set('{users.manage}')
    assert.deepEqual(await look(), altered('record_integrity'))
    assert.equal((await read(made.id)).is_intact, false)
    await set('{}')
    assert.deepEqual(await look(), intact)
  })

  it('is refused where its findings are missing or not expected, and to Auditors, who sign nothing', async () => {
    const fault = async (fields: object) => {
      const [{ loc, type }] = (await post(fields)).json().detail
      return [loc.join('.'), type]
    }
    assert.deepEqual(await fault({ outcome: 'findings' }), ['body.findings', 'access_review_findings_required'])
    assert.deepEqual(await fault({ findings: 'One' }), ['body.findings', 'access_review_findings_not_allowed'])
    for (const by of ['otto', 'quinn', 'petra']) assert.equal((await post({}, by)).statusCode, 403, by)
  })

  it('is listed by moment, reviewer and outcome, to who reads log-ins, within the tenant', async () => {
    const made = await review({ outcome: 'findings', findings: 'One' })
    const list = async (query: string, by = 'otto'): Promise<Json> =>
      ok(await world.as(by).get(`/api/users/access-reviews/?page_size=100&${query}`))
    const { items, total } = await list('')
    assert.deepEqual([items.length, items[0]], [total, made])
    assert.deepEqual((await list(`reviewer_id=${world.people.ada!.id}&outcome=findings`)).items[0], made)
    assert.equal((await list('date_to=2019-12-31')).total, 0)
    assert.equal((await list('', 'rex')).total, 0)
    for (const url of [`/api/users/access-reviews/${made.id}`, `/api/users/access-reviews/${made.id}/accounts`])
      for (const format of ['', '?format=csv']) {
        if (format && !url.endsWith('accounts')) continue
        assert.equal((await world.as('rex').get(`${url}${format}`)).statusCode, 404)
        assert.equal((await world.as('quinn').get(`${url}${format}`)).statusCode, 403)
      }
  })
})
