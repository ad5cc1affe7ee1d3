// An insider with the login attest_app, which is also what an attacker has after any hole in the service: what the database refuses, and what
// is found out.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { ok, papers } from '#test/builders/documents.ts'
import { altered, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('somebody with the login attest_app', () => {
  let world: World
  let app: pg.Client
  before(async () => {
    world = await openWorld()
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(async () => {
    await app.end()
    await world.close()
  })
  beforeEach(() => app.query('rollback'))

  /** Begins a transaction as the service does: bound to acme and to a person. */
  async function begin(name = 'uma', transaction_id: string = randomUUID()) {
    const { id, tenant_id } = world.people[name]!
    await app.query(
      `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${transaction_id}'`,
    )
  }
  const insertEntry = (resource_type: string, resource_id: number, more: Record<string, unknown> = {}) => {
    const values: Record<string, unknown> = {
      username: 'uma',
      user_role: 'User',
      client_addr: '',
      outcome: 'success',
      action: `${resource_type}.updated`,
      resource_type,
      resource_id,
      changes: '{}',
      request_id: '',
      ...more,
    }
    const places = Object.keys(values).map((_, at) => `$${at + 1}`)
    return app.query(
      `insert into audit_entries (${Object.keys(values).join()}) values (${places.join()}) returning id`,
      Object.values(values),
    )
  }
  const verification = async () => ok(await world.as('otto').get('/api/audit/verify'))

  // proves: AUD-01
  it('changes nothing under the entry of an earlier transaction', async () => {
    const { id } = world.people.uma!
    ok(await world.as('ada').put(`/api/users/${id}`, { full_name: 'Uma Novak', change_reason: 'Married' }))
    const [earlier] = await world.rows<{ transaction_id: string }>(
      `select transaction_id from audit_entries where resource_type = 'user' and resource_id = $1 order by id desc limit 1`,
      [id],
    )
    await begin('ada', earlier!.transaction_id)
    await app.query(`update credentials set password_hash = 'of the attacker' where user_id = $1`, [id])
    await assert.rejects(app.query('commit'), { code: 'QA001' })
  })

  // proves: DOC-03, SIG-02
  it('cannot change the content of an approved version, also with an entry', async () => {
    const { id } = await papers(world).effective()
    await begin('quentin')
    await insertEntry('document', id)
    await assert.rejects(
      app.query(
        `update document_versions set title = 'Forged', content_revision = content_revision + 1 where document_id = $1`,
        [id],
      ),
      { code: 'QA002' },
    )
  })

  // proves: SIG-02
  it('is found out who takes an approved version back, changes it and approves it again', async () => {
    const { id } = await papers(world).effective()
    const { listed, found } = signatures(world)
    await begin('quentin')
    await insertEntry('document', id)
    const [was] = (await app.query('select * from document_versions where document_id = $1', [id])).rows
    await app.query(
      `update document_versions set status = 'draft', status_kind = 'initial', approved_at = null, effective_at = null where document_id = $1`,
      [id],
    )
    await app.query(
      `update document_versions set title = 'Forged', content_revision = content_revision + 1 where document_id = $1`,
      [id],
    )
    await app.query(
      `update document_versions set status = $2, status_kind = $3, approved_at = $4, effective_at = $5 where document_id = $1`,
      [id, was.status, was.status_kind, was.approved_at, was.effective_at],
    )
    await app.query('commit')
    const given = await listed('document', id)
    assert.ok(given.length > 0)
    for (const signature of given) assert.deepEqual(await found(signature.id), altered('record_integrity'))
  })

  // proves: AUD-01
  it('dates no entry, and gives none to another person or transaction', async () => {
    const attempts = {
      occurred_at: '2026-01-23T10:00:00Z',
      user_id: world.people.ada!.id,
      tenant_id: world.people.uma!.tenant_id,
      transaction_id: randomUUID(),
    }
    for (const [column, value] of Object.entries(attempts)) {
      await begin()
      await assert.rejects(insertEntry('user', 1, { [column]: value }), { code: '42501' }, column)
      await app.query('rollback')
    }
    await begin()
    const { rows } = await insertEntry('user', world.people.uma!.id, { username: 'ada', user_role: 'Admin' })
    await app.query('commit')
    const [entry] = await world.rows('select username, user_role from audit_entries where id = $1', [rows[0].id])
    assert.deepEqual(entry, { username: 'uma', user_role: 'User' })
  })

  // proves: AUD-04
  it('leaves a time that runs backwards, if the owner dates an entry back, and verification reports it', async () => {
    const { tenant_id } = world.people.uma!
    await world.seal()
    assert.deepEqual((await verification()).warnings, [])
    const [forged] = await world.rows<{ id: string }>(
      `insert into audit_entries (tenant_id, occurred_at, transaction_id, username, user_role, outcome, action, resource_type, changes, request_id, client_addr)
       values ($1, now() - interval '10 months', gen_random_uuid(), 'quentin', 'QA Manager', 'success', 'document.approved', 'document', '{}', '', '')
       returning id`,
      [tenant_id],
    )
    await world.seal()
    const { warnings } = await verification()
    assert.deepEqual(
      warnings.map(({ check, entry_id }: { check: string; entry_id: number }) => [check, entry_id]),
      [['time', Number(forged!.id)]],
    )
  })

  // proves: AUD-04
  it('cannot stop the sealing of a tenant by a checkpoint or a state of their own', async () => {
    await world.seal()
    const { tenant_id } = world.people.uma!
    await begin()
    await app.query(
      `insert into audit_checkpoints (epoch, size, root, note) select epoch, size + 1, sha256('x'), 'x' from audit_logs`,
    )
    await assert.rejects(app.query('commit'), { code: 'QA003' })
    await begin()
    await app.query('update audit_logs set size = size + 1, seq = seq + 1')
    await assert.rejects(app.query('commit'), { code: 'QA003' })
    ok(await world.as('ada').post('/api/groups/', { name: 'Sealed afterwards' }))
    await world.seal()
    assert.deepEqual(await world.rows('select entry_id from audit_pending where tenant_id = $1', [tenant_id]), [])
  })

  // proves: AUD-01
  it('takes back the count of failed log-ins and the last code used, which are counters and leave no entry', async () => {
    const logIn = async (given: string) =>
      (
        await world.server.inject({
          method: 'POST',
          url: '/api/auth/token',
          payload: { username: 'anna', password: given },
        })
      ).statusCode
    for (let failure = 0; failure < 5; failure++) await logIn('Wrong horse 1 battery')
    assert.equal(await logIn(password), 401, 'locked')
    const { id } = world.people.anna!
    await begin()
    await app.query('delete from login_addresses where user_id = $1', [id])
    const lowered = await app.query('update credentials set totp_last_step = 0 where user_id = $1', [id])
    await app.query('commit')
    assert.equal(lowered.rowCount, 1)
    assert.equal(await logIn(password), 200)
  })

  // proves: AUD-01, AUD-04
  it('changes settings and groups under an entry that tells something else, which no verification compares with the row', async () => {
    const { tenant_id } = world.people.ada!
    const { time_zone } = ok(await world.as('ada').get('/api/settings/'))
    const setting = `update tenants set settings = settings || '{"time_zone": "Asia/Tokyo"}', revision = revision + 1 where id = $1`
    await begin('ada')
    await app.query(setting, [tenant_id])
    await assert.rejects(app.query('commit'), { code: 'QA001' }, 'it needs an entry')
    await begin('ada')
    await app.query(setting, [tenant_id])
    const { id: group } = ok(await world.as('ada').post('/api/groups/', { name: 'Inspectors' }))
    await app.query(`update groups set name = 'Everybody' where id = $1`, [group])
    await insertEntry('group', group)
    const { rows } = await insertEntry('tenant', tenant_id, {
      changes: '{"name": {"from": "Acme", "to": "Acme Pharma"}}',
    })
    await app.query('commit')
    assert.equal(ok(await world.as('ada').get('/api/settings/')).time_zone, 'Asia/Tokyo')
    assert.equal(ok(await world.as('ada').get(`/api/groups/${group}`)).name, 'Everybody')
    await world.seal()
    const found = await verification()
    assert.deepEqual([found.valid, found.failures], [true, []])
    const entry = ok(await world.as('otto').get(`/api/audit/${rows[0].id}`))
    assert.deepEqual(Object.keys(entry.changes), ['name'])
    ok(await world.as('ada').put('/api/settings/', { time_zone }))
  })

  // proves: SIG-01
  it('signs for nobody else', async () => {
    await begin()
    await assert.rejects(app.query('insert into signatures (signer_id) values ($1)', [world.people.quentin!.id]), {
      code: '42501',
    })
  })
})
