// Changes that meet at one row of the index, in both orders: the row says what the records say when both are over.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import { findDrift } from '#test/builders/projections.ts'
import { meetingInOrder } from '#test/builders/races.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { lockText, replaceChunks } from '../../search/text-queries.ts'
import { documentIndex } from './projection.ts'
import { updateText } from './queries.ts'

// proves: SVC-01
describe('the row of a document in the search index', () => {
  let world: World
  let acme: number
  let type: number
  before(async () => {
    world = await openWorld()
    acme = world.people.alan!.tenant_id
    type = await world.typeId('Policy')
  })
  after(() => world.close())

  const heldType = () => ({ text: 'select from document_types where id = $1 for no key update', values: [type] })
  const changeType = (training_gate: string) => async () =>
    ok(await world.as('ada').put(`/api/document-types/${type}`, { training_gate, change_reason: 'Needed' }))
  const change = (id: number, values: object) => async () =>
    ok(await world.as('quinn').put(`/api/documents/${id}`, { ...values, change_reason: 'Needed' }))
  const upload = (title: string) => () => papers(world).upload({ title, type: 'Policy' })
  const readTheText = (id: number) => async () => {
    const [{ version }] = (await world.rows<{ version: number }>(
      'select max(id)::int as version from document_versions where document_id = $1',
      [id],
    )) as [{ version: number }]
    return world.database.transaction(
      { tenantId: acme, userId: null },
      'read write',
      async tx => {
        await lockText(tx, version)
        await replaceChunks(tx, version, 'eng', [
          { page: 1, heading: 'Purpose', body: 'Hood, mask and coverall.', gap: null },
        ])
        return updateText(tx, version)
      },
      { canRunAgain: true },
    )
  }
  const isRestricted = async (id: number) =>
    (
      await world.rows<{ is: boolean }>(
        'select bool_or(is_restricted) as is from document_index where document_id = $1',
        [id],
      )
    )[0]!.is
  const assertNoDrift = async () => assert.deepEqual(await findDrift(world, acme), [])

  for (const isReversed of [false, true]) {
    const order = isReversed ? 'in the other order' : 'in this order'
    const meet = (lock: { text: string; values: unknown[] }, ...starts: (() => Promise<unknown>)[]) =>
      meetingInOrder(world, lock, isReversed ? starts.reverse() : starts)

    it(`has the training gate of its type, which changes while the document is uploaded, ${order}`, async () => {
      await changeType('none')()
      let made: { id: number } | undefined
      const making = async () => {
        made = await upload(`Meanwhile ${order}`)()
      }
      await meet(heldType(), changeType('before_access'), making)
      await assertNoDrift()
      assert.equal(await isRestricted(made!.id), true)
    })

    it(`has its own training gate, or that of its type, which change together, ${order}`, async () => {
      await changeType('none')()
      const [own, inherited] = [await upload(`Own ${order}`)(), await upload(`Of the type ${order}`)()]
      await change(inherited.id, { training_gate: 'none' })()
      await meet(heldType(), changeType('before_access'), change(own.id, { training_gate: 'none' }))
      await assertNoDrift()
      assert.equal(await isRestricted(own.id), false)
      await changeType('none')()
      await meet(heldType(), changeType('before_access'), change(inherited.id, { training_gate: null }))
      await assertNoDrift()
      assert.equal(await isRestricted(inherited.id), true)
    })

    it(`has the title that it is given while its text is extracted, ${order}`, async () => {
      const { id } = await upload(`Gowning ${order}`)()
      const lock = { text: 'select from documents where id = $1 for update', values: [id] }
      await meet(lock, readTheText(id), change(id, { title: `Changing rooms ${order}` }))
      await assertNoDrift()
      const found = await world.rows(
        `select from document_index where document_id = $1 and words @@ 'coverall:D & room:A & !gown'`,
        [id],
      )
      assert.equal(found.length, 1)
    })
  }

  const acts = ['rebuild', 'change', 'text'] as const
  const orders = acts.flatMap(first =>
    acts
      .filter(second => second !== first)
      .map(second => [first, second, acts.find(each => each !== first && each !== second)!]),
  )
  for (const order of orders)
    it(`is not made again by halves: ${order.join(', ')} wait for each other`, async () => {
      const { id } = await upload('Rebuilt')()
      await world.rows(`update document_index set words = '', title = 'other' where document_id = $1`, [id])
      const lock = { text: 'select from documents where id = $1 for update', values: [id] }
      const starts = {
        rebuild: () =>
          world.database.transaction({ tenantId: acme, userId: null }, 'read write', documentIndex.rebuild),
        change: change(id, { title: 'Rebuilt and changed' }),
        text: readTheText(id),
      }
      await meetingInOrder<unknown>(
        world,
        lock,
        order.map(each => starts[each]),
      )
      await assertNoDrift()
    })
})
