// The reads of the guard that lets nothing change without its audit entry: at each commit, for each changed row.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { cases } from '#test/builders/cases.ts'
import { openWorld, type World } from '#test/world/world.ts'

const many = 3000
/** Each test has one of its own, because the entries of others stay. */
let transaction: string

let world: World
let app: pg.Client
let acme: number
const ids = { role: 0, deviation: 0 }
before(async () => {
  world = await openWorld()
  acme = world.people.ada!.tenant_id
  ids.role = (await world.as('ada').get('/api/roles/')).json().items.at(-1).id
  ids.deviation = (await cases(world).deviation()).id
  app = new pg.Client(world.postgres.app)
  await app.connect()
  // Nobody counts what is in the trail, as on a day when much is written before the autovacuum comes round.
  await world.rows('alter table audit_entries set (autovacuum_enabled = false)')
})
beforeEach(() => {
  transaction = randomUUID()
})
after(async () => {
  await app.end()
  await world.close()
})

const changes = {
  role: () => app.query('update roles set revision = revision + 1 where id = $1', [ids.role]),
  deviation: () =>
    app.query(`insert into record_comments (deviation_id, text, created_by) values ($1, 'Seen', $2)`, [
      ids.deviation,
      world.people.quinn!.id,
    ]),
}
type Kind = keyof typeof changes

const enterAsApp = (kind: Kind) =>
  app.query(
    `insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
     values ('quinn', 'QA', 'success', $1 || '.updated', $1, $2, '{}', '', '')`,
    [kind, ids[kind]],
  )
/** Entries that the application itself cannot write: of other transactions and tenants. */
const enter = (kind: Kind, { tenant = acme, entries = 1, of = `'${transaction}'` } = {}) =>
  world.superuser.query(
    `insert into audit_entries (tenant_id, transaction_id, username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
     select $1, ${of}, 'quinn', 'QA', 'success', $2 || '.updated', $2, $3, '{}', '', '' from generate_series(1, $4::int)`,
    [tenant, kind, ids[kind], entries],
  )

/** The change and its guard, in a transaction that is rolled back: how many entries the guard read. */
async function readByGuard(kind: Kind, { isEntered = true } = {}): Promise<number> {
  const read = async () =>
    Number(
      (
        await app.query(
          `select seq_tup_read + idx_tup_fetch as n from pg_stat_xact_user_tables where relname = 'audit_entries'`,
        )
      ).rows[0].n,
    )
  await app.query('begin')
  try {
    await app.query(`set local app.tenant_id = '${acme}'; set local app.transaction_id = '${transaction}'`)
    if (isEntered) await enterAsApp(kind)
    await changes[kind]()
    const before_it = await read()
    await app.query('set constraints all immediate')
    return (await read()) - before_it
  } finally {
    await app.query('rollback')
  }
}

for (const kind of ['role', 'deviation'] as const)
  describe(`the guard of what belongs to a ${kind}`, () => {
    it('reads the entry of its transaction and no other, however many the record has and whatever is known of them (proves: AUD-01)', async () => {
      // A session plans it by what there is at its first changes, and keeps that.
      for (let change = 0; change < 7; change++) await readByGuard(kind)
      await enter(kind, { entries: many, of: 'gen_random_uuid()' })
      assert.ok((await readByGuard(kind)) <= 2)
      await app.query('discard plans')
      assert.ok((await readByGuard(kind)) <= 2)
    })

    it('takes no entry of an earlier transaction with the same id, which the application can name (proves: AUD-01)', async () => {
      await enter(kind)
      await assert.rejects(readByGuard(kind, { isEntered: false }), { code: 'QA001' })
    })

    it('takes no entry of another tenant for one of the change, whose transaction has the same id (proves: AUD-01)', async () => {
      await enter(kind, { tenant: world.people.rex!.tenant_id })
      await assert.rejects(readByGuard(kind, { isEntered: false }), { code: 'QA001' })
      await readByGuard(kind)
    })
  })
