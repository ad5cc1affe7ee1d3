import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fillTenant } from '../bench/fill.ts'
import { openBenchWorld, type Place, serve } from '../bench/installation.ts'
import { measure } from '../bench/measure.ts'
import { findPgbench } from '../bench/pgbench.ts'
import { scenarios } from '../bench/scenarios.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-bench-test-'))
const closing: (() => Promise<void>)[] = []
let place: Place
before(async () => {
  const world = await openBenchWorld()
  closing.push(() => world.close())
  const size = { documents: 20, deviations: 20, entries: 200 }
  await fillTenant(world, size, () => {})
  const served = await serve(world)
  closing.push(() => served.close())
  place = { world, served, size }
})
after(async () => {
  for (const each of closing.reverse()) await each()
  rmSync(folder, { recursive: true })
})

const options = { rounds: 1, until: { amount: 6 }, connections: 2, folder }
const measured = (name: string) => measure(scenarios.find(each => each.name === name)!, place, options)

it('npm run bench sends the statements of a command to a bare server and to pgbench, again and again', async () => {
  // As in the whole run, another was recorded before it.
  await measured('read a deviation')
  const { statements, figures } = await measured('report a deviation')
  assert.ok(statements! > 5)
  assert.deepEqual(Object.keys(figures), ['Attest', 'bare', ...(findPgbench() ? ['pgbench'] : [])])
  for (const { failed, count } of Object.values(figures)) assert.deepEqual({ failed, count }, { failed: 0, count: 6 })
  const [made] = await place.world.rows<{ count: number }>(
    `select count(*)::int from audit_entries e join deviations d on d.id = e.resource_id
     where e.action = 'deviation.created' and e.resource_number = d.number and d.id > 5000000`,
  )
  assert.ok(made!.count > 0)
})

it('npm run bench sends statements that hold comments', async () => {
  const { figures } = await measured('dashboard')
  for (const { failed, count } of Object.values(figures)) assert.deepEqual({ failed, count }, { failed: 0, count: 6 })
})

it('npm run bench signs a draft of its own with each request, and logs in and signs without a password too', async () => {
  for (const name of [
    'approve with a signature',
    'approve after a fresh log-in',
    'approve with a passkey',
    'log in with a passkey',
  ]) {
    const { figures } = await measured(name)
    const { failed, count } = figures.Attest!
    assert.deepEqual({ failed, count }, { failed: 0, count: 6 }, name)
  }
  const methods = await place.world.rows<{ method: string }>(
    'select method from signatures group by method order by method',
  )
  assert.deepEqual(
    methods.map(({ method }) => method),
    ['passkey', 'password', 'session'],
  )
})
