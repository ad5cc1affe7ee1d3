// A primary server and a synchronous standby of Debian's PostgreSQL, and the service that knows both by DATABASE_HOSTS.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { migrate } from '#platform/db/migrate.ts'
import { loginAtPrimary } from '#platform/db/primary.ts'
import { provision } from '#platform/db/provision.ts'
import { freePort } from '#test/browser/visits.ts'
import { addPeople } from '#test/world/people.ts'
import { quiet } from '#test/world/postgres.ts'
import { startPostgres } from '../tools/external-postgres.ts'
import { type Company, childrenOf, openCompany } from './faults/company.ts'
import { findingsOf, trailOf } from './faults/findings.ts'
import { keepWorking, openJournal } from './faults/work.ts'

const bin = process.env.TEST_POSTGRES_BIN!
const longestGapMs = 5_000

describe('a failover to a synchronous standby (proves: OPS-02)', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-failover-'))
  const host = '127.0.0.1'
  let ports: [number, number]
  let first: Awaited<ReturnType<typeof startPostgres>>
  let second: Awaited<ReturnType<typeof startPostgres>>
  let company: Company
  /** The superuser's way to the server that takes changes. */
  const database: ClientConfig = { host, user: 'postgres', database: 'attest' }
  const ask = async <T extends object>(url: string, text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<T>(text)).rows
    } finally {
      await client.end()
    }
  }
  const hosts = () => ports.map(port => ({ host, port: String(port) }))

  before(async () => {
    chmodSync(folder, 0o755)
    ports = [await freePort(), await freePort()]
    database.port = ports[0]
    const settingsOf = (name: string, port: number) => {
      mkdirSync(join(folder, name))
      chmodSync(join(folder, name), 0o755)
      const settings = {
        listen_addresses: host,
        port,
        synchronous_commit: 'on',
        // As docs/scaling.md sets it: a server that is promoted in the moment in which it looks for the old one sleeps so long first.
        wal_retrieve_retry_interval: '500ms',
        // The machine stays up, so nothing that was written needs a sync to outlive its server; and people do not wait for a busy disk.
        fsync: 'off',
      }
      return [bin, join(folder, name), settings] as const
    }
    const [of, parent, settings] = settingsOf('first', ports[0])
    first = await startPostgres(of, parent, settings)
    const { owner, app } = await provision({ host, port: ports[0], user: 'postgres' }, 'attest')
    await migrate(owner, quiet)
    await addPeople(app)
    second = await startPostgres(...settingsOf('second', ports[1]), { copyOf: first.url })
    await ask(first.url, `alter system set synchronous_standby_names = '*'`)
    await ask(first.url, 'select pg_reload_conf()')
    company = await openCompany({
      folder: join(folder, 'data'),
      database,
      environment: {
        DATABASE_URL: `postgres://attest_app@${host}/attest`,
        MIGRATION_DATABASE_URL: `postgres://attest_owner@${host}/attest`,
        DATABASE_HOSTS: ports.map(port => `${host}:${port}`).join(),
      },
    })
  })
  after(async () => {
    await company?.close()
    await second?.stop()
    await first?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('loses nothing that was acknowledged, and people wait for less than five seconds', async t => {
    await company.start()
    await company.logIn()
    const journal = openJournal()
    const over = new AbortController()
    const work = keepWorking(company, journal, over.signal, { at_once: 4 })
    while (journal.acknowledged.length < 8) await Promise.race([work, setTimeout(20)])
    const states = await ask<{ sync_state: string }>(first.url, 'select sync_state from pg_stat_replication')
    assert.deepEqual(states, [{ sync_state: 'sync' }])

    for (const pid of [first.pid(), ...childrenOf(first.pid())]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
    }
    const killed_at = performance.now()
    await first.stop()
    await ask(second.url, 'select pg_promote()')
    const promoted_ms = performance.now() - killed_at
    database.port = ports[1]
    const isWriteOf = ({ what, status }: { what: string; status: number }) => !what.startsWith('GET') && status < 300
    // An answer to what was asked before may be the last of the first server.
    const written = () => company.answers.filter(each => isWriteOf(each) && each.at > killed_at)
    while (written().length < 8) await Promise.race([work, setTimeout(20)])
    over.abort()
    await work
    const [next] = written()
      .map(({ at, took_ms }) => at + took_ms)
      .sort((one, other) => one - other)
    const gap_ms = next! - killed_at
    const times = `promoted after ${promoted_ms.toFixed(0)} ms; the next change was acknowledged after ${gap_ms.toFixed(0)} ms`
    assert.ok(gap_ms < longestGapMs, times)
    t.diagnostic(times)

    const { orphans: _, records, entries, ...wrong } = await findingsOf(company, journal)
    assert.deepEqual(wrong, { lost: [], halves: [], untrue: [] })
    assert.deepEqual(await trailOf(company), [])
    t.diagnostic(`${records} answers checked, ${entries} entries of the trail: lost 0`)
    assert.ok(
      company.service().lines.some(({ msg }) => msg === `the database that takes changes is ${host}:${ports[1]}`),
    )
  })

  it('of two servers that take changes, the one that was promoted is chosen', async () => {
    // As somebody would start the old server again, who knows of no failover.
    await first.start()
    const owner = { connectionString: `postgres://postgres@${host}/attest` }
    const found = await loginAtPrimary(owner, hosts())
    assert.match(found.connectionString, new RegExp(`:${ports[1]}/`))
    assert.match((await loginAtPrimary(owner, hosts().reverse())).connectionString, new RegExp(`:${ports[1]}/`))
    await ask(second.url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'attest_app'`)
    await setTimeout(1_100)
    const { id } = await company.post('uma', '/api/deviations/', {
      title: 'Valve V-12 leaked',
      description: 'Water was found under the valve after cleaning.',
      severity: 'minor',
    })
    const client = new pg.Client(database)
    await client.connect()
    const { rowCount } = await client.query('select from deviations where id = $1', [id])
    await client.end()
    assert.equal(rowCount, 1)
  })

  it('without a server that takes changes, a command names each and what it answered', async () => {
    const nowhere = await freePort()
    const asked = loginAtPrimary({ connectionString: `postgres://postgres@${host}/attest` }, [
      { host, port: String(nowhere) },
    ])
    await assert.rejects(asked, {
      message: `no server of DATABASE_HOSTS takes changes: ${host}:${nowhere} answers connect ECONNREFUSED ${host}:${nowhere}`,
    })
  })
})
