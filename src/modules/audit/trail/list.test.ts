// Lists count entries by blocks of places; this suite compares them with the entries themselves.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import type { ResourceType } from '#kernel/catalogue.ts'
import { fillAudit } from '#test/builders/audit-fill.ts'
import { ok } from '#test/builders/documents.ts'
import { redactAs } from '#test/builders/redaction-samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { startEpoch } from '../log/queries.ts'
import { auditPlaces } from '../places/projection.ts'
import { areaOf } from './areas.ts'
import type { EntryFilter } from './schema.ts'

interface Entry {
  id: number
  seq: number | null
  occurred_at: string
  user_id: number | null
  username: string | null
  outcome: string
  action: string
  resource_type: string
  resource_id: number | null
  resource_number: string | null
  reason: string | null
}

let world: World
let acme: number
/** Filters the entries without the blocks. */
let entries: Entry[]
before(async () => {
  world = await openWorld()
  acme = world.people.ada!.tenant_id
  await fillAudit(world, { by: 'rita', entries: 300 })
  await fillAudit(world, { by: 'ada', entries: 2500 })
  // An entry that is written first and committed last gets its place behind those that overtook it.
  const late = new pg.Client(world.postgres.superuser)
  await late.connect()
  await late.query('begin')
  await fillAudit({ ...world, superuser: late }, { by: 'ada', entries: 40, from: 5000 })
  await fillAudit(world, { by: 'ada', entries: 1200, from: 2500 })
  await world.seal()
  await late.query('commit')
  await late.end()
  const within = { tenantId: acme, userId: null }
  await world.database.transaction(within, 'read write', tx => startEpoch(tx, { reason: 'Restored from a snapshot' }))
  await fillAudit(world, { by: 'ada', entries: 900, from: 3700 })
  await world.seal()
  const some = await world.rows<{ id: string }>(
    `select id from audit_entries where tenant_id = $1 and action like '%.updated' and id % 7 = 0 order by id limit 60`,
    [acme],
  )
  await redactAs(
    world,
    acme,
    some.slice(0, 40).map(({ id }) => Number(id)),
    ['person'],
  )
  await redactAs(
    world,
    acme,
    some.slice(20).map(({ id }) => Number(id)),
    ['detail'],
  )
  await world.seal()
  await fillAudit(world, { by: 'ada', entries: 30, from: 4600 })
  await world.superuser.query('vacuum analyze')
  entries = (
    await world.rows<{ entry: Entry }>(
      `select json_build_object('id', e.id, 'seq', l.seq, 'user_id', user_id, 'username', username, 'outcome', outcome, 'action', action,
         'resource_type', resource_type, 'resource_id', resource_id, 'resource_number', resource_number, 'reason', reason,
         'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) as entry
       from audit_entries e left join audit_leaves l on l.entry_id = e.id where e.tenant_id = $1`,
      [acme],
    )
  ).map(({ entry }) => entry)
})
after(() => world.close())

const isDay = (moment: string) => moment.length === 10
const has = (text: string | null, part: string) => text?.toLowerCase().includes(part.toLowerCase()) ?? false

function isMatch(entry: Entry, filter: EntryFilter): boolean {
  const { date_from, date_to, seq_from, seq_to, q, area, ...values } = filter
  const isWanted = (wanted: unknown, value: unknown) => [wanted].flat().includes(value)
  if (Object.entries(values).some(([name, wanted]) => !isWanted(wanted, entry[name as keyof Entry]))) return false
  if (area !== undefined && !isWanted(area, areaOf(entry.resource_type as ResourceType))) return false
  const { occurred_at: at, seq } = entry
  if (date_from !== undefined && at < date_from) return false
  if (date_to !== undefined && (isDay(date_to) ? at.slice(0, 10) > date_to : at > date_to)) return false
  if (seq_from !== undefined && !(seq !== null && seq >= seq_from)) return false
  if (seq_to !== undefined && !(seq !== null && seq <= seq_to)) return false
  return q === undefined || [entry.username, entry.resource_number, entry.reason].some(text => has(text, q))
}

