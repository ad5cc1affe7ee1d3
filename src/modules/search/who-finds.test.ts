import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { library } from '#test/builders/search.ts'
import { peopleOfWorld } from '#test/world/people.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { passages } from './passages.ts'
import { ranking } from './ranking.ts'

const everybody = ['ada', 'quinn', 'petra', 'quentin', 'alan', 'anna', 'uma', 'otto']
const states = ['draft', 'in_review', 'in_approval', 'approved', 'effective', 'superseded', 'obsolete', 'cancelled']

// proves: SRCH-03
describe('who searches', () => {
  let world: World
  let books: ReturnType<typeof library>
  before(async () => {
    world = await openWorld()
    books = library(world)
  })
  after(() => world.close())

  const total = async (q: string, by: string, more: Record<string, string> = {}) =>
    (await books.ask(q, { by, ...more })).total
  const inAnyState = { filters: JSON.stringify({ status: states }) }
  /** As GET /api/documents/{id}/versions answers each of a document's versions. */
  const readableVersions = async (by: string, id: number) => {
    const answer = await world.as(by).get(`/api/documents/${id}/versions`)
    return answer.statusCode === 404 ? [] : (ok(answer) as { version: string; status: string }[])
  }

  it('finds a version in a state exactly where they may read it, from its draft to what is superseded', async () => {
    const word = 'lyophilisation'
    const { id } = await books.draft({ title: `About ${word}` }, [`The ${word} of vials.`])
    const check = async () => {
      for (const by of everybody) {
        const readable = (await readableVersions(by, id)).map(({ version, status }) => `${version} ${status}`).sort()
        const found = (await books.ask(word, { by, ...inAnyState })).items
          .map(({ version, status }) => `${version} ${status}`)
          .sort()
        assert.deepEqual(found, readable, by)
        const effective = readable.filter(each => each.endsWith(' effective')).length
        assert.equal(await total(word, by), effective, by)
      }
    }
    await check()
    ok(await books.move('alan', id, 'submit'))
    await check()
    ok(await books.approve('petra', id))
    await check()
    ok(await books.approve('quentin', id))
    await check()
    ok(await books.addVersion(id, { change_type: 'major' }))
    await books.write(id, [`The second ${word}.`])
    await check()
    await books.release(id)
    await check()
    assert.deepEqual(
      (await books.ask(word)).items.map(({ version }) => version),
      ['2.0'],
    )
  })

  it('finds nothing of another tenant, in no total and by no number or mistyped word', async () => {
    const { id, number } = ok(
      await world
        .as('rob')
        .upload('/api/documents/upload', { title: 'Xylitol granulation', document_type: await rivalsType() }),
    )
    await books.write(id, ['Rivals granulate xylitol.'])
    for (const q of ['xylitol', 'xylitoll', `"xylitol granulation"`, 'xyli*', 'rivals granulate'])
      for (const by of everybody) assert.equal(await total(q, by, inAnyState), 0, `${q} by ${by}`)
    assert.ok(
      (await books.ask(number, { by: 'ada', ...inAnyState })).items.every(({ document_id }) => document_id !== id),
    )
    assert.equal(await total('xylitol', 'rob', inAnyState), 1)
  })
  const rivalsType = async () =>
    Number(
      (
        await world.rows<{ id: string }>(
          `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' and t.name = 'SOP'`,
        )
      )[0]!.id,
    )

  it('learns by no mistyped word what they may not find', async () => {
    await books.draft({ title: 'Ultracentrifugation' }, ['Secret spin.'])
    assert.equal(await total('ultracentrifugaton', 'uma'), 0)
    assert.equal(await total('ultracentrifugaton', 'alan', inAnyState), 1)
  })

  it('finds what training keeps back by what it is called alone, and sees no word of it, until they are trained', async () => {
    const gated = gatedDocuments(world)
    const type = await gated.type({ training_gate: 'before_access' })
    const { id } = await gated.released(type.id, { title: 'Handling of potent toxins', keywords: 'containment' })
    await books.write(id, [{ page: 4, heading: 'Neutralisation', body: 'Botulinum is neutralised with formaldehyde.' }])
    const seen = async (q: string, by: string) =>
      (await books.ask(q, { by })).items
        .filter(({ document_id }) => document_id === id)
        .map(({ snippet, page, heading }) => [snippet, page, heading])
    const said = async (by: string) => {
      const account = await world.services.accounts.find({
        tenantId: world.people[by]!.tenant_id,
        userId: world.people[by]!.id,
        sessionId: null,
      })
      const actor = { ...account!.actor, authTime: 0 }
      return passages(
        { actor, services: world.services, read: work => world.database.transaction(actor, 'read only', work) },
        { q: 'How is botulinum neutralised?', limit: 5 },
      )
    }
    assert.deepEqual(await seen('toxins', 'uma'), [[null, null, null]])
    assert.deepEqual(await seen('containment', 'uma'), [[null, null, null]])
    for (const q of [
      'botulinum',
      'neutralisation',
      'toxins botulinum',
      '"with formaldehyde"',
      'botul*',
      'formaldehide',
    ])
      assert.deepEqual(
        (await seen(q, 'uma')).filter(([snippet]) => snippet !== null),
        [],
        q,
      )
    assert.deepEqual(await seen('botulinum', 'uma'), [])
    assert.equal(await total('toxins -botulinum', 'uma'), 1)
    assert.deepEqual(await said('uma'), [])
    for (const by of ['alan', 'otto']) {
      assert.match(String((await seen('botulinum', by))[0]?.[0]), /<mark>Botulinum<\/mark>/)
      assert.equal((await said(by))[0]?.page, 4)
    }
    await gated.assign(id, ['uma'])
    assert.match(String((await seen('botulinum', 'uma'))[0]?.[0]), /<mark>Botulinum<\/mark>/)
    assert.equal((await said('uma'))[0]?.document_id, id)
  })

  it('weighs words by what everybody may find with its text alone', async () => {
    const gated = gatedDocuments(world)
    const type = await gated.type({ name: 'Kept back', prefix: 'KB', training_gate: 'before_access' })
    const kept = await gated.released(type.id, { title: 'Handling of dust' })
    await books.write(kept.id, ['Zirconia dust is toxic.'])
    await books.draft({ title: 'Zirconia beads' }, ['Zirconia is hard.'])
    await books.effective({ title: 'Milling' }, ['Beads of zirconia.'])
    const word = { any: "'zirconia'", typed: ["'zirconia'"], other: [], prefix: [], is_asked: true, text: 'zirconia' }
    const beads = { ...word, any: "'nanometre'", typed: ["'nanometre'"], is_asked: true, text: 'nanometre' }
    const scope = { kinds: ['effective', 'initial'], user_id: world.people.alan!.id, drafts: true, trained: [] }
    await world.superuser.query(`set app.tenant_id = '${world.people.alan!.tenant_id}'`)
    const [found] = await world.rows<{ counted: object }>(
      "select search_texts($1, $2, '{}', $3) -> 'counted' as counted",
      [scope, { words: [word, beads], configurations: '{english_unaccented}' }, ranking].map(each =>
        JSON.stringify(each),
      ),
    )
    assert.deepEqual(found!.counted, { "'zirconia'": 1, "'nanometre'": 0 })
  })

  it('needs to read documents to find any', async () => {
    const role = ok(await world.as('ada').post('/api/roles/', { name: 'Searcher', granted: ['search.use'] }))
    ok(await world.as('ada').put(`/api/users/${world.people.anna!.id}/role`, { role_id: role.id }))
    Object.assign(world.people, await peopleOfWorld(world.superuser))
    const answer = await world.as('anna').get('/api/search/?q=lyophilisation')
    assert.equal(answer.statusCode, 403, answer.body)
  })
})
