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
    assert.deepEqual(ok(await world.as('alan').get(String(reply.headers.location))), made)
    assert.deepEqual((await read('alan', id)).items, [made])
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