type Field = 'id' | 'occurred_at' | 'seq'
function inOrder(found: Entry[], field: Field, direction: 'asc' | 'desc') {
  const keyOf = (entry: Entry) => entry[field] ?? Number.MAX_SAFE_INTEGER
  const ascending = found.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x < y ? -1 : x > y ? 1 : a.id - b.id
  })
  return direction === 'asc' ? ascending : ascending.reverse()
}

/** Filters are built from existing entries, so that most of them find something. */
const filters = () =>
  fc.constantFrom(...entries).chain(some => {
    const other = fc.constantFrom(...entries)
    const sometimes = <T>(value: T | null, never = 2) =>
      fc.constantFrom(...Array.from<undefined>({ length: never }), value ?? undefined)
    const moment = other.chain(({ occurred_at }) =>
      fc.constantFrom(undefined, undefined, occurred_at, occurred_at.slice(0, 10)),
    )
    const place = other.chain(({ seq }) => fc.constantFrom(undefined, undefined, undefined, seq ?? undefined))
    const several = <T>(value: (entry: Entry) => T | null) =>
      fc.tuple(sometimes(value(some)), fc.array(other, { maxLength: 2 })).map(([first, more]) => {
        const values = [first, ...more.map(value)].filter(each => each !== undefined && each !== null)
        return first === undefined || values.length === 1 ? first : [...new Set(values)]
      })
    return fc.record({
      user_id: several(({ user_id }) => user_id),
      action: several(({ action }) => action),
      area: sometimes(areaOf(some.resource_type as ResourceType), 4),
      resource_type: several(({ resource_type }) => resource_type),
      resource_id: sometimes(some.resource_id, 9),
      outcome: several(({ outcome }) => outcome),
      date_from: moment,
      date_to: moment,
      seq_from: place,
      seq_to: place,
      q: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        'person3',
        'hygro',
        '0012',
        'DECIDED',
        'e',
        '%',
        some.reason?.slice(1, 9),
      ),
    })
  })

const queryOf = (values: object) =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  )

