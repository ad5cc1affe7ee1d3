import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { library } from '#test/builders/search.ts'
import { openWorld, type World } from '#test/world/world.ts'

// proves: SRCH-01
describe('a search', () => {
  let world: World
  let books: ReturnType<typeof library>
  const ids: Record<string, number> = {}
  const numbers: Record<string, string> = {}

  before(async () => {
    world = await openWorld()
    books = library(world)
    const add = async (name: string, ...of: Parameters<typeof books.effective>) => {
      const { id, number } = await books.effective(...of)
      ids[name] = id
      numbers[name] = number
    }
    await add(
      'autoclave',
      { title: 'Validation of the autoclave', category: 'Sterility', keywords: 'F0, biological indicator' },
      [
        { page: 1, heading: 'Purpose', body: 'This procedure describes how steam sterilisation cycles are qualified.' },
        {
          page: 2,
          heading: 'Load patterns',
          body: 'Stoppers are loaded in <perforated> bags & trays. The loading pattern is photographed.',
        },
      ],
    )
    await add('gowning', { title: 'Gowning for grade B' }, [
      {
        page: 1,
        heading: 'Order',
        body: 'Hood, mask, coverall, boots and gloves, in this order. Calibration of the balance is elsewhere.',
      },
    ])
    await add('results', { title: 'Handling of laboratory results' }, [
      {
        page: 3,
        body: 'An out of specification result is reported within a day, and a corrective and preventive action is considered.',
      },
    ])
    await add('specification', { title: 'Specification of purified water' }, [
      { page: 1, body: 'The specification of the conductivity is 1.3 µS/cm.' },
    ])
    await add(
      'german',
      { title: 'Reinigung der Abfüllanlage' },
      [{ page: 1, body: 'Die Anlage wird nach jeder Charge gereinigt und geprüft. Rückstände werden bewertet.' }],
      'deu',
    )
    await add('swab', { title: 'Swab sampling' }, [
      'Equipment is swabbed for residues after cleaning; interrupted cleaning is repeated.',
    ])
  })
  after(() => world.close())

  it('finds words in the text, and says where, with what was found marked', async () => {
    const { items, total, mode } = await books.ask('loading patterns')
    assert.deepEqual([total, mode], [1, 'text'])
    const [item] = items
    assert.equal(item!.document_id, ids.autoclave)
    assert.equal(item!.page, 2)
    assert.equal(item!.heading, 'Load patterns')
    assert.match(item!.snippet!, /<mark>loading<\/mark> <mark>pattern<\/mark> is photographed/)
    assert.deepEqual(item!.matched, ['text'])
    assert.ok(item!.score > 0 && item!.score <= 1)
  })

  it('escapes what the document says, and loses nothing of it', async () => {
    const [item] = (await books.ask('stoppers')).items
    assert.match(item!.snippet!, /<mark>Stoppers<\/mark> are loaded in &lt;perforated&gt; bags &amp; trays/)
  })

  it('puts a number first, however it is typed', async () => {
    const [prefix, digits] = numbers.gowning!.split('-') as [string, string]
    await books.effective({ title: `About ${numbers.gowning}` }, [
      `See ${numbers.gowning}, ${numbers.gowning} and again ${numbers.gowning}.`,
    ])
    for (const q of [
      numbers.gowning!,
      `${prefix} ${Number(digits)}`,
      `${prefix.toLowerCase()}${digits}`,
      `${prefix}${Number(digits)}`,
      `"${numbers.gowning}"`,
    ]) {
      const { items } = await books.ask(q)
      assert.equal(items[0]?.document_id, ids.gowning, q)
      assert.equal(items[0]?.score, 1, q)
    }
  })

  it('does not take the abbreviation in a number for what it stands for', async () => {
    const about = await books.effective({ title: 'Writing and keeping rules' }, [
      `Each standard operating procedure has an owner. ${'Rules are written down, kept, read and signed by those whom they bind. '.repeat(4)}`,
    ])
    await books.effective({ title: 'Visits' }, ['Visitors sign.'])
    const prefix = about.number.split('-')[0]!
    assert.equal(prefix, 'SOP', 'numbers of this type begin with what is looked for')
    const { items } = await books.ask('standard operating procedure')
    assert.ok(items.length > 1, 'those that have it in their number are found too')
    assert.equal(items[0]?.document_id, about.id)
  })

  it('takes quoted words as they stand together, or for one of two, minus for what must not be, and * for the rest of a word', async () => {
    assert.deepEqual(await books.found('"loading pattern"'), [ids.autoclave])
    assert.deepEqual(await books.found('"pattern loading"'), [])
    assert.deepEqual(new Set(await books.found('stoppers or coverall')), new Set([ids.autoclave, ids.gowning]))
    assert.deepEqual(await books.found('"cleaning" -interrupted'), [])
    assert.deepEqual(await books.found('"cleaning"'), [ids.swab])
    assert.deepEqual(await books.found('"cleaning" -"boots and gloves"'), [ids.swab])
    assert.deepEqual(await books.found('calibr*'), [ids.gowning])
    assert.deepEqual(await books.found('calibrat*'), [ids.gowning])
    assert.match((await books.ask('calibrat*')).items[0]!.snippet!, /<mark>Calibration<\/mark>/)
  })

  it('knows the other forms of a word, accents or none, and each language by its own', async () => {
    assert.deepEqual(await books.found('photographing'), [ids.autoclave])
    assert.deepEqual(await books.found('abfullanlage'), [ids.german])
    assert.deepEqual(await books.found('Rückstand bewertet'), [ids.german])
    assert.match(
      (await books.ask('Rückstand bewertet')).items[0]!.snippet!,
      /<mark>Rückstände<\/mark> werden <mark>bewertet<\/mark>/,
    )
  })

  it('knows what the trade calls by several names, both ways', async () => {
    assert.equal((await books.found('CAPA'))[0], ids.results)
    assert.deepEqual(await books.found('OOS'), [ids.results])
    await books.effective({ title: 'CAPA board' }, ['Meets on Mondays.'])
    assert.equal((await books.found('corrective and preventive action')).length, 2)
  })

  it('finds a word that is mistyped by what may be found', async () => {
    assert.equal((await books.found('autoclvae'))[0], ids.autoclave)
    assert.equal((await books.found('goning'))[0], ids.gowning)
    assert.deepEqual(await books.found('zygomorphic quux'), [])
  })

  it('finds a word with two letters changed or one too many, wherever it stands', async () => {
    const returned = await books.effective({ title: 'Goods that come back' }, ['Returns are stored apart.'])
    for (const q of ['retruns', 'returnns', 'Retruns']) assert.equal((await books.found(q))[0], returned.id, q)
    assert.deepEqual(await books.found('"retruns"'), [])
  })

  it("knows the company's own words, from lines that can be imported, and no other company's", async () => {
    assert.deepEqual(await books.found('Quokka'), [])
    const put = (search_synonyms: string[], by = 'ada') => world.as(by).put('/api/settings/', { search_synonyms })
    assert.equal((await put(['Quokka | loading pattern', 'Zebra|hood | coverall'])).statusCode, 200)
    assert.deepEqual(await books.found('Quokka'), [ids.autoclave])
    assert.deepEqual(await books.found('zebras'), [ids.gowning])
    assert.equal((await put(['one name']))?.statusCode, 422)
    assert.match((await put(['one name | '])).body, /synonym_needs_two_names/)
    assert.equal((await put([], 'uma')).statusCode, 403)
    assert.equal((await put([])).statusCode, 200)
    assert.deepEqual(await books.found('Quokka'), [])
  })

  it('finds the same thing by its name in another language of the trade', async () => {
    assert.ok((await books.found('cleaning')).includes(ids.german!))
  })

  it('takes another name in a title for as much as the name itself, and stop words of any language for little', async () => {
    const titled = await books.effective({ title: 'Pest round' }, ['Traps are looked at each week. '.repeat(3)])
    await books.effective({ title: 'Kitchen' }, ['Pests are reported.'])
    assert.equal((await books.found('vermin'))[0], titled.id)
    const lift = await books.effective(
      { title: 'Transport im Haus' },
      [`Hubwagen. ${'Wege werden geräumt. '.repeat(10)}`],
      'deu',
    )
    await books.effective({ title: 'Der Rundgang, der Plan' }, ['Der Weg.'], 'deu')
    assert.equal((await books.found('der Hubwagen'))[0], lift.id)
  })

  it('finds the words of a name of the trade where they stand apart too, behind the name', async () => {
    const apart = await books.effective({ title: 'Trays' }, ['A pattern is chosen before the loading begins.'])
    assert.deepEqual(await books.found('loading pattern'), [ids.autoclave, apart.id])
    const results = await books.found('out of specification')
    assert.ok(!results.includes(ids.specification!), 'the words of an abbreviation mean the thing together alone')
  })

  it('finds what has some of the words where few have all', async () => {
    assert.equal(
      (await books.found('how are perforated bags of stoppers photographed in the warehouse'))[0],
      ids.autoclave,
    )
  })

  it('answers whatever is typed', async () => {
    const strange = [
      "' | !! & <-> :* ((",
      '"',
      '-',
      '- - -',
      '*',
      '"""',
      'or',
      'or or or',
      'a or',
      '-a',
      '-"a b"',
      'the',
      'the of and',
      '🙂',
      "'; drop table documents; --",
      '%_\\',
      'a:*b & !c',
      '\\',
      "O'Brien",
      'x'.repeat(500),
      'a '.repeat(250),
      '- '.repeat(250),
      '"a" '.repeat(125),
      'or '.repeat(166),
      '('.repeat(500),
      '\ue000\ue007<b>',
      '١٢٣',
      'a*'.repeat(200),
      '-*',
      '"-a"',
    ]
    for (const q of strange) {
      const answer = await world.as('uma').get(`/api/search/?q=${encodeURIComponent(q)}`)
      assert.ok(answer.statusCode === 200 || (q.trim() === '' && answer.statusCode === 422), `${q}: ${answer.body}`)
    }
    for (const [q, status] of [
      ['%00', 422],
      ['', 422],
      ['%20%20', 422],
      ['x'.repeat(501), 422],
    ] as const)
      assert.equal((await world.as('uma').get(`/api/search/?q=${q}`)).statusCode, status, q)
  })
})
