// One tenant or one address asks for more than its share. Shown by the order of service, because time says little on a busy machine.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dummyVerify } from '#platform/crypto/password.ts'
import { openDatabase } from '#platform/db/open.ts'
import { openGate } from '#platform/gate.ts'
import { type AnyJob, enqueue } from '#platform/jobs/queue.ts'
import { openTurns } from '#platform/turns.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { rawPdf } from '#test/builders/text-files.ts'
import { openProcess, until } from '#test/world/background.ts'
import { cloneDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'

const outcomes = async (all: Promise<unknown>[]) => (await Promise.allSettled(all)).map(({ status }) => status)

describe('a gate for signed copies, dossiers and verifications', () => {
  it('answers another tenant within one turn while twelve requests of a tenant fill it', async () => {
    const turn = openGate({ at_once: 1, waiting: 8 })
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
    const order: string[] = []
    const ask = (tenantId: number, name: string) =>
      turn(tenantId, async () => {
        await isFree
        order.push(name)
      })
    const flood = Array.from({ length: 12 }, (_, number) => ask(1, `first ${number}`))
    const other = ask(2, 'second')
    const refused = outcomes(flood)
    free()
    await other
    assert.deepEqual(order, ['first 0', 'first 1', 'second'])
    const all = await refused
    assert.equal(all.filter(each => each === 'rejected').length, 3, 'one works, eight wait')
  })
})

describe('the check of passwords', () => {
  it('serves a signature and another address within a turn each while one address floods the log-in', async () => {
    const order: string[] = []
    const done = (name: string) => () => void order.push(name)
    const flood = Array.from({ length: 60 }, () => dummyVerify('wrong', '192.0.2.1').then(done('flood')))
    const others = [
      dummyVerify('wrong', '198.51.100.7').then(done('other address')),
      dummyVerify('wrong').then(done('signature')),
    ]
    await Promise.all([...others, ...flood])
    // Two run at once, so neighbours may change places.
    assert.ok(order.indexOf('signature') < 6, order.slice(0, 10).join(', '))
    assert.ok(order.indexOf('other address') < 8, order.slice(0, 10).join(', '))
  })

  it('has a place for another address where one address has taken all', async () => {
    const flood = outcomes(Array.from({ length: 80 }, () => dummyVerify('wrong', '192.0.2.1')))
    const other = dummyVerify('wrong', '198.51.100.7')
    const signature = dummyVerify('wrong')
    assert.equal(await other, false)
    assert.equal(await signature, false)
    const refused = (await flood).filter(each => each === 'rejected').length
    assert.equal(refused, 80 - 2 - 64 + 1, 'the newest of the flood gave its place away')
  })
})

describe('a full queue', () => {
  it('refuses a newcomer whose lane is as long as the longest', () => {
    const turns = openTurns<string>({ most: 2, most_per_lane: 2 })
    assert.equal(turns.push('a', 'a1'), undefined)
    assert.equal(turns.push('a', 'a2'), undefined)
    assert.equal(turns.push('a', 'a3'), 'a3')
    assert.equal(turns.push('b', 'b1'), 'a2')
    assert.equal(turns.push('c', 'c1'), 'c1')
    assert.deepEqual([turns.shift(), turns.shift(), turns.shift()], ['a1', 'b1', undefined])
  })
})

describe('the health of the database', () => {
  // proves: HLTH-01
  it('is up while requests hold every connection of the pool', async () => {
    const postgres = await cloneDatabase()
    const { database, close } = await openDatabase({ url: urlsOf(postgres).DATABASE_URL, dataDir: 'not used' }, quiet)
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const requests = Array.from({ length: 12 }, () =>
      database.transaction({ tenantId: null, userId: null }, 'read only', () => isOver),
    )
    try {
      await until(() => database.connections().waiting === 2)
      await database.ping(1000)
      assert.equal(database.connections().waiting, 2, 'no request gave its connection back')
    } finally {
      end()
      await Promise.all(requests)
      await close()
      await postgres.drop()
    }
  })
})

describe('queued work', () => {
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  const opened: (() => Promise<void>)[] = []
  before(async () => {
    postgres = await cloneDatabase()
  })
  after(async () => {
    for (const close of opened) await close()
    await postgres.drop()
  })
  type Item = { tenant: number; nth: number }
  function open(queue: 'texts' | 'mail' | 'vectors', run: (item: Item) => Promise<void>) {
    const job: AnyJob<undefined> = {
      ...{ name: queue, queue, at_once: 2, find: async () => [] },
      run: (_, item) => run(item),
      ...(queue !== 'mail' && { one_per_tenant: true as const }),
    }
    const process = openProcess({ jobs: [job] }, postgres.app)
    opened.push(process.close)
    const ask = (tenant: number, from: number, count: number, more: { priority?: number } = {}) =>
      process.database.transaction({ tenantId: 1, userId: null }, 'read write', tx =>
        enqueue(
          tx,
          queue,
          Array.from({ length: count }, (_, at) => ({
            key: `${tenant}/${from + at}`,
            tenant_id: tenant,
            data: { tenant, nth: from + at },
            ...more,
          })),
        ),
      )
    return { ...process, ask }
  }

  for (const queue of ['texts', 'mail', 'vectors'] as const)
    it(`is done in turns of tenants, however many items one of them has: ${queue}`, async () => {
      const order: string[] = []
      const asked: (() => Promise<unknown>)[] = []
      const { ask, runPending } = open(queue, async ({ tenant, nth }) => {
        order.push(`${tenant}/${nth}`)
        await asked.shift()?.()
      })
      await ask(1, 0, 60)
      await ask(2, 0, 3)
      // While it goes on, the first asks for more, and a third comes.
      asked.push(
        () => ask(1, 60, 60),
        () => ask(3, 0, 2),
      )
      await runPending()
      assert.equal(order.length, 125)
      const at = (name: string) => order.indexOf(name)
      assert.ok(at('2/0') <= 1 && at('2/1') <= 5 && at('2/2') <= 8, order.slice(0, 12).join(' '))
      assert.ok(at('3/0') <= 5 && at('3/1') <= 8, order.slice(0, 12).join(' '))
      const first = order.filter(name => name.startsWith('1/'))
      assert.deepEqual(
        first,
        Array.from({ length: 120 }, (_, nth) => `1/${nth}`),
        'in the order of their asking',
      )
    })

  it('of higher priority still goes first', async () => {
    const order: string[] = []
    const { ask, runPending } = open('texts', async ({ tenant, nth }) => void order.push(`${tenant}/${nth}`))
    await ask(1, 0, 3, { priority: -1 })
    await ask(1, 10, 2)
    await ask(2, 20, 1, { priority: -1 })
    await runPending()
    assert.deepEqual(order, ['1/10', '1/11', '1/0', '2/20', '1/1', '1/2'])
  })

  it('that takes long leaves a worker to the other tenants', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const begun: string[] = []
    const { ask, start } = open('texts', async ({ tenant, nth }) => {
      begun.push(`${tenant}/${nth}`)
      if (tenant === 1) await isOver
    })
    await ask(1, 0, 5)
    start()
    try {
      await until(() => begun.length === 1)
      await ask(2, 0, 2)
      await until(() => begun.includes('2/1'))
      assert.deepEqual(begun, ['1/0', '2/0', '2/1'])
    } finally {
      end()
    }
    await until(() => begun.length === 7)
  })
})

