// Training compliance: numbers from the counts equal those from the records at any time.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { assignments, dayOf, daysGoBy } from '#test/builders/assignments.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { chunksOf } from '../assignments/rules.ts'
import { complianceOf, countTenant, findComplianceDrift } from './counts.ts'
import { type Compliance, findToCount, forgetCounts, readCompliance } from './queries.ts'

let world: World
let people: ReturnType<typeof assignments>
let gated: ReturnType<typeof gatedDocuments>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  people = assignments(world)
  gated = gatedDocuments(world)
})
after(() => world.close())

const inTenant = <T>(
  work: Parameters<typeof world.database.transaction<T>>[2],
  access: 'read only' | 'read write' = 'read only',
) => world.database.transaction({ tenantId: world.people.ada!.tenant_id, userId: null }, access, work)
const count = () => countTenant(world.services, world.people.ada!.tenant_id)
const toCount = () => inTenant(tx => findToCount(tx, dayOf(world)))
const linesOf = (lines: Compliance[], of: Compliance['of']) =>
  lines.filter(each => each.of === of).map(({ id, required, trained }) => ({ id, required, trained }))

/** By the matrix, which looks at each person and program by itself. */
async function byMatrix() {
  const { programs, items } = ok(await world.as('quinn').get('/api/training/matrix?page_size=100'))
  return programs
    .map(({ id }: Json, i: number) => {
      const cells = items.map(({ cells }: Json) => cells[i].status)
      const having = (status: string) => cells.filter((each: string) => each === status).length
      const required = cells.length - having('not_assigned') - having('waived')
      return { id, required, trained: having('trained') }
    })
    .filter(({ required }: Json) => required > 0)
    .sort((a: Json, b: Json) => a.id - b.id)
}

async function assertExact(after: string) {
  const today = dayOf(world)
  const { answered, plain } = await inTenant(async tx => ({
    answered: await complianceOf(tx, today),
    plain: await readCompliance(tx, today, undefined),
  }))
  assert.deepEqual(answered, plain, after)
  assert.deepEqual(linesOf(answered, 'program'), await byMatrix(), after)
  assert.deepEqual(await inTenant(tx => findComplianceDrift(tx, today)), [], after)
}

/** Otto changes: he logs in no more. */
const names = ['uma', 'alan', 'petra', 'anna', 'otto']
const oftenEach = {
  ...{
    assign: 6,
    complete: 8,
    verify: 3,
    waive: 2,
    cancel: 2,
    deactivate: 2,
    reactivate: 2,
    join: 2,
    leave: 2,
    role: 2,
  },
  ...{ archive: 2, verification: 2, curriculum: 2, change: 2, drop_group: 2, release: 2, days: 3, count: 10 },
}
type What = keyof typeof oftenEach
const kinds = Object.keys(oftenEach) as What[]
const all = kinds.flatMap(what => Array.from({ length: oftenEach[what] }, () => what))
interface Deed {
  what: What
  who: string
  nth: number
}
const detail = fc.record({ who: fc.constantFrom(...names), nth: fc.nat({ max: 2 }) })
/** All of them in whatever order, two at the same moment. */
const story = fc
  .tuple(
    fc.shuffledSubarray(all, { minLength: all.length }),
    fc.array(detail, { minLength: all.length, maxLength: all.length }),
  )
  .map(([order, details]) =>
    chunksOf(
      order.map((what, i): Deed => ({ what, ...details[i]! })),
      2,
    ),
  )

interface Cast {
  programs: number[]
  groups: number[]
  curricula: number[]
  document: number
  roles: number[]
}

