// Comments on a version: who sees them, and how they are resolved.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const comment = (by: string, id: number, body: object = {}) =>
  world.as(by).post(`/api/documents/${id}/comments`, { text: 'How long is it rinsed?', ...body })
const resolve = (by: string, id: number, commentId: number, body: object = {}) =>
  world.as(by).post(`/api/documents/${id}/comments/${commentId}/resolve`, body)
const read = async (by: string, id: number, query = '') =>
  ok(await world.as(by).get(`/api/documents/${id}/comments${query}`))

const told = async (name: string, id: number) =>
  ok(await world.as(name).get('/api/notifications/?page_size=100'))
    .items.filter((each: Json) => each.resource_id === id && each.type.startsWith('document_comment'))
    .map(({ type }: Json) => type)
const codeOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`

describe('a thread of comments (proves: DOC-05, NOTE-01)', () => {
  const idOf = (name: string) => world.people[name]!.id
  const reopen = (by: string, id: number, commentId: number, body: object = {}) =>
    world.as(by).post(`/api/documents/${id}/comments/${commentId}/reopen`, body)
  const change = (by: string, id: number, commentId: number, body: object) =>
    world.as(by).put(`/api/documents/${id}/comments/${commentId}`, body)

  it('has replies in their order, on its version, and is open or resolved as a whole', async () => {
    const { id } = await paper.submitted()
    const thread = ok(await comment('petra', id, { page: 2, quote: 'Rinse' }))
    const reply = ok(await comment('alan', id, { parent_id: thread.id, text: 'Five minutes' }))
    const other = ok(await comment('alan', id))
    ok(await comment('petra', id, { parent_id: thread.id, text: 'Thank you' }))
    assert.deepEqual([reply.parent_id, reply.version, thread.parent_id], [thread.id, '1.0', null])
    const texts = async (query: string) => (await read('petra', id, query)).items.map(({ text }: Json) => text)
    assert.deepEqual(await texts(`?parent_id=${thread.id}`), ['Five minutes', 'Thank you'])
    assert.deepEqual(
      (await read('petra', id, '?is_reply=false')).items.map(({ id, replies }: Json) => [id, replies]),
      [
        [thread.id, 2],
        [other.id, 0],
      ],
    )
    assert.equal(codeOf(await comment('petra', id, { parent_id: reply.id })), '409 document_comment_is_reply')
    assert.equal(codeOf(await resolve('petra', id, reply.id)), '409 document_comment_is_reply')
    const wrong = await comment('petra', id, { parent_id: thread.id, version: '2.0' })
    assert.deepEqual([wrong.statusCode, wrong.json().detail[0].type], [422, 'document_comment_other_version'])
    ok(await resolve('petra', id, thread.id))
    assert.deepEqual(
      [(await read('petra', id, '?is_resolved=true')).total, (await texts('?is_resolved=false')).length],
      [3, 1],
    )
    const { id: elsewhere } = await paper.submitted()
    assert.equal((await comment('petra', elsewhere, { parent_id: thread.id })).statusCode, 404)
    await assert.rejects(
      world.rows('update document_comments set parent_id = $1 where id = $2', [other.id, reply.id]),
      { code: 'QA002' },
    )
    await assert.rejects(
      world.rows(
        `insert into document_comments (tenant_id, document_id, version_id, round, text, created_by, parent_id)
          select tenant_id, document_id, version_id, round, 'x', created_by, id from document_comments where id = $1`,
        [reply.id],
      ),
      { code: 'QA002' },
    )
  })

  it('tells its writers of a reply, and people whom it mentions once', async () => {
    const { id } = await paper.submitted()
    const { id: thread } = ok(await comment('quinn', id))
    const made = ok(await comment('petra', id, { parent_id: thread, mentions: [idOf('quentin'), idOf('alan')] }))
    assert.deepEqual(made.mentions.map(({ username }: Json) => username).sort(), ['alan', 'quentin'])
    assert.deepEqual(await told('quinn', id), ['document_commented'])
    assert.deepEqual(await told('quentin', id), ['document_comment_mentioned'])
    assert.deepEqual(await told('alan', id), ['document_comment_mentioned', 'document_commented'])
    const [{ title, message }] = ok(
      await world.as('quentin').get('/api/notifications/?type=document_comment_mentioned'),
    ).items
    assert.match(title, /^SOP-\d+ mentions you in a comment by Petra Example$/)
    assert.match(message, /How long is it rinsed\?/)
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.comment_mentioned&resource_id=${id}`),
    ).items
    assert.deepEqual(entry.changes.mentioned.to.sort(), ['alan', 'quentin'])
  })

  it('mentions nobody who may not read the version, nobody of another company, and nobody who left', async () => {
    const { id } = await paper.submitted()
    const refused = await comment('petra', id, { mentions: [idOf('uma'), idOf('quinn')] })
    assert.deepEqual(
      [codeOf(refused), refused.json().params],
      ['409 document_mention_cannot_read', { usernames: ['uma'], version: '1.0' }],
    )
    for (const stranger of [idOf('rita'), 2 ** 40]) {
      const reply = await comment('petra', id, { mentions: [stranger] })
      assert.equal(reply.statusCode, 404, reply.body)
    }
    assert.equal((await read('petra', id)).total, 0)
    assert.deepEqual(await told('quinn', id), [])
    ok(await paper.approve('petra', id))
    ok(await paper.approve('quentin', id))
    ok(await comment('petra', id, { mentions: [idOf('uma')] }))
    assert.deepEqual(await told('uma', id), ['document_comment_mentioned'])
  })

  it('can be changed by its writer for some minutes, until somebody answers', async () => {
    const { id } = await paper.submitted()
    const made = ok(await comment('petra', id, { mentions: [idOf('quinn')] }))
    assert.equal(codeOf(await change('alan', id, made.id, { text: 'x' })), '403 document_comment_of_another')
    const changed = ok(
      await change('petra', id, made.id, { text: 'How hot?', mentions: [idOf('quinn'), idOf('quentin')] }),
    )
    assert.deepEqual([changed.text, changed.quote, changed.created_at], ['How hot?', made.quote, made.created_at])
    assert.ok(changed.edited_at)
    assert.deepEqual(
      [await told('quinn', id), await told('quentin', id)],
      [['document_comment_mentioned'], ['document_comment_mentioned']],
    )
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.comment_changed&resource_id=${id}`),
    ).items
    assert.deepEqual(entry.changes.comment, { from: 'How long is it rinsed?', to: 'How hot?' })
    world.clock.moved_ms = 16 * 60_000
    try {
      assert.equal(codeOf(await change('petra', id, made.id, { text: 'x' })), '409 document_comment_too_old')
    } finally {
      world.clock.moved_ms = 0
    }
    ok(await comment('alan', id, { parent_id: made.id, text: '60 degrees' }))
    assert.equal(codeOf(await change('petra', id, made.id, { text: 'x' })), '409 document_comment_answered')
  })

  it('is reopened by those who may resolve it, and the trail keeps how it was resolved', async () => {
    const { id } = await paper.effective()
    const { id: thread } = ok(await comment('petra', id))
    assert.equal(codeOf(await reopen('petra', id, thread)), '409 document_comment_not_resolved')
    ok(await resolve('alan', id, thread, { reply: 'Five minutes' }))
    assert.equal(codeOf(await reopen('uma', id, thread)), '403 document_comment_not_yours')
    const replies = await Promise.all(
      ['petra', 'quinn'].map(name => reopen(name, id, thread, { reason: 'Not in step 4' })),
    )
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200, 409]))
    const seen = (await read('petra', id)).items[0]
    assert.deepEqual([seen.resolved_at, seen.resolved_by, seen.reply], [null, null, null])
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.comment_reopened&resource_id=${id}`),
    ).items
    assert.deepEqual(
      [entry.changes.reply.from, entry.changes.resolved_by.from, entry.reason],
      ['Five minutes', 'alan', 'Not in step 4'],
    )
    assert.ok((await told('alan', id)).includes('document_comment_reopened'))
    ok(await resolve('petra', id, thread))
  })
})

