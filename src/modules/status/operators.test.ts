// The requests of operators beside the report on health. None shows anything of a record.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accepted, draftDocument, giveSecondFactor } from '#test/builders/samples.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { openMailWorld } from '#test/world/mail-world.ts'
import type { World } from '#test/world/world.ts'
import { keepHealth } from './history.ts'

const hour_ms = 3_600_000

describe('an operator of the installation', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld())
    await giveSecondFactor(world, 'pat')
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })

  const ask = async (path: string) => (await accepted(world.as('pat').get(`/api/platform/${path}`))).json()
  const acme = () => world.people.ada!.tenant_id
  const refuse = (text: string | undefined) => {
    smtp.behaviour.recipient = text === undefined ? undefined : () => [550, text]
  }
  /** Messages of acme that the mail server refuses for ever. */
  const failMails = async () => {
    refuse('no such mailbox')
    const id = await draftDocument(world, 'alan', await world.typeId('SOP'))
    await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    await world.work()
    refuse(undefined)
  }

  // proves: HLTH-03
  it('reads the worst state of each hour of the last day, and where nobody looked', async () => {
    const look = () => world.round(keepHealth)
    smtp.behaviour.greeting = [554, 'no service']
    await look()
    smtp.behaviour.greeting = undefined
    // One that is well again does not undo it.
    await look()
    world.clock.moved_ms += 3 * hour_ms
    await look()
    const { history } = await ask('installation')
    assert.equal(history.hours.length, 24)
    const last = history.hours.at(-1)
    const stateOf = (hour: { dependencies: { name: string; worst: string }[] }) =>
      hour.dependencies.find(({ name }) => name === 'Email service')?.worst
    assert.deepEqual([last.looks, stateOf(last)], [1, 'Operational'])
    const looked = history.hours.filter(({ looks }: { looks: number }) => looks > 0)
    assert.ok(looked.some((hour: { dependencies: [] }) => stateOf(hour) === 'Down'))
    assert.equal(stateOf(history.hours.at(-2)), undefined)

    world.clock.moved_ms += 26 * hour_ms
    await look()
    assert.deepEqual(await world.rows('select count(distinct hour)::int from health_hours'), [{ count: 1 }])
  })

  it('reads versions, keys in use, certificates and that no backup is known', async () => {
    const { versions, keys, certificates, newest_backup } = await ask('installation')
    assert.equal(versions.node, process.versions.node)
    assert.match(versions.postgresql, /^\d+/)
    assert.match(versions.migration, /^\d{4}_\w+\.sql$/)
    const inUse = keys.filter(({ is_in_use }: { is_in_use: boolean }) => is_in_use)
    assert.deepEqual(inUse.map(({ use }: { use: string }) => use).sort(), ['audit_trail', 'signatures'])
    // PUBLIC_URL names a host that is not there.
    assert.deepEqual(
      certificates.map(({ of, valid_to, trouble }: Record<string, unknown>) => [of, valid_to, typeof trouble]),
      [['public_url', null, 'string']],
    )
    assert.equal(newest_backup, null)
  })

  // proves: OPS-02
  it('has the installation examined as doctor does, and reads what failed and what nobody examined', async () => {
    const examine = async () => (await ask('checks')).checks as { about: string; verdict: string; details: string[] }[]
    const of = (checks: Awaited<ReturnType<typeof examine>>, about: string) =>
      checks.filter(each => each.about === about).map(({ verdict, details }) => [verdict, ...details].join(': '))
    const well = await examine()
    assert.deepEqual(
      well.filter(({ verdict }) => verdict === 'failed'),
      [],
    )
    assert.deepEqual(of(well, 'migrations'), ['ok: all are applied'])
    assert.match(of(well, 'projections')[0]!, /^ok: .*match the records of every tenant/)
    assert.deepEqual(of(well, 'mail server'), ['ok: it answers (SMTP_URL has no log-in)'])
    assert.deepEqual(of(well, 'not examined'), [
      'note: signatures, audit trails and stored files (doctor --deep examines them)',
    ])

    const german = await accepted(world.as('pat').get('/api/platform/checks', { 'accept-language': 'de' }))
    assert.deepEqual(of(german.json().checks, 'Migrationen'), ['ok: alle sind angewendet'])
    assert.deepEqual(
      german
        .json()
        .checks.map(({ verdict }: { verdict: string }) => verdict)
        .sort(),
      well.map(({ verdict }) => verdict).sort(),
    )

    await draftDocument(world, 'alan', await world.typeId('SOP'))
    await world.superuser.query('update storage_use set bytes = bytes + 1')
    smtp.behaviour.greeting = [554, 'user attest has no service here']
    try {
      const ill = await examine()
      assert.match(of(ill, 'projections')[0]!, /^failed: .*storage-use/)
      assert.match(of(ill, 'mail server')[0]!, /^failed: /)
      assert.doesNotMatch(JSON.stringify(ill), /user attest/)
    } finally {
      smtp.behaviour.greeting = undefined
      await world.superuser.query('update storage_use set bytes = bytes - 1')
    }
  })

  it('counts failed e-mails by tenant without what they say, and has them sent again', async () => {
    await failMails()
    const { items } = await ask('failed-work')
    const [failed] = items
    assert.deepEqual(
      [items.length, failed.tenant.id, failed.tenant.is_active, failed.work, failed.kind],
      [1, acme(), true, 'mail', 'notification'],
    )
    assert.match(failed.reason, /550 no such mailbox/)
    assert.doesNotMatch(JSON.stringify(items), /SOP|@/)

    const retry = () => world.as('pat').post(`/api/platform/tenants/${acme()}/retry-mails`)
    const answer = (await accepted(retry())).json()
    assert.equal(answer.retried, failed.count)
    await world.work()
    assert.equal(smtp.received.length, failed.count)
    assert.deepEqual((await ask('failed-work')).items, [])
    const again = await retry()
    assert.deepEqual([again.statusCode, again.json().code], [409, 'mail_not_failed'])
    assert.deepEqual(
      await world.rows(`select action, username, changes #>> '{retried,to}' as retried from audit_entries
        where action = 'tenant.work_retried'`),
      [{ action: 'tenant.work_retried', username: 'pat', retried: String(failed.count) }],
    )
    // The company reads in its own trail that an operator asked for it.
    assert.deepEqual(
      await world.rows(
        `select distinct username, reason from audit_entries where action = 'mail.retried' and tenant_id = $1`,
        [acme()],
      ),
      [{ username: 'system', reason: 'An operator of the installation had the failed e-mails sent again' }],
    )
    const nobodys = await world.as('pat').post('/api/platform/tenants/999999/retry-mails')
    assert.equal(nobodys.statusCode, 404)
    const own = await world.as('pat').post('/api/platform/tenants/1/retry-mails')
    assert.equal(own.statusCode, 404)
  })

  it('nobody of a tenant reads any of it', async () => {
    for (const path of ['installation', 'checks', 'failed-work'])
      assert.equal((await world.as('ada').get(`/api/platform/${path}`)).statusCode, 403, path)
    const { tenant_id } = world.people.rex!
    const rows = await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read only', async tx => {
      const { sql } = await import('kysely')
      return (await sql`select * from failed_work_of_tenants('2020-01-01')`.execute(tx)).rows
    })
    assert.deepEqual(rows, [])
  })
})