describe('a PDF with 200,000 pages', () => {
  const catalogue = '<</Type/Catalog/Pages 2 0 R>>'
  /** With all pages, or with the same page that often. */
  const withPages = (count: number, node: (kids: string) => string, ...more: string[]) =>
    rawPdf(
      catalogue,
      node(`[${'3 0 R '.repeat(count).trim()}]`),
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
      ...more,
    )

  // proves: DOC-07, SRCH-01
  it('is refused at its upload where its page tree can be read, and otherwise its text is not read', async () => {
    const world = await openWorld({ MAX_PDF_PAGES: '4000' })
    try {
      const { upload } = papers(world)
      const document_type = await world.typeId('SOP')
      const plain = [
        withPages(200_000, kids => `<</Type/Pages/Count 200000/Kids${kids}>>`),
        withPages(200_000, kids => `<< /Kids ${kids} /Count 200000 /Type /Pages >>`),
      ]
      for (const bytes of plain) {
        const form = { title: 'Long', document_type }
        const reply = await world.as('alan').upload('/api/documents/upload', form, { bytes, name: 'long.pdf' })
        assert.equal(reply.statusCode, 422, reply.body)
        const [issue] = reply.json().detail
        assert.deepEqual([issue.type, issue.params], ['pdf_has_too_many_pages', { pages: 200_000, maximum: 4000 }])
      }
      const outlined = withPages(1, kids => `<</Type/Pages/Count 1/Kids${kids}>>`, '<</Type/Outlines/Count 9000>>')
      await upload({ title: 'Many bookmarks' }, { bytes: outlined, name: 'outlined.pdf' })
      const hidden = withPages(200_000, kids => `<</Type/Pages/Count 4 0 R/Kids${kids}>>`, '200000')
      const { id } = await upload({ title: 'Hidden' }, { bytes: hidden, name: 'hidden.pdf' })
      await world.work()
      const { content } = ok(await world.as('alan').get(`/api/documents/${id}`))
      assert.deepEqual([content.status, content.pages], ['failed', 200_000])
      assert.match(content.reason, /it has 200,000 pages, and text is read from PDFs of at most 4,000\.$/)
    } finally {
      await world.close()
    }
  })
})