async function cast(): Promise<Cast> {
  await world.as('ada').post(`/api/users/${world.people.otto!.id}/reactivate`, { change_reason: 'Back' })
  const document = (await gated.released((await gated.type({})).id)).id
  const reading = await gated.assign(document, names)
  const short = await people.program({ valid_months: 1 })
  const groups = [
    await people.group('uma', 'alan'),
    await people.group('petra'),
    await people.group('uma', 'otto'),
  ].map(({ id }) => id)
  const verified = await people.program({ requires_verification: true })
  await people.assign({ training_id: verified.id, user_ids: people.ids(['uma', 'anna']) })
  await people.complete('uma', verified.id)
  await people.complete('anna', verified.id)
  const curriculum = async (body: object) =>
    ok(
      await world
        .as('quinn')
        .post('/api/training/curricula/', { name: `Of ${short.number} ${JSON.stringify(body)}`, ...body }),
    ).id
  return {
    programs: [reading, short.id, verified.id],
    groups,
    curricula: [
      await curriculum({ group_ids: [groups[0]], programs: [{ training_id: short.id }] }),
      await curriculum({ role_names: ['Author'], programs: [{ training_id: reading }] }),
    ],
    document,
    roles: ok(await world.as('ada').get('/api/roles/?page_size=100'))
      .items.filter(({ name }: Json) => ['User', 'Author', 'QA'].includes(name))
      .map(({ id }: Json) => id),
  }
}

async function act(its: Cast, { what, who, nth }: Deed): Promise<number> {
  const { programs, groups, curricula, document } = its
  const as = (name: string) => world.as(name)
  const user_id = world.people[['deactivate', 'reactivate', 'role'].includes(what) ? 'otto' : who]!.id
  const program = programs[what === 'verify' ? 2 : nth]!
  const group = groups[nth % 2]!
  const [newest] = await world.rows<{ id: number }>(
    `select id::int from training_assignments where program_id = $1 and (status = 'completed') = $2 and verified_at is null and status <> 'waived'
     order by id desc limit 1`,
    [program, what === 'verify'],
  )
  const why = { change_reason: 'Revised' }
  const sent = async (request: PromiseLike<{ statusCode: number }>) => (await request).statusCode
  switch (what) {
    case 'assign':
      return sent(as('quinn').post('/api/training/assign', { training_id: program, user_ids: [user_id] }))
    case 'complete':
      return sent(as(who).post(`/api/training/${program}/complete`, {}))
    case 'verify':
      return sent(as('petra').post(`/api/training/assignments/${newest?.id ?? 999_999_999}/verify`, {}))
    case 'waive':
    case 'cancel':
      return sent(
        as('quinn').post(`/api/training/assignments/${newest?.id ?? 999_999_999}/${what}`, { reason: 'Because' }),
      )
    case 'deactivate':
    case 'reactivate':
      return sent(as('ada').post(`/api/users/${user_id}/${what}`, { change_reason: 'Leave' }))
    case 'join':
      return sent(as('ada').post(`/api/groups/${group}/add-member`, { user_ids: [user_id] }))
    case 'leave': {
      // One of those who are in it, as long as there is one: by chance alone it was often nobody.
      const [member] = await world.rows<{ user_id: number }>(
        'select user_id::int from group_members where group_id = $1 order by user_id limit 1',
        [group],
      )
      return sent(as('ada').delete(`/api/groups/${group}/remove-member/${member?.user_id ?? user_id}`))
    }
    case 'role':
      return sent(as('ada').put(`/api/users/${user_id}/role`, { role_id: its.roles[nth] }))
    case 'archive':
      return sent(as('quinn').put(`/api/training/${program}`, { ...why, status: nth === 0 ? 'active' : 'archived' }))
    case 'verification':
      return sent(as('quinn').put(`/api/training/${programs[2]}`, { ...why, requires_verification: nth > 0 }))
    case 'curriculum':
      return sent(
        as('quinn').put(`/api/training/curricula/${curricula[nth % 2]}`, {
          ...why,
          status: nth === 2 ? 'archived' : 'active',
        }),
      )
    case 'change':
      return sent(
        as('quinn').put(`/api/training/curricula/${curricula[nth % 2]}`, {
          ...why,
          group_ids: [group],
          programs: [{ training_id: programs[1] }],
        }),
      )
    case 'drop_group':
      return sent(as('ada').delete(`/api/groups/${groups[2]}`))
    case 'release':
      return gated.renew(document).then(
        () => 200,
        () => 409,
      )
    case 'days':
      daysGoBy(world, [1, 15, 40][nth]!)
      return 200
    case 'count':
      await count()
      return 200
  }
}

