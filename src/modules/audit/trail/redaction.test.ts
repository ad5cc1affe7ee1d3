// Redaction of personal data from the trail, by the owner of the tables only; all proofs stay valid.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { redactAs } from '#test/builders/redaction-samples.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
let make: ReturnType<typeof cases>
let owner: pg.Client
let acme: number
before(async () => {
  world = await openWorld()
  paper = papers(world)
  make = cases(world)
  acme = world.people.ada!.tenant_id
  owner = new pg.Client(world.postgres.owner)
  await owner.connect()
})
after(async () => {
  await owner.end()
  await world.close()
})

const rowOf = async (id: number) => (await world.rows<Json>('select * from audit_entries where id = $1', [id]))[0]!
const entriesOf = async (resource_type: string, resource_id: number) =>
  (
    await world.rows<{ id: string; action: string }>(
      'select id, action from audit_entries where resource_type = $1 and resource_id = $2 order by id',
      [resource_type, resource_id],
    )
  ).map(({ id, action }) => ({ id: Number(id), action }))

describe('a redaction (proves: AUD-04)', () => {
  it('removes what an entry says of its person, with the salt, and nothing else; and the trail tells of it', async () => {
    const { id } = await paper.upload()
    const [entry] = await entriesOf('document', id)
    const was = await rowOf(entry!.id)
    await redactAs(world, acme, [entry!.id], ['person'])
    assert.deepEqual(await rowOf(entry!.id), {
      ...was,
      username: null,
      user_role: null,
      client_addr: null,
      person_salt: null,
    })
    const [told] = await world.rows<Json>(
      `select e.username, e.changes, e.reason, r.part, r.redacted_by from audit_redactions r
       join audit_entries e on e.id = r.recorded_in where r.entry_id = $1 and e.action = 'audit.redacted'`,
      [entry!.id],
    )
    assert.deepEqual(told, {
      username: 'system',
      changes: {
        entries: { from: null, to: [entry!.id] },
        parts: { from: null, to: ['person'] },
        redacted_by: { from: null, to: 'Ola Operator' },
      },
      reason: 'Erasure was asked for',
      part: 'person',
      redacted_by: 'Ola Operator',
    })
    await redactAs(world, acme, [entry!.id], ['detail'])
    assert.deepEqual(
      { ...(await rowOf(entry!.id)) },
      {
        ...was,
        ...{ username: null, user_role: null, client_addr: null, person_salt: null },
        ...{ changes: null, resource_number: null, resource_revision: null, reason: null, detail_salt: null },
      },
    )
  })

  it('is of all the entries that are named, or of none', async () => {
    const { id } = await paper.upload()
    const [entry] = await entriesOf('document', id)
    const [foreign] = await world.rows<{ id: string }>(
      'select id from audit_entries where tenant_id = $1 order by id limit 1',
      [world.people.rex!.tenant_id],
    )
    const [mine] = await world.rows<{ count: string }>('select count(*) from audit_entries')
    for (const [wrong, sentence] of [
      [999_999_999, /There is no entry 999999999 in this tenant/],
      [Number(foreign!.id), /There is no entry \d+ in this tenant/],
    ] as const)
      await assert.rejects(redactAs(world, acme, [entry!.id, wrong]), sentence)
    assert.ok((await rowOf(entry!.id)).person_salt)
    assert.deepEqual(await world.rows('select count(*) from audit_entries'), [mine])
    await redactAs(world, acme, [entry!.id], ['person'])
    await assert.rejects(redactAs(world, acme, [entry!.id]), /The person of entry \d+ is redacted already/)
    assert.ok((await rowOf(entry!.id)).detail_salt)
  })

  it('leaves what the trail says of itself', async () => {
    const [told] = await world.rows<{ id: string }>(
      `select id from audit_entries where action = 'audit.redacted' order by id limit 1`,
    )
    await assert.rejects(redactAs(world, acme, [Number(told!.id)]), /is audit.redacted: its detail is what proofs/)
  })

  it('is the only change that the guard lets pass, and only with what it says of itself', async () => {
    const { id } = await paper.upload()
    const entry = (await entriesOf('document', id))[0]!.id
    const person = 'username = null, user_role = null, client_addr = null, person_salt = null'
    const tell = (action = 'audit.redacted') =>
      `with told as (insert into audit_entries (username, user_role, outcome, action, resource_type, changes, request_id, client_addr)
         values ('system', 'System', 'success', '${action}', 'audit', '{}', '', '') returning id)
       insert into audit_redactions (entry_id, part, reason, redacted_by, recorded_in) select ${entry}, 'person', 'r', 'o', id from told;`
    const attempt = async (statements: string) => {
      await owner.query(
        `begin; set local app.tenant_id = '${acme}'; set local app.transaction_id = '00000000-0000-0000-0000-0000000000aa'`,
      )
      try {
        await owner.query(statements)
      } finally {
        await owner.query('rollback')
      }
    }
    const where = `where id = ${entry}`
    await attempt(`${tell()} update audit_entries set ${person} ${where}`)
    for (const [what, statements] of Object.entries({
      'nothing was said': `update audit_entries set ${person} ${where}`,
      'something else was said': `${tell('audit.exported')} update audit_entries set ${person} ${where}`,
      'the other part was said': `${tell()} update audit_entries set changes = null, resource_number = null, resource_revision = null, reason = null, detail_salt = null ${where}`,
      'more is changed': `${tell()} update audit_entries set ${person}, occurred_at = now() ${where}`,
      'the leaf goes with it': `${tell()} update audit_entries set ${person}, leaf = '' ${where}`,
      'the changes are written otherwise': `${tell()} update audit_entries set ${person}, changes = '{ }' ${where}`,
      'a value takes the place of another': `${tell()} update audit_entries set username = 'eve' ${where}`,
      'nothing changes': `${tell()} update audit_entries set leaf_hash = leaf_hash ${where}`,
      'another entry is meant': `${tell()} update audit_entries set ${person} where id <> ${entry}`,
      'it is deleted': `${tell()} delete from audit_entries ${where}`,
    }))
      await assert.rejects(attempt(statements), { code: 'QA002' }, what)
    // The setting of an earlier transaction no longer applies.
    await redactAs(world, acme, [entry], ['person'])
    await assert.rejects(
      attempt(
        `update audit_entries set username = 'eve', user_role = '', client_addr = '', person_salt = '\\x00000000000000000000000000000000' ${where}`,
      ),
      { code: 'QA002' },
    )
  })

  it('is for the owner of the tables alone: the application may neither redact nor say that it did', async () => {
    const binding = { tenantId: acme, userId: null }
    for (const statement of [
      sql`update audit_entries set username = null`,
      sql`insert into audit_redactions (entry_id, part, reason, redacted_by, recorded_in) values (1, 'person', 'r', 'o', 1)`,
    ])
      await assert.rejects(
        world.database.transaction(binding, 'read write', tx => statement.execute(tx)),
        { code: '42501' },
      )
  })
})

