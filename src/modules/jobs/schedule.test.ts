import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { forEachDue, forEachTenant, type Schedule } from './index.ts'

const schedule = (round: Schedule['round']): Schedule => ({ name: 'test.schedule', every_minutes: 1, round })

describe('a round of a schedule', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const errors = () => world.lines.filter(({ logger }) => logger === 'app.errors').length

  it('goes on in the other tenants where one fails, and reports it', async () => {
    const tenants: number[] = []
    const before = errors()
    const fragile = schedule(
      forEachTenant(async ({ tenantId }) => {
        tenants.push(tenantId)
        if (tenants.length === 1) throw new Error('a bad moment')
        return { done: 3 }
      }),
    )
    assert.deepEqual(await world.round(fragile), { done: 3, refused: 0, failed: 1 })
    assert.deepEqual(tenants, [world.people.ada!.tenant_id, world.people.rex!.tenant_id])
    assert.equal(errors() - before, 1)
  })

  it('leaves the rest to the next one when it is told to end', async () => {
    const stop = new AbortController()
    const tenants: number[] = []
    const long = forEachTenant(async ({ tenantId }) => {
      tenants.push(tenantId)
      stop.abort()
      return { done: 1 }
    })
    assert.deepEqual(await long(world.services, stop.signal), { done: 1, refused: 0, failed: 0 })
    assert.equal(tenants.length, 1)
  })

  it('does each due item as the system, and counts those that were done meanwhile and those that fail', async () => {
    const action = command({
      summary: 'Do what is due',
      permission: 'documents.read',
      input: { params: IdParams },
      response: Type.Null(),
      async run({ record }, { params: { id } }) {
        if (id === 2) throw conflict({ code: 'done', params: {}, text: 'It was done meanwhile' })
        if (id === 3) throw new Error('a bad moment')
        record('document.updated', id)
        return null
      },
    })
    const acme = world.people.ada!.tenant_id
    const before = errors()
    const due = async ({ tenantId }: { tenantId: number }) =>
      tenantId === acme ? [1, 2, 3, 4].map(id => ({ params: { id } })) : []
    assert.deepEqual(await world.round(schedule(forEachDue({ due, action }))), { done: 2, refused: 1, failed: 1 })
    assert.equal(errors() - before, 1)
    const entries = await world.rows(
      `select username, resource_id::int as id from audit_entries where action = 'document.updated' order by id`,
    )
    assert.deepEqual(entries, [
      { username: 'system', id: 1 },
      { username: 'system', id: 4 },
    ])
  })
})
