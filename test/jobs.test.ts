// Background jobs survive when the processes that do them are killed, or end in order.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startJob } from '#modules/jobs'
import { makeGroups } from '#test/processes/job-kinds.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

const kills = roundsOf('JOB_KILLS', 2)
/** The work for each number: most of it is waiting, so that it lasts for seconds and costs little. */
const pause_s = 0.02
const patience = [400_000, { every_ms: 100 }] as const

describe('work that goes on after its answer', { timeout: 900_000 }, () => {
  let world: World
  const processes = new Set<ServiceProcess>()
  before(async () => {
    world = await openWorld()
  })
  after(async () => {
    for (const { child, ended } of processes) {
      child.kill('SIGKILL')
      await ended
    }
    await world.close()
  })

  const start = async () => {
    const process = await startService(
      { ...urlsOf(world.postgres), DATA_DIR: world.folder, LOG_LEVEL: 'info' },
      { program: ['test/support/processes/job-process.ts'] },
    )
    processes.add(process)
    return process
  }
  /** After how long a process that says nothing is taken for dead. One that only stands still is not to be. */
  const silent = (seconds: number) => world.superuser.query('update pgboss.queue set heartbeat_seconds = $1', [seconds])
  /** Jobs that wait for the next attempt after a kill are made due now; the number of attempts does not matter here. */
  const goOn = () =>
    world.superuser.query(`update pgboss.job set start_after = now(), retry_count = 0 where state = 'retry'`)
  const end = async (process: ServiceProcess, signal: 'SIGKILL' | 'SIGTERM') => {
    processes.delete(process)
    process.child.kill(signal)
    return process.ended
  }
  async function ask(name: string, count: number) {
    const { tenant_id, id } = world.people.quinn!
    const { actor } = (await world.services.accounts.find({ tenantId: tenant_id, userId: id, sessionId: null }))!
    const input = { name, count, pause_s }
    return world.services.runner.inSeparateTransaction(
      { ...actor, authTime: 0 },
      { requestId: '', clientAddr: '' },
      context => startJob(context, makeGroups, { input, total: count }),
    )
  }
  const job = async (id: number) => (await world.as('quinn').get(`/api/jobs/${id}`)).json()
  /** Each number once, with one entry in the audit trail. */
  async function assertWhole(id: number, name: string, count: number) {
    const { status, done, skipped, error } = await job(id)
    assert.deepEqual([status, done + skipped, error], ['completed', count, null])
    const [found] = await world.rows(
      `select count(*)::int as groups, count(distinct g.name)::int as names, sum(entries)::int as entries, max(entries)::int as most
       from groups g, lateral (select count(*) as entries from audit_entries a where a.action = 'group.created' and a.resource_id = g.id) e
       where g.name like $1`,
      [`${name} %`],
    )
    assert.deepEqual(found, { groups: done, names: done, entries: done, most: 1 })
    const ends = await world.rows(
      `select from audit_entries where action = 'background_job.completed' and resource_id = $1`,
      [id],
    )
    assert.equal(ends.length, 1)
  }

  it(`is done whole and each part of it once, by two processes that are killed ${kills} times in the middle`, async t => {
    const count = 200 * kills
    await silent(2)
    await Promise.all([start(), start()])
    const { id } = await ask('Killed', count)
    const starting: Promise<unknown>[] = []
    let killed = 0
    for (let last = 0; killed < kills; killed++) {
      await until(
        async () => {
          await goOn()
          const { done, status, error } = await job(id)
          assert.equal(status === 'completed', false, `it was over after ${killed} kills`)
          assert.notEqual(status, 'failed', error)
          const isOn = done > last && processes.size > 0
          if (isOn) last = done
          return isOn
        },
        ...patience,
      )
      await setTimeout(Math.random() * 200)
      // The oldest one: at the latest the second kill is of the process that does the job. The last survivor needs no company.
      await end([...processes][0]!, 'SIGKILL')
      if (killed < kills - 1) starting.push(start())
    }
    await until(
      async () => {
        await goOn()
        return (await job(id)).status === 'completed'
      },
      ...patience,
    )
    await Promise.all(starting)
    t.diagnostic(`${killed} kills`)
    await assertWhole(id, 'Killed', count)
  })

  it('is left where it is by a process that is told to end, and goes on at once in the next', async () => {
    const count = 300
    await silent(60)
    const [process = await start()] = processes
    const { id } = await ask('Stopped', count)
    await until(async () => (await job(id)).done > 10, ...patience)
    assert.equal(await end(process, 'SIGTERM'), 0)
    const { status, done } = await job(id)
    assert.equal(status, 'running')
    const waiting = await world.rows(
      `select state::text from pgboss.job where data ->> 'id' = $1 and state < 'completed'`,
      [String(id)],
    )
    assert.deepEqual(waiting, [{ state: 'created' }])
    await start()
    await until(async () => (await job(id)).status === 'completed', ...patience)
    assert.ok(done < count - 50)
    await assertWhole(id, 'Stopped', count)
  })
})