describe('who reads a redacted entry', () => {
  it('in the list, alone and in the dossier finds it, without what was removed', async () => {
    const { id } = await paper.submitted()
    const [first, second] = await entriesOf('document', id)
    await redactAs(world, acme, [first!.id])
    await redactAs(world, acme, [second!.id], ['person'])
    const { items } = ok(await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:asc`))
    assert.deepEqual(
      items.map(({ redacted, user, changes, client_addr }: Json) => ({
        redacted,
        user: user.username,
        isThere: changes !== null,
        client_addr,
      })),
      [
        { redacted: ['person', 'detail'], user: null, isThere: false, client_addr: null },
        { redacted: ['person'], user: null, isThere: true, client_addr: null },
      ],
    )
    assert.equal(items[0].action, 'document.created')
    assert.deepEqual(ok(await world.as('otto').get(`/api/audit/${first!.id}`)), items[0])
    const dossier = await world.as('otto').get(`/api/documents/${id}/dossier`)
    assert.equal(dossier.statusCode, 200, dossier.body.slice(0, 300))
  })

  it('in the timeline finds what happened, without what', async () => {
    const [{ id }, capa] = [await make.deviation(), await make.capa()]
    ok(
      await world.as('petra').put(`/api/deviations/${id}`, { title: 'Two torn bags', change_reason: 'There were two' }),
    )
    const link = { resource_type: 'capa', resource_id: capa.id, relation: 'root' }
    ok(await world.as('petra').post(`/api/deviations/${id}/links`, link))
    const of = (await entriesOf('deviation', id)).filter(({ action }) => /updated|linked/.test(action))
    assert.equal(of.length, 2)
    await redactAs(
      world,
      acme,
      of.map(entry => entry.id),
    )
    const { items } = ok(await world.as('petra').get(`/api/deviations/${id}/timeline?page_size=100`))
    const titles = items.map(({ title }: Json) => title)
    assert.ok(titles.includes('Changed: redacted'), titles.join())
    assert.ok(titles.includes('Linked to a redacted record'), titles.join())
  })

  it('as who changes what is not current any more is told of it without a name', async () => {
    const { id } = await paper.upload()
    ok(await world.as('alan').put(`/api/documents/${id}`, { title: 'Cleaning of line 2', change_reason: 'Two' }))
    const updated = (await entriesOf('document', id)).at(-1)!
    const stale = async () => {
      const reply = await world
        .as('alan')
        .put(`/api/documents/${id}`, { title: 'Line 3', change_reason: 'Three' }, { 'if-match': '"1"' })
      assert.equal(reply.statusCode, 409, reply.body)
      return reply.json().detail as string
    }
    await redactAs(world, acme, [updated.id], ['person'])
    assert.match(await stale(), /Changed since: Someone at \S+: document.updated \(title/)
    await redactAs(world, acme, [updated.id], ['detail'])
    assert.match(await stale(), /is at revision \d+\. Reload it and try again\.$/)
  })
})