describe('a list of the audit trail (proves: AUD-02)', () => {
  it('has each entry that matches once and in its order, on whichever page, and says how many there are', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        filters(),
        fc.constantFrom<Field>('id', 'occurred_at', 'seq'),
        fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 100 }),
        async (given, field, direction, where, page_size) => {
          const filter = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ) as EntryFilter
          const expected = inOrder(
            entries.filter(entry => isMatch(entry, filter)),
            field,
            direction,
          )
          const page = 1 + Math.floor((where * expected.length) / page_size)
          const reply = ok(
            await world
              .as('otto')
              .get(`/api/audit/?${queryOf({ ...filter, sort: `${field}:${direction}`, page, page_size }).toString()}`),
          )
          const shown = expected.slice((page - 1) * page_size, page * page_size)
          assert.deepEqual(
            [reply.total, reply.items.map(({ id, seq }: Entry) => [id, seq])],
            [expected.length, shown.map(({ id, seq }) => [id, seq])],
          )
          if (expected.length > 0) found += 1
        },
      ),
      { numRuns: 150 },
    )
    assert.ok(found > 50, `${found} filters found something`)
  })

  it('of nothing is an export of nothing', async () => {
    for (const query of [
      'q=nowhere+to+be+found',
      'action=audit.redacted&q=hygrometer',
      'q=decided&date_to=1999-01-01',
    ]) {
      const reply = await world.as('quinn').get(`/api/audit/export?${query}`)
      assert.deepEqual([reply.statusCode, reply.headers['x-audit-entries']], [200, '0'], query)
      assert.equal(reply.body.split('\r\n').length, 2, 'the names of the columns, and no more')
    }
  })

  it('that fills the last page of an export leaves nothing behind it', async () => {
    const matching = entries.filter(entry => isMatch(entry, { q: 'decided' }) && entry.seq !== null)
    const last = matching.toSorted((a, b) => a.seq! - b.seq!)[499]!
    const reply = await world.as('quinn').get(`/api/audit/export?q=decided&seq_to=${last.seq}`)
    assert.deepEqual([reply.statusCode, reply.headers['x-audit-entries']], [200, '500'])
    assert.equal(reply.body.split('\r\n').length, 502)
  })

  it('is what an export of the same filter has, in the order of the log (proves: AUD-03)', async () => {
    const seq_to = Math.max(...entries.map(({ seq }) => seq ?? 0))
    const some = entries.find(({ username, reason }) => username === 'person3' && reason !== null)!
    const filters: EntryFilter[] = [
      { action: 'document.updated' },
      { outcome: 'success', seq_from: 700 },
      { user_id: world.people.quinn!.id, resource_type: 'capa' },
      { date_from: some.occurred_at, q: 'decided' },
      { q: 'person3', date_to: some.occurred_at.slice(0, 10) },
      { resource_id: some.resource_id ?? 7 },
    ]
    for (const given of filters) {
      const filter = { ...given, seq_to }
      const reply = await world.as('quinn').get(`/api/audit/export?${queryOf(filter).toString()}`)
      assert.equal(reply.statusCode, 200, reply.body)
      const lines = reply.body.split('\r\n').slice(1, -1)
      const expected = entries.filter(entry => isMatch(entry, filter)).flatMap(({ seq }) => seq ?? [])
      assert.ok(expected.length > 0, JSON.stringify(filter))
      assert.deepEqual(
        lines.map(line => Number(line.split(',')[0])),
        expected.toSorted((a, b) => a - b),
        JSON.stringify(filter),
      )
      assert.equal(reply.headers['x-audit-entries'], String(expected.length))
    }
  })

  it('is of one tenant alone', async () => {
    const [{ count }] = (await world.rows<{ count: string }>(
      'select count(*) from audit_entries where tenant_id = $1',
      [world.people.rita!.tenant_id],
    )) as [{ count: string }]
    const { total, items } = ok(await world.as('rex').get('/api/audit/?page_size=100'))
    assert.equal(total, Number(count))
    const [{ strangers }] = (await world.rows<{ strangers: string }>(
      'select count(*) as strangers from audit_entries where id = any($1) and tenant_id <> $2',
      [items.map(({ id }: Entry) => id), world.people.rex!.tenant_id],
    )) as [{ strangers: string }]
    assert.equal(Number(strangers), 0)
    const { user_id } = entries.find(each => each.user_id !== null)!
    for (const query of [`user_id=${user_id}`, 'q=decided+of+ada'])
      assert.equal(ok(await world.as('rex').get(`/api/audit/?${query}`)).total, 0, query)
  })

  it('keeps no name that was redacted from all entries', async () => {
    await fillAudit(world, { by: 'rita', entries: 3, name: 'forgotten' })
    await world.seal()
    const named = () => world.rows<{ value: string }>(`select value from audit_places where value like 'forgotten%'`)
    assert.ok((await named()).length > 0)
    const tenant = world.people.rita!.tenant_id
    const ids = (await world.rows<{ id: string }>(`select id from audit_entries where username like 'forgotten%'`)).map(
      ({ id }) => Number(id),
    )
    await redactAs(world, tenant, ids, ['person'])
    assert.deepEqual(await named(), [])
    assert.equal(ok(await world.as('rex').get('/api/audit/?q=forgotten')).total, 0)
  })

  it('finds and keeps nothing of a reason and a number that were redacted', async () => {
    await fillAudit(world, { by: 'rita', entries: 40, from: 90_000 })
    await world.seal()
    const tenant = world.people.rita!.tenant_id
    const [entry] = await world.rows<{ id: string; reason: string; resource_number: string; seq: string }>(
      `select e.id, reason, resource_number, seq from audit_entries e join audit_leaves l on l.tenant_id = e.tenant_id and l.entry_id = e.id
       where e.tenant_id = $1 and reason like 'Decided of%' and resource_number is not null order by e.id desc limit 1`,
      [tenant],
    )
    const { id, reason, resource_number, seq } = entry!
    const found = async (q: string): Promise<number[]> =>
      ok(await world.as('rex').get(`/api/audit/?page_size=100&q=${encodeURIComponent(q)}`)).items.map(
        (each: Entry) => each.id,
      )
    assert.deepEqual(await found(reason.toUpperCase()), [Number(id)])
    assert.ok((await found(resource_number.toLowerCase())).includes(Number(id)))
    assert.deepEqual(await found(`${reason}%`), [], 'a sign of patterns is a sign')
    await redactAs(world, tenant, [Number(id)], ['detail'])
    assert.deepEqual(await found(reason), [])
    assert.ok(!(await found(resource_number)).includes(Number(id)))
    const kept = await world.rows(
      `select from audit_words where tenant_id = $1 and block = ($2::bigint - 1) / 2048
         and case when place is null then get_bit(places, (($2 - 1) % 2048)::integer) = 1 else place = ($2 - 1) % 2048 end`,
      [tenant, seq],
    )
    assert.deepEqual(kept, [])
  })

  it('keeps each reason and number once for a block that is full, however many additions filled it', async () => {
    const tenant = world.people.rita!.tenant_id
    const lastPlace = async () =>
      Number((await world.rows('select seq from audit_logs where tenant_id = $1', [tenant]))[0]!.seq)
    const found = async () => ok(await world.as('rex').get('/api/audit/?q=num-7000')).total
    const rowsOf = async (block: number) =>
      (
        await world.rows<{ n: string }>(
          `select count(*) as n from audit_words where tenant_id = $1 and block = $2 and words = 'num-7000'`,
          [tenant, block],
        )
      ).map(({ n }) => Number(n))
    const block = Math.floor((await lastPlace()) / 2048)
    let from = 140_000
    for (; from < 140_003; from++) {
      await fillAudit(world, { by: 'rita', entries: 1, from })
      await world.seal()
    }
    const numbered = await world.rows(
      `select from audit_entries where tenant_id = $1 and resource_number = 'NUM-7000'`,
      [tenant],
    )
    assert.ok(numbered.length > 1, `${numbered.length} entries have the number`)
    assert.equal(await found(), numbered.length)
    assert.deepEqual(await rowsOf(block), [numbered.length], 'each addition has a row')
    await fillAudit(world, { by: 'rita', entries: 2048, from: 150_000 })
    await world.seal()
    assert.equal(Math.floor((await lastPlace()) / 2048), block + 1)
    assert.deepEqual(await rowsOf(block), [1])
    assert.equal(await found(), numbered.length)
    const drift = await world.database.transaction(
      { tenantId: tenant, userId: null },
      'read only',
      auditPlaces.findDrift,
    )
    assert.deepEqual(drift, [])
  })

  it('is counted by what the entries say, and a bit that is not so is found', async () => {
    const drift = (tenantId: number) =>
      world.database.transaction({ tenantId, userId: null }, 'read only', auditPlaces.findDrift)
    for (const tenant of [acme, world.people.rex!.tenant_id, 1]) assert.deepEqual(await drift(tenant), [])
    await world.rows(
      `update audit_places set places = set_bit(places, 7, 1 - get_bit(places, 7)) where tenant_id = $1 and dimension = 'outcome' and value = 'success' and block = 1`,
      [acme],
    )
    assert.deepEqual(await drift(acme), ['block 1: outcome success'])
    await world.rows(
      `update audit_places set places = set_bit(places, 7, 1 - get_bit(places, 7)) where tenant_id = $1 and dimension = 'outcome' and value = 'success' and block = 1`,
      [acme],
    )
    await world.rows(
      `update audit_places set latest = earliest where tenant_id = $1 and dimension = 'sealed' and block = 0`,
      [acme],
    )
    assert.deepEqual(await drift(acme), ['block 0: sealed'])
    await world.rows(
      `insert into audit_places (tenant_id, dimension, value, block, places) values ($1, 'action', 'never', 2147483647, (-1)::bit(2048))`,
      [acme],
    )
    assert.deepEqual(await drift(acme), ['block 2147483647: action never', 'block 0: sealed'])
    await world.database.transaction({ tenantId: acme, userId: null }, 'read write', auditPlaces.rebuild)
    assert.deepEqual(await drift(acme), [])
  })
})