describe('training compliance (proves: DASH-05)', () => {
  it('is what the records say and the matrix shows, whatever is done, counted or not', async () => {
    const happened = new Map<string, number>()
    const tryAll = () =>
      fc.assert(
        fc.asyncProperty(story, async rounds => {
          const its = await cast()
          for (const deeds of rounds) {
            const codes = await Promise.all(deeds.map(each => act(its, each)))
            for (const [i, code] of codes.entries()) {
              assert.ok(code < 500, `${deeds[i]!.what}: ${code}`)
              if (code < 300) happened.set(deeds[i]!.what, (happened.get(deeds[i]!.what) ?? 0) + 1)
            }
            await assertExact(JSON.stringify(deeds))
          }
          await count()
          await assertExact('all is counted')
          const { everyone, user_ids } = await toCount()
          assert.deepEqual([everyone, user_ids], [false, []])
        }),
        { numRuns: 1, endOnFailure: true },
      )
    await runUntilAllHappened(tryAll, happened, kinds)
  })

  it('counts anew who changed and nobody else, and on the day on which something of theirs ends', async () => {
    await count()
    const { id } = await people.program({ due_days: 3 })
    await people.assign({ training_id: id, user_ids: people.ids(['uma', 'alan']) })
    assert.deepEqual(await toCount(), {
      everyone: false,
      user_ids: people.ids(['uma', 'alan']).sort((a, b) => a - b),
    })
    await count()
    assert.deepEqual((await toCount()).user_ids, [])
    await assertExact('before the day')
    daysGoBy(world, 4)
    const { user_ids } = await toCount()
    for (const each of people.ids(['uma', 'alan'])) assert.ok(user_ids.includes(each))
    await assertExact('not counted on the day')
    const overdue = (await inTenant(tx => complianceOf(tx, dayOf(world)))).find(
      each => each.of === 'program' && each.id === id,
    )
    assert.deepEqual([overdue?.required, overdue?.overdue], [2, 2])
    await count()
    await assertExact('counted on the day')
    daysGoBy(world, -4)
    await assertExact('where the day is the one before again')
  })

  it('makes nobody wait who changes what is counted at the moment, and counts the change later', async () => {
    await count()
    const [uma, alan] = [await people.program(), await people.program()]
    await people.assign({ training_id: uma.id, user_ids: people.ids(['uma']) })
    const looks = [count(), count(), count()]
    await people.assign({ training_id: alan.id, user_ids: people.ids(['uma', 'alan']) })
    await Promise.all(looks)
    await assertExact('while it was counted')
    await count()
    await assertExact('counted')
  })

  it('is found to be wrong where somebody changed the counts, and is counted anew', async () => {
    await count()
    await count()
    const drift = () => inTenant(tx => findComplianceDrift(tx, dayOf(world)))
    assert.deepEqual(await drift(), [])
    await world.rows(
      `update compliance_counts set trained = trained + 1 where kind = 'program' and tenant_id = ${world.people.ada!.tenant_id}`,
    )
    assert.notDeepEqual(await drift(), [])
    await inTenant(forgetCounts, 'read write')
    assert.deepEqual(await drift(), [])
    await count()
    assert.deepEqual(await drift(), [])
    for (const change of [
      `facts = jsonb_set(facts, '{0,trained}', '7')`,
      `changes_on = 'infinity'`,
      `facts = facts || '[{"kind": "group", "id": 999999, "required": 1, "trained": 0, "overdue": 0}]'`,
    ]) {
      await world.rows(
        `update compliance_people set ${change} where user_id = (select user_id from compliance_people
          where tenant_id = ${world.people.ada!.tenant_id} and facts <> '[]' and changes_on <> 'infinity' limit 1)`,
      )
      assert.notDeepEqual(await drift(), [], change)
      await inTenant(forgetCounts, 'read write')
      await count()
      assert.deepEqual(await drift(), [])
    }
    assert.equal((await toCount()).everyone, false)
  })
})
