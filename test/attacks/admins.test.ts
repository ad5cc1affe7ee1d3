// A role that inherits from Admin is Admin: it does not evade the setting that Admins approve nothing, and counts as the last Admin.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
/** It inherits from a role that inherits from Admin. */
let deputy: number
let chief: number
const idOf = (name: string) => world.people[name]!.id
const roleIdOf = async (role: string): Promise<number> =>
  ok(await world.as('ada').get('/api/roles/?page_size=100')).items.find(({ name }: Json) => name === role).id
const give = (by: string, name: string, role_id: number) =>
  world.as(by).put(`/api/users/${idOf(name)}/role`, { role_id })
const letAdminsApprove = async (admin_may_approve: boolean) =>
  ok(await world.as('ada').put('/api/settings/', { admin_may_approve }))

before(async () => {
  world = await openWorld()
  const role = async (name: string, inherits_role_id: number): Promise<number> =>
    ok(await world.as('ada').post('/api/roles/', { name, inherits_role_id })).id
  chief = await role('Chief', await roleIdOf('Admin'))
  deputy = await role('Deputy', chief)
  ok(await give('ada', 'quentin', deputy))
  world.people.quentin!.session_version += 1
})
after(() => world.close())

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`

// proves: ROLE-02, DOC-05, DEV-01, CAPA-03, CAPA-04
describe('a role that inherits from Admin, where Admins may not approve', () => {
  const decisions: Record<string, () => Promise<() => ReturnType<ReturnType<World['as']>['post']>>> = {
    'approves no document': async () => {
      const paper = papers(world)
      const { id } = await paper.submitted()
      return () => paper.approve('quentin', id)
    },
    'makes no document obsolete': async () => {
      const paper = papers(world)
      const { id } = await paper.effective()
      return () =>
        world
          .as('quentin')
          .post(`/api/documents/${id}/transition`, { transition: 'obsolete', comment: 'Old', password })
    },
    'does no periodic review': async () => {
      const { id } = await papers(world).effective()
      const body = { outcome: 'keep_effective', comment: 'As it is', password }
      return () => world.as('quentin').post(`/api/documents/${id}/periodic-review`, body)
    },
    'signs no approval outside of a workflow': async () => {
      const { id } = await papers(world).effective()
      const body = { document_id: id, signature_type: 'approval', intent: 'I approve it', password }
      return () => world.as('quentin').post('/api/signatures/', body)
    },
    'closes no deviation': async () => {
      const { id } = await deviations(world).inState('pending_approval')
      return () => deviations(world).put('quentin', id, { status: 'closed', change_reason: 'Complete' })
    },
    'cancels no deviation': async () => {
      const { id } = await deviations(world).report()
      return () => deviations(world).put('quentin', id, { status: 'cancelled', change_reason: 'A mistake' })
    },
    'decides no extension': async () => {
      const { id } = await deviations(world).report()
      const url = `/api/deviations/${id}`
      ok(await world.as('uma').post(`${url}/extend`, { due_date: '2199-01-01', reason: 'Late' }))
      const [extension] = ok(await world.as('uma').get(`${url}/extensions`))
      return () => world.as('quentin').post(`${url}/extensions/${extension.id}/decide`, { decision: 'approve' })
    },
    'approves no draft CAPA': async () => {
      const capa = capas(world)
      const { id } = await capa.draft()
      return () => world.as('quentin').post(`${capa.url(id)}/approve-draft`, {})
    },
    'rejects no draft CAPA': async () => {
      const capa = capas(world)
      const { id } = await capa.draft()
      return () => world.as('quentin').post(`${capa.url(id)}/reject-draft`, { comment: 'No' })
    },
    'approves no plan of a CAPA': async () => {
      const capa = capas(world)
      const { id } = await capa.open({ priority: 'high', root_cause: 'Known' })
      return () => world.as('quentin').post(`${capa.url(id)}/approve-plan`, {})
    },
    'verifies no CAPA': async () => {
      const capa = capas(world)
      const { id } = await capa.inState('in_progress', { adverse_effect_assessment: 'None' })
      await capa.done(id)
      return () => capa.put('quentin', id, { status: 'pending_effectiveness' })
    },
    'judges no effectiveness': async () => {
      const capa = capas(world)
      const { id } = await capa.inState('pending_effectiveness')
      const [review] = await capa.get('petra', id, '/effectiveness')
      return () => capa.conclude('quentin', id, review.id)
    },
    'closes no CAPA': async () => {
      const capa = capas(world)
      const { id } = await capa.inState('pending_effectiveness')
      const [review] = await capa.get('petra', id, '/effectiveness')
      ok(await capa.conclude('quentin', id, review.id))
      return () => capa.put('quentin', id, { status: 'closed', password })
    },
    'verifies no training': async () => {
      const training = trainings(world)
      const { id } = await training.create({ type: 'on_the_job', requires_verification: true })
      const assignment = await training.assign(id, ['uma'])
      ok(await training.complete('uma', id))
      return () => training.verify('quentin', assignment)
    },
  }
  for (const [title, prepare] of Object.entries(decisions))
    it(title, async () => {
      const decide = await prepare()
      await letAdminsApprove(false)
      try {
        assert.equal(refusal(await decide()), '403 admin_may_not_approve')
        const { counts } = ok(await world.as('quentin').get('/api/dashboard/pending-approvals'))
        assert.deepEqual(Object.values(counts).filter(Boolean), [])
      } finally {
        await letAdminsApprove(true)
      }
      ok(await decide())
    })

  it('is not chosen to review effectiveness, nor named among those who can close', async () => {
    const capa = capas(world)
    const { id } = await capa.open()
    await letAdminsApprove(false)
    try {
      assert.equal(refusal(await capa.plan('petra', id)), '409 capa_reviewer_is_admin')
      const { id: deviation } = await deviations(world).inState('pending_approval')
      const reply = await deviations(world).put('petra', deviation, { status: 'closed', change_reason: 'Complete' })
      assert.deepEqual(reply.json().params.others, ['quinn'])
    } finally {
      await letAdminsApprove(true)
    }
  })
})

// proves: ROLE-02, ROLE-04
describe('the last Admin', () => {
  it('is also one who inherits from Admin, and is neither deactivated nor left without the role', async () => {
    ok(await world.as('quentin').post(`/api/users/${idOf('ada')}/deactivate`))
    // Petra may do what Ada did, so that somebody else asks.
    const granted = ['users.manage', 'roles.assign', 'permissions.grant', 'roles.manage', 'roles.read', 'users.read']
    ok(await world.as('quentin').put(`/api/users/${idOf('petra')}/permissions`, { granted, denied: [] }))
    const url = `/api/users/${idOf('quentin')}`
    assert.equal(refusal(await world.as('petra').post(`${url}/deactivate`)), '409 user_is_last_admin')
    const denied = { granted: [], denied: ['users.manage'] }
    assert.equal(refusal(await world.as('petra').put(`${url}/permissions`, denied)), '409 user_is_last_admin')
    const user = (await world.rows<{ role_id: string }>(`select role_id from users where username = 'uma'`))[0]!
    assert.equal(refusal(await give('petra', 'quentin', Number(user.role_id))), '409 user_is_last_admin')
    // Nor does the role stop to inherit from Admin.
    for (const [id, body] of [
      [deputy, { inherits_role_id: null }],
      [chief, { denied: ['users.manage'] }],
    ] as const)
      assert.equal(refusal(await world.as('petra').put(`/api/roles/${id}`, body)), '409 role_of_last_admin')
    ok(await world.as('petra').put(`/api/roles/${deputy}`, { description: 'Stands in for the chief' }))
  })
})
