import type { CapaState } from '../../../src/modules/capas/rules.ts'
import { password, type World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'
import { draftDocument } from './samples.ts'

/** CAPAs for tests. Alan owns it, Anna does its action, Petra verifies, Quentin reviews, Quinn closes. */
export function capas(world: World) {
  const { as, people } = world
  const idOf = (name: string) => people[name]!.id
  const url = (id: number) => `/api/capa/${id}`
  const body = (fields: object = {}) => ({
    title: 'Cleaning agent is dosed by hand',
    description: 'Three deviations in a quarter had the same cause.',
    type: 'corrective',
    source: 'deviation',
    ...fields,
  })
  const put = (by: string, id: number, fields: object) =>
    as(by).put(url(id), { change_reason: 'As agreed in the weekly meeting', ...fields })
  const get = async (by: string, id: number, path = ''): Promise<Json> => ok(await as(by).get(`${url(id)}${path}`))
  const draft = async (fields: object = {}, by = 'alan') => ok(await as(by).post('/api/capa/', body(fields)))
  let document: number | undefined
  const documentId = async () =>
    (document ??= await draftDocument(world, 'alan', await world.typeId('General document')))
  const action = { description: 'Fit a dosing pump', assigned_to: idOf('anna') }
  const open = async (fields: object = {}, by = 'alan') =>
    draft({ document_ids: [await documentId()], assigned_to: idOf('alan'), actions: [action], ...fields }, by)
  /** Each assignee does their actions. */
  const done = async (id: number) => {
    const { actions } = await get('petra', id)
    let capa: Json
    for (const by of new Set<string>(actions.map((each: Json) => each.assigned_to.username))) {
      const said = { status: 'done', evidence: 'Qualification report 12' }
      const sent = actions.map((each: Json) => ({ id: each.id, ...(each.assigned_to.username === by && said) }))
      capa = ok(await put(by, id, { actions: sent }))
    }
    return capa
  }
  const plan = (by: string, id: number, fields: object = {}) =>
    as(by).post(`${url(id)}/effectiveness`, {
      criteria: 'No deviation of this cause in three months',
      method: 'trend',
      due_date: '2199-01-31',
      reviewer_id: idOf('quentin'),
      ...fields,
    })
  const conclude = (by: string, id: number, review: number, fields: object = {}, options = {}) =>
    as(by, options).put(`${url(id)}/effectiveness/${review}`, {
      result: 'effective',
      conclusion: 'None in 40 batches',
      change_reason: '40 batches were made sooner than planned',
      password,
      ...fields,
    })
  /** As far on its way as that state. */
  async function inState(state: CapaState, fields: object = {}): Promise<Json> {
    if (state === 'draft') return draft(fields)
    if (state === 'rejected') {
      const { id } = await draft(fields)
      return ok(await as('petra').post(`${url(id)}/reject-draft`, { comment: 'The same as CAPA 1' }))
    }
    const { id, priority } = await open({ root_cause: 'The pump was never ordered', ...fields })
    if (state === 'open') return get('alan', id)
    if (state === 'cancelled') return ok(await put('petra', id, { status: 'cancelled' }))
    if (priority === 'high' || priority === 'critical') ok(await as('petra').post(`${url(id)}/approve-plan`, {}))
    const started = ok(await put('alan', id, { status: 'in_progress' }))
    if (state === 'in_progress') return started
    const { id: review } = ok(await plan('petra', id))
    await done(id)
    ok(await put('alan', id, { adverse_effect_assessment: 'None: the pump is of the qualified kind' }))
    const verified = ok(await put('petra', id, { status: 'pending_effectiveness' }))
    if (state === 'pending_effectiveness') return verified
    ok(await conclude('quentin', id, review))
    return ok(await put('quinn', id, { status: 'closed', password }))
  }
  return { url, body, put, get, draft, open, done, plan, conclude, inState, idOf, documentId }
}
