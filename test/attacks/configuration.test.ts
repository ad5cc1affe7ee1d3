// One person where there must be two: attempts of somebody to change the configuration alone, through the API and with the login attest_app.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { type Json, ok } from '#test/builders/documents.ts'
import { insiderOf } from '#test/builders/insider.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { digestOf, statedChanges } from '../../src/modules/configuration/rules.ts'

let world: World
let app: pg.Client
before(async () => {
  world = await openWorld()
  app = new pg.Client(world.postgres.app)
  await app.connect()
  const granted = ['roles.manage', 'settings.manage']
  ok(await world.as('ada').put(`/api/users/${world.people.quinn!.id}/permissions`, { granted, denied: [] }))
})
after(async () => {
  await app.end()
  await world.close()
})
beforeEach(async () => {
  await app.query('rollback')
  await needApproval(true)
})

const settings = '/api/settings/'
const url = '/api/configuration-changes/'
const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const approve = (name: string, id: number, body: object = { password }) =>
  world.as(name).post(`${url}${id}/approve`, body)

/** As the service: on at once, and off with another person. */
async function needApproval(configuration_needs_approval: boolean) {
  const reply = await world.as('ada').put(settings, { configuration_needs_approval })
  if (reply.statusCode === 202) ok(await approve('quinn', reply.json().id))
}

let made = 0
/** A template of acme that is in force, and a stricter and a weaker definition of it. */
async function templateInForce() {
  await needApproval(false)
  const { definition } = ok(await world.as('ada').get('/api/workflow-templates/2'))
  const template = ok(
    await world.as('ada').post('/api/workflow-templates/', { name: `Two steps ${++made}`, definition }),
  )
  const weaker = structuredClone(definition)
  for (const { approval } of weaker.transitions) if (approval) delete approval.signature_type
  await needApproval(true)
  const path = `/api/workflow-templates/${template.id}`
  const inForce = async () => ok(await world.as('ada').get(path))
  const weaken = () => world.as('quinn').put(path, { definition: weaker, change_reason: 'Faster' })
  return { template, weaker, path, inForce, weaken }
}

// proves: FLOW-01, SIG-01
describe('one person alone', () => {
  it('changes no workflow template in force, and approves no change of their own', async () => {
    const { template, inForce, weaken } = await templateInForce()
    const reply = await weaken()
    assert.equal(reply.statusCode, 202, reply.body)
    const { id, status, proposed_by } = reply.json()
    assert.deepEqual([status, proposed_by.username], ['pending', 'quinn'])
    assert.deepEqual((await inForce()).definition, template.definition)
    assert.equal(refusal(await approve('quinn', id)), '403 configuration_change_own')
    assert.equal((await inForce()).version, 1)
  })

  it('without the permission to decide, or the one for such a record, decides nothing', async () => {
    const { weaken } = await templateInForce()
    const { id } = ok(await weaken())
    const refused = async (permission: string) => {
      for (const [decision, body] of Object.entries({ approve: {}, reject: { decision_reason: 'No' }, withdraw: {} })) {
        const reply = await world.as('petra').post(`${url}${id}/${decision}`, body)
        assert.equal(
          refusal(reply),
          decision === 'withdraw' && permission !== decide ? notOwn : '403 permission_required',
        )
        if (reply.json().code === 'permission_required') assert.deepEqual(reply.json().params, { permission })
      }
    }
    const decide = 'configuration_changes.decide'
    const notOwn = '403 configuration_change_not_own'
    await refused(decide)
    ok(await world.as('ada').put(`/api/users/${world.people.petra!.id}/permissions`, { granted: [decide], denied: [] }))
    await refused('workflow_templates.manage')
    assert.equal(refusal(await world.as('ada').post(`${url}${id}/withdraw`, {})), notOwn)
  })

  it('does not approve with a wrong password', async () => {
    const { inForce, weaken } = await templateInForce()
    const { id } = ok(await weaken())
    assert.equal((await approve('ada', id, { password: 'wrong' })).statusCode, 401)
    assert.equal(ok(await world.as('ada').get(`${url}${id}`)).status, 'pending')
    assert.equal((await inForce()).version, 1)
  })

  it('does not switch the setting off, nor by a request that changes more', async () => {
    for (const more of [{}, { digest_hour: 9 }]) {
      const reply = await world.as('ada').put(settings, { configuration_needs_approval: false, ...more })
      assert.equal(reply.statusCode, 202, reply.body)
      assert.equal(refusal(await approve('ada', reply.json().id)), '403 configuration_change_own')
      assert.equal(ok(await world.as('ada').get(settings)).configuration_needs_approval, true)
      ok(await world.as('ada').post(`${url}${reply.json().id}/withdraw`, {}))
    }
    // Other settings go on to take effect at once.
    assert.equal(ok(await world.as('ada').put(settings, { digest_hour: 8 })).digest_hour, 8)
  })

  it('of another tenant finds no change', async () => {
    const { weaken } = await templateInForce()
    const { id } = ok(await weaken())
    for (const reply of [
      await world.as('rex').get(`${url}${id}`),
      await approve('rex', id),
      await world.as('rex').post(`${url}${id}/reject`, { decision_reason: 'No' }),
      await world.as('rex').post(`${url}${id}/withdraw`, {}),
    ])
      assert.equal(reply.statusCode, 404)
    assert.equal(ok(await world.as('rex').get(url)).total, 0)
  })

  // proves: ROLE-04
  it('gives nobody by a role a permission that the approver does not hold', async () => {
    const name = `Deputy ${++made}`
    const { id } = ok(await world.as('ada').post('/api/roles/', { name, granted: ['users.manage'] }))
    const reply = await approve('quinn', id)
    assert.equal(refusal(reply), '403 permissions_not_held')
    assert.equal(ok(await world.as('ada').get(`/api/roles/?q=${name}`)).total, 0)
  })
})

