// All schedules: each item is done once, whoever looks, how often, and however late.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { dayIn, daysLater } from '#kernel/day.ts'
import { newKey } from '#platform/storage/storage.ts'
import { addAbandonedCall } from '#test/builders/assistant-samples.ts'
import { capas } from '#test/builders/capas.ts'
import { copies } from '#test/builders/copies.ts'
import { deviations } from '#test/builders/deviations.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { readyExport } from '#test/builders/export-samples.ts'
import { addProviderRecords } from '#test/builders/provider-samples.ts'
import { digestOfTables } from '#test/builders/samples.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

const day_ms = 86_400_000
/** Looks follow from looks: what becomes effective is to be read, what is to be read is due. */
const most_rounds = 40

/** It moves things outside of the database. The queue prevents two rounds at once, and is tested for that. */
const oneAtATime = ['storage.sweep', 'file_removals.delete_restored']
/**
 * They bring right what a change of the time zone, or a loss of the queue, leaves behind; and no key lasts for 400 days. All have suites of
 * their own, and the history of health counts no record.
 */
const withoutDueWork = ['statistics.count_by_new_zone', 'queue.recovery', 'api_keys.reminders', 'status.health_history']

const logIn = ({ server }: World, username: string, password: string) =>
  server.inject({ method: 'POST', url: '/api/auth/token', payload: { username, password } })

/** A file whose content two people removed, and that a restore of the store brought back. */
async function addRestoredFile(world: World) {
  const { storage } = world.services
  const { id: deviation } = await deviations(world).report()
  const { id: attachment_id } = ok(await world.as('uma').upload(`/api/deviations/${deviation}/attachments`, {}))
  const { id } = ok(
    await world.as('petra').post('/api/file-removals/', { attachment_id, reason: 'It names a patient' }),
  )
  ok(await world.as('quinn').post(`/api/file-removals/${id}/approve`, { decision_reason: 'Agreed' }))
  await world.work()
  const [row] = await world.rows<{ file_key: string }>('select file_key from attachments where id = $1', [
    attachment_id,
  ])
  await storage.keep(await storage.receive(Readable.from([pdf()]), { max_bytes: 1000 }), row!.file_key)
}

/** Something for each task to do, within 400 days. A new task is given something here. */
async function addDueWork(world: World) {
  const { as, people } = world
  const idOf = (name: string) => people[name]!.id
  const soon = daysLater(dayIn('UTC', world.clock.now()), 30)
  const paper = papers(world)
  const planned = await paper.upload({ effective_date: soon })
  await paper.release(planned.id)
  const pending = await paper.submitted()
  ok(
    await as('quinn').post(`/api/documents/${pending.id}/configure-approval`, { transition: 'review', due_date: soon }),
  )
  const type = await world.typeId('SOP')
  ok(await as('ada').put(`/api/document-types/${type}`, { review_period_months: 6 }))
  const copy = copies(world)
  const { id: effective } = await copy.document({ title: 'Reviewed twice a year' })
  const recalled = await copy.printed(effective)
  ok(await copy.post('petra', recalled.id, 'recall', { change_reason: 'The room is closed' }))
  await deviations(world).inState('under_investigation')
  const capa = capas(world)
  const { id } = await capa.open({
    due_date: soon,
    actions: [{ description: 'Fit a pump', assigned_to: idOf('anna'), due_date: soon }],
  })
  ok(await capa.plan('petra', id, { due_date: soon }))
  const training = trainings(world)
  const yearly = await training.create({ valid_months: 6 })
  await training.assign(yearly.id, ['uma', 'anna', 'quentin'])
  ok(await training.start('uma', yearly.id))
  ok(await training.complete('uma', yearly.id))
  ok(
    await as('uma').post(
      '/api/deviations/',
      { title: 'Leak', description: 'At the pump', severity: 'minor' },
      { 'idempotency-key': 'kept' },
    ),
  )
  ok(await as('uma').upload('/api/uploads/', {}, { bytes: pdf('never used'), name: 'unused.pdf' }))
  const orphaned = await paper.upload()
  ok(
    await as('quinn').post(`/api/documents/${orphaned.id}/configure-approval`, {
      transition: 'review',
      approvers: [{ kind: 'user', who: idOf('quentin') }],
      change_reason: 'He knows the line',
    }),
  )
  ok(await paper.move('alan', orphaned.id, 'submit'))
  ok(await as('ada').post(`/api/users/${idOf('quentin')}/deactivate`, {}))
  const everybodys = await training.create({ title: 'Hygiene' })
  ok(
    await as('quinn').post('/api/training/curricula/', {
      name: 'Everybody',
      role_names: ['User'],
      programs: [{ training_id: everybodys.id }],
    }),
  )
  await addAbandonedCall(world, 'anna')
  await addRestoredFile(world)
  await readyExport(world)
  // The second failure is stated later, with those that follow it.
  for (const given of ['wrong', 'wrong again']) assert.equal((await logIn(world, 'anna', given)).statusCode, 401)
  await world.rows(`insert into rate_limits (name_hash, full_at) values (sha256('an address'), now())`)
  await world.rows('alter table sessions disable trigger user')
  assert.equal((await logIn(world, 'petra', password)).statusCode, 200)
  await world.rows(
    `update sessions set created_at = created_at - interval '100 days', auth_time = auth_time - interval '100 days',
      last_seen_at = last_seen_at - interval '100 days', expires_at = expires_at - interval '100 days'`,
  )
  await world.rows('alter table sessions enable trigger user')
  const [role] = await world.rows<{ id: string }>('select min(id) as id from roles where tenant_id = $1', [
    people.ada!.tenant_id,
  ])
  const { id: group } = ok(await as('ada').post('/api/groups/', { name: 'Of a provider' }))
  await addProviderRecords(world, { word: 'company', user: 'anna', role: Number(role!.id), group })
  await world.superuser.query(`begin; set local session_replication_role = replica;
    update credentials set is_break_glass = true where user_id = ${people.ada!.id}; commit`)
  const { storage } = world.services
  const bytes = Buffer.from('nobody names this')
  const key = newKey(people.ada!.tenant_id)
  await storage.keep(await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length }), key)
}

