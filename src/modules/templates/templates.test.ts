// Content templates, as people work with them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { attachmentsOf, pagesOf } from '#test/builders/pdf.ts'
import { meeting } from '#test/builders/races.ts'
import { openWorld, type World } from '#test/world/world.ts'

const path = '/api/templates/'
let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

let count = 0
const create = async (fields: object = {}) =>
  ok(
    await world.as('quinn').post(path, {
      name: `Template ${++count}`,
      category: 'Tests',
      body: '# {{title}}\n\n{{line}}\n',
      variables: [{ name: 'line', label: 'Line', type: 'text', required: true }],
      ...fields,
    }),
  )
const use = (who: string, body: object) => world.as(who).post(`${path}use`, body)
const trailOf = async (id: number) =>
  ok(await world.as('otto').get(`/api/audit/?resource_type=content_template&resource_id=${id}&sort=id`)).items as Json[]

describe('content templates (proves: TMPL-01)', () => {
  it('are there for a new tenant, each for the document type that it is made for', async () => {
    const { items, total } = ok(await world.as('alan').get(`${path}?page_size=100&sort=id`))
    assert.equal(total, 9)
    assert.deepEqual(
      items.map(({ name, document_type, is_builtin, version }: Json) => [
        name,
        document_type?.name,
        is_builtin && version === 1,
      ]),
      [
        ['Standard operating procedure', 'SOP', true],
        ['Work instruction', 'Work instruction', true],
        ['Deviation report', 'Report', true],
        ['CAPA plan', 'Report', true],
        ['Training record', 'Form', true],
        ['Validation protocol', 'Validation protocol', true],
        ['Validation report', 'Report', true],
        ['Change request', 'Form', true],
        ['Audit report', 'Report', true],
      ],
    )
    assert.equal('body' in items[0], false, 'a list is not as long as all that it lists')
    assert.equal(ok(await world.as('rex').get(path)).total, 9, 'each tenant has its own')
  })

  it('are made by a QA Manager, read by Authors and Auditors, and used by Authors', async () => {
    const body = { name: 'Roles', category: 'Tests', body: 'x' }
    for (const name of ['uma', 'alan', 'petra', 'otto'])
      assert.equal((await world.as(name).post(path, body)).statusCode, 403, name)
    const reply = await world.as('quinn').post(path, body)
    assert.deepEqual([reply.statusCode, reply.headers.etag], [201, '"1"'])
    const template = ok(reply)
    assert.equal(reply.headers.location, path + template.id)
    assert.equal((await world.as('uma').get(path)).statusCode, 403)
    ok(await world.as('otto').get(path + template.id))
    assert.equal((await use('otto', { template_id: template.id })).statusCode, 403)
    assert.equal(ok(await use('alan', { template_id: template.id })).content, 'x')
  })

  it('are refused with every place that is wrong, and nothing of them is kept', async () => {
    const attempt = async (body: string, variables: object[] = []) => {
      const reply = await world.as('quinn').post(path, { name: 'Wrong', category: 'Tests', body, variables })
      assert.equal(reply.statusCode, 422, body)
      return reply.json().detail.map(({ loc, msg }: Json) => `${loc.slice(1).join('.')}: ${msg}`)
    }
    const text = (name: string, more: object = {}) => ({ name, label: name, type: 'text', ...more })
    assert.deepEqual(await attempt('a\n\n{{b\n}} {{C d}}\n{{e}}'), [
      'body: Line 3: Close {{ with }} on the same line.',
      'body: Line 4: There is no {{ before this }}.',
      'body: Line 4: {{C d}} does not name a variable. Use lower-case letters, digits and _, and begin with a letter.',
    ])
    assert.deepEqual(
      await attempt('{{a}}\n{{lost}} {{s}} {{n}} {{d}} {{u}} {{t}} {{today}}', [
        text('a'),
        text('a'),
        text('unused'),
        text('today'),
        text('s', { type: 'select' }),
        text('t', { options: ['x'] }),
        text('n', { type: 'number', default: 'many' }),
        text('d', { type: 'date', default: '2026-02-30' }),
        text('u', { type: 'user', default: '7' }),
      ]),
      [
        'variables.1.name: There are two variables named a. Rename or remove one of them.',
        'variables.2.name: The body does not contain {{unused}}. Insert it, or remove the variable.',
        'variables.3.name: Every template has {{today}}. Choose another name.',
        'variables.4.options: Enter the options of the select.',
        'variables.5.options: Only a select has options. Remove them from the text.',
        'variables.6.default: Enter a number such as 12 or 0.5.',
        'variables.7.default: Enter a day from 1900 to 2199 as YYYY-MM-DD.',
        'variables.8.default: A user has no default. Remove it.',
        'body: Line 2: {{lost}} is not declared. Add it to the variables.',
      ],
    )
    const where = 'cannot stand in code, HTML or a link. Move it into the text.'
    for (const body of [
      '`{{a}}`',
      '```\n{{a}}\n```',
      '    {{a}}',
      '<b title="{{a}}">',
      '[x]({{a}})',
      '[{{a}}](x)',
      '[x]: {{a}}',
    ])
      assert.deepEqual(await attempt(`x\n\n${body}`, [text('a')]), [
        `body: Line ${body.startsWith('```') ? 4 : 3}: {{a}} ${where}`,
      ])
    const long = text('a', { type: 'long_text' })
    for (const body of ['# {{a}}', 'x {{a}}', '- {{a}}', '| a |\n|---|\n| {{a}} |', '**{{a}}**\nx'])
      assert.match((await attempt(body, [long])).join(), /is a long text\. Put it into a paragraph of its own\./)
    assert.match((await attempt('foo**{{a}}** bar', [text('a')])).join(), /Emphasis begins or ends at a variable/)
    assert.match((await attempt('>'.repeat(50_000))).join(), /cannot be read as Markdown/)
    assert.equal(ok(await world.as('quinn').get(`${path}?q=wrong`)).total, 0)
  })

  it('get a next version with another body, say why, and the old one is read as it was', async () => {
    const template = await create()
    const put = (body: object) => world.as('quinn').put(path + template.id, body)
    const missing = await put({ body: 'x' })
    assert.deepEqual([missing.statusCode, missing.json().detail[0].loc], [422, ['body', 'change_reason']])
    const half = await put({ body: '{{other}}', change_reason: 'x' })
    assert.equal(half.statusCode, 422, 'with the variables that it has')
    const changed = ok(await put({ body: '{{line}}', change_reason: 'No heading', revision: 1 }))
    assert.deepEqual([changed.version, changed.revision, changed.body], [2, 2, '{{line}}'])
    const renamed = ok(await put({ name: 'Renamed', body: '{{line}}', change_reason: 'Clearer' }))
    assert.deepEqual([renamed.version, renamed.revision], [2, 3], 'the same body is no version')
    const first = ok(await world.as('alan').get(`${path}${template.id}/versions/1`))
    assert.deepEqual([first.body, first.variables], [template.body, template.variables])
    assert.equal((await world.as('alan').get(`${path}${template.id}/versions/3`)).statusCode, 404)
    assert.equal((await put({ name: 'x', change_reason: 'x', revision: 1 })).statusCode, 409)
    const trail = await trailOf(template.id)
    assert.deepEqual(
      trail.map(({ action, reason }) => [action, reason]),
      [
        ['content_template.created', null],
        ['content_template.updated', 'No heading'],
        ['content_template.updated', 'Clearer'],
      ],
    )
    assert.deepEqual(trail[1]!.changes.body, { from: template.body, to: '{{line}}' })
    assert.deepEqual(trail[2]!.changes.name, { from: template.name, to: 'Renamed' })
  })

  it('say who stored each version, when and why', async () => {
    const { id } = await create()
    const change = { body: '# {{title}}\n\n{{line}}\n\nMore.\n', change_reason: 'More was asked for' }
    ok(await world.as('ada').put(path + id, change))
    const { items, total } = ok(await world.as('alan').get(`${path}${id}/versions`))
    assert.equal(total, 2)
    assert.deepEqual(
      items.map(({ version, change_reason, created_by }: Json) => [version, change_reason, created_by.username]),
      [
        [2, 'More was asked for', 'ada'],
        [1, null, 'quinn'],
      ],
    )
    assert.equal(ok(await world.as('alan').get(`${path}${id}/versions/2`)).change_reason, 'More was asked for')
    assert.equal((await world.as('rex').get(`${path}${id}/versions`)).statusCode, 404)
  })

  it('of one name are never two, also when both are made at once; a deleted one gives its name back', async () => {
    const make = (name: string) => world.as('quinn').post(path, { name, category: 'Tests', body: 'x' })
    const replies = await Promise.all([make('Twins'), make('TWINS'), make('twins')])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 409, 409],
    )
    const twins = replies.find(({ statusCode }) => statusCode === 201)!.json()
    const other = await create()
    const renamed = await world.as('quinn').put(path + other.id, { name: 'tWins', change_reason: 'x' })
    assert.deepEqual(
      [renamed.statusCode, renamed.json().code, renamed.json().params],
      [409, 'template_name_taken', { name: 'tWins' }],
    )
    assert.equal((await world.as('quinn').delete(path + twins.id)).statusCode, 204)
    ok(await make('Twins'))
  })

  it('are deleted for whoever makes something, and stay for whoever reads what was made', async () => {
    const template = await create()
    ok(await use('alan', { template_id: template.id, variables: { line: 'x' } }))
    assert.equal((await world.as('alan').delete(path + template.id)).statusCode, 403)
    assert.equal((await world.as('quinn').delete(path + template.id)).statusCode, 204)
    const found = async (query: string) =>
      ok(await world.as('alan').get(`${path}?q=${encodeURIComponent(template.name)}&${query}`)).total
    assert.deepEqual([await found(''), await found('is_active=false')], [0, 1])
    assert.equal(ok(await world.as('alan').get(path + template.id)).is_active, false)
    for (const reply of [
      await use('alan', { template_id: template.id, variables: { line: 'x' } }),
      await world.as('quinn').put(path + template.id, { name: 'x', change_reason: 'x' }),
      await world.as('quinn').delete(path + template.id),
    ])
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'template_deleted'])
    assert.deepEqual(
      (await trailOf(template.id)).map(({ action }) => action),
      ['content_template.created', 'content_template.used', 'content_template.deleted'],
    )
  })

  it('are changed one after the other: who was overtaken is told so, and nothing of theirs is kept', async () => {
    const template = await create()
    const put = (body: string) =>
      world.as('quinn').put(path + template.id, { body, variables: [], change_reason: body })
    const replies = await meeting(
      world,
      { text: 'select from content_templates where id = $1 for update', values: [template.id], waiting: 2 },
      () => [put('left'), put('right')],
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal(ok(await world.as('quinn').get(path + template.id)).version, 2)
  })

  it('are found by what they are called and for, their category and document type', async () => {
    const type = await world.typeId('SOP')
    const template = await create({
      name: 'Steam 100%_a',
      description: 'Boilers',
      category: 'Utilities',
      document_type_id: type,
    })
    const found = async (query: string) =>
      ok(await world.as('alan').get(`${path}?${query}`)).items.map(({ id }: Json) => id)
    assert.deepEqual(await found('q=steam'), [template.id])
    assert.deepEqual(await found('q=BOILERS'), [template.id])
    assert.deepEqual(await found(`q=${encodeURIComponent('%_a')}`), [template.id])
    assert.deepEqual(await found('category=Utilities'), [template.id])
    assert.deepEqual(await found(`document_type=${type}&category=Utilities`), [template.id])
    assert.deepEqual(await found(`document_type=${type}&category=Nothing`), [])
    const page = ok(await world.as('alan').get(`${path}?page_size=2&page=2&sort=name`))
    assert.deepEqual([page.items.length, page.page], [2, 2])
    assert.equal((await world.as('alan').get(`${path}?sort=body`)).statusCode, 422)
  })
})