// proves: FLOW-01
describe('two people at the same moment', () => {
  it('put a change into force once', async () => {
    const { inForce, weaken } = await templateInForce()
    const { id } = ok(await weaken())
    const replies = await Promise.all([approve('ada', id), approve('ada', id)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await inForce()).version, 2)
  })

  it('do not approve and withdraw the same change', async () => {
    const { inForce, weaken } = await templateInForce()
    const { id } = ok(await weaken())
    const replies = await Promise.all([approve('ada', id), world.as('quinn').post(`${url}${id}/withdraw`, {})])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    const { status } = ok(await world.as('ada').get(`${url}${id}`))
    assert.equal((await inForce()).version, status === 'approved' ? 2 : 1)
  })
})

// proves: AUD-01, SIG-01
describe('somebody with the login attest_app', () => {
  const { begin, insertEntry } = insiderOf(() => ({ world, app }))

  it('changes no configuration with an entry alone, nor switches the setting off', async () => {
    const { template } = await templateInForce()
    await begin('ada')
    await app.query('update workflow_templates set is_active = false, revision = revision + 1 where id = $1', [
      template.id,
    ])
    await insertEntry('workflow_template.updated', template.id)
    await assert.rejects(app.query('commit'), { code: 'QA003' })

    const { tenant_id } = world.people.ada!
    await begin('ada')
    await app.query(`update tenants set settings = '{}' where id = $1`, [tenant_id])
    await insertEntry('tenant.updated', tenant_id)
    await assert.rejects(app.query('commit'), { code: 'QA003' })

    await begin('ada')
    const { rows } = await app.query(
      `insert into roles (name, description, granted) values ('Hidden', '', '{users.manage}') returning id`,
    )
    await insertEntry('role.created', rows[0].id)
    await assert.rejects(app.query('commit'), { code: 'QA003' })
  })

  it('changes nothing of a proposal, and approves none without a signature', async () => {
    const { weaken } = await templateInForce()
    const { id } = ok(await weaken())
    await begin('ada')
    await assert.rejects(app.query(`update configuration_changes set request = '{}' where id = $1`, [id]), {
      code: '42501',
    })
    await app.query('rollback')
    await begin('ada')
    await assert.rejects(app.query(`update configuration_changes set proposed_by = 1 where id = $1`, [id]), {
      code: '42501',
    })
    await app.query('rollback')
    await begin('ada')
    await assert.rejects(app.query('delete from configuration_changes where id = $1', [id]), { code: '42501' })
    await app.query('rollback')
    for (const signature of ['null', '(select max(id) from signatures)']) {
      await begin('ada')
      await assert.rejects(
        app.query(`update configuration_changes set status = 'approved', signature_id = ${signature} where id = $1`, [
          id,
        ]),
        { code: 'QA003' },
      )
      await app.query('rollback')
    }
    // As its proposer it can be withdrawn, and neither rejected nor approved.
    await begin('quinn')
    await assert.rejects(
      app.query(`update configuration_changes set status = 'rejected', decision_reason = 'x' where id = $1`, [id]),
      { constraint: 'configuration_changes_other_person' },
    )
    await app.query('rollback')
    ok(await approve('ada', id))
    await begin('quinn')
    await assert.rejects(app.query(`update configuration_changes set status = 'withdrawn' where id = $1`, [id]), {
      code: 'QA002',
    })
  })

  it('gets no approval for a proposal that says something else than it does', async () => {
    const { template, weaker, inForce } = await templateInForce()
    const before = await inForce()
    const harmless = statedChanges(before, { ...before, description: 'Corrected' })
    const proposal = {
      ...{ kind: 'workflow_template' as const, operation: 'update' as const, title: template.name, reason: 'Spelling' },
      base_revision: before.revision as number,
      request: { params: { id: template.id }, body: { definition: weaker } },
      changes: harmless,
    }
    const insert = async (digest: string) => {
      const values = { ...proposal, resource_id: template.id, digest }
      const columns = Object.keys(values)
      await begin('quinn')
      const { rows } = await app.query(
        `insert into configuration_changes (${columns.join()}) values (${columns.map((_, at) => `$${at + 1}`).join()}) returning id`,
        Object.values(values),
      )
      await insertEntry('configuration_change.proposed', rows[0].id)
      await app.query('commit')
      return Number(rows[0].id)
    }
    assert.equal(refusal(await approve('ada', await insert('a'.repeat(64)))), '409 configuration_change_altered')
    assert.equal(refusal(await approve('ada', await insert(digestOf(proposal)))), '409 configuration_change_outdated')
    assert.equal((await inForce()).version, 1)
  })
})
