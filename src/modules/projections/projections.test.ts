// Derived rows match their records after changes of every kind. A check finds rows that do not, and a rebuild makes them again.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { countTenant } from '#modules/training'
import { assignments } from '#test/builders/assignments.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { ok } from '#test/builders/documents.ts'
import { findDrift, findDriftAnywhere, rebuildProjections } from '#test/builders/projections.ts'
import { library } from '#test/builders/search.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('indexes, counts and marks', () => {
  let world: World
  let acme: number
  before(async () => {
    world = await openWorld()
    acme = world.people.ada!.tenant_id
  })
  after(() => world.close())

  const assertNoDrift = async (after: string) => assert.deepEqual(await findDriftAnywhere(world), [], after)
  const why = { change_reason: 'Needed' }

  it('are what the records say after every kind of change of a document', async () => {
    const { upload, release, addVersion, write } = library(world)
    const { as } = world
    const [plain, changing] = [await upload({ title: 'Gowning' }), await upload({ title: 'Cleaning' })]
    await assertNoDrift('uploaded')
    await write(plain.id, [{ heading: 'Purpose', body: 'Hood and mask.' }, 'Gloves after the mask.'])
    await assertNoDrift('read')
    const changes = { title: 'Cleaning of lines', keywords: ['CIP', 'line 3'], category: 'Production', ...why }
    ok(await as('alan').put(`/api/documents/${changing.id}`, changes))
    ok(await as('alan').post(`/api/documents/${plain.id}/comments`, { text: 'Which hood?' }))
    await assertNoDrift('changed')
    await release(plain.id)
    await release(changing.id)
    await assertNoDrift('released')
    await addVersion(plain.id, { title: 'Gowning and degowning' })
    await write(plain.id, ['Gloves last.'])
    await assertNoDrift('a new version')
    await release(plain.id)
    ok(await as('quinn').put(`/api/documents/${plain.id}`, { owner_id: world.people.petra!.id, ...why }))
    const type = await world.typeId('SOP')
    ok(await as('ada').put(`/api/document-types/${type}`, { training_gate: 'before_access', ...why }))
    await assertNoDrift('the type has a gate')
    const { id: draft } = await upload({ title: 'For everybody' })
    ok(await as('quinn').put(`/api/documents/${draft}`, { training_gate: 'none', ...why }))
    await assertNoDrift('a gate of its own')
    const retired = { transition: 'obsolete', comment: 'No more', password }
    ok(await as('quinn').post(`/api/documents/${changing.id}/transition`, retired))
    await assertNoDrift('obsolete')
  })

  // proves: SVC-04
  it('of the filters of lists are added by the migration to the documents that there are', async () => {
    const { upload, release, addVersion } = library(world)
    const changed = { keywords: ['CIP', 'line 3'], category: 'Clean rooms - grade A', ...why }
    const { id } = await upload({ title: 'Rinsing' })
    ok(await world.as('alan').put(`/api/documents/${id}`, changed))
    await release(id)
    await addVersion(id, { title: 'Rinsing twice' })
    const measures = "('documents.listed', 'documents.keyword')"
    await world.rows(`delete from stat_counts where measure in ${measures}`)
    await world.rows(`update stat_records set facts = (select jsonb_agg(fact order by place)
      from jsonb_array_elements(facts) with ordinality as f (fact, place) where fact ->> 0 not in ${measures}) where resource = 'document'`)
    assert.deepEqual(await findDrift(world, acme), ['statistics: documents.keyword', 'statistics: documents.listed'])
    await world.rows(
      readFileSync(new URL('../../../migrations/0083_counts_of_list_filters.sql', import.meta.url), 'utf8'),
    )
    await assertNoDrift('migrated')
  })

  it('are what the records say after every kind of change of a deviation', async () => {
    const { inState } = deviations(world)
    const { id } = await inState('open', { affected_items: [{ kind: 'equipment', identifier: 'V-12' }] })
    await assertNoDrift('reported')
    const change = async (body: object) => ok(await world.as('petra').put(`/api/deviations/${id}`, { ...body, ...why }))
    await change({ status: 'under_investigation', assigned_to: world.people.petra!.id })
    await change({ investigation: 'The seal again', title: 'Leak', severity: 'major', category: 'equipment' })
    await assertNoDrift('changed')
    await change({ root_cause: rootCause, affected_items: [{ kind: 'equipment', identifier: 'V-13' }] })
    await assertNoDrift('explained')
    await inState('closed')
    await assertNoDrift('closed')
  })

  it('ask nobody to be counted again for a change that has to do with no training', async () => {
    const training = assignments(world)
    const program = await training.program()
    const group = await training.group('uma')
    const programs = [{ training_id: program.id }]
    const body = { name: 'Cleaners of rooms', group_ids: [group.id], programs }
    const { id } = ok(await world.as('quinn').post('/api/training/curricula/', body))
    const { id: role } = ok(await world.as('ada').post('/api/roles/', { name: 'Cleaner' }))
    await countTenant(world.services, acme)
    ok(
      await world
        .as('quinn')
        .put(`/api/training/curricula/${id}`, { description: 'Rooms', group_ids: [group.id], ...why }),
    )
    ok(await world.as('quinn').put(`/api/training/${program.id}`, { title: 'Cleaning', ...why }))
    ok(await world.as('ada').put(`/api/roles/${role}`, { description: 'Cleans', ...why }))
    ok(await world.as('ada').put(`/api/groups/${group.id}`, { name: 'Cleaners', ...why }))
    await library(world).effective({ title: 'Cleaning' })
    assert.deepEqual(await world.rows('select user_id from compliance_changes where tenant_id = $1', [acme]), [])
  })

  it('are what the records say after every kind of change of a training', async () => {
    const training = assignments(world)
    const { as } = world
    await countTenant(world.services, acme)
    const program = await training.program({ valid_months: 1 })
    await training.assign({ training_id: program.id, user_ids: training.ids(['uma', 'alan']) })
    await training.complete('uma', program.id)
    const group = await training.group('uma', 'petra')
    await training.assign({ training_id: program.id, group_ids: [group.id] })
    await assertNoDrift('not counted')
    await countTenant(world.services, acme)
    await assertNoDrift('counted')
    const curriculum = ok(
      await as('quinn').post('/api/training/curricula/', {
        ...{ name: 'Operators', role_names: ['Author'], group_ids: [group.id] },
        programs: [{ training_id: program.id }],
      }),
    )
    const role = ok(await as('ada').post('/api/roles/', { name: 'Packer', inherits_role_id: await roleId('Author') }))
    ok(await as('ada').put(`/api/users/${world.people.otto!.id}/role`, { role_id: role.id }))
    const changes: (() => Promise<unknown>)[] = [
      async () => ok(await as('ada').put(`/api/roles/${role.id}`, { inherits_role_id: await roleId('User'), ...why })),
      async () => (await as('ada').delete(`/api/groups/${group.id}/remove-member/${world.people.uma!.id}`)).statusCode,
      async () =>
        ok(await as('ada').put(`/api/users/${world.people.anna!.id}/role`, { role_id: await roleId('User') })),
      async () => ok(await as('ada').post(`/api/users/${world.people.petra!.id}/deactivate`, why)),
      async () =>
        ok(await as('quinn').put(`/api/training/curricula/${curriculum.id}`, { role_names: ['User'], ...why })),
      async () => ok(await as('quinn').put(`/api/training/${program.id}`, { requires_verification: true, ...why })),
      async () => ok(await as('quinn').put(`/api/training/curricula/${curriculum.id}`, { group_ids: [], ...why })),
      async () => (await as('ada').delete(`/api/groups/${group.id}`)).statusCode,
      async () => ok(await as('quinn').put(`/api/training/curricula/${curriculum.id}`, { status: 'archived', ...why })),
      async () =>
        ok(await as('quinn').put(`/api/training/${program.id}`, { status: 'archived', cancel_open: true, ...why })),
      async () => ok(await as('ada').post(`/api/users/${world.people.petra!.id}/reactivate`, why)),
    ]
    for (const [nth, change] of changes.entries()) {
      await countTenant(world.services, acme)
      const answer = await change()
      assert.ok(typeof answer === 'object' || answer === 204, `change ${nth}: ${String(answer)}`)
      await assertNoDrift(`change ${nth}`)
    }
  })

  const roleId = async (name: string) =>
    (await world.rows<{ id: number }>('select id::int from roles where tenant_id = $1 and name = $2', [acme, name]))[0]!
      .id

  const tampered: [string, string][] = [
    ...(
      [
        [
          "title = 'x'",
          "words = '' where words @@ 'glove'",
          'content_revision = 9',
          'is_restricted = not is_restricted',
        ],
        ['is_shown = not is_shown', "listed_on = '1999-01-01'", "status = 'x'", "status_kind = 'x'", "category = 'x'"],
        ['owner_id = owner_id + 1', 'created_by = created_by + 1', 'document_type_id = 99', "number = 'X-1'"],
      ] as const
    )
      .flat()
      .map((change): [string, string] => ['document-index', `update document_index set ${change}`]),
    ['document-index', 'delete from document_index where version_id = (select max(version_id) from document_index)'],
    ...[
      "title = 'x'",
      "words = ''",
      "items = '{x}'",
      "severity = 'x'",
      "category = 'x'",
      "root_cause_category = 'x'",
    ].map((change): [string, string] => ['deviation-index', `update deviation_index set ${change}`]),
    ['deviation-index', 'update deviation_index set content_revision = 99'],
    ['deviation-index', 'delete from deviation_index'],
    ['compliance', 'update compliance_counts set required = required + 1'],
    ['compliance', `update compliance_people set facts = '[]'`],
    ['compliance', 'delete from compliance_people'],
    ['audit-places', 'update audit_places set places = ~places'],
    ['audit-places', 'update audit_places set highest_id = highest_id + 1'],
    ['audit-places', 'delete from audit_places'],
    ['audit-places', `update audit_words set words = words || 'x'`],
    ['audit-places', 'delete from audit_words'],
  ]
  it('are found where somebody changed them in the database, and made again', async () => {
    const training = assignments(world)
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: training.ids(['alan']) })
    await world.seal()
    for (const [name, change] of tampered) {
      await countTenant(world.services, acme)
      await world.rows(
        change.includes(' where ') ? `${change} and tenant_id = ${acme}` : `${change} where tenant_id = ${acme}`,
      )
      const drift = await findDrift(world, acme)
      assert.notDeepEqual(drift, [], change)
      for (const each of drift) assert.ok(each.startsWith(`${name}: `), `${change}: ${each}`)
      await rebuildProjections(world, acme, [name])
      assert.deepEqual(await findDrift(world, acme), [], change)
    }
  })

  it('are bound to their tenant: a rebuild of one leaves those of another', async () => {
    const rival = world.people.rex!.tenant_id
    await world.rows(`update document_index set title = 'x' where tenant_id = ${acme}`)
    await rebuildProjections(world, rival)
    assert.ok((await findDrift(world, acme)).length > 0)
    await rebuildProjections(world, acme)
    assert.deepEqual(await findDrift(world, acme), [])
  })
})
