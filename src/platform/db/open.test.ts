import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { cloneDatabase, emptyDatabase, quiet } from '#test/world/postgres.ts'
import type { Tx } from './database.ts'
import { openDatabase } from './open.ts'

const urlOf = ({ user, password, host, port, database }: ClientConfig) =>
  `postgres://${user}:${encodeURIComponent(String(password ?? ''))}@/${database}?host=${encodeURIComponent(host!)}&port=${port}`
const bySomebody = { tenantId: 1, userId: null }
const tenants = (tx: Tx) => tx.selectFrom('tenants').select('slug').execute()
const installed = [{ slug: 'platform' }]
const dataDir = 'not used'

describe('the database', () => {
  it('is one of our own, migrated and ready, without a DATABASE_URL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attest-open-'))
    for (const start of ['first', 'second']) {
      const { database, close } = await openDatabase({ dataDir: folder }, quiet)
      assert.deepEqual(await database.transaction(bySomebody, 'read only', tenants), installed, start)
      await close()
    }
    rmSync(folder, { recursive: true })
  })

  it('is the server of DATABASE_URL', async () => {
    const { app, drop } = await cloneDatabase()
    const { database, close } = await openDatabase({ url: urlOf(app), dataDir }, quiet)
    assert.deepEqual(await database.transaction(bySomebody, 'read only', tenants), installed)
    await close()
    await drop()
  })

  it('is migrated there when MIGRATION_DATABASE_URL is given, also by processes that start together', async () => {
    const { app, owner, drop } = await emptyDatabase()
    const location = { url: urlOf(app), migrationUrl: urlOf(owner), dataDir }
    const opened = await Promise.all([openDatabase(location, quiet), openDatabase(location, quiet)])
    for (const { database, close } of opened) {
      assert.deepEqual(await database.transaction(bySomebody, 'read only', tenants), installed)
      await close()
    }
    await drop()
  })

  it('is refused with a login that tenant isolation does not bind', async () => {
    const { superuser, owner, drop } = await cloneDatabase()
    for (const login of [superuser, owner]) {
      const opening = openDatabase({ url: urlOf(login), dataDir }, quiet)
      await assert.rejects(opening, /logs in as \w+, and tenant isolation is laid out for attest_app/)
    }
    await drop()
  })

  it('is not migrated by a login that would own the tables in place of attest_owner', async () => {
    const { superuser, app, drop } = await emptyDatabase()
    for (const login of [superuser, app]) {
      const opening = openDatabase({ url: urlOf(app), migrationUrl: urlOf(login), dataDir }, quiet)
      await assert.rejects(opening, /migrations run as attest_owner/)
    }
    await drop()
  })

  it('is refused when it was not migrated', async () => {
    const { app, drop } = await emptyDatabase()
    await assert.rejects(
      openDatabase({ url: urlOf(app), dataDir }, quiet),
      /the database is empty: no migrations are applied yet: set MIGRATION_DATABASE_URL/,
    )
    await drop()
  })

  // proves: SVC-01
  it('is refused when it does not keep tenants apart', async () => {
    const { app, superuser, drop } = await cloneDatabase()
    const client = new pg.Client(superuser)
    await client.connect()
    await client.query('alter table documents no force row level security')
    await client.end()
    await assert.rejects(
      openDatabase({ url: urlOf(app), dataDir }, quiet),
      /T1: table documents has row security that its owner escapes/,
    )
    await drop()
  })
})
