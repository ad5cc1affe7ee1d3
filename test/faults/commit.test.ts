// The connection to the database breaks in the middle of a commit: who asked is told of an error, and the record is whole or not there.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { deviations } from '#test/builders/deviations.ts'
import { papers } from '#test/builders/documents.ts'
import { openFaultProxy } from '#test/faults/fault-proxy.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('a connection that breaks in the middle of a commit', () => {
  let world: World
  let proxy: Awaited<ReturnType<typeof openFaultProxy>>
  before(async () => {
    world = await openWorld(
      {},
      {
        through: async app => {
          proxy = await openFaultProxy(app)
          return proxy.connection
        },
      },
    )
  })
  after(async () => {
    await world.close()
    await proxy.close()
  })

  /** The request, whose commit does not go through as usual, is answered as a database error. */
  async function failing(
    when: 'before' | 'after',
    request: () => ReturnType<ReturnType<World['as']>['get']>,
    options = {},
  ) {
    const cut = proxy.cutCommit(when, options)
    const [reply] = await Promise.all([request(), cut])
    assert.equal(reply.statusCode, 500, reply.body)
    const { detail, request_id } = reply.json()
    assert.equal(detail, 'Database error. Please try again.')
    assert.equal(request_id, reply.headers['x-request-id'])
  }
  const count = async (text: string) =>
    (await world.rows<{ n: number }>(`select count(*)::int as n from ${text}`))[0]!.n
  const files = () =>
    readdirSync(world.services.config.upload_dir, { recursive: true, withFileTypes: true }).filter(
      each => each.isFile() && !each.parentPath.includes('.tmp'),
    ).length

  for (const [when, done] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    const outcome = done ? 'is there, whole' : 'is not there, and can be made'

    it(`${when} the server has it: a deviation ${outcome}`, async () => {
      const { report } = deviations(world)
      const first = await report()
      const entries = () => count(`audit_entries where action = 'deviation.created'`)
      const [had, had_entries] = [await count('deviations'), await entries()]
      await failing(when, () =>
        world.as('uma').post('/api/deviations/', { title: 'Leak', description: 'Below the valve', severity: 'minor' }),
      )
      assert.deepEqual([await count('deviations'), await entries()], [had + done, had_entries + done])
      const second = await report()
      const numbers = [first, second].map(({ number }) => Number(number.split('-').at(-1)))
      assert.equal(numbers[1]! - numbers[0]!, 1 + done, 'no number is lost')
    })

    it(`${when} the server has it: a document ${outcome}, and no row is without its file`, async () => {
      const had = [await count('documents'), files()] as const
      const document_type = await world.typeId('SOP')
      await failing(when, () => world.as('alan').upload('/api/documents/upload', { title: 'Cut', document_type }))
      // Nobody knows by then whether a row names the file: it stays, and the sweep takes it where none does.
      assert.deepEqual([await count('documents'), files()], [had[0] + done, had[1] + 1])
      for (const { id } of await world.rows<{ id: string }>(
        `select document_id as id from document_versions where title = 'Cut'`,
      ))
        assert.equal((await world.as('alan').get(`/api/documents/${id}/download`)).statusCode, 200)
      await papers(world).upload()
    })

    it(`${when} the server has it: an approval with its signature ${outcome}`, async () => {
      const { submitted, approve, get } = papers(world)
      const { id } = await submitted()
      const approval = { comment: 'Read', password }
      // The first is that of the proof of identity, which counts by itself.
      await failing(when, () => approve('petra', id, approval), { to_pass: 1 })
      assert.equal((await get('petra', id)).status, done ? 'in_approval' : 'in_review')
      assert.equal(await count(`signatures where document_id = ${id}`), done)
      assert.equal(await count(`audit_entries where action = 'document.approved' and resource_id = ${id}`), done)
      // A repeated request leaves one approval and one signature, not two.
      const again = await approve('petra', id, approval)
      assert.equal(again.statusCode, done ? 403 : 200, again.body)
      assert.equal(await count(`signatures where document_id = ${id}`), 1)
    })

    // proves: IDEM-01
    it(`${when} the server has it: a command that is sent again with its Idempotency-Key has happened once`, async () => {
      const report = { title: 'Sent again', description: 'Below the valve', severity: 'minor' }
      const send = () => world.as('uma').post('/api/deviations/', report, { 'idempotency-key': `cut-${when}` })
      const had = await count('deviations')
      await failing(when, send)
      const again = await send()
      assert.equal(again.statusCode, 201, again.body)
      assert.equal(again.headers['idempotency-replayed'], done ? 'true' : undefined)
      assert.equal(await count('deviations'), had + 1)
    })
  }
})
