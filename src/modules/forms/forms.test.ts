// Form templates, as people work with them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

const path = '/api/deviations/form-templates/'
let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const text = (key: string, more: object = {}) => ({ key, label: key, type: 'text', ...more })
const sections = (...fields: object[]) => [{ key: 'section', title: 'Section', fields }]
let count = 0
const create = async (fields: object = {}) =>
  ok(await world.as('quinn').post(path, { name: `Form ${++count}`, sections: sections(text('line')), ...fields }))

describe('form templates (proves: DEV-02)', () => {
  it('begin with a deviation report that a new tenant can use at once', async () => {
    const { items, total } = ok(await world.as('uma').get(path))
    assert.deepEqual([total, items[0].name, items[0].version, items[0].is_active], [1, 'Deviation report', 1, true])
    assert.equal('sections' in items[0], false, 'a list is not as long as all that it lists')
    const form = ok(await world.as('uma').get(path + items[0].id))
    const types = form.sections.flatMap(({ fields }: Json) => fields.map(({ type }: Json) => type))
    assert.deepEqual(
      new Set(types),
      new Set(['text', 'textarea', 'select', 'document_picker', 'capa_picker', 'image', 'file']),
    )
    const { items: trail } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=form_template&resource_id=${form.id}`),
    )
    assert.deepEqual(
      trail.map(({ action }: Json) => action),
      ['form_template.created'],
    )
  })

  it('are made by a QA Manager, and by nobody who may only report deviations', async () => {
    const body = { name: 'Equipment failure', description: 'For machines', sections: sections(text('machine')) }
    for (const name of ['uma', 'alan', 'petra', 'otto'])
      assert.equal((await world.as(name).post(path, body)).statusCode, 403, name)
    const reply = await world.as('quinn').post(path, body)
    assert.equal(reply.statusCode, 201)
    const form = ok(reply)
    assert.equal(reply.headers.location, path + form.id)
    assert.equal(reply.headers.etag, '"1"')
    assert.deepEqual(
      [form.name, form.description, form.version, form.sections],
      [body.name, body.description, 1, body.sections],
    )
    assert.equal(form.created_by.username, 'quinn')
    const again = await world.as('quinn').post(path, body)
    assert.deepEqual(
      [again.statusCode, again.json().detail],
      [409, 'A form template named Equipment failure already exists. Choose another name.'],
    )
  })

  it('are refused with every place that is wrong, and nothing of them is kept', async () => {
    const wrong = sections(
      text('a'),
      text('a', { options: [{ value: 'x', label: 'X' }] }),
      { ...text('b'), type: 'select' },
      text('c', { visible_when: { field: 'd', equals: 'x' } }),
      text('d', { min: 3, max: 2 }),
    )
    const reply = await world.as('quinn').post(path, { name: 'Wrong', sections: wrong })
    assert.equal(reply.statusCode, 422)
    assert.deepEqual(
      reply.json().detail.map(({ loc }: Json) => loc.slice(4).join('.')),
      ['1.key', '1.options', '2.options', '3.visible_when.field', '4.min'],
    )
    assert.equal(ok(await world.as('quinn').get(`${path}?q=wrong`)).total, 0)
    const form = await create()
    const changed = await world.as('quinn').put(path + form.id, { sections: wrong })
    assert.equal(changed.statusCode, 422)
    assert.equal(changed.json().detail.length, 5)
    assert.equal(ok(await world.as('quinn').get(path + form.id)).revision, 1)
  })

  it('are refused with a regular expression, a type that nobody knows, and a key that is no word', async () => {
    const attempts: [object, string][] = [
      [text('a', { pattern: '(a+)+$' }), 'pattern'],
      [{ ...text('a'), type: 'number' }, 'type'],
      [text('A b'), 'key'],
      [text('__proto__'), 'key'],
      [text('a', { label: '  ' }), 'label'],
      [text('a', { min: -1 }), 'min'],
    ]
    for (const [field, where] of attempts) {
      const reply = await world.as('quinn').post(path, { name: 'Wrong', sections: sections(field) })
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(reply.json().detail[0].loc, ['body', 'sections', 0, 'fields', 0, where])
    }
  })

  it('may be large, and not without end', async () => {
    const field = (i: number) => text(`field_${i}`, { help: 'A helpful sentence. '.repeat(10) })
    const large = Array.from({ length: 4 }, (_, s) => ({
      key: `section_${s}`,
      title: 'Section',
      fields: Array.from({ length: 100 }, (_, i) => field(s * 100 + i)),
    }))
    assert.ok(JSON.stringify(large).length > 100_000)
    const form = await create({ sections: large })
    assert.deepEqual(ok(await world.as('uma').get(path + form.id)).sections, large)
    const endless = sections(...Array.from({ length: 20_000 }, (_, i) => text(`f${i}`)))
    const started = process.cpuUsage()
    const reply = await world.as('quinn').post(path, { name: 'Endless', sections: endless })
    assert.equal(reply.statusCode, 422)
    const took_ms = process.cpuUsage(started).user / 1000
    assert.ok(took_ms < 5_000, `${took_ms} ms`)
  })

  it('get a new version with other sections, and the old one is read as it was', async () => {
    const form = await create({ description: 'First' })
    const other = sections(text('line'), text('room'))
    const changed = ok(
      await world.as('quinn').put(path + form.id, { sections: other, revision: 1, change_reason: 'Rooms matter' }),
    )
    assert.deepEqual([changed.version, changed.revision, changed.sections], [2, 2, other])
    const first = ok(await world.as('uma').get(`${path}${form.id}/versions/1`))
    assert.deepEqual([first.version, first.sections, first.change_reason], [1, form.sections, null])
    const second = ok(await world.as('uma').get(`${path}${form.id}/versions/2`))
    assert.deepEqual(
      [second.sections, second.change_reason, second.created_by.username],
      [other, 'Rooms matter', 'quinn'],
    )
    for (const version of [3, 2_147_483_647])
      assert.equal((await world.as('uma').get(`${path}${form.id}/versions/${version}`)).statusCode, 404)
    for (const version of ['0', '2147483648', 'x', '1.0'])
      assert.equal((await world.as('uma').get(`${path}${form.id}/versions/${version}`)).statusCode, 422)
    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=form_template&resource_id=${form.id}&sort=id`),
    )
    assert.deepEqual(
      items.map(({ action, reason }: Json) => [action, reason]),
      [
        ['form_template.created', null],
        ['form_template.updated', 'Rooms matter'],
      ],
    )
    assert.deepEqual(items[1].changes.version, { from: 1, to: 2 })
    assert.deepEqual(items[1].changes.sections, { from: form.sections, to: other })
  })

  it('keep their version where the sections are the same, whatever the order of what is in a field', async () => {
    const form = await create()
    const same = [{ fields: [{ type: 'text', label: 'line', key: 'line' }], title: 'Section', key: 'section' }]
    const renamed = ok(await world.as('quinn').put(path + form.id, { name: 'Renamed', sections: same }))
    assert.deepEqual([renamed.version, renamed.revision, renamed.name], [1, 2, 'Renamed'])
    const away = ok(await world.as('quinn').put(path + form.id, { description: null, is_active: false }))
    assert.deepEqual([away.version, away.is_active], [1, false])
  })

  it('are changed on the revision that was read: of two at once, one is told of the other', async () => {
    const form = await create()
    const put = (key: string) =>
      world.as('quinn').put(path + form.id, { sections: sections(text(key)) }, { 'if-match': '"1"' })
    const replies = await Promise.all([put('left'), put('right')])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal(ok(await world.as('quinn').get(path + form.id)).version, 2)
    assert.match(
      replies.find(({ statusCode }) => statusCode === 409)!.json().detail,
      /quinn at .*form_template\.updated/,
    )
  })

  it('of one name are never two, also when both are made at once', async () => {
    const make = () => world.as('quinn').post(path, { name: 'Twins', sections: sections(text('a')) })
    const replies = await Promise.all([make(), make(), make()])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 409, 409],
    )
    const form = await create()
    const renamed = await world.as('quinn').put(path + form.id, { name: 'Twins' })
    assert.deepEqual([renamed.statusCode, renamed.json().code], [409, 'form_template_name_taken'])
  })

  it('are listed by what they are called, what they say they are for, and whether they are in use', async () => {
    const form = await create({ name: 'Utilities 100%_a', description: 'Water and steam' })
    ok(await world.as('quinn').put(path + form.id, { is_active: false }))
    const found = async (query: string) =>
      ok(await world.as('uma').get(`${path}?${query}`)).items.map(({ id }: Json) => id)
    assert.deepEqual(await found('q=utilities'), [form.id])
    assert.deepEqual(await found('q=STEAM'), [form.id])
    assert.deepEqual(await found(`q=${encodeURIComponent('%_a')}`), [form.id])
    assert.deepEqual(await found('q=steam&is_active=true'), [])
    assert.deepEqual(await found('q=steam&is_active=false'), [form.id])
    const all = await found('page_size=100&sort=id:desc')
    assert.deepEqual(
      all,
      [...all].sort((a, b) => b - a),
    )
    assert.equal((await world.as('uma').get(`${path}?sort=version`)).statusCode, 422)
  })

  it('are served as a JSON Schema that a form can be drawn from, of any version', async () => {
    const form = await create({
      name: 'Drawn',
      description: 'What it is for',
      sections: sections(
        { key: 'kind', label: 'Kind', type: 'select', required: true, options: [{ value: 'hot', label: 'Hot' }] },
        text('degrees', { help: 'In °C', required: true, max: 5, visible_when: { field: 'kind', equals: 'hot' } }),
        { key: 'photo', label: 'Photo', type: 'image', required: true },
        { key: 'sop', label: 'SOP', type: 'document_picker' },
      ),
    })
    const read = async (query = '') => ok(await world.as('uma').get(`${path}${form.id}/schema${query}`))
    const schema = await read()
    const maximum = Number.MAX_SAFE_INTEGER
    assert.deepEqual(schema, {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Drawn',
      description: 'What it is for',
      type: 'object',
      propertyNames: { enum: ['kind', 'degrees', 'photo', 'sop'] },
      properties: {
        kind: { title: 'Kind', type: 'string', oneOf: [{ const: 'hot', title: 'Hot' }], 'x-field-type': 'select' },
        photo: {
          title: 'Photo',
          type: 'integer',
          minimum: 1,
          maximum,
          'x-references': 'attachment',
          'x-field-type': 'image',
        },
        sop: {
          title: 'SOP',
          type: 'integer',
          minimum: 1,
          maximum,
          'x-references': 'document',
          'x-field-type': 'document_picker',
        },
      },
      required: ['kind', 'photo'],
      allOf: [
        {
          if: { properties: { kind: { const: 'hot' } }, required: ['kind'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: {
            properties: {
              degrees: {
                title: 'degrees',
                description: 'In °C',
                type: 'string',
                maxLength: 5,
                format: 'plain-text',
                pattern: '\\S',
                'x-field-type': 'text',
              },
            },
            required: ['degrees'],
          },
        },
      ],
      'x-sections': [{ key: 'section', title: 'Section', fields: ['kind', 'degrees', 'photo', 'sop'] }],
    })
    assert.deepEqual((await read('?is_complete=false')).required, ['kind'])
    ok(await world.as('quinn').put(path + form.id, { sections: sections(text('only')) }))
    assert.deepEqual((await read()).propertyNames.enum, ['only'])
    assert.deepEqual(await read('?version=1'), schema)
    assert.equal((await world.as('uma').get(`${path}${form.id}/schema?version=3`)).statusCode, 404)
  })

  it('are tried before they are stored: as the form that people get, or with every place that is wrong', async () => {
    const count = async () => ok(await world.as('quinn').get(path)).total
    const before = await count()
    const kind = { key: 'kind', label: 'Kind', type: 'select', options: [{ value: 'hot', label: 'Too hot' }] }
    const hanging = text('degrees', { required: true, visible_when: { field: 'kind', equals: 'hot' } })
    const preview = (fields: object[], who = 'quinn') =>
      world.as(who).post(`${path}preview`, { name: 'Excursion', sections: sections(...fields) })
    const form = await create({ sections: sections(kind, hanging) })
    const schema = ok(await preview([kind, hanging]))
    assert.equal(schema.title, 'Excursion')
    assert.deepEqual(
      { ...schema, title: form.name },
      ok(await world.as('uma').get(`${path}${form.id}/schema?is_complete=false`)),
      'the same form as once it is stored',
    )
    const later = await preview([hanging, kind])
    assert.equal(later.statusCode, 422)
    assert.deepEqual(
      later.json().detail.map(({ loc, type, msg }: Json) => [loc.slice(4).join('.'), type, msg]),
      [
        [
          '0.visible_when.field',
          'form_condition_field_later',
          'This field depends on Kind, which comes after it. Move it below Kind, or choose an earlier select.',
        ],
      ],
    )
    assert.equal((await preview([kind], 'petra')).statusCode, 403)
    assert.equal(await count(), before + 1, 'nothing of it is stored')
  })

  it('say who stored each version, when and why, and how many deviations have them', async () => {
    const form = await create()
    ok(
      await world.as('ada').put(path + form.id, {
        sections: sections(text('line'), text('more')),
        change_reason: 'More was asked for',
      }),
    )
    const { items, total } = ok(await world.as('uma').get(`${path}${form.id}/versions`))
    assert.equal(total, 2)
    assert.deepEqual(
      items.map(({ version, change_reason, created_by }: Json) => [version, change_reason, created_by.username]),
      [
        [2, 'More was asked for', 'ada'],
        [1, null, 'quinn'],
      ],
    )
    const countOf = async () =>
      ok(await world.as('uma').get(`${path}?page_size=100`)).items.find(({ id }: Json) => id === form.id)
        .deviation_count
    assert.equal(await countOf(), 0)
    await deviations(world).report({ form_template_id: form.id, form_data: { line: 'L1' } })
    assert.equal(await countOf(), 1)
    assert.equal((await world.as('rex').get(`${path}${form.id}/versions`)).statusCode, 404)
  })

  it("are a tenant's own", async () => {
    const form = await create({ name: 'Of acme alone' })
    for (const url of [`${path}${form.id}`, `${path}${form.id}/versions/1`, `${path}${form.id}/schema`])
      assert.equal((await world.as('rex').get(url)).statusCode, 404, url)
    assert.equal((await world.as('rex').put(path + form.id, { name: 'Taken' })).statusCode, 404)
    assert.equal(ok(await world.as('rex').get(path)).total, 1)
    ok(await world.as('rex').post(path, { name: 'Of acme alone', sections: form.sections }))
  })
})