describe('an Admin', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld())
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })

  const list = async (as = 'ada') => (await accepted(world.as(as).get('/api/mails/?status=failed'))).json().items

  // proves: NOTE-01
  it('sends a failed e-mail again, dismisses another, and each is on record with its reason', async () => {
    smtp.behaviour.recipient = () => [550, 'no such mailbox']
    for (let count = 0; count < 2; count++) {
      const id = await draftDocument(world, 'alan', await world.typeId('SOP'))
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    }
    await world.work()
    smtp.behaviour.recipient = undefined
    const [first, second] = await list()
    assert.deepEqual(
      [first.status, first.attempts, first.notification_type, first.notifications],
      ['failed', 1, 'document_approval_requested', 1],
    )
    assert.match(first.error, /no such mailbox/)
    assert.doesNotMatch(JSON.stringify(first), /SOP-/)

    const retried = (
      await accepted(world.as('ada').post(`/api/mails/${first.id}/retry`, { change_reason: 'The mailbox is there' }))
    ).json()
    assert.equal(retried.status, 'queued')
    await world.work()
    assert.equal(smtp.received.length, 1)
    const dismissed = (
      await accepted(world.as('ada').post(`/api/mails/${second.id}/dismiss`, { change_reason: 'She left' }))
    ).json()
    assert.deepEqual([dismissed.status, dismissed.failed_at], ['dismissed', null])
    const left = (await list()).map(({ id }: { id: number }) => id)
    assert.ok(!left.includes(first.id) && !left.includes(second.id))
    assert.deepEqual(
      await world.rows(
        `select action, username, reason from audit_entries where action in ('mail.retried', 'mail.dismissed') order by id`,
      ),
      [
        { action: 'mail.retried', username: 'ada', reason: 'The mailbox is there' },
        { action: 'mail.dismissed', username: 'ada', reason: 'She left' },
      ],
    )
    for (const [act, id] of [
      ['retry', first.id],
      ['dismiss', first.id],
      ['retry', second.id],
    ]) {
      const refused = await world.as('ada').post(`/api/mails/${id}/${act}`, {})
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'mail_is_over'])
    }
    // Another company, and who may only read.
    assert.equal((await world.as('rex').post(`/api/mails/${second.id}/retry`, {})).statusCode, 404)
    assert.equal((await world.as('otto').post(`/api/mails/${second.id}/retry`, {})).statusCode, 403)
    assert.ok(Array.isArray(await list('otto')))
  })

  it('reads who changed a setting last, when and why, and what its default is', async () => {
    const change = (body: object) => accepted(world.as('ada').put('/api/settings/', body))
    const read = async () => (await accepted(world.as('otto').get('/api/settings/'))).json()
    assert.deepEqual((await read()).last_changes, [])
    await change({ due_days: { minor: 20 }, change_reason: 'As the procedure says' })
    await change({ due_days: { critical: 2 }, digest_hour: 6 })
    const { last_changes, defaults, due_days, people } = await read()
    const { total } = (await accepted(world.as('ada').get('/api/users/?is_active=true'))).json()
    assert.deepEqual([people.active, people.without_second_factor], [total, total])
    assert.deepEqual([due_days.minor, defaults.due_days.minor], [20, 30])
    assert.deepEqual(
      last_changes.map((each: { field: string; changed_by: { username: string }; change_reason: string | null }) => [
        each.field,
        each.changed_by.username,
        each.change_reason,
      ]),
      [
        ['digest_hour', 'ada', null],
        ['due_days', 'ada', null],
      ],
    )
    assert.deepEqual((await accepted(world.as('rex').get('/api/settings/'))).json().last_changes, [])
  })
})
