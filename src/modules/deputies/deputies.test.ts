// A deputy does the approvals and tasks of a person from day to day, by their own right and in their own name, "for" the person.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { daysLater } from '#kernel/day.ts'
import { assignments } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
let capa: ReturnType<typeof capas>
let dev: ReturnType<typeof deviations>
let seals: ReturnType<typeof signatures>
before(async () => {
  world = await openWorld()
  paper = papers(world)
  capa = capas(world)
  dev = deviations(world)
  seals = signatures(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
const dayIn = (days: number) => daysLater(world.clock.now().toISOString().slice(0, 10), days)
const dayMs = 86_400_000

type Reply = Awaited<ReturnType<typeof paper.approve>>
function refused(reply: Reply, status: number, words: RegExp) {
  assert.equal(reply.statusCode, status, reply.body)
  assert.match(reply.body, words)
}

const name = (by: string, deputy: string, body: object = {}) =>
  world.as(by).post('/api/deputies/', { deputy_id: idOf(deputy), starts_on: dayIn(0), ends_on: dayIn(7), ...body })
const end = (by: string, id: number) => world.as(by).post(`/api/deputies/${id}/end`, { end_reason: 'Back earlier' })
const forPerson = (person: string) => ({ on_behalf_of: idOf(person) })

/** A change of permissions ends the tokens of a person. */
async function logInAgain() {
  const rows = await world.rows<{ username: string; session_version: number }>(
    'select u.username, c.session_version from users u join credentials c on c.user_id = u.id',
  )
  for (const { username, session_version } of rows) Object.assign(world.people[username]!, { session_version })
}
async function activate(person: string, is_active: boolean) {
  const reply = await world
    .as('ada')
    .post(`/api/users/${idOf(person)}/${is_active ? 'reactivate' : 'deactivate'}`, { change_reason: 'On leave' })
  await logInAgain()
  return reply
}

/** Each test begins without deputies. */
afterEach(async () => {
  world.clock.moved_ms = 0
  const { items } = ok(await world.as('quinn').get('/api/deputies/?page_size=100'))
  for (const { id, status } of items as Json[])
    if (status === 'current' || status === 'planned') ok(await end('quinn', id))
})

/** In review, where only the people with these names may approve. */
async function reviewBy(...names: string[]) {
  const { id } = await paper.upload()
  ok(
    await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
      ...{ transition: 'review', change_reason: 'Small team' },
      approvers: [{ kind: 'user', who: names.map(idOf), count: names.length }],
    }),
  )
  ok(await paper.move('alan', id, 'submit'))
  return id as number
}

async function itemsFor(by: string, list: string): Promise<Json[]> {
  const answer: Json = ok(await world.as(by).get(`/api/dashboard/${list}`))
  return Object.values<Json>(answer)
    .filter(Array.isArray)
    .flat()
    .filter((each: Json) => each.for !== null)
}

const trailOf = async (resource_type: string, id: number) =>
  ok(await world.as('otto').get(`/api/audit/?resource_type=${resource_type}&resource_id=${id}&page_size=100`))
    .items as Json[]
const newest = async (type: string, id: number, action: string) =>
  (await trailOf(type, id)).find(each => each.action === action)

describe('a deputy is named (proves: DOC-05)', () => {
  it('by the person, for days, and both are told; the list shows each their own', async () => {
    const made = ok(await name('petra', 'quentin', { reason: 'Holidays' }))
    assert.deepEqual(
      [made.person.username, made.deputy.username, made.created_by.username, made.starts_on, made.ends_on, made.scopes],
      ['petra', 'quentin', 'petra', dayIn(0), dayIn(7), ['approvals', 'tasks']],
    )
    const [told] = ok(await world.as('quentin').get('/api/notifications/?type=deputy_named')).items
    assert.match(told.title, /^Quentin Example stands in for Petra Example from/)
    const seen = async (by: string) => ok(await world.as(by).get('/api/deputies/?status=current')).items.length
    assert.deepEqual(
      [await seen('petra'), await seen('quentin'), await seen('alan'), await seen('quinn')],
      [1, 1, 0, 1],
    )
    assert.equal((await world.as('alan').get(`/api/deputies/${made.id}`)).statusCode, 404)
    refused(await end('alan', made.id), 404, /not_found/)
    ok(await world.as('otto').get(`/api/deputies/${made.id}`))
    const third = world.as('petra')
    const ofOthers = ok(await name('uma', 'alan', { scopes: ['approvals'] }))
    refused(
      await third.post(`/api/deputies/${ofOthers.id}/end`, { end_reason: 'No' }),
      403,
      /deputy_end_permission_required/,
    )
    const ended = ok(await end('quentin', made.id))
    assert.deepEqual([ended.status, ended.ended_by.username, ended.end_reason], ['ended', 'quentin', 'Back earlier'])
    refused(await end('petra', made.id), 409, /deputy_already_ended/)
    const [of] = ok(await world.as('petra').get('/api/notifications/?type=deputy_ended')).items
    assert.match(of.title, /^Quentin Example no longer stands in for Petra Example$/)
    const entry = await newest('deputy', made.id, 'deputy.ended')
    assert.equal(entry.reason, 'Back earlier')
  })

  it('by somebody who manages deputies for a person who cannot, with a reason, and not for themselves', async () => {
    const ill = { person_id: idOf('petra') }
    refused(await name('alan', 'quentin', { ...ill, reason: 'Ill' }), 403, /deputies\.manage/)
    refused(await name('quinn', 'quentin', ill), 422, /deputy_reason_required/)
    refused(await name('quinn', 'quinn', { ...ill, reason: 'Ill' }), 403, /deputy_named_by_oneself/)
    ok(await name('quinn', 'quentin', { ...ill, reason: 'Ill' }))
    for (const each of ['petra', 'quentin']) {
      const [told] = ok(await world.as(each).get('/api/notifications/?type=deputy_named')).items
      assert.match(told.message, /"Ill"/)
    }
  })

  it('only if they can do what the person does; the refusal names what they lack', async () => {
    refused(
      await name('petra', 'alan', { scopes: ['approvals'] }),
      409,
      /Alan Example lacks documents\.approve, documents\.review and documents\.read_drafts/,
    )
    refused(
      await name('petra', 'alan', { scopes: ['tasks'] }),
      409,
      /effectiveness\.update and documents\.periodic_review/,
    )
    const setting = (admin_may_approve: boolean) => world.as('ada').put('/api/settings/', { admin_may_approve })
    ok(await setting(false))
    refused(await name('petra', 'ada', { scopes: ['approvals'] }), 409, /deputy_may_not_approve/)
    ok(await setting(true))
  })

  it('not for oneself, for days gone by or for ever, of another tenant, nor an inactive person', async () => {
    refused(await name('petra', 'petra'), 422, /deputy_is_oneself/)
    refused(await name('petra', 'quentin', { starts_on: dayIn(-1) }), 422, /deputy_day_past/)
    refused(await name('petra', 'quentin', { starts_on: dayIn(3), ends_on: dayIn(2) }), 422, /deputy_ends_before_start/)
    refused(await name('petra', 'quentin', { ends_on: dayIn(400) }), 422, /deputy_too_long/)
    refused(await name('petra', 'rita'), 404, /not_found/)
    refused(await name('quinn', 'quentin', { person_id: idOf('rita'), reason: 'Ill' }), 404, /not_found/)
    ok(await activate('anna', false))
    refused(await name('uma', 'anna'), 409, /anna is not active/)
    ok(await activate('anna', true))
  })

  it('once at a time, also at the same moment, and not if they have a deputy themselves', async () => {
    const both = await Promise.all([name('petra', 'quentin'), name('petra', 'quinn', { starts_on: dayIn(7) })])
    assert.deepEqual(
      both.map(each => each.statusCode).sort((a, b) => a - b),
      [201, 409],
    )
    refused(await name('petra', 'quentin', { starts_on: dayIn(7), ends_on: dayIn(9) }), 409, /deputy_overlaps/)
    ok(await name('petra', 'quentin', { starts_on: dayIn(8), ends_on: dayIn(9) }))
    refused(await name('quinn', 'petra', { starts_on: dayIn(8), ends_on: dayIn(8) }), 409, /deputy_is_away/)
  })

  it('which the database refuses too, as it refuses a signature for a person by somebody else than their deputy', async () => {
    ok(await name('petra', 'quentin'))
    await assert.rejects(
      world.rows(
        `insert into deputies (tenant_id, person_id, deputy_id, starts_on, ends_on, for_approvals, for_tasks, created_by)
        select tenant_id, person_id, $1, starts_on, ends_on, true, true, person_id from deputies where ended_at is null`,
        [idOf('quinn')],
      ),
      /has another deputy in this time/,
    )
    const id = await reviewBy('petra')
    ok(await paper.approve('quentin', id, forPerson('petra')))
    const [signature] = await seals.listed('document', id)
    const columns = `tenant_id, document_id, version_id, round, content_revision, signature_type, intent, occasion_kind, signer_username,
      signer_full_name, signer_role, method, signed_at, time_zone, request_id, client_addr, payload, digest, key_id, seal, format, on_behalf_of_name`
    await assert.rejects(
      world.rows(
        `insert into signatures (${columns}, occasion_ref, previous_digest, signer_id, on_behalf_of_id)
          select ${columns}, 'forged', digest, $2, on_behalf_of_id from signatures where id = $1`,
        [signature!.id, idOf('quinn')],
      ),
      /is not the deputy of user/,
    )
  })
})

describe('an approval for a person (proves: DOC-05, SIG-01, SIG-02, DASH-02)', () => {
  it('is on the dashboard of the deputy, given in their own name, and says for whom wherever it is shown', async () => {
    ok(await name('petra', 'quentin'))
    const id = await reviewBy('petra')
    const [told] = ok(await world.as('quentin').get('/api/notifications/?type=document_approval_requested')).items
    assert.match(told.title, /^For Petra Example: /)
    const [item] = (await itemsFor('quentin', 'pending-approvals')).filter(each => each.id === id)
    assert.deepEqual(
      [item.for.username, item.reason, item.task],
      ['petra', 'for_another', { method: 'POST', path: `/api/documents/${id}/approve` }],
    )
    refused(await paper.approve('quentin', id), 403, /approver_not_named/)
    const { you } = await paper.get('quentin', id, '/workflow')
    assert.deepEqual(you.for, [{ person: { ...item.for }, may: ['approve', 'reject'] }])
    assert.ok(!you.may.includes('approve'))
    assert.equal((await paper.get('quinn', id, '/workflow')).you.for, undefined)
    const approved = ok(await paper.approve('quentin', id, { ...forPerson('petra'), comment: 'Reviewed' }))
    assert.equal(approved.status, 'in_approval')

    const [signature] = (await seals.listed('document', id)) as [Json]
    assert.equal(signature.signer.username, 'quentin')
    assert.deepEqual(signature.on_behalf_of, { id: idOf('petra'), name: 'Petra Example' })
    const details = await seals.read(signature.id)
    assert.deepEqual(JSON.parse(details.payload).on_behalf_of, { id: String(idOf('petra')), name: 'Petra Example' })
    assert.deepEqual(await seals.found(signature.id), intact)
    assert.match(await seals.detail('manifestation', signature.id), /^Quentin Example for Petra Example, QA/)

    for (const [type, of, action] of [
      ['document', id, 'document.approved'],
      ['document', id, 'document.state_changed'],
      ['signature', signature.id, 'signature.created'],
    ] as const) {
      const entry = await newest(type, of, action)
      assert.deepEqual([entry.user.username, entry.changes.on_behalf_of.to], ['quentin', 'petra'], action)
    }
    const [decision] = (await paper.get('otto', id, '/history')).filter(({ kind }: Json) => kind === 'decision')
    assert.deepEqual([decision.user.username, decision.on_behalf_of.username], ['quentin', 'petra'])
    const shown = await paper.get('otto', id, '/workflow')
    assert.equal(shown.decisions[0].on_behalf_of.username, 'petra')
    assert.match(shown.decisions[0].in_words, /Quentin Example.*Petra Example/)
    assert.deepEqual(
      shown.approvals[0].rules[0].given.map((each: Json) => [each.user.username, each.for.username]),
      [['quentin', 'petra']],
    )

    // Neither of the two gives the next approval, which excludes who reviewed.
    refused(await paper.approve('petra', id), 403, /You approved the review step/)
    refused(await paper.approve('quentin', id), 403, /You approved the review step/)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
    const copy = await world.as('otto').get(`/api/documents/${id}/download?rendition=signed`)
    assert.match((await pagesOf(copy.rawPayload)).join('\n'), /Quentin Example \(quentin\)\s+for Petra Example/)
  })

  it('can be a rejection, and its use of the part ends when the deputy takes the approval back', async () => {
    ok(await name('petra', 'quentin'))
    const id = await reviewBy('petra', 'quinn')
    ok(await paper.approve('quentin', id, forPerson('petra')))
    refused(await paper.approve('petra', id), 409, /approver_represented.*Quentin Example/)
    ok(await world.as('quentin').post(`/api/documents/${id}/withdraw-approval`, { reason: 'The wrong file' }))
    ok(await paper.approve('petra', id))
    refused(await paper.approve('quentin', id, forPerson('petra')), 409, /delegation_person_approved/)
    const other = await reviewBy('petra')
    ok(await paper.approve('quentin', other, { ...forPerson('petra'), decision: 'reject', comment: 'Incomplete' }))
    // The same decision, requested as a transition; other transitions are nobody's for another.
    const third = await reviewBy('petra')
    const take = (transition: string, more: object) =>
      world.as('quentin').post(`/api/documents/${third}/transition`, { transition, comment: 'Incomplete', ...more })
    refused(await take('reject', {}), 403, /approver_not_named/)
    refused(await take('withdraw', forPerson('petra')), 403, /transition_for_oneself/)
    refused(await take('reject', forPerson('alan')), 403, /deputy_not_current/)
    ok(await take('reject', forPerson('petra')))
    for (const id of [other, third]) {
      const entry = await newest('document', id, 'document.rejected')
      assert.deepEqual([entry.user.username, entry.changes.on_behalf_of.to], ['quentin', 'petra'])
    }
  })

  it('counts once where the person and the deputy decide at the same moment', async () => {
    ok(await name('petra', 'quentin'))
    const id = await reviewBy('petra', 'quinn')
    const replies = await Promise.all([paper.approve('quentin', id, forPerson('petra')), paper.approve('petra', id)])
    assert.deepEqual(
      replies.map(each => each.statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    const { approvals } = await paper.get('otto', id, '/workflow')
    assert.equal(approvals[0].rules[0].given.length, 1)
  })

  it('is refused where the person or the deputy may not decide themselves', async () => {
    ok(await name('petra', 'quentin'))
    // Petra wrote one, and Quentin the other.
    const [ofPetra, ofQuentin] = await Promise.all([paper.upload({ by: 'petra' }), paper.upload({ by: 'quentin' })])
    ok(await paper.move('petra', ofPetra.id, 'submit'))
    ok(await paper.move('quentin', ofQuentin.id, 'submit'))
    refused(
      await paper.approve('quentin', ofPetra.id, forPerson('petra')),
      403,
      /decided by Petra Example, who is the author/,
    )
    refused(await paper.approve('quentin', ofQuentin.id, forPerson('petra')), 403, /approver_is_author/)
    const draft = await paper.upload()
    refused(await paper.approve('quentin', draft.id, forPerson('petra')), 409, /workflow_nothing_to_approve/)
  })

  it('is not for the deputy of a deputy, nor outside of the days, nor after the end, nor for lack of a permission', async () => {
    const days = { starts_on: dayIn(1), ends_on: dayIn(1) }
    const first = ok(await name('petra', 'quentin', days))
    ok(await name('quentin', 'quinn', { ends_on: dayIn(3) }))
    const id = await reviewBy('petra')
    const byDeputy = () => paper.approve('quentin', id, forPerson('petra'))
    refused(await byDeputy(), 403, /deputy_not_current/)
    world.clock.moved_ms = 2 * dayMs
    refused(await byDeputy(), 403, /deputy_not_current/)
    world.clock.moved_ms = dayMs
    assert.deepEqual(
      (await itemsFor('quinn', 'pending-approvals')).filter(each => each.id === id),
      [],
    )
    refused(await paper.approve('quinn', id, forPerson('petra')), 403, /deputy_not_current/)
    refused(await paper.approve('quinn', id, forPerson('quentin')), 403, /delegation_person_not_named/)
    const may = (denied: string[]) =>
      world
        .as('ada')
        .put(`/api/users/${idOf('quentin')}/permissions`, { granted: [], denied, change_reason: 'For now' })
    ok(await may(['documents.review']))
    await logInAgain()
    refused(await byDeputy(), 403, /You lack documents\.review, so you cannot act for Petra Example/)
    assert.deepEqual(
      (await itemsFor('quentin', 'pending-approvals')).filter(each => each.id === id),
      [],
    )
    ok(await may([]))
    await logInAgain()
    ok(await activate('petra', false))
    refused(await byDeputy(), 403, /deputy_person_inactive/)
    ok(await activate('petra', true))
    ok(await end('quinn', first.id))
    refused(await byDeputy(), 403, /deputy_not_current/)
    refused(await paper.approve('quentin', id, forPerson('rita')), 404, /not_found/)
  })

  it('is refused to a deputy for tasks only', async () => {
    ok(await name('petra', 'quentin', { scopes: ['tasks'] }))
    const id = await reviewBy('petra')
    refused(await paper.approve('quentin', id, forPerson('petra')), 403, /deputy_scope_missing/)
  })
})

describe('tasks of a person (proves: CAPA-04, DEV-04, DASH-01)', () => {
  it('are on the dashboard of the deputy, but for their training, which nobody does for them', async () => {
    ok(await name('anna', 'alan'))
    const { id } = await capa.inState('in_progress')
    const training = assignments(world)
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: [idOf('anna')] })
    const items = await itemsFor('alan', 'assigned-items?limit=100')
    assert.ok(items.some(each => each.kind === 'capa_action' && each.for.username === 'anna'))
    assert.ok(items.every(each => each.kind !== 'training_assignment'))
    refused(
      await world.as('alan').post(`/api/training/${program.id}/complete`, { password, ...forPerson('anna') }),
      422,
      /on_behalf_of/,
    )
    const [action] = (await capa.get('alan', id)).actions
    const forAnna = ({ you }: Json) => you.for?.find(({ person }: Json) => person.username === 'anna')?.may
    assert.ok(forAnna(action).includes('complete'), JSON.stringify(action.you))
    assert.deepEqual(forAnna(await capa.get('alan', id)), ['update', 'attach', 'link'])
    const done = { actions: [{ id: action.id, status: 'done', evidence: 'Qualification report 12' }] }
    const other = await capa.inState('in_progress', { assigned_to: idOf('petra') })
    const [others] = other.actions
    refused(
      await capa.put('alan', other.id, { actions: [{ ...done.actions[0], id: others.id }] }),
      403,
      /capa_action_of_another/,
    )
    const after = ok(await capa.put('alan', id, { ...done, ...forPerson('anna') }))
    assert.deepEqual([after.actions[0].status, after.actions[0].completed_by.username], ['done', 'alan'])
    const entry = await newest('capa', id, 'capa.updated')
    assert.deepEqual([entry.user.username, entry.changes.on_behalf_of.to], ['alan', 'anna'])
    refused(await capa.put('alan', other.id, { title: 'Another', ...forPerson('uma') }), 403, /deputy_not_current/)
  })

  it('in a deviation are investigated by the deputy of its assignee, with files, and not decided', async () => {
    const { id } = await dev.report({ by: 'alan', severity: 'major' })
    ok(await dev.put('petra', id, { assigned_to: idOf('uma'), status: 'under_investigation' }))
    const investigation = {
      investigation: 'The seal was worn',
      root_cause: rootCause,
      impact_assessment: 'None',
      change_reason: 'Found',
    }
    refused(await dev.put('anna', id, investigation), 403, /permission/)
    ok(await name('uma', 'anna'))
    const forUma = async () => (await dev.get('anna', id)).you.for
    assert.deepEqual(
      (await forUma()).map(({ person, may }: Json) => [person.username, may]),
      [['uma', ['update', 'attach', 'link']]],
    )
    ok(await dev.put('anna', id, { ...investigation, ...forPerson('uma') }))
    assert.ok((await forUma())[0].may.includes('submit'))
    const attach = (fields: Record<string, string>) =>
      world
        .as('anna')
        .upload(`/api/deviations/${id}/attachments`, fields, { bytes: Buffer.from('a,b\n'), name: 'values.csv' })
    refused(await attach({}), 403, /record_not_own_report/)
    ok(await attach({ on_behalf_of: String(idOf('uma')) }))
    const { id: document } = await paper.effective()
    const target = { resource_type: 'document', resource_id: document }
    const links = `/api/deviations/${id}/links`
    refused(await world.as('anna').post(links, target), 403, /record_not_own_report/)
    refused(await world.as('anna').post(links, { ...target, ...forPerson('alan') }), 403, /deputy_not_current/)
    const link = ok(await world.as('anna').post(links, { ...target, ...forPerson('uma') }))
    const unlink = (more: object) => world.as('anna').delete(`${links}/${link.id}`, { reason: 'Another one', ...more })
    refused(await unlink({}), 403, /record_not_own_report/)
    assert.equal((await unlink(forPerson('uma'))).statusCode, 204)
    for (const action of ['deviation.linked', 'deviation.unlinked'])
      assert.equal((await newest('deviation', id, action)).changes.on_behalf_of.to, 'uma', action)
    const submitted = ok(
      await dev.put('anna', id, { status: 'pending_approval', change_reason: 'Complete', ...forPerson('uma') }),
    )
    assert.equal(submitted.status, 'pending_approval')
    assert.equal(submitted.you.for, undefined)
    const entry = await newest('deviation', id, 'deviation.state_changed')
    assert.deepEqual([entry.user.username, entry.changes.on_behalf_of.to], ['anna', 'uma'])
    refused(
      await dev.put('anna', id, { status: 'under_investigation', change_reason: 'Again', ...forPerson('uma') }),
      403,
      /record_not_assigned_to_person/,
    )
    const open = await dev.report({ by: 'alan', severity: 'major' })
    ok(await dev.put('petra', open.id, { assigned_to: idOf('petra') }))
    ok(await name('petra', 'quentin'))
    refused(
      await dev.put('quentin', open.id, {
        status: 'cancelled',
        change_reason: 'None',
        password,
        ...forPerson('petra'),
      }),
      403,
      /record_decided_for_oneself/,
    )
  })

  it('are an effectiveness review, which its reviewer has a deputy for, but none who ever owned the CAPA', async () => {
    const { id } = await capa.inState('pending_effectiveness')
    const [review] = ok(await world.as('quinn').get(`/api/capa/${id}/effectiveness`)) as Json[]
    refused(await capa.conclude('petra', id, review.id), 403, /capa_review_by_reviewer_only/)
    ok(await name('quentin', 'petra'))
    const [seen] = ok(await world.as('petra').get(`/api/capa/${id}/effectiveness`)) as Json[]
    assert.deepEqual([seen.you.for[0].person.username, seen.you.for[0].may], ['quentin', ['complete']])
    const completed = ok(await capa.conclude('petra', id, review.id, forPerson('quentin')))
    const { on_behalf_of, signer } = await seals.read(completed.signature_id)
    assert.deepEqual([signer.username, on_behalf_of.name], ['petra', 'Quentin Example'])
    assert.deepEqual(await seals.found(completed.signature_id), intact)
    const owned = await capa.inState('pending_effectiveness', { assigned_to: idOf('petra') })
    const [own] = ok(await world.as('quinn').get(`/api/capa/${owned.id}/effectiveness`)) as Json[]
    const [seenOwn] = ok(await world.as('petra').get(`/api/capa/${owned.id}/effectiveness`)) as Json[]
    assert.equal(seenOwn.you.for, undefined)
    refused(await capa.conclude('petra', owned.id, own.id, forPerson('quentin')), 409, /capa_reviewer_is_owner/)
    refused(await capa.put('petra', owned.id, { status: 'closed', password, ...forPerson('quentin') }), 403, /record_/)
  })

  it('are periodic reviews of documents that they own, but not that one stays as it is', async () => {
    const { id } = await paper.effective()
    ok(await world.as('ada').put(`/api/documents/${id}`, { owner_id: idOf('petra'), change_reason: 'New owner' }))
    const review = (by: string, body: object) =>
      world.as(by).post(`/api/documents/${id}/periodic-review`, { comment: 'Read again', password, ...body })
    ok(await name('petra', 'quentin'))
    refused(
      await review('quentin', { outcome: 'keep_effective', ...forPerson('petra') }),
      403,
      /document_review_by_owner/,
    )
    ok(await review('quentin', { outcome: 'needs_revision', ...forPerson('petra') }))
    const entry = await newest('document', id, 'document.reviewed')
    assert.equal(entry.changes.on_behalf_of.to, 'petra')
    const other = await paper.effective()
    refused(
      await world.as('quentin').post(`/api/documents/${other.id}/periodic-review`, {
        ...{ outcome: 'needs_revision', comment: 'Read', password },
        ...forPerson('petra'),
      }),
      403,
      /document_review_for_owner_only/,
    )
  })
})

describe('what is signed for a person (proves: SIG-02)', () => {
  it('cannot be altered to be for another, or for nobody, without its verification failing', async () => {
    ok(await name('petra', 'quentin'))
    const id = await reviewBy('petra')
    ok(await paper.approve('quentin', id, forPerson('petra')))
    const [signature] = (await seals.listed('document', id)) as [Json]
    const found = () => seals.found(signature.id)
    const altered = (set: Record<string, string>) => seals.whileAltered('signatures', signature.id, set, found)
    const nobody = { on_behalf_of_id: 'null', on_behalf_of_name: 'null' }
    assert.deepEqual((await altered(nobody)).failed, ['signer_identity', 'manifestation'])
    assert.deepEqual((await altered({ on_behalf_of_name: "'Quinn Example'" })).failed, ['manifestation'])
    assert.deepEqual((await altered({ on_behalf_of_id: String(idOf('quinn')) })).failed, ['signer_identity'])
  })
})
