// Groups as approvers: who is in one decides, at the moment of the decision.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { haveWaiting, meeting, waitingBehind } from '#test/builders/races.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
const usernames = (people: Json[]) => people.map(({ username }) => username)
let made = 0
const group = async (members: string[], as = 'ada') => {
  const { id, name }: Json = ok(await world.as(as).post('/api/groups/', { name: `Reviewers ${++made}` }))
  if (members.length > 0) ok(await world.as(as).post(`/api/groups/${id}/add-member`, { user_ids: members.map(idOf) }))
  return { id: id as number, name: name as string }
}
const join = (groupId: number, name: string) =>
  world.as('ada').post(`/api/groups/${groupId}/add-member`, { user_id: idOf(name) })
const leave = (groupId: number, name: string) =>
  world.as('ada').delete(`/api/groups/${groupId}/remove-member/${idOf(name)}`)
const erase = (groupId: number) => world.as('ada').delete(`/api/groups/${groupId}`)

/** The definition of the standard approval, its one approval given by this rule. */
async function definitionWith(rule: object, gate: object = {}) {
  const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/1'))
  const approve = definition.transitions.find(({ name }: Json) => name === 'approve')
  Object.assign(approve.approval, { rules: [rule], ...gate })
  return definition
}
const template = async (rule: object, gate: object = {}) =>
  world
    .as('quinn')
    .post('/api/workflow-templates/', { name: `Template ${++made}`, definition: await definitionWith(rule, gate) })
async function typeWith(rule: object, gate: object = {}) {
  const { id, name } = ok(await template(rule, gate))
  const type = { name, prefix: `G${++made}`, workflow_template_id: id }
  const { id: typeId } = ok(await world.as('quinn').post('/api/document-types/', type))
  return { name: name as string, template: id as number, type: typeId as number }
}
/** A document that awaits its one approval, by so many members of a new group. */
async function awaiting(members: string[], count = 1, gate: object = {}) {
  const crew = await group(members)
  const { name, ...kept } = await typeWith({ kind: 'group', who: crew.id, count }, gate)
  const { id, number } = await paper.submitted({ type: name })
  return { ...kept, crew, id: id as number, number: number as string }
}
const configure = (id: number, approvers: object[]) =>
  world.as('ada').post(`/api/documents/${id}/configure-approval`, { approvers, change_reason: 'A colleague is absent' })
const issuesOf = (reply: { statusCode: number; json(): Json }): string[] => {
  assert.equal(reply.statusCode, 422)
  return reply.json().detail.map(({ loc, msg }: Json) => `${loc.slice(1).join('.')}: ${msg}`)
}
const toldTo = async (name: string, documentId: number) =>
  (
    await world.rows<{ type: string }>(
      `select type from notifications where user_id = $1 and resource_type = 'document' and resource_id = $2 order by id`,
      [idOf(name), documentId],
    )
  ).map(({ type }) => type)