describe('a comment', () => {
  it('is on a version in its round, at a place of the file, and stays as it was said', async () => {
    const { id, revision } = await paper.submitted()
    const reply = await comment('petra', id, { page: 2, quote: 'Rinse thoroughly' })
    const made = ok(reply)
    assert.equal(reply.headers.location, `/api/documents/${id}/comments/${made.id}`)
    assert.deepEqual(
      [made.version, made.round, made.text, made.page, made.quote, made.created_by.username, made.resolved_at],
      ['1.0', 1, 'How long is it rinsed?', 2, 'Rinse thoroughly', 'petra', null],
    )
    const again = await world.as('petra').get(String(reply.headers.location))
    assert.deepEqual(ok(again), made)
    assert.deepEqual((await read('petra', id)).items, [made])
    assert.equal((await paper.get('alan', id)).revision, revision, 'it changes nothing of the document')
    for (const change of ["text = 'Other'", 'page = 3', 'round = 2', 'created_by = created_by + 1'])
      await assert.rejects(world.rows(`update document_comments set ${change} where id = $1`, [made.id]), {
        code: 'QA002',
      })
  })

  it('is resolved once, with an answer, by its author, by who wrote or owns the document, or by a reviewer', async () => {
    const { id } = await paper.submitted()
    for (const [name, status] of [
      ['petra', 200],
      ['alan', 200],
      ['quinn', 200],
      ['otto', 403],
    ] as const) {
      const { id: commentId } = ok(await comment('petra', id))
      const reply = await resolve(name, id, commentId, { reply: 'Five minutes: see step 3' })
      assert.equal(reply.statusCode, status, `${name} ${reply.body}`)
      if (status !== 200) continue
      const { resolved_at, resolved_by, reply: answer, text } = reply.json()
      assert.ok(resolved_at)
      assert.deepEqual(
        [resolved_by.username, answer, text],
        [name, 'Five minutes: see step 3', 'How long is it rinsed?'],
      )
      const again = await resolve('petra', id, commentId, { reply: 'Ten' })
      assert.deepEqual([again.statusCode, again.json().detail], [409, `${name} has already resolved this comment.`])
      await assert.rejects(world.rows(`update document_comments set reply = 'Ten' where id = $1`, [commentId]), {
        code: 'QA002',
      })
    }
    assert.equal((await read('petra', id, '?is_resolved=true')).total, 3)
    assert.equal((await read('petra', id, '?is_resolved=false')).total, 1)
  })

  it('resolved by two at the same moment is resolved by one', async () => {
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await paper.submitted()
      const { id: commentId } = ok(await comment('petra', id))
      const replies = await Promise.all(['petra', 'alan', 'quinn'].map(name => resolve(name, id, commentId)))
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
        [200, 409, 409],
      )
    }
  })

  it('keeps nobody from approving, and stays with its version when that is replaced', async () => {
    const { id } = await paper.submitted()
    ok(await comment('petra', id))
    ok(await paper.approve('petra', id))
    ok(await paper.approve('quentin', id))
    ok(await comment('uma', id, { text: 'Step 4 cannot be done alone' }))
    ok(await paper.addVersion(id))
    ok(await comment('alan', id, { text: 'Step 4 is now for two' }))
    ok(await comment('alan', id, { text: 'See 1.1', version: '1.0' }))
    const texts = async (by: string, query?: string) =>
      (await read(by, id, query)).items.map(({ version, text }: Json) => `${version} ${text}`)
    const first = ['1.0 How long is it rinsed?', '1.0 Step 4 cannot be done alone']
    assert.deepEqual(await texts('alan'), [...first, '1.1 Step 4 is now for two', '1.0 See 1.1'])
    assert.deepEqual(await texts('uma'), [...first, '1.0 See 1.1'], 'nothing of a draft')
    assert.deepEqual(await texts('alan', '?version=1.1'), ['1.1 Step 4 is now for two'])
    assert.equal((await texts('alan', '?sort=id:desc')).at(-1), first[0])
    await paper.release(id)
    assert.deepEqual(await texts('uma'), ['1.1 Step 4 is now for two'])
    assert.equal((await texts('petra')).length, 4)
    assert.equal((await comment('petra', id, { version: '1.0' })).statusCode, 409)
  })

  it('is for those alone who may read its version', async () => {
    const { id } = await paper.submitted()
    const { id: commentId } = ok(await comment('petra', id))
    for (const reply of [
      await comment('uma', id),
      await world.as('uma').get(`/api/documents/${id}/comments`),
      await world.as('uma').get(`/api/documents/${id}/comments/${commentId}`),
      await resolve('uma', id, commentId),
      await comment('petra', id, { version: '9.0' }),
    ])
      assert.equal(reply.statusCode, 404, reply.body)
    const { id: other } = await paper.submitted()
    assert.equal((await resolve('petra', other, commentId)).statusCode, 404, 'under another document')
  })

  it('is told of to who wrote and owns the document, and its answer to who made it', async () => {
    const { id } = await paper.submitted()
    const { id: commentId } = ok(await comment('petra', id))
    ok(await resolve('alan', id, commentId, { reply: 'Five minutes' }))
    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:desc&page_size=2`),
    )
    assert.deepEqual(
      items.map(({ action, user, changes }: Json) => [action, user.username, changes.comment_id.to]),
      [
        ['document.comment_resolved', 'alan', commentId],
        ['document.commented', 'petra', commentId],
      ],
    )
  })

  it('says something', async () => {
    const { id } = await paper.submitted()
    for (const body of [{ text: '' }, { text: ' ' }, { page: 0 }, { page: 1.5 }, { quote: '' }, { version: 'x' }])
      assert.equal((await comment('petra', id, body)).statusCode, 422, JSON.stringify(body))
  })
})
