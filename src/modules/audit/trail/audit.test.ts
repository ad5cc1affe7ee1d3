// The audit trail (21 CFR 11.10(e)): its entries, its readers, and that no change happens without it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { changesBetween } from './rules.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const list = async (query: string, by = 'otto') => ok(await world.as(by).get(`/api/audit/?${query}`))

describe('an entry (proves: AUD-01)', () => {
  it('names user, role, request, address, record and each field that changed, from what to what', async () => {
    const { id, number } = await paper.submitted()
    const reply = await world
      .as('petra')
      .put(
        `/api/documents/${id}`,
        { title: 'Cleaning of line 2', change_reason: 'It is line 2' },
        { 'x-request-id': 'audit-test-0001' },
      )
    ok(reply)
    const { items } = await list(`resource_type=document&resource_id=${id}&action=document.updated`)
    const [entry] = items
    assert.deepEqual(
      { ...entry, id: 0, occurred_at: '' },
      {
        id: 0,
        seq: null,
        occurred_at: '',
        user: { id: world.people.petra!.id, username: 'petra', role: 'QA' },
        outcome: 'success',
        action: 'document.updated',
        resource_type: 'document',
        resource_id: id,
        resource_number: number,
        resource_revision: 3,
        changes: {
          title: { from: 'Cleaning of line 1', to: 'Cleaning of line 2' },
          version: { from: null, to: '1.0' },
          revision: { from: 2, to: 3 },
        },
        reason: 'It is line 2',
        request_id: 'audit-test-0001',
        client_addr: '127.0.0.1',
        redacted: [],
      },
    )
    assert.match(entry.occurred_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
    assert.deepEqual(ok(await world.as('otto').get(`/api/audit/${entry.id}`)), entry)
  })

  it('keeps the name that its user had then', async () => {
    const { id } = await paper.upload({ by: 'anna' })
    const rename = (name: string) =>
      behindTheApi(world, 'users', 'update users set username = $1 where id = $2', [name, world.people.anna!.id])
    await rename('anna.b')
    assert.equal((await list(`resource_type=document&resource_id=${id}`)).items[0].user.username, 'anna')
    await rename('anna')
  })

  it('is there also of an attempt that was refused', async () => {
    assert.equal(
      (await world.as('uma').upload('/api/documents/upload', { title: 'Mine', document_type: 1 })).statusCode,
      403,
    )
    const { items } = await list(`user_id=${world.people.uma!.id}&outcome=denied`)
    assert.deepEqual([items[0].action, items[0].reason], ['access.denied', 'Upload a new document: documents.create'])
  })
})

describe('the list (proves: AUD-02)', () => {
  it('is filtered by user, action, resource, outcome, moment and words; filters add up', async () => {
    const { id, number } = await paper.upload({ by: 'alan' })
    assert.equal((await world.as('petra').get(`/api/documents/${id}/download`)).statusCode, 200)
    const mine = `resource_type=document&resource_id=${id}`
    assert.deepEqual(
      (await list(`${mine}&user_id=${world.people.petra!.id}`)).items.map(({ action }: Json) => action),
      ['document.downloaded'],
    )
    assert.deepEqual(
      (await list(`${mine}&action=document.created`)).items.map(({ user }: Json) => user.username),
      ['alan'],
    )
    assert.equal((await list(`${mine}&outcome=denied`)).total, 0)
    assert.equal((await list(`q=${number}`)).total, 2)
    const [{ occurred_at: at }] = (await list(`${mine}&action=document.created`)).items
    assert.equal(
      (await list(`${mine}&date_from=${at}&date_to=${at}`)).total,
      1,
      'to the microsecond, both ends included',
    )
    const today = new Date().toISOString().slice(0, 10)
    assert.equal((await list(`${mine}&date_from=${today}&date_to=${today}`)).total, 2)
    assert.equal((await list(`${mine}&date_from=2199-01-01`)).total, 0)
    assert.equal((await list(`${mine}&date_to=2020-01-01T12:00:00Z`)).total, 0)
  })

  it('refuses what it does not know', async () => {
    for (const query of [
      'action=document.exploded',
      'resource_type=cat',
      'date_from=yesterday',
      'sort=reason',
      'actor=ada',
    ])
      assert.equal((await world.as('otto').get(`/api/audit/?${query}`)).statusCode, 422, query)
  })

  it('comes in pages that neither overlap nor leave one out', async () => {
    const seen: number[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await list(`sort=occurred_at&page_size=7&page=${page}&date_to=2199-01-01`)
      pages = answer.pages
      seen.push(...answer.items.map(({ id }: Json) => id))
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.ok(seen.length > 30)
  })

  it('is for those who may read it, and shows one tenant alone', async () => {
    for (const name of ['uma', 'alan']) assert.equal((await world.as(name).get('/api/audit/')).statusCode, 403)
    const { items } = await list('page_size=100', 'rex')
    assert.ok(items.length > 0)
    assert.ok(items.every(({ user }: Json) => ['system', 'rex', 'rita', 'rob'].includes(user.username)))
    const [{ id }] = (await list('page_size=1')).items
    assert.equal((await world.as('rex').get(`/api/audit/${id}`)).statusCode, 404)
  })
})

describe('nothing happens without an entry', () => {
  const actor = () => ({
    tenantId: world.people.quinn!.tenant_id,
    userId: world.people.quinn!.id,
    username: 'quinn',
    fullName: null,
    role: 'QA Manager',
    roles: ['QA Manager'],
    isAdmin: false,
    permissions: new Set(['documents.update'] as const),
    authTime: 0,
  })
  const origin = { requestId: 'audit-test', clientAddr: '' }
  const commandThat = (work: (context: ActionContext<undefined>) => Promise<unknown>) =>
    command({
      summary: 'A command of a test',
      permission: 'documents.update',
      input: {},
      response: Type.Null(),
      async run(context) {
        await work(context)
        return null
      },
    })
  const run = (work: Parameters<typeof commandThat>[0]) =>
    world.services.runner.run(commandThat(work), actor(), {}, { origin })

  it('a command that records nothing is refused before it commits', async () => {
    const { id } = await paper.upload()
    await assert.rejects(
      run(({ tx }) => tx.updateTable('documents').set({ revision: 99 }).where('id', '=', id).execute()),
      /must record what it changed/,
    )
    assert.equal((await paper.get('alan', id)).revision, 1)
  })

  it('one that records another record than it changed is refused by the database', async () => {
    const [one, other] = [await paper.upload(), await paper.upload()]
    await assert.rejects(
      run(async ({ tx, record }) => {
        await tx.updateTable('documents').set({ revision: 99 }).where('id', '=', one.id).execute()
        record('document.updated', other.id, {})
      }),
      { code: 'QA001' },
    )
    assert.equal((await paper.get('alan', one.id)).revision, 1)
  })

  for (const table of ['document_versions', 'document_decisions'] as const) {
    it(`also of what belongs to a document: ${table}`, async () => {
      const { id } = await paper.submitted()
      ok(await paper.approve('petra', id))
      await assert.rejects(
        run(async ({ tx, record }) => {
          const column = table === 'document_versions' ? 'approved_at = now()' : 'is_void = true'
          await sql`update ${sql.table(table)} set ${sql.raw(column)} where document_id = ${id}`.execute(tx)
          record('document.updated', null, {})
        }),
        { code: 'QA001' },
      )
    })
  }

  it('one whose work fails leaves neither change nor entry', async () => {
    const { id } = await paper.upload()
    const before = (await list('page_size=1')).total
    await assert.rejects(
      run(async ({ tx, record }) => {
        await tx.updateTable('documents').set({ revision: 99 }).where('id', '=', id).execute()
        record('document.updated', id, {})
        throw new Error('half way')
      }),
      /half way/,
    )
    assert.equal((await list('page_size=1')).total, before)
    assert.equal((await paper.get('alan', id)).revision, 1)
  })
})

it('no entry is changed or removed: not by the application, not by the owner, not under replication (proves: AUD-04)', async () => {
  const binding = { tenantId: world.people.ada!.tenant_id, userId: world.people.ada!.id }
  for (const statement of [
    sql`update audit_entries set reason = 'x'`,
    sql`delete from audit_entries`,
    sql`truncate audit_entries`,
  ])
    await assert.rejects(
      world.database.transaction(binding, 'read write', tx => statement.execute(tx)),
      { code: '42501' },
    )
  for (const role of ['origin', 'replica']) {
    await world.rows(`set session_replication_role = ${role}`)
    for (const statement of [
      "update audit_entries set reason = 'x'",
      'delete from audit_entries',
      'truncate audit_entries cascade',
    ])
      await assert.rejects(world.rows(statement), { code: 'QA002' })
  }
  await world.rows('set session_replication_role = origin')
})

describe('changes', () => {
  it('are the fields that differ; of a new record those that have a value, of one that is gone those that had one', () => {
    assert.deepEqual(changesBetween({ a: 1, b: [1], c: null }, { a: 1, b: [2], d: 'x' }), {
      b: { from: [1], to: [2] },
      d: { from: null, to: 'x' },
    })
    assert.deepEqual(changesBetween(undefined, { a: 1, b: null, updated_at: 'now' }), { a: { from: null, to: 1 } })
    assert.deepEqual(changesBetween({ a: 1 }, undefined), { a: { from: 1, to: null } })
  })
})