describe('a workflow that names a group (proves: FLOW-01, FLOW-02)', () => {
  it('is refused where the group is not there, was deleted, or has too few who may decide', async () => {
    const place = 'definition.transitions.2.approval.rules.0'
    const foreign = await group(['rita'], 'rex')
    for (const who of [foreign.id, 999_999])
      assert.deepEqual(issuesOf(await template({ kind: 'group', who })), [`${place}.who: There is no group ${who}.`])
    const gone = await group(['petra'])
    assert.equal((await erase(gone.id)).statusCode, 204)
    assert.deepEqual(issuesOf(await template({ kind: 'group', who: gone.id })), [
      `${place}.who: There is no group ${gone.name} (deleted).`,
    ])
    const small = await group(['petra', 'uma'])
    assert.deepEqual(issuesOf(await template({ kind: 'group', who: small.id, count: 2 })), [
      `${place}.count: Only 1 of the 2 people needed can approve by this rule.`,
    ])
    const nobody = await group(['uma'])
    assert.deepEqual(issuesOf(await template({ kind: 'group', who: nobody.id })), [
      `${place}.who: There are no active members of group ${nobody.name} who may approve, so this step cannot be approved.`,
    ])
    assert.deepEqual(issuesOf(await template({ kind: 'group', who: small.name })), [
      `${place}.who: Name a group by its id.`,
    ])
    assert.equal((await template({ kind: 'group', who: small.id })).statusCode, 201)
  })

  it('is tried out with the people who are in it', async () => {
    const crew = await group(['petra', 'quentin', 'uma'])
    const { template: id } = await typeWith({ kind: 'group', who: crew.id, count: 2 })
    const tried = ok(await world.as('quinn').post(`/api/workflow-templates/${id}/preview`, { author_id: idOf('alan') }))
    const step = tried.steps.find(({ transition }: Json) => transition === 'approve')
    assert.deepEqual(
      [step.rules[0].in_words, usernames(step.rules[0].people), tried.may_become_effective],
      [`2 members of group ${crew.name}`, ['petra', 'quentin'], true],
    )
  })

  it('warns where its author is one of the few', async () => {
    const crew = await group(['petra'])
    const { warnings } = ok(await template({ kind: 'group', who: crew.id }, { author_may_approve: false }))
    assert.deepEqual(warnings, [
      `The approval step cannot be approved for documents by Petra Example: without the author, too few people remain for 1 member of group ${crew.name}.`,
    ])
  })

  it('is checked again when it is put into use again', async () => {
    const crew = await group(['petra'])
    const { id } = ok(await template({ kind: 'group', who: crew.id }))
    const url = `/api/workflow-templates/${id}`
    ok(await world.as('quinn').put(url, { is_active: false }))
    assert.equal((await erase(crew.id)).statusCode, 204)
    const again = await world.as('quinn').put(url, { is_active: true })
    assert.match(issuesOf(again).join(), /There is no group Reviewers \d+ \(deleted\)/)
  })
})