describe('using a content template (proves: TMPL-01)', () => {
  it('fills in what was given, what is by default, and what every template has', async () => {
    const body =
      'By {{user_full_name}} of {{company}} on {{today}}: {{title}}, {{template_name}} {{template_version}}; {{a}} {{b}} {{c}} {{d}}'
    const variables = [
      { name: 'a', label: 'A', type: 'text', required: true },
      { name: 'b', label: 'B', type: 'number', default: '0.5' },
      { name: 'c', label: 'C', type: 'date', default: 'today' },
      { name: 'd', label: 'D', type: 'text' },
    ]
    const template = await create({ name: 'All of it', body, variables })
    const today = new Date().toISOString().slice(0, 10)
    const { content, version, template_id, document } = ok(
      await use('alan', { template_id: template.id, title: 'The title', variables: { a: '  once  ' } }),
    )
    assert.equal(content, `By Alan Example of acme on ${today}: The title, All of it 1; once 0.5 ${today} n/a`)
    assert.deepEqual([template_id, version, document], [template.id, 1, null])
    const [, used] = await trailOf(template.id)
    assert.deepEqual([used!.action, used!.user.username], ['content_template.used', 'alan'])
    assert.deepEqual(used!.changes.version, { from: null, to: 1 })
    assert.ok(!JSON.stringify(used).includes('once'), 'the values are nobody else’s to read')
  })

  it('takes the day of where the tenant is', async () => {
    const template = await create({ body: '{{today}}', variables: [] })
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Pacific/Kiritimati' }))
    const before = world.clock.moved_ms
    const noon = new Date()
    noon.setUTCHours(12, 0, 0, 0)
    world.clock.moved_ms += noon.getTime() - world.clock.now().getTime()
    const tomorrow = new Date(noon.getTime() + 86_400_000).toISOString().slice(0, 10)
    assert.equal(ok(await use('alan', { template_id: template.id })).content, tomorrow)
    world.clock.moved_ms = before
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC' }))
  })

  it('names every value that is missing, unknown or not of its type', async () => {
    const variable = (name: string, type: string, more: object = {}) => ({
      name,
      label: name.toUpperCase(),
      type,
      ...more,
    })
    const template = await create({
      body: '{{t}} {{n}} {{d}} {{s}} {{u}} {{p}}\n\n{{l}}',
      variables: [
        variable('t', 'text', { required: true }),
        variable('n', 'number'),
        variable('d', 'date'),
        variable('s', 'select', { options: ['yes', 'no'] }),
        variable('u', 'user'),
        variable('p', 'document'),
        variable('l', 'long_text', { required: true }),
      ],
    })
    const attempt = async (variables: object) => {
      const reply = await use('alan', { template_id: template.id, variables })
      assert.equal(reply.statusCode, 422, reply.body)
      return reply.json().detail.map(({ loc, msg, type }: Json) => [loc.join('.'), msg, type])
    }
    assert.deepEqual(await attempt({ t: ' \t ' }), [
      ['body.variables.t', 'Enter a value.', 'missing'],
      ['body.variables.l', 'Enter a value.', 'missing'],
    ])
    const wrong = { t: 'a\nb', n: '1e3', d: '2026-02-30', s: 'maybe', u: 'alan', p: '0', l: 'x', x: 'y' }
    assert.deepEqual(
      (await attempt(wrong)).map(([at, , type]: string[]) => `${at!.slice(15)}: ${type}`),
      [
        'x: extra_forbidden',
        't: template_value_not_one_line',
        'n: template_value_not_number',
        'd: invalid_day',
        's: not_allowed_value',
        'u: template_value_not_id',
        'p: template_value_not_id',
      ],
    )
    assert.deepEqual(await attempt({ t: 5, l: 'x' }), [['body.variables.t', 'Enter text.', 'wrong_type']])
    const [[at, , type]] = await attempt({ t: '\ud800', l: 'x' })
    assert.deepEqual([at, type], ['body.variables.t', 'unreadable_text'])
    const people = { t: 'x', l: 'x', u: String(world.people.rex!.id), p: '999999' }
    assert.deepEqual(await attempt(people), [
      ['body.variables.u', 'There is no such user. Choose another one.', 'template_value_not_found'],
      ['body.variables.p', 'There is no such document. Choose another one.', 'template_value_not_found'],
    ])
  })

  it('shows people by their names, and documents that one may read by number, title and version', async () => {
    const template = await create({
      body: '{{u}}: {{p}}',
      variables: [
        { name: 'u', label: 'U', type: 'user' },
        { name: 'p', label: 'P', type: 'document' },
      ],
    })
    const draft = ok(
      await world
        .as('alan')
        .upload('/api/documents/upload', { title: 'A *draft*', document_type: await world.typeId('SOP') }),
    )
    const variables = { u: String(world.people.petra!.id), p: String(draft.id) }
    assert.equal(
      ok(await use('alan', { template_id: template.id, variables })).content,
      `Petra Example (petra): ${draft.number} A \\*draft\\* (version 1.0)`,
    )
    const other = await use('anna', { template_id: template.id, variables })
    assert.deepEqual([other.statusCode, other.json().detail[0].type], [422, 'template_value_not_found'])
  })

  it('answers a PDF where it is asked for one, with the Markdown in it', async () => {
    const template = await create({ body: '# {{title}}\n\n{{line}}', name: 'On paper' })
    const reply = await use('alan', {
      template_id: template.id,
      variables: { line: '# not a heading <b>' },
      title: 'Paper / one',
      format: 'pdf',
    })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.headers['content-type'], 'application/pdf')
    assert.equal(Number(reply.headers['content-length']), reply.rawPayload.length)
    assert.match(String(reply.headers['content-disposition']), /filename="Paper - one\.pdf"/)
    const [page] = await pagesOf(reply.rawPayload)
    for (const text of ['Paper / one', 'On paper, version 1', '# not a heading <b>', 'acme', 'Page 1 of 1'])
      assert.ok(page!.includes(text), `${text} in ${page}`)
    const attached = await attachmentsOf(reply.rawPayload)
    assert.equal(attached.get('content.md')!.toString(), '# Paper / one\n\n\\# not a heading \\<b\\>')
    const [, used] = await trailOf(template.id)
    assert.deepEqual(used!.changes.format, { from: null, to: 'pdf' })
  })

  it('makes a draft whose file is the PDF, which says by which version of the template it was made', async () => {
    const template = await create({ document_type_id: await world.typeId('SOP') })
    const body = { template_id: template.id, variables: { line: 'As done' }, title: 'Gowning', create_document: true }
    const { document, content } = ok(await use('alan', body))
    assert.deepEqual([document.title, document.version, document.status], ['Gowning', '1.0', 'draft'])
    assert.match(document.number, /^SOP-\d{4}$/)
    assert.equal(content, '# Gowning\n\nAs done\n')
    const read = ok(await world.as('alan').get(`/api/documents/${document.id}`))
    assert.deepEqual(
      [read.file.name, read.file.content_type, read.category],
      ['Gowning.pdf', 'application/pdf', 'Tests'],
    )
    const file = await world.as('alan').get(`/api/documents/${document.id}/download`)
    assert.match((await pagesOf(file.rawPayload)).join(), /As done/)
    const trail = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${document.id}&sort=id`),
    ).items
    assert.deepEqual(trail[0].changes.content_template, { from: null, to: template.name })
    assert.deepEqual(trail[0].changes.content_template_version, { from: null, to: 1 })
    // It goes the way of every document.
    ok(await world.as('alan').post(`/api/documents/${document.id}/transition`, { transition: 'submit' }))
    ok(await world.as('petra').post(`/api/documents/${document.id}/approve`, { comment: 'Reviewed' }))
    const signed = await world.as('petra').get(`/api/documents/${document.id}/download?rendition=signed`)
    assert.match((await pagesOf(signed.rawPayload)).join(), /As done.*Signatures of version 1\.0/)
  })

  it('leaves nothing behind where the document is refused, and takes no number', async () => {
    const template = await create()
    const type = await world.typeId('SOP')
    const state = async () => [
      await world.rows('select count(*) from documents'),
      await world.rows('select * from counters order by tenant_id, name'),
      await world.rows(
        `select count(*) from audit_entries where action in ('content_template.used', 'document.created')`,
      ),
    ]
    const stored = async () => {
      const keys: string[] = []
      for await (const { key } of world.services.storage.list('')) keys.push(key)
      return keys.length
    }
    const before = [await state(), await stored()]
    const body = { template_id: template.id, variables: { line: 'x' }, title: 'Refused', create_document: true }
    const attempt = async (more: object, status: number, text: RegExp) => {
      const reply = await use('alan', { ...body, ...more })
      assert.equal(reply.statusCode, status, reply.body)
      assert.match(reply.body, text)
    }
    await attempt({}, 422, /document_type_id.*template_document_type_required/)
    await attempt({ document_type_id: 999_999 }, 404, /Document type not found/)
    await attempt({ title: undefined, document_type_id: type }, 422, /template_document_title_required/)
    await attempt({ format: 'pdf', document_type_id: type }, 422, /template_document_has_no_format/)
    await attempt({ variables: {}, document_type_id: type }, 422, /"type":"missing"/)
    const typeIs = async (is_active: boolean) =>
      ok(await world.as('quinn').put(`/api/document-types/${type}`, { is_active, change_reason: 'x' }))
    await typeIs(false)
    await attempt({ document_type_id: type }, 409, /"code":"document_type_inactive"/)
    await typeIs(true)
    ok(await world.as('ada').put('/api/settings/', { upload_types: ['docx'] }))
    await attempt({ document_type_id: type }, 409, /template_pdf_not_accepted/)
    ok(await world.as('ada').put('/api/settings/', { upload_types: ['pdf', 'docx'] }))
    ok(
      await world
        .as('ada')
        .put(`/api/users/${world.people.anna!.id}/permissions`, { granted: [], denied: ['documents.create'] }),
    )
    const denied = await use('anna', { ...body, document_type_id: type })
    assert.deepEqual([denied.statusCode, denied.json().code], [403, 'template_document_permission_required'])
    assert.deepEqual([await state(), await stored()], before)
    const { items } = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc&page_size=1'))
    assert.match(items[0].reason, /: You need the permission documents\.create to create a document from a template\.$/)
  })
})

describe('previewing a content template', () => {
  it('shows what is missing by its label, and writes nothing', async () => {
    const template = await create()
    const before = await world.rows('select count(*) from audit_entries')
    const shown = ok(await world.as('otto').post(`${path}${template.id}/preview`, {}))
    assert.deepEqual(shown, { content: `# ${template.name}\n\n\\[Line\\]\n`, unresolved: ['line'] })
    const filled = ok(
      await world.as('otto').post(`${path}${template.id}/preview`, { variables: { line: 'x' }, title: 'T' }),
    )
    assert.deepEqual(filled, { content: '# T\n\nx\n', unresolved: [] })
    const unsaved = {
      body: '{{a}} {{template_name}}',
      variables: [{ name: 'a', label: 'A', type: 'text' }],
      values: { a: '*' },
    }
    const { content } = ok(await world.as('quinn').post(`${path}preview`, unsaved))
    assert.equal(content, '\\* Preview')
    const wrong = await world.as('quinn').post(`${path}preview`, { ...unsaved, body: '{{b}}' })
    assert.equal(wrong.statusCode, 422)
    const unknown = await world.as('quinn').post(`${path}preview`, { ...unsaved, values: { b: 'x' } })
    assert.deepEqual(unknown.json().detail[0].loc, ['body', 'values', 'b'])
    assert.deepEqual(await world.rows('select count(*) from audit_entries'), before)
    assert.equal((await world.as('alan').post(`${path}preview`, unsaved)).statusCode, 403)
  })
})
