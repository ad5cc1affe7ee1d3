// The audit trail (21 CFR 11.10(e)): its entries, its readers, and that no change happens without it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { events } from '#kernel/catalogue.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { redactAs } from '#test/builders/redaction-samples.ts'
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
        user: {
          ...{ id: world.people.petra!.id, username: 'petra', role: 'QA' },
          ...{ full_name: 'Petra Example', full_name_as_of: 'entry' },
        },
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

  it('names people by the full name that they had then, and says where that cannot be known', async () => {
    const person = world.people.alan!
    const nameOf = async (id: number) => {
      const { user } = ok(await world.as('otto').get(`/api/audit/${id}`))
      return [user.full_name, user.full_name_as_of]
    }
    const upload = async () => {
      const { id } = await paper.upload({ by: 'alan' })
      const { items } = await list(`resource_type=document&resource_id=${id}&action=document.created`)
      return items[0].id as number
    }
    const rename = async (full_name: string | null) => {
      ok(await world.as('ada').put(`/api/users/${person.id}`, { full_name, change_reason: 'Married' }))
      const { items } = await list(`resource_type=user&resource_id=${person.id}&action=user.updated&page_size=1`)
      return items[0].id as number
    }
    await rename('Alan First')
    const first = await upload()
    const renamed = await rename('Alan Second')
    const second = await upload()
    await rename('Alan Third')
    const third = await upload()
    assert.deepEqual(await Promise.all([first, second, third].map(nameOf)), [
      ['Alan First', 'entry'],
      ['Alan Second', 'entry'],
      ['Alan Third', 'entry'],
    ])
    const { items } = await list(`user_id=${person.id}&action=document.created&page_size=3`)
    assert.deepEqual(
      items.map(({ user }: Json) => user.full_name),
      ['Alan Third', 'Alan Second', 'Alan First'],
    )
    assert.deepEqual(
      await nameOf(renamed),
      ['Ada Example', 'entry'],
      'the person who acted, not the one who was renamed',
    )

    await world.seal()
    await redactAs(world, person.tenant_id, [renamed], ['detail'])
    assert.deepEqual(await nameOf(first), ['Alan Third', 'now'])
    assert.deepEqual(await nameOf(second), ['Alan Second', 'entry'])
    await redactAs(world, person.tenant_id, [second], ['person'])
    assert.deepEqual(await nameOf(second), [null, null])
    const [system] = (await list('q=system&page_size=1')).items
    assert.deepEqual(
      [system.user.id, system.user.full_name, system.user.full_name_as_of],
      [null, null, null],
      'the system is nobody',
    )
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

  it('takes several people, actions, areas, types and outcomes', async () => {
    const { id } = await paper.upload({ by: 'alan' })
    assert.equal((await world.as('petra').get(`/api/documents/${id}/download`)).statusCode, 200)
    const mine = `resource_type=document&resource_id=${id}`
    const both = `user_id=${world.people.petra!.id}&user_id=${world.people.alan!.id}`
    assert.equal((await list(`${mine}&${both}`)).total, 2)
    assert.equal((await list(`${mine}&action=document.created&action=document.downloaded`)).total, 2)
    assert.equal((await list(`${mine}&action=document.created&action=document.updated`)).total, 1)
    assert.equal((await list(`${mine}&outcome=denied&outcome=failed`)).total, 0)
    assert.equal((await list(`resource_id=${id}&area=documents&${both}`)).total, 2)
    assert.equal((await list(`resource_type=document&area=training`)).total, 0)
    const { items } = await list('area=accounts&area=access&page_size=100')
    const types = new Set<string>(items.map(({ resource_type }: Json) => resource_type))
    assert.ok(types.size > 1)
    for (const type of types) assert.ok(['user', 'role', 'group', 'auth', 'access'].includes(type), type)
  })

  it('has each action in words, with its area, and finds entries by every one of them', async () => {
    const { items } = ok(await world.as('otto').get('/api/audit/actions'))
    assert.deepEqual(
      items.find(({ action }: Json) => action === 'document.created'),
      {
        ...{ action: 'document.created', description: 'A document was uploaded' },
        ...{ area: 'documents', resource_type: 'document' },
      },
    )
    assert.deepEqual(
      items.map(({ action }: Json) => action),
      Object.keys(events),
    )
    const areas = new Set<string>(items.map(({ area }: Json) => area))
    const counts = await Promise.all([...areas].map(async area => (await list(`area=${area}`)).total))
    const { total } = await list('page_size=1')
    assert.equal(
      counts.reduce((sum, n) => sum + n, 0),
      total,
      'each entry is in one area',
    )
    assert.equal((await world.as('uma').get('/api/audit/actions')).statusCode, 403)
  })

  it('refuses what it does not know', async () => {
    for (const query of [
      'area=kitchen',
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

describe('a verification (proves: AUD-04)', () => {
  it('says how many entries waited for their place and were not compared', async () => {
    const verify = async () => ok(await world.as('otto').get('/api/audit/verify'))
    await world.seal()
    const before = await verify()
    assert.deepEqual([before.valid, before.unchecked], [true, { waiting: 0 }])
    await paper.upload()
    const waiting = await verify()
    assert.equal(waiting.checked.entries, before.checked.entries)
    assert.ok(waiting.unchecked.waiting > 0)
    await world.seal()
    const { checked, unchecked } = await verify()
    assert.deepEqual([checked.entries - before.checked.entries, unchecked], [waiting.unchecked.waiting, { waiting: 0 }])
  })
})