describe('an approval by the members of a group (proves: DOC-05)', () => {
  it('is asked of those members who may decide, and refused to everybody else in words', async () => {
    const { id, number, crew } = await awaiting(['petra', 'quentin', 'uma'], 2)
    assert.deepEqual(await toldTo('petra', id), ['document_approval_requested'])
    assert.deepEqual(await toldTo('quentin', id), ['document_approval_requested'])
    assert.deepEqual([...(await toldTo('uma', id)), ...(await toldTo('quinn', id))], [])
    const stranger = await paper.approve('quinn', id)
    assert.deepEqual(
      [stranger.statusCode, stranger.json().detail],
      [403, `No rule of the approval step names you. It is decided by 2 members of group ${crew.name}.`],
    )
    const seen = await paper.get('quinn', id, '/workflow')
    assert.equal(
      seen.summary,
      `${number}, version 1.0, is in the state In review: approve awaits 2 people of group ${crew.name}: Petra Example or Quentin Example`,
    )
    assert.deepEqual(seen.approvals[0].rules[0].rule, { kind: 'group', who: crew.id })
    assert.deepEqual(seen.you.may, ['withdraw'])
    assert.deepEqual((await paper.get('petra', id, '/workflow')).you.may, ['approve', 'withdraw', 'reject'])
    ok(await paper.approve('petra', id))
    assert.equal(
      (await paper.get('quinn', id, '/workflow')).waits_for[0],
      `approve awaits 1 more person of group ${crew.name}: Quentin Example`,
    )
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })

  it('counts who is in the group when they decide: who left decides no more, who joined does, and what was given stays', async () => {
    const { id, crew } = await awaiting(['petra', 'quentin'], 2)
    ok(await paper.approve('petra', id))
    for (const name of ['petra', 'quentin']) assert.equal((await leave(crew.id, name)).statusCode, 204)
    const gone = await paper.approve('quentin', id)
    assert.deepEqual([gone.statusCode, gone.json().code === 'approver_not_named'], [403, true])
    const rejected = await paper.move('quentin', id, 'reject', 'Not mine any more')
    assert.equal(rejected.statusCode, 403)
    const empty = await paper.get('quinn', id, '/workflow')
    assert.match(empty.waits_for[0], /1 more person of group Reviewers \d+: nobody may approve it now/)
    assert.deepEqual(usernames(empty.approvals[0].rules[0].given.map(({ user }: Json) => user)), ['petra'])
    ok(await join(crew.id, 'quinn'))
    assert.deepEqual((await paper.get('quinn', id, '/workflow')).you.may, ['approve', 'withdraw', 'reject'])
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
  })

  it('lets a member read what they decide about, as long as they are one', async () => {
    const granted = { granted: ['documents.approve'], denied: [] }
    ok(await world.as('ada').put(`/api/users/${idOf('uma')}/permissions`, granted))
    const { id, crew } = await awaiting(['uma', 'petra'])
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 200)
    assert.equal((await leave(crew.id, 'uma')).statusCode, 204)
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 404)
    assert.equal((await paper.approve('uma', id)).statusCode, 404)
    ok(await world.as('ada').put(`/api/users/${idOf('uma')}/permissions`, { granted: [], denied: [] }))
  })

  it('leaves out who is deactivated, and asks for a percentage of the others', async () => {
    const granted = { granted: ['documents.approve'], denied: [] }
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, granted))
    const crew = await group(['petra', 'anna'])
    const { name } = await typeWith({ kind: 'group', who: crew.id, percent: 60 })
    ok(await join(crew.id, 'quentin'))
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/deactivate`))
    const { id } = await paper.submitted({ type: name })
    const [rule] = (await paper.get('petra', id, '/workflow')).approvals[0].rules
    assert.deepEqual(
      [rule.in_words, rule.needed, usernames(rule.may_decide_now.people)],
      [`60% of the members of group ${crew.name}, which is 2`, 2, ['petra', 'quentin']],
    )
  })

  it('can be handed by a member to somebody else', async () => {
    const { id, crew } = await awaiting(['petra'])
    ok(await world.as('petra').post(`/api/documents/${id}/delegate`, { to: idOf('quinn'), reason: 'On leave' }))
    assert.equal((await paper.approve('petra', id)).statusCode, 409)
    const refused = await world
      .as('quentin')
      .post(`/api/documents/${id}/delegate`, { to: idOf('quinn'), reason: 'Mine?' })
    assert.equal(refused.statusCode, 403)
    assert.equal((await leave(crew.id, 'petra')).statusCode, 204)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
  })

  it('is configured for one document', async () => {
    const { id } = await paper.upload({ type: 'General document' })
    const foreign = await group(['rita'], 'rex')
    assert.deepEqual(issuesOf(await configure(id, [{ kind: 'group', who: foreign.id }])), [
      `approvers.0.who: There is no group ${foreign.id}.`,
    ])
    const crew = await group(['quentin'])
    ok(await configure(id, [{ kind: 'group', who: crew.id }]))
    ok(await paper.move('alan', id, 'submit'))
    assert.deepEqual(await toldTo('quentin', id), ['document_approval_requested'])
    assert.equal((await paper.approve('petra', id)).statusCode, 403)
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })
})

describe('a group that an approval names (proves: GRP-01)', () => {
  it('is not deleted while a workflow or a document would be left without it', async () => {
    const { id, number, crew, template: templateId, type } = await awaiting(['petra'])
    const byTemplate = await erase(crew.id)
    const { name } = ok(await world.as('quinn').get(`/api/workflow-templates/${templateId}`))
    assert.deepEqual(
      [byTemplate.statusCode, byTemplate.json().detail],
      [
        409,
        `${crew.name} is used by the workflow templates ${name} and the approvals of ${number}. Replace it there before you delete it.`,
      ],
    )
    const others = { definition: await definitionWith({ kind: 'role', who: 'QA' }) }
    ok(await world.as('quinn').put(`/api/workflow-templates/${templateId}`, others))
    assert.equal(
      (await erase(crew.id)).json().detail,
      `${crew.name} is used by the approvals of ${number}. Replace it there before you delete it.`,
    )
    ok(await paper.approve('petra', id))
    assert.equal((await erase(crew.id)).statusCode, 204)
    assert.ok(type > 0)
  })

  it('is not deleted while the approval of a document is configured by it, nor while its type has a workflow that is out of use', async () => {
    const crew = await group(['petra'])
    const { id, number } = await paper.upload({ type: 'General document' })
    ok(await configure(id, [{ kind: 'group', who: crew.id }]))
    const configured = await erase(crew.id)
    assert.equal(configured.statusCode, 409)
    assert.match(configured.json().detail, new RegExp(`by the approvals of ${number}\\. `))
    ok(await paper.move('alan', id, 'cancel'))
    assert.equal((await erase(crew.id)).statusCode, 204)
    const other = await group(['petra'])
    const { template: templateId, type } = await typeWith({ kind: 'group', who: other.id })
    ok(await world.as('quinn').put(`/api/workflow-templates/${templateId}`, { is_active: false }))
    assert.equal((await erase(other.id)).statusCode, 409)
    ok(await world.as('quinn').put(`/api/document-types/${type}`, { is_active: false }))
    assert.equal((await erase(other.id)).statusCode, 204)
  })

  it('is called deleted where an approval waits for one all the same', async () => {
    const { id, crew } = await awaiting(['petra'])
    await world.rows('begin')
    await world.rows('set local session_replication_role = replica')
    await world.rows('update groups set deleted_at = now() where id = $1', [crew.id])
    await world.rows('update group_members set removed_at = now() where group_id = $1', [crew.id])
    await world.rows('commit')
    const [waits] = (await paper.get('quinn', id, '/workflow')).waits_for
    assert.equal(waits, `approve awaits 1 person of group ${crew.name} (deleted): nobody may approve it now`)
    ok(await configure(id, [{ kind: 'role', who: 'QA' }]))
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
  })
})

describe('at the same moment', () => {
  const momentOf = async (action: string, resourceId: number) =>
    (
      await world.rows<{ at: string }>(
        `select max(occurred_at)::text as at from audit_entries where action = $1 and resource_id = $2 and outcome = 'success'`,
        [action, resourceId],
      )
    )[0]!.at

  /** A decision that is held up before a row, meanwhile something else, and then both go on. */
  async function heldUp<T>(text: string, documentId: number, meanwhile: () => Promise<T>) {
    await world.rows('begin')
    await world.rows(text, [documentId])
    const deciding = paper.approve('petra', documentId)
    await haveWaiting(world, 1)
    let isOver = false
    const other = meanwhile().finally(() => {
      isOver = true
    })
    // It is done, or waits for whoever decides.
    await until(async () => isOver || (await waitingBehind(world)) === 2)
    await world.rows('commit')
    return Promise.all([deciding, other])
  }

  it('who is removed while they decide has decided as a member, or not at all', async () => {
    const held = await awaiting(['petra', 'quentin'])
    const ofVersion = 'select from document_versions where document_id = $1 for update'
    const [decided, removed] = await heldUp(ofVersion, held.id, () => leave(held.crew.id, 'petra'))
    assert.deepEqual([decided.statusCode, removed.statusCode], [200, 204])
    assert.ok((await momentOf('document.approved', held.id)) < (await momentOf('group.member_removed', held.crew.id)))
    const late = await awaiting(['petra', 'quentin'])
    const ofDocument = 'select from documents where id = $1 for update'
    const [refused, gone] = await heldUp(ofDocument, late.id, () => leave(late.crew.id, 'petra'))
    assert.deepEqual([refused.statusCode, gone.statusCode], [403, 204])
  })

  it('two who add the same person make one member, and each is answered', async () => {
    const crew = await group([])
    const replies = await meeting(
      world,
      { text: 'select from groups where id = $1 for update', values: [crew.id], waiting: 2 },
      () => [join(crew.id, 'uma'), join(crew.id, 'uma')],
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await world.rows('select from group_members where group_id = $1', [crew.id])).length, 1)
  })

  it('nobody is a member of a group that is deleted while they are added', async () => {
    const crew = await group([])
    const [added, deleted] = await meeting(
      world,
      { text: 'select from groups where id = $1 for update', values: [crew.id], waiting: 2 },
      () => [join(crew.id, 'uma'), erase(crew.id)],
    )
    assert.equal(deleted!.statusCode, 204)
    assert.ok([200, 404].includes(added!.statusCode))
    assert.deepEqual(
      await world.rows('select from group_members where group_id = $1 and removed_at is null', [crew.id]),
      [],
    )
  })

  it('a workflow names no group that is deleted while it is written', async () => {
    for (let round = 0; round < 8; round++) {
      const crew = await group(['petra'])
      const [written, deleted] = await meeting(
        world,
        { text: 'select from groups where id = $1 for update', values: [crew.id], waiting: 2 },
        () => [template({ kind: 'group', who: crew.id }), erase(crew.id)],
      )
      assert.deepEqual(
        [written!.statusCode, deleted!.statusCode],
        written!.statusCode === 201 ? [201, 409] : [422, 204],
      )
    }
  })
})