describe('what happens by itself (proves: NOTE-01)', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await addDueWork(world)
  })
  after(() => world.close())

  /** Twice at the same time, as by two processes that both believe that it is theirs. Answers how many each task did. */
  async function round(didAnything: Set<string>) {
    let done = 0
    for (const schedule of world.app.schedules) {
      const look = () => world.round(schedule)
      const looks = oneAtATime.includes(schedule.name)
        ? [await look(), await look()]
        : await Promise.all([look(), look()])
      assert.deepEqual(
        looks.map(({ failed }) => failed),
        [0, 0],
        `${schedule.name}: ${JSON.stringify(world.lines.at(-1))}`,
      )
      const count = looks.reduce((sum, { done }) => sum + done, 0)
      if (count > 0) didAnything.add(schedule.name)
      done += count
    }
    const { done: worked } = await world.work()
    return done + worked
  }
  const lastEntry = async () =>
    Number((await world.rows<{ id: string }>('select max(id) as id from audit_entries'))[0]!.id)

  for (const days of [400, 800])
    it(`is done once and whole, where nobody has looked for ${days} days and then two look at the same time`, async () => {
      const before = await lastEntry()
      world.clock.moved_ms = days * day_ms
      const didAnything = new Set<string>()
      let rounds = 0
      while ((await round(didAnything)) > 0)
        assert.ok(++rounds < most_rounds, `it does not come to an end: ${[...didAnything].join()}`)
      const names = world.app.schedules.map(({ name }) => name)
      if (days === 400)
        assert.deepEqual(
          names.filter(name => !didAnything.has(name) && !withoutDueWork.includes(name)),
          [],
          'these had nothing to do',
        )
      const twice = await world.rows(
        `select tenant_id, action, resource_id, changes::text, count(*)::int from audit_entries where id > $1 and user_id is null
         group by 1, 2, 3, 4 having count(*) > 1`,
        [before],
      )
      assert.deepEqual(twice, [])
      const ofNothing = await world.rows(
        `select action from audit_entries where id > $1 and user_id is null and changes::text = '{}' and reason is null`,
        [before],
      )
      assert.deepEqual(ofNothing, [])
    })

  it('is not done again by who looks once more at the same moment', async () => {
    const digest = () => digestOfTables(world, { without: ['health_hours'] })
    const before = await digest()
    assert.equal(await round(new Set()), 0)
    assert.deepEqual(await digest(), before)
  })
})
