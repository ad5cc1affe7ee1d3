// The everyday reads send their statements to the database together: each wait for an answer before the next one delays a person.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PostgresQueryCompiler } from 'kysely'
import { capas } from '#test/builders/capas.ts'
import { cases } from '#test/builders/cases.ts'
import { accepted } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { replaysOf } from '../bench/replay.ts'
import { exchangesDuring } from '../bench/statements.ts'

describe('what is asked of the database', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await capas(world).open()
    await cases(world).deviation({ by: 'alan' })
  })
  after(() => world.close())

  for (const kind of ['documents', 'deviations', 'capa']) {
    it(`of a page of the ${kind}, and of one of them, is asked before the first answer`, async () => {
      const list = `/api/${kind}/?page_size=1`
      const { items, total } = (await accepted(world.as('quinn').get(list))).json()
      assert.ok(total > 0)
      for (const path of [list, `/api/${kind}/${items[0].id}`]) {
        const transactions = replaysOf(await exchangesDuring(() => accepted(world.as('quinn').get(path))))
        // The one before it, if there is one, is of who assignees: that is known for a second.
        const { steps } = transactions.at(-1)!
        assert.ok(steps.length > 1, path)
        assert.deepEqual(
          steps.map(({ isTogether }) => isTogether),
          steps.map((_, place) => place > 0),
          path,
        )
      }
    })
  }

  it('of an upload is asked in two transactions: a look before the file is kept, and the upload itself', async () => {
    const document_type = await world.typeId('SOP')
    const transactionsOf = async () => {
      const exchanges = await exchangesDuring(() =>
        accepted(world.as('alan').upload('/api/documents/upload', { title: 'Gowning', document_type })),
      )
      return exchanges.filter(({ statement }) => typeof statement === 'string' && statement.startsWith('begin')).length
    }
    // Who uploads, and which files are accepted, is known for a second, which may end between two uploads.
    const counts = [await transactionsOf(), await transactionsOf(), await transactionsOf()]
    assert.equal(Math.min(...counts), 2, counts.join())
  })

  it('of an upload reads, of the people, those alone who may approve', async () => {
    const document_type = await world.typeId('SOP')
    const exchanges = await exchangesDuring(() =>
      accepted(world.as('alan').upload('/api/documents/upload', { title: 'Gowning', document_type })),
    )
    const lists = exchanges
      .map(({ statement }) => (typeof statement === 'string' ? statement : statement.text))
      .filter(text => /^select (?:"id"|id), .* from "users"/.test(text))
    assert.equal(lists.length, 1, lists.join('\n'))
    assert.match(lists[0]!, /"role_id" = any\(/)
  })

  it('of an upload is built once, and sent with other values from then on', async t => {
    const document_type = await world.typeId('SOP')
    const upload = () => accepted(world.as('alan').upload('/api/documents/upload', { title: 'Gowning', document_type }))
    await upload()
    let built: string[] = []
    const compile = PostgresQueryCompiler.prototype.compileQuery
    const spy = t.mock.method(
      PostgresQueryCompiler.prototype,
      'compileQuery',
      function (this: object, ...given: never) {
        const query = compile.apply(this as never, given)
        built.push(query.sql)
        return query
      },
    )
    // The service keeps the caller and the accepted types of files for one second: on a busy machine an upload may take longer.
    for (let tries = 0; tries < 5; tries++) {
      built = []
      await upload()
      if (built.length === 0) break
    }
    spy.mock.restore()
    assert.deepEqual(built, [])
  })

  it('while an upload keeps others from its number is little, and together', async t => {
    const document_type = await world.typeId('SOP')
    const upload = () => accepted(world.as('alan').upload('/api/documents/upload', { title: 'Gowning', document_type }))
    await upload() // looks up what the queue is like, once for a process
    const exchanges = await exchangesDuring(upload)
    const textOf = ({ statement }: (typeof exchanges)[number]) =>
      typeof statement === 'string' ? statement : statement.text
    const number = exchanges.findIndex(each => textOf(each).includes('into counters'))
    const held = exchanges.slice(
      number + 1,
      1 + exchanges.findIndex((each, place) => place > number && textOf(each) === 'commit'),
    )
    const queued = exchanges.findIndex(each => textOf(each).includes('pgboss.job_common'))
    assert.ok(queued >= 0 && queued < number, 'the text is queued before')
    assert.ok(held.length >= 9, 'the space, the answer, the entry, the projections and the commit')
    const placeOf = (text: string) => held.findIndex(each => textOf(each).includes(text))
    const [facts, index] = [placeOf('from stat_zones'), placeOf('into document_index')]
    assert.ok(facts >= 0 && facts < index, 'the database writes the index while the facts of statistics are derived')
    const waits = held.filter(({ isTogether }) => !isTogether).length
    t.diagnostic(`${waits} waits for ${held.length} statements`)
    assert.ok(
      waits <= 2,
      `${waits} waits: ${held.map(each => `${each.isTogether ? ' ' : '*'} ${textOf(each).slice(0, 60)}`).join('\n')}`,
    )
  })
})
