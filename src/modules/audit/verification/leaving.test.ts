// A client that disconnects during a large answer leaves nothing open (proves: AUD-03, AUD-04).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { ok } from '#test/builders/documents.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { verifyLog } from './verify.ts'

let world: World
let address: string
let acme: number
before(async () => {
  world = await openWorld()
  address = await world.server.listen({ port: 0, host: '127.0.0.1' })
  acme = world.people.ada!.tenant_id
  // Random data, more than the sockets of both sides can buffer, so that a zip cannot compress it.
  await world.rows(
    `insert into audit_entries (tenant_id, username, user_role, outcome, action, resource_type, changes, request_id, client_addr, transaction_id)
     select $1, 'ada', 'Admin', 'success', 'group.created', 'group',
       json_build_object('name', json_build_object('from', null, 'to', (select string_agg(md5(n::text || m), '') from generate_series(1, 190) m))),
       '', '', gen_random_uuid() from generate_series(1, 2500) n`,
    [acme],
  )
  await world.seal()
})
after(() => world.close())

/** Resolves once `arrived` bytes of the answer have come, so that the request can be given up then. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${await world.tokenOf('quinn')}`
  const request = http.get(`${address}${path}`, { headers: { authorization, ...headers }, agent: false })
  request.on('error', () => {})
  return request
}
/** The statements that the application is running. */
const busy = () =>
  world.rows(
    `select state, wait_event_type, query from pg_stat_activity
     where datname = current_database() and usename = 'attest_app' and state <> 'idle'`,
  )

describe('an export whose reader leaves in the middle (proves: AUD-03)', () => {
  for (const format of ['csv', 'bundle', 'pdf'])
    it(`as ${format} is recorded as what was asked for, and leaves no connection, file or transaction`, async () => {
      const few = format === 'pdf' ? '&seq_to=60' : ''
      const request = await ask(`/api/audit/export?format=${format}${few}`)
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      assert.equal(response.statusCode, 200)
      await once(response, 'readable')
      response.read(1)
      request.destroy()
      const connections = () =>
        new Promise<number>(resolve => world.server.server.getConnections((_, count) => resolve(count)))
      await until(async () => (await connections()) === 0)
      await until(async () => (await busy()).length === 0)
      assert.deepEqual(readdirSync(join(world.services.config.upload_dir, '.tmp')), [])
      const [{ changes, outcome }] = ok(
        await world.as('otto').get('/api/audit/?action=audit.exported&sort=id:desc&page_size=1'),
      ).items
      assert.deepEqual(
        [changes.format.to, changes.entries.to, outcome],
        [format, Number(response.headers['x-audit-entries']), 'success'],
      )
      assert.deepEqual(
        world.lines.filter(({ level }) => level === 'error'),
        [],
      )
    })
})

describe('a verification (proves: AUD-04)', () => {
  /** Runs while the places of entries are locked. */
  async function stopped<T>(work: () => Promise<T>): Promise<T> {
    const other = new pg.Client(world.postgres.superuser)
    await other.connect()
    await other.query('begin; lock table audit_tiles in access exclusive mode')
    try {
      return await work()
    } finally {
      await other.end()
    }
  }
  const waits = () => until(async () => (await busy()).some(({ wait_event_type }) => wait_event_type === 'Lock'))
  const verify = (name = 'quinn') => world.as(name).get('/api/audit/verify')

  it('of a trail is one at a time, and another waits for none of it', async () => {
    const first = await stopped(async () => {
      const asked = verify()
      await waits()
      const second = await verify('otto')
      assert.equal(second.statusCode, 409)
      assert.equal(second.json().code, 'audit_verification_running')
      return { asked }
    })
    assert.equal(ok(await first.asked).valid, true)
    assert.equal(ok(await verify('otto')).valid, true)
  })

  it('ends when who asked is gone, and the next may begin', async () => {
    await stopped(async () => {
      const request = await ask('/api/audit/verify', { accept: 'text/event-stream' })
      await waits()
      request.destroy()
      await new Promise(resolve => request.once('close', resolve))
    })
    await until(async () => (await verify()).statusCode === 200)
    assert.deepEqual(
      world.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('reads no further page for who is gone', async () => {
    const gone = new AbortController()
    const read = { count: 0 }
    const told: number[] = []
    await assert.rejects(
      verifyLog({
        held: [world.services.auditKey],
        signal: gone.signal,
        read(work) {
          read.count += 1
          return world.database.transaction({ tenantId: acme, userId: null }, 'read only', work)
        },
        tell({ entries }) {
          told.push(entries)
          gone.abort(new Error('gone'))
        },
      }),
      /gone/,
    )
    assert.deepEqual(told, [2000])
  })
})
