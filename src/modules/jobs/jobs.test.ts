import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ActionContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { makeGroups } from '#test/processes/job-kinds.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { recoverLost, startJob, steppedJob } from './index.ts'

let failing: Error | undefined
const fragile = steppedJob<object, { steps: number }>({
  name: 'test.fragile',
  async step(_, { state: { steps = 0 } }) {
    if (steps > 0 && failing) throw failing
    return { state: { steps: steps + 1 }, done: 1, skipped: 0, isOver: steps === 1 }
  },
})

describe('work that goes on after its answer', () => {
  let world: World
  before(async () => {
    world = await openWorld({}, { moreJobs: [makeGroups, fragile] })
  })
  after(() => world.close())

  const asked = async (by: string, work: (context: ActionContext<undefined>) => Promise<{ id: number }>) => {
    const { tenant_id, id } = world.people[by]!
    const { actor } = (await world.services.accounts.find({ tenantId: tenant_id, userId: id, sessionId: null }))!
    return world.services.runner.inSeparateTransaction(
      { ...actor, authTime: 0 },
      { requestId: `of-${by}`, clientAddr: '192.0.2.7' },
      work,
    )
  }
  const make = (by: string, name: string, count: number) =>
    asked(by, context => startJob(context, makeGroups, { input: { name, count }, total: count }))
  const job = async (by: string, id: number) => (await world.as(by).get(`/api/jobs/${id}`)).json()

  it('is done in steps as who asked for it, and each of its entries in the audit trail says so', async () => {
    const answer = await make('quinn', 'Line', 20)
    const { id } = answer
    assert.deepEqual(answer, {
      ...{ id, kind: 'test.make_groups', status: 'queued', total: 20, done: 0, skipped: 0 },
      href: `/api/jobs/${id}`,
    })
    const before = await job('quinn', id)
    assert.deepEqual([before.status, before.percent, before.started_at], ['queued', 0, null])
    await world.work()
    const after = await job('quinn', id)
    assert.deepEqual(
      [after.status, after.total, after.done, after.skipped, after.percent, after.error],
      ['completed', 20, 18, 2, 100, null],
    )
    assert.equal(after.requested_by.username, 'quinn')
    assert.ok(after.created_at <= after.started_at && after.started_at <= after.finished_at)
    const entries = await world.rows(
      `select action, username, user_role, request_id, client_addr, count(*)::int from audit_entries
       where action = 'group.created' or resource_type = 'background_job' group by 1, 2, 3, 4, 5 order by 1`,
    )
    const by = { username: 'quinn', user_role: 'QA Manager', request_id: 'of-quinn', client_addr: '192.0.2.7' }
    assert.deepEqual(entries, [
      { action: 'background_job.completed', ...by, count: 1 },
      { action: 'background_job.created', ...by, count: 1 },
      { action: 'group.created', ...by, count: 18 },
    ])
  })

  it('goes on after the last step that was done, where an Admin starts it again', async () => {
    const { id } = await asked('quinn', context => startJob(context, fragile, { input: {}, total: 2 }))
    failing = conflict({ code: 'not_today', params: {}, text: 'Not today' })
    await world.work()
    failing = undefined
    assert.deepEqual([(await job('quinn', id)).status, (await job('quinn', id)).done], ['failed', 1])
    const retry = (by: string) => world.as(by).post(`/api/jobs/${id}/retry`, { change_reason: 'The cause is mended' })
    assert.deepEqual([(await retry('quinn')).statusCode, (await retry('rex')).statusCode], [403, 404])
    // Two at the same moment: one starts it.
    const answers = await Promise.all([retry('ada'), retry('ada')])
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200, 409]))
    await world.work()
    const over = await job('quinn', id)
    assert.deepEqual([over.status, over.done, over.error], ['completed', 2, null])
    assert.deepEqual(
      await world.rows(
        `select action, username, reason from audit_entries where resource_type = 'background_job' and resource_id = $1 order by id`,
        [id],
      ),
      [
        { action: 'background_job.created', username: 'quinn', reason: null },
        { action: 'background_job.failed', username: 'quinn', reason: null },
        { action: 'background_job.retried', username: 'ada', reason: 'The cause is mended' },
        { action: 'background_job.completed', username: 'quinn', reason: null },
      ],
    )
  })

  it('is not there where the request that asked for it was refused', async () => {
    const refused = asked('quinn', async context => {
      await startJob(context, makeGroups, { input: {}, total: 1 })
      throw conflict({ code: 'not_today', params: {}, text: 'Not today' })
    })
    await assert.rejects(refused, { message: 'Not today' })
    assert.deepEqual(await world.work(), { done: 0, postponed: 0, failed: 0 })
  })

  it('is shown to who asked for it and to who manages the settings, and to nobody else', async () => {
    const { id } = await make('alan', 'Seen', 1)
    await world.work()
    const status = async (by: string) => (await world.as(by).get(`/api/jobs/${id}`)).statusCode
    assert.deepEqual(await Promise.all(['alan', 'ada', 'quinn', 'rex'].map(status)), [200, 200, 404, 404])
    const ids = async (by: string) =>
      (await world.as(by).get('/api/jobs/')).json().items.map((each: { id: number }) => each.id)
    assert.ok((await ids('ada')).length > 1)
    assert.deepEqual(await ids('alan'), [id])
    assert.deepEqual(await ids('rex'), [])
  })

  it('fails with the words of a refusal at once, and keeps what it had done', async () => {
    failing = conflict({ code: 'archived', params: {}, text: 'The program is archived: assign another' })
    const { id } = await asked('quinn', context => startJob(context, fragile, { input: {}, total: 2 }))
    await world.work()
    const { status, done, error, percent } = await job('quinn', id)
    assert.deepEqual([status, done, error, percent], ['failed', 1, failing.message, 50])
    const [entry] = await world.rows(
      `select changes -> 'error' ->> 'to' as error from audit_entries where action = 'background_job.failed' and resource_id = $1`,
      [id],
    )
    assert.deepEqual(entry, { error: failing.message })
  })

  it('is tried again where it breaks, and fails after five attempts in words that tell nothing of the error', async () => {
    failing = new Error('of Mrs Example')
    const { id } = await asked('quinn', context => startJob(context, fragile, { input: {}, total: 2 }))
    const attempts: unknown[] = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      attempts.push((await job('quinn', id)).status)
      await world.work({ mayFail: true })
      world.clock.moved_ms += 300_000
    }
    assert.deepEqual(attempts, ['queued', 'running', 'running', 'running', 'running'])
    const { status, error, done } = await job('quinn', id)
    assert.deepEqual([status, done], ['failed', 1])
    assert.equal(error, 'It failed in all 5 attempts. The log of the service has the reason.')
    const { length } = await world.rows(`select from pgboss.job j where j::text like '%Example%'`)
    assert.equal(length, 0)
  })

  it('goes on behind the step that broke, once it works', async () => {
    failing = new Error('a bad moment')
    const { id } = await asked('quinn', context => startJob(context, fragile, { input: {}, total: 2 }))
    await world.work({ mayFail: true })
    failing = undefined
    world.clock.moved_ms += 300_000
    await world.work()
    const { status, done } = await job('quinn', id)
    assert.deepEqual([status, done], ['completed', 2])
  })

  it('is asked for again where the queue does not know of it, as after a restore, and only then', async () => {
    const { id } = await make('quinn', 'Restored', 5)
    const again = recoverLost([makeGroups])
    const look = async () =>
      (await again.round(world.services, AbortSignal.abort())).done + (await world.round(again)).done
    assert.equal(await look(), 0)
    await world.rows('delete from pgboss.job')
    assert.equal(await look(), 1)
    assert.equal(await look(), 0)
    await world.work()
    assert.equal((await job('quinn', id)).status, 'completed')
    assert.equal(await look(), 0)
  })

  it('takes turns: one that is long lets those of other tenants go first, however many its own tenant has asked for', async () => {
    const long = { name: 'Long', count: 30, pause_s: 0.05 }
    const ask = (by: string, name: string) =>
      asked(by, context => startJob(context, makeGroups, { input: { ...long, name }, total: long.count }))
    for (const name of ['First', 'Second', 'Third']) await ask('quinn', name)
    await ask('rita', 'Other')
    await world.work()
    const order = await world.rows<{ id: string }>(
      `select requester ->> 'username' as by, input ->> 'name' as name, turn > 1 as has_taken_turns from background_jobs
       where input ->> 'pause_s' = '0.05' order by finished_at`,
    )
    const found = order.map(each => Object.values(each))
    // Either of the two that take turns may finish first.
    assert.deepEqual(
      found.slice(0, 2).toSorted(([a], [b]) => String(a).localeCompare(String(b))),
      [
        ['quinn', 'First', true],
        ['rita', 'Other', true],
      ],
    )
    assert.deepEqual(found.slice(2), [
      ['quinn', 'Second', true],
      ['quinn', 'Third', true],
    ])
  })
})
