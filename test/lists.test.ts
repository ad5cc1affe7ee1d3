// Lists: filters of several values, the sorts of a table, and the whole list as CSV and XLSX.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { assignments } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { openWorld, type World } from '#test/world/world.ts'

const lists = {
  '/api/documents/': { event: 'document.list_exported', sorts: ['document_type', 'owner', 'effective_date', 'title'] },
  '/api/deviations/': {
    event: 'deviation.list_exported',
    sorts: ['title', 'reported_by', 'reported_at', 'updated_at', 'assigned_to', 'created_at', 'department'],
  },
  '/api/capa/': { event: 'capa.list_exported', sorts: ['title', 'created_by', 'assigned_to'] },
  '/api/training/assignments': {
    event: 'training_assignment.list_exported',
    sorts: ['user', 'number', 'title', 'status', 'completed_at'],
  },
  '/api/users/': { event: 'user.list_exported', sorts: ['role', 'full_name'] },
  '/api/groups/': { event: 'group.list_exported', sorts: ['member_count', 'group_type'] },
}

describe('a list', () => {
  let world: World
  /** Four parts, and a few rows more. */
  const many = 2_000
  const get = (url: string, by = 'quinn') => world.as(by).get(url)
  const page = async (url: string, query: string): Promise<Json> => ok(await get(`${url}?page_size=100&${query}`))
  before(async () => {
    world = await openWorld()
    const training = assignments(world)
    for (const title of ['Gowning', 'Cleaning']) {
      const form = {
        title,
        category: 'Hygiene',
        keywords: title === 'Gowning' ? 'clothes, people' : 'surfaces, people',
        document_type: await world.typeId(title === 'Gowning' ? 'SOP' : 'Policy'),
      }
      ok(await world.as(title === 'Gowning' ? 'petra' : 'alan').upload('/api/documents/upload', form))
    }
    await cases(world).deviation({ by: 'alan', category: 'process', department: 'Packaging & labels' })
    await cases(world).deviation({ by: 'petra' })
    await capas(world).open()
    const program = await training.program()
    await training.assign({ training_id: program.id, user_ids: [world.people.uma!.id, world.people.anna!.id] })
    await training.complete('uma', program.id)
    for (const name of ['One', 'Two']) ok(await world.as('ada').post('/api/groups/', { name, group_type: 'site' }))
  })
  after(() => world.close())

  // proves: SVC-04
  it('takes several values of a filter, and refuses a state that no workflow has', async () => {
    assert.equal((await page('/api/documents/', 'status=effective')).total, 0)
    assert.equal(
      (await page('/api/documents/', 'status=draft&status=in_review')).total,
      (await page('/api/documents/', '')).total,
    )
    const types = [await world.typeId('SOP'), await world.typeId('Policy')]
    const found = (await page('/api/documents/', `document_type=${types[0]}&document_type=${types[1]}`)).items
    assert.deepEqual(new Set(found.map(({ document_type }: Json) => document_type.id)), new Set(types))
    assert.equal((await page('/api/capa/', 'status=open&status=draft&priority=low&priority=medium')).total, 1)
    assert.equal((await page('/api/training/assignments', 'status=completed&status=assigned')).total, 2)
    const users = (await page('/api/users/', 'role=QA&role=Auditor')).items
    assert.deepEqual(new Set(users.map(({ role }: Json) => role)), new Set(['Auditor', 'QA']))
    const wrong = await get('/api/documents/?status=draft&status=effectiv')
    const [{ loc, type, params }] = wrong.json().detail
    assert.deepEqual([wrong.statusCode, loc, type], [422, ['query', 'status', 1], 'not_allowed_value'])
    assert.ok(params.allowed.includes('effective') && params.allowed.includes('superseded'), wrong.body)
  })

  // proves: SVC-04
  it('is sorted by what its table shows, both ways, and has the same items', async () => {
    for (const [url, { sorts }] of Object.entries(lists))
      for (const sort of sorts) {
        const ids = async (way: string) =>
          (await page(url, `sort=${sort}:${way}`)).items.map(({ id, assignment_id }: Json) => id ?? assignment_id)
        assert.deepEqual((await ids('asc')).toSorted(), (await ids('desc')).toSorted(), `${url} by ${sort}`)
      }
    const owners = (await page('/api/documents/', 'sort=owner')).items.map(({ owner }: Json) => owner.username)
    assert.deepEqual([...new Set(owners)], ['alan', 'petra'])
    assert.deepEqual(owners, owners.toSorted())
    const reporters = (await page('/api/deviations/', 'sort=reported_by')).items.map(
      (each: Json) => each.reported_by.username,
    )
    assert.deepEqual(reporters, ['alan', 'petra'])
    const people = (await page('/api/training/assignments', 'sort=user:desc')).items.map(
      (each: Json) => each.user.username,
    )
    assert.deepEqual(people, ['uma', 'anna'])
  })

  // proves: DOC-02
  it('finds documents by their keywords, each as it is written', async () => {
    const numbers = async (query: string) =>
      (await page('/api/documents/', `sort=title&${query}`)).items.map(({ title }: Json) => title)
    assert.deepEqual(await numbers('keywords=people'), ['Cleaning', 'Gowning'])
    assert.deepEqual(await numbers('keywords=clothes'), ['Gowning'])
    assert.deepEqual(await numbers('keywords=clothes&keywords=surfaces'), ['Cleaning', 'Gowning'], 'any of them')
    assert.deepEqual(await numbers('keywords=people&category=Nothing'), [])
    for (const none of ['peop', 'People', '%7B%22people%22%7D', 'people%2Cclothes'])
      assert.deepEqual(await numbers(`keywords=${none}`), [], none)
    const facets = (await page('/api/documents/', 'facets=keywords&keywords=clothes')).facets
    assert.deepEqual(
      facets.keywords.map(({ value, count }: Json) => [value, count]),
      [
        ['people', 2],
        ['clothes', 1],
        ['surfaces', 1],
      ],
    )
    const others = await get('/api/documents/?keywords=people&facets=keywords', 'rita')
    assert.deepEqual([others.json().total, others.json().facets], [0, { keywords: [] }], 'another tenant')
  })

  // proves: SVC-04, DOC-02, DEV-01, CAPA-01
  it('counts the values of its filters for a page, each by the filter without its own field', async () => {
    const counts = async (url: string, query: string, by = 'quinn'): Promise<Json> =>
      ok(await get(`${url}?page_size=1&${query}`, by)).facets
    const sop = await world.typeId('SOP')
    const { status, document_type } = await counts(
      '/api/documents/',
      `facets=status,document_type&document_type=${sop}`,
    )
    assert.deepEqual(status, [{ value: 'draft', label: null, count: 1 }], 'of SOPs alone')
    assert.deepEqual(document_type.map(({ label, count }: Json) => [label, count]).toSorted(), [
      ['General document', 1],
      ['Policy', 1],
      ['SOP', 1],
    ])
    const { id } = await papers(world).effective({ title: 'Labels' })
    ok(await papers(world).addVersion(id))
    assert.deepEqual(
      (await counts('/api/documents/', 'facets=status&q=Labels')).status,
      [
        { value: 'draft', label: null, count: 1 },
        { value: 'effective', label: null, count: 1 },
      ],
      'a version under way counts beside the effective one',
    )
    for (const [url, fields] of Object.entries(facets))
      for (const field of fields) {
        const { [field]: found } = await counts(url, `facets=${field}`)
        assert.ok(found.length > 0, `${url} ${field}`)
        for (const { value, count } of found)
          assert.equal(
            (await page(url, `${field}=${encodeURIComponent(value)}`)).total,
            count,
            `${url} ${field} ${value}`,
          )
        const order = found.map(({ count }: Json) => count)
        assert.deepEqual(
          order,
          order.toSorted((a: number, b: number) => b - a),
        )
      }
    assert.deepEqual(
      await counts('/api/documents/', 'facets=status', 'uma'),
      { status: [{ value: 'effective', label: null, count: 1 }] },
      'neither drafts of others nor a version under way',
    )
    assert.deepEqual(await counts('/api/deviations/', 'facets=status', 'rita'), { status: [] }, 'another tenant')
    assert.equal(await counts('/api/documents/', ''), undefined)
    for (const wrong of ['owner', 'status,', 'status;category', 'toString'])
      assert.equal((await get(`/api/documents/?facets=${wrong}`)).statusCode, 422, wrong)
    assert.equal((await get('/api/users/?facets=role')).statusCode, 422)
    assert.match((await get('/api/deviations/?format=csv&facets=status')).body, /^\uFEFF?Number,/)
  })
  // proves: SVC-01, SVC-04, DOC-02
  it('counts documents alike from what is kept and from the documents themselves, for whoever asks', async () => {
    const { upload, effective, addVersion } = papers(world)
    const inOffice = { category: 'Office - ground floor' }
    const { id } = await effective({ title: 'Printing', ...inOffice })
    ok(await addVersion(id)) // under way beside the effective one, and Alan's
    await effective({ title: 'Copying', ...inOffice })
    await upload({ title: 'Binding', ...inOffice })
    const sop = await world.typeId('SOP')
    const narrowed = [
      '',
      'status=draft',
      'status=effective',
      'status=draft&status=effective',
      `document_type=${sop}`,
      `document_type=${sop}&status=draft&category=Hygiene`,
      'category=Hygiene&category=Office%20-%20ground%20floor',
      'keywords=people',
      'keywords=people&status=draft',
      'keywords=people&status=effective&category=Hygiene',
    ]
    // Everything is newer, so that it narrows nothing, and no count is kept for it.
    const counted = 'date_from=2000-01-01'
    const seen = new Set<number>()
    for (const by of ['quinn', 'uma', 'alan', 'petra', 'rita'])
      for (const filter of narrowed) {
        const asked = async (...more: string[]) => {
          const query = [filter, 'facets=status,document_type,category,keywords', ...more].filter(Boolean).join('&')
          const { total, facets } = ok(await get(`/api/documents/?page_size=1&${query}`, by))
          return { total, facets }
        }
        const kept = await asked()
        assert.deepEqual(kept, await asked(counted), `${by} ${filter}`)
        const alone = ok(await get(`/api/documents/?page_size=100&${filter}`, by))
        assert.deepEqual([alone.total, alone.items.length], [kept.total, kept.total], `${by} ${filter}`)
        seen.add(kept.total)
      }
    assert.ok(seen.size > 4, 'people and filters differ')
    const statesOf = async (by: string) =>
      ok(await get('/api/documents/?facets=status&page_size=1', by)).facets.status.map(({ value }: Json) => value)
    assert.deepEqual(await statesOf('uma'), ['effective'])
    assert.ok((await statesOf('alan')).includes('draft'), 'own drafts')
  })

  const facets = {
    '/api/documents/': ['status', 'document_type', 'category', 'keywords'],
    '/api/deviations/': ['status', 'severity', 'category', 'department'],
    '/api/capa/': ['status', 'priority', 'type', 'source'],
    '/api/training/assignments': ['status', 'source'],
  }

  // proves: SVC-04
  it('of a dashboard and of a search is sorted too', async () => {
    for (const name of ['overdue-items', 'approaching-deadlines', 'assigned-items', 'pending-approvals']) {
      for (const field of ['due_date', 'number', 'title', 'kind', 'status'])
        ok(await get(`/api/dashboard/${name}?sort=${field}:desc`, 'uma'))
      assert.equal((await get(`/api/dashboard/${name}?sort=nonsense`)).statusCode, 422, name)
    }
    await world.work()
    const found = async (sort: string) =>
      ok(await get(`/api/search/?q=gowning or cleaning&status=draft&sort=${sort}`)).items.map(
        ({ title }: Json) => title,
      )
    assert.deepEqual(
      [await found('title'), await found('title:desc')],
      [
        ['Cleaning', 'Gowning'],
        ['Gowning', 'Cleaning'],
      ],
    )
    assert.equal((await get('/api/search/?q=gowning&sort=nonsense')).statusCode, 422)
  })

  // proves: AUD-01, SVC-01
  it('is exported whole as CSV and XLSX by its filter and sort, and the export is an entry of the trail', async () => {
    for (const [url, { event, sorts }] of Object.entries(lists)) {
      const { items, total } = await page(url, '')
      const query = `sort=${sorts[0]}&page=2&page_size=1`
      const csv = await get(`${url}?format=csv&${query}`)
      assert.deepEqual(
        [csv.statusCode, String(csv.headers['content-type'])],
        [200, 'text/csv; charset=utf-8'],
        csv.body,
      )
      const lines = csv.body.trimEnd().split('\r\n')
      assert.equal(lines.length, total + 1, url)
      const xlsx = await get(`${url}?format=xlsx&${query}`)
      assert.match(
        String(xlsx.headers['content-disposition']),
        /^attachment; filename="[A-Za-z ]+ \d{4}-\d\d-\d\d\.xlsx"$/,
      )
      const { sheets } = await readXlsx(new Uint8Array(xlsx.rawPayload))
      const [sheet] = sheets
      assert.equal(sheet!.rows.length, items.length + 1, url)
      assert.equal(sheet!.freezePane?.rows, 1)
      assert.match(String(sheet!.autoFilter?.range), new RegExp(`^A1:[A-Z]{1,2}${total + 1}$`))
      const [last] = ok(await world.as('otto').get(`/api/audit/?action=${event}&sort=id:desc`)).items
      assert.deepEqual(
        [last.user.username, last.changes.format.to, last.changes.rows.to, last.changes.sort.to],
        ['quinn', 'xlsx', total, sorts[0]],
      )
    }
    const own = (await get('/api/deviations/?format=csv', 'rita')).body.trimEnd().split('\r\n')
    assert.equal(own.length, 1, 'another tenant has none of them')
    assert.equal((await get('/api/users/?format=csv', 'uma')).statusCode, 403)
  })

  it('has real dates, numbers and booleans in XLSX, and text that is no formula in either', async () => {
    const { id, revision } = (await page('/api/deviations/', 'sort=id')).items[0]
    const title = '=HYPERLINK("http://evil.example")'
    ok(await world.as('quinn').put(`/api/deviations/${id}`, { title, revision }))
    const { due_date } = ok(await get(`/api/deviations/${id}`))
    const read = await readXlsx(new Uint8Array((await get('/api/deviations/?format=xlsx&sort=id')).rawPayload))
    const [header, first] = read.sheets[0]!.rows as [string[], unknown[]]
    const of = (name: string) => first[header.indexOf(name)]
    assert.deepEqual([of('Title'), of('Overdue'), of('Extensions')], [title, false, 0])
    assert.equal((of('Due') as Date).toISOString().slice(0, 10), due_date)
    assert.ok(of('Detected (UTC)') instanceof Date)
    assert.match((await get('/api/deviations/?format=csv')).body, /,"'=HYPERLINK\(""http/)
  })

  it('of many rows is exported a part at a time, each row once', async () => {
    await manyRecords(world, many)
    const { total } = await page('/api/deviations/', '')
    const { body } = await get('/api/deviations/?format=csv')
    const numbers = body
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(line => line.split(',')[0])
    assert.deepEqual([numbers.length, new Set(numbers).size], [total, total])
  })
})
