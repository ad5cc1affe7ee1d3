// Messages survive when the processes that send them are killed, or end in order.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mailPosting } from '#modules/mail'
import { messageIdOf, openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

const kills = roundsOf('MAIL_KILLS', 2)
const between_kills = 40

describe('messages to people', { timeout: 900_000 }, () => {
  let world: World
  let smtp: Smtp
  let environment: Record<string, string>
  const processes = new Set<ServiceProcess>()
  before(async () => {
    smtp = await openSmtp()
    const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@qms.example' }
    world = await openWorld(mail)
    environment = { ...urlsOf(world.postgres), ...mail, DATA_DIR: world.folder, LOG_LEVEL: 'info' }
  })
  after(async () => {
    for (const { child, ended } of processes) {
      child.kill('SIGKILL')
      await ended
    }
    await world.close()
    await smtp.close()
  })

  const start = async () => {
    const process = await startService(environment, { program: ['test/support/processes/job-process.ts'] })
    processes.add(process)
  }
  const end = (process: ServiceProcess, signal: 'SIGKILL' | 'SIGTERM') => {
    processes.delete(process)
    process.child.kill(signal)
    return process.ended
  }
  /** After how long a process that says nothing is taken for dead. One that only stands still is not to be. */
  const silent = (seconds: number) => world.superuser.query('update pgboss.queue set heartbeat_seconds = $1', [seconds])
  /** So many, each of a notification of its own. Answers the Message-ID of each. */
  async function post(count: number) {
    const { id: user_id, tenant_id } = world.people.quinn!
    const notifications = await world.rows<{ id: string }>(
      `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, resource_id, dedupe_key)
       select $1, $2, 'document_approved', 'high', 'One of many', 'What there is to say', 'document', 7, gen_random_uuid()
       from generate_series(1, $3) returning id`,
      [tenant_id, user_id, count],
    )
    await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
      mailPosting(world.services.config)!(
        tx,
        notifications.map(({ id }) => ({ user_id, kind: 'notification', notification_ids: [Number(id)] })),
      ),
    )
    const ids = notifications.map(({ id }) => Number(id))
    const made = await world.rows<{ message_id: string }>(
      'select message_id from mails where notification_ids[1] = any ($1)',
      [ids],
    )
    return made.map(({ message_id }) => message_id)
  }
  const areSent = async () => {
    // Messages that wait for the next attempt after a kill are made due now.
    await world.superuser.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    return (await world.rows(`select from mails where status <> 'sent'`)).length === 0
  }
  const times = (ids: string[]) => {
    const counted = new Map(ids.map(id => [id, 0]))
    for (const id of smtp.received.map(messageIdOf)) counted.set(id, (counted.get(id) ?? Number.NaN) + 1)
    return [...counted.values()]
  }

  it(`arrive all of them, those that are sent again as the same, from processes that are killed ${kills} times`, async t => {
    await silent(2)
    // The worst moment: the server has the message, and nobody knows of it any more.
    const killing: Promise<unknown>[] = []
    let taken = 0
    smtp.behaviour.content = () => {
      taken += 1
      if (taken % between_kills !== 0 || killing.length >= kills) return undefined
      const [process] = processes
      if (!process) return undefined
      const isLast = killing.length === kills - 1
      killing.push(end(process, 'SIGKILL').then(() => (isLast ? undefined : start())))
      return undefined
    }
    await Promise.all([start(), start()])
    const ids = await post(between_kills * (kills + 2))
    await until(areSent, 400_000, { every_ms: 100 })
    await Promise.all(killing)
    assert.equal(killing.length, kills)
    const counts = times(ids)
    assert.ok(counts.every(count => count >= 1))
    const twice = counts.filter(count => count > 1).length
    t.diagnostic(`${ids.length} messages, ${killing.length} kills, ${twice} sent more than once`)
    // A process sends four at a time.
    assert.ok(twice >= 1 && twice <= kills * 4, `${twice} were sent more than once`)
  })

  it('are sent once each by a process that is told to end in the middle, and by the next', async () => {
    await silent(60)
    smtp.received.length = 0
    if (processes.size === 0) await start()
    const [process] = processes
    const ending = Promise.withResolvers<unknown>()
    let taken = 0
    smtp.behaviour.content = () => {
      taken += 1
      if (taken === 20) ending.resolve(end(process!, 'SIGTERM'))
      return undefined
    }
    const ids = await post(100)
    assert.equal(await ending.promise, 0)
    assert.ok(smtp.received.length < ids.length)
    await start()
    await until(areSent, 400_000, { every_ms: 100 })
    assert.deepEqual(new Set(times(ids)), new Set([1]))
  })
})
