import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const report = { title: 'Leak at the pump', description: 'Found at the morning round.', severity: 'minor' }

// proves: IDEM-01
describe('a command with an Idempotency-Key', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const post = (name: string, key: string, body: object = report, url = '/api/deviations/') =>
    world.as(name).post(url, body, { 'idempotency-key': key })
  const countReports = async (title: string) =>
    (await world.rows<{ n: number }>('select count(*)::int as n from deviations where title = $1', [title]))[0]!.n
  const countKeys = async () =>
    (await world.rows<{ n: number }>('select count(*)::int as n from idempotency_keys'))[0]!.n

  it('happens once, and answers the same again with its headers', async () => {
    const first = await post('uma', 'same')
    assert.equal(first.statusCode, 201, first.body)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    const entries = async () => (await world.rows('select id from audit_entries')).length
    const before = await entries()
    const second = await post('uma', 'same')
    assert.deepEqual([second.statusCode, second.body], [201, first.body])
    assert.equal(second.headers['idempotency-replayed'], 'true')
    for (const header of ['location', 'etag', 'content-type'])
      assert.equal(second.headers[header], first.headers[header], header)
    assert.equal(await countReports(report.title), 1)
    assert.equal(await entries(), before)
    const group = ok(await world.as('ada').post('/api/groups/', { name: 'Night shift' }))
    const change = { name: 'Late shift', revision: group.revision }
    const put = () => world.as('ada').put(`/api/groups/${group.id}`, change, { 'idempotency-key': 'put' })
    const [once, again] = [ok(await put()), ok(await put())]
    assert.deepEqual(again, once)
    assert.equal(once.revision, group.revision + 1)
  })

  it('happens once when it is sent many times at the same moment, and all get one answer', async () => {
    const title = 'At the same moment'
    const all = await Promise.all(Array.from({ length: 6 }, () => post('uma', 'moment', { ...report, title })))
    assert.deepEqual(new Set(all.map(({ statusCode, body }) => `${statusCode} ${body}`)).size, 1, all[0]!.body)
    assert.equal(all.filter(({ headers }) => headers['idempotency-replayed']).length, 5)
    assert.equal(await countReports(title), 1)
  })

  it('happens for each key once, however often and in what order they come', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }), async keys => {
        run += 1
        const title = `Run ${run}`
        await Promise.all(keys.map(key => post('uma', `${title}/${key}`.replaceAll(' ', '-'), { ...report, title })))
        assert.equal(await countReports(title), new Set(keys).size)
      }),
      { numRuns: 10 },
    )
  })

  it('is refused where another request had the key: another body, address or If-Match', async () => {
    const { id } = (await post('uma', 'other')).json()
    for (const reply of [
      await post('uma', 'other', { ...report, severity: 'major' }),
      await post('uma', 'other', {}, `/api/deviations/${id}/comments`),
      await world.as('uma').post('/api/deviations/', report, { 'idempotency-key': 'other', 'if-match': '"1"' }),
    ]) {
      assert.equal(reply.statusCode, 422, reply.body)
      const [issue] = reply.json().detail
      if (issue.loc[0] === 'header') assert.equal(issue.type, 'idempotency_key_used')
    }
    const reply = await post('uma', 'other', { ...report, severity: 'major' })
    assert.deepEqual(reply.json().detail[0].loc, ['header', 'idempotency-key'])
  })

  it('that is refused keeps nothing, so it can be mended and sent again', async () => {
    const before = await countKeys()
    const group = { name: 'Filling line' }
    assert.equal((await post('ada', 'mended', group, '/api/groups/')).statusCode, 201)
    const taken = await post('ada', 'mended-2', group, '/api/groups/')
    assert.equal(taken.statusCode, 409, taken.body)
    assert.equal(await countKeys(), before + 1)
    const mended = await post('ada', 'mended-2', { ...group, name: 'Packing line' }, '/api/groups/')
    assert.equal(mended.statusCode, 201, mended.body)
  })

  // proves: SVC-01, AUTH-05
  it('belongs to its sender: the same key of others is another, and a permission that was lost is asked for again', async () => {
    const title = 'Of everybody'
    const bodies = new Set<string>()
    for (const name of ['uma', 'anna', 'rita']) {
      const reply = await post(name, 'shared', { ...report, title })
      assert.equal(reply.statusCode, 201)
      assert.equal(reply.headers['idempotency-replayed'], undefined)
      bodies.add(reply.body)
    }
    assert.equal(bodies.size, 3)
    const denied = { granted: [], denied: ['deviations.create'] }
    ok(await world.as('ada').put(`/api/users/${world.people.anna!.id}/permissions`, denied))
    assert.equal((await post('anna', 'shared', { ...report, title })).statusCode, 403)
  })

  it('is refused where a secret or a file is sent or answered, and ignored where nothing changes', async () => {
    const keyed = { 'idempotency-key': 'secret' }
    const refused = [
      await world.as('uma').post('/api/auth/change-password', {}, keyed),
      await post(
        'uma',
        'secret',
        { current_password: password, new_password: 'Giraffe 4 umbrella' },
        '/api/auth/change-password',
      ),
      await post(
        'quinn',
        'secret',
        { document_id: 1, signature_type: 'witness', intent: 'x', password },
        '/api/signatures/',
      ),
      await world.server.inject({
        ...{ method: 'POST', url: '/api/auth/token', headers: keyed, payload: { username: 'uma', password } },
      }),
    ]
    assert.equal(refused[0]!.statusCode, 422, 'its body is looked at first')
    for (const reply of refused.slice(1))
      assert.deepEqual([reply.statusCode, reply.json().code], [400, 'idempotency_key_not_accepted'], reply.body)
    for (const key of ['', 'two words', 'x'.repeat(129), 'ä'])
      assert.equal((await post('uma', key)).json().code, 'idempotency_key_invalid', key)
    const list = await world.as('uma').get('/api/deviations/', keyed)
    assert.equal(list.statusCode, 200)
    const description = (await world.server.inject('/docs/json')).json()
    assert.equal(description.paths['/api/deviations/'].post['x-idempotency-key'], true)
    for (const path of ['/api/signatures/', '/api/auth/token', '/api/users/', '/api/documents/upload'])
      assert.equal(description.paths[path].post['x-idempotency-key'], undefined, path)
  })

  it('whose answer awaits an approval answers 202 again', async () => {
    ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: true, change_reason: 'Two people' }))
    const [workflow] = ok(await world.as('ada').get('/api/workflow-templates/')).items
    const type = { name: 'Logbook', prefix: 'LOG', workflow_template_id: workflow.id }
    const ask = () => post('ada', 'proposal', type, '/api/document-types/')
    const [first, second] = [await ask(), await ask()]
    assert.equal(first.statusCode, 202, first.body)
    assert.deepEqual(
      [second.statusCode, second.body, second.headers.location],
      [202, first.body, first.headers.location],
    )
  })

  it('holds up nobody else, however many of them wait', async () => {
    const hold = new pg.Client(world.postgres.superuser)
    await hold.connect()
    await hold.query('begin; lock table deviations in share mode')
    const all = Array.from({ length: 60 }, () => post('uma', 'crowd', { ...report, title: 'A crowd' }))
    const begun = performance.now()
    ok(await world.as('rex').get('/api/groups/'))
    const waited = performance.now() - begun
    await hold.query('rollback')
    await hold.end()
    assert.equal(new Set((await Promise.all(all)).map(({ body }) => body)).size, 1)
    assert.ok(waited < 3000, `${waited} ms`)
  })

  it('waits ten seconds at most for one in another process', async () => {
    const { id, tenant_id } = world.people.uma!
    await world.superuser.query(
      `begin; insert into idempotency_keys (tenant_id, user_id, key_hash, request_hash, created_at)
         values (${tenant_id}, ${id}, sha256('held'), sha256('x'), now())`,
    )
    const reply = await post('uma', 'held')
    await world.superuser.query('rollback')
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'idempotency_key_in_use'])
  })

  it('is forgotten after 48 hours', async () => {
    const title = 'After two days'
    await post('uma', 'old', { ...report, title })
    const { round } = world.app.schedules.find(({ name }) => name === 'jobs.idempotency_keys')!
    await round(world.services, new AbortController().signal)
    await post('uma', 'old', { ...report, title })
    assert.equal(await countReports(title), 1)
    world.clock.moved_ms += 49 * 3_600_000
    await round(world.services, new AbortController().signal)
    assert.equal(await countKeys(), 0)
    await post('uma', 'old', { ...report, title })
    assert.equal(await countReports(title), 2)
  })

  // proves: AUD-01, SVC-01
  it('keeps an answer that the login of the application cannot change', async () => {
    await post('uma', 'fixed')
    const { id, tenant_id } = world.people.uma!
    await assert.rejects(
      world.database.transaction({ tenantId: tenant_id, userId: id }, 'read write', tx =>
        tx.updateTable('idempotency_keys').set({ body: '{}' }).where('user_id', '=', id).execute(),
      ),
      { code: 'QA002' },
    )
  })
})
