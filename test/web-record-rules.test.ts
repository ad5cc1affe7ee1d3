// The pure functions of the pages of forms and content templates.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differencesBetween } from '../web/src/features/forms/differences.ts'
import {
  type DraftField,
  dropped,
  faultsOf,
  hangingOn,
  isAtEnd,
  keyFor,
  newField,
  newSection,
  type Row,
  rowsOf,
  type Sections,
  sectionsOf,
  shifted,
} from '../web/src/features/forms/draft.ts'
import { en as formWords } from '../web/src/features/forms/words.en.ts'
import * as templates from '../web/src/features/templates/template.ts'

const sections: Sections = [
  {
    key: 'event',
    title: 'Event',
    description: 'Facts only',
    fields: [
      {
        key: 'kind',
        label: 'Kind',
        type: 'select',
        required: true,
        options: [
          { value: 'hot', label: 'Too hot' },
          { value: 'cold', label: 'Too cold' },
        ],
      },
      { key: 'degrees', label: 'Degrees', type: 'text', max: 5, visible_when: { field: 'kind', equals: 'hot' } },
    ],
  },
  { key: 'goods', title: 'Goods', fields: [{ key: 'where', label: 'Where', type: 'textarea', help: 'Now' }] },
]
const namesOf = (rows: readonly Row[]) => rows.map(row => (row.kind === 'section' ? row.title : row.label)).join(' ')
const rowNamed = (rows: readonly Row[], name: string) =>
  rows.find(row => (row.kind === 'section' ? row.title : row.label) === name)!

describe('a form as lines', () => {
  const rows = rowsOf(sections)

  it('is the form that it was made of', () => {
    assert.equal(namesOf(rows), 'Event Kind Degrees Goods Where')
    assert.deepEqual(sectionsOf(rows), sections)
  })

  it('names what is new for programs, by what people call it, and never twice', () => {
    assert.equal(keyFor('Größe der Charge', new Set(), 'field'), 'groesse_der_charge')
    assert.equal(keyFor('2nd côté', new Set(), 'field'), 'nd_cote')
    assert.equal(keyFor('Where', new Set(['where', 'where_2']), 'field'), 'where_3')
    assert.equal(keyFor('温度', new Set(), 'field'), 'field')
    assert.equal(keyFor('Constructor', new Set(), 'field'), 'field')
    const added = { ...newField(), label: 'Kind' }
    const hanging = { ...newField(), label: 'Sort', when: { field: added.id, option: 'new option' } }
    const choice: DraftField = { ...added, type: 'select', options: [{ id: 'new option', label: 'Other one' }] }
    const made = sectionsOf([newSection('Event'), choice, hanging, ...rows])
    assert.deepEqual(
      made.map(({ key }) => key),
      ['event_2', 'event', 'goods'],
    )
    assert.equal(made[0]!.fields[0]!.key, 'kind_2', 'a stored field keeps its key')
    assert.deepEqual(made[0]!.fields[1]!.visible_when, { field: 'kind_2', equals: 'other_one' })
  })

  it('is moved: a field anywhere within sections, a section with its fields, between sections', () => {
    const idOf = (name: string) => rowNamed(rows, name).id
    const move = (name: string, target: string, isAfter: boolean) =>
      namesOf(dropped(rows, idOf(name), idOf(target), isAfter))
    assert.equal(move('Degrees', 'Where', true), 'Event Kind Goods Where Degrees')
    assert.equal(move('Degrees', 'Kind', false), 'Event Degrees Kind Goods Where')
    assert.equal(move('Where', 'Event', false), 'Event Where Kind Degrees Goods', 'no field stands before all sections')
    assert.equal(move('Goods', 'Event', false), 'Goods Where Event Kind Degrees')
    assert.equal(move('Event', 'Where', false), 'Goods Where Event Kind Degrees', 'never within another section')
    assert.equal(move('Kind', 'Kind', true), namesOf(rows))
  })

  it('is moved line by line, as far as there is a place', () => {
    const shift = (name: string, by: -1 | 1) => namesOf(shifted(rows, rowNamed(rows, name), by))
    assert.equal(shift('Degrees', 1), 'Event Kind Goods Degrees Where', 'into the next section')
    assert.equal(shift('Goods', -1), 'Goods Where Event Kind Degrees')
    assert.equal(shift('Event', 1), 'Goods Where Event Kind Degrees')
    assert.equal(shift('Kind', -1), namesOf(rows))
    assert.deepEqual(
      rows.map(row => [isAtEnd(rows, row, -1), isAtEnd(rows, row, 1)]),
      [
        [true, false],
        [true, false],
        [false, false],
        [false, true],
        [false, true],
      ],
    )
  })

  it('knows what hangs on a field or an option', () => {
    const { id, options } = rowNamed(rows, 'Kind') as DraftField
    assert.equal(namesOf(hangingOn(rows, id)), 'Degrees')
    assert.equal(namesOf(hangingOn(rows, id, options[1]!.id)), '')
  })

  it('shows what the service refuses at its line', () => {
    const issue = (...loc: (string | number)[]) => ({ loc: ['body', ...loc], msg: 'Wrong.', type: 'code' })
    const found = faultsOf(rows, [
      issue('sections', 0, 'fields', 1, 'visible_when', 'field'),
      issue('sections', 0, 'fields', 0, 'options', 1, 'label'),
      issue('sections', 1, 'title'),
      issue('sections', 1, 'fields'),
      issue('name'),
    ])
    assert.deepEqual(
      found.map(({ row, place }) => [namesOf(rows.filter(({ id }) => id === row)), place]),
      [
        ['Degrees', 'visible_when'],
        ['Kind', 'options.1.label'],
        ['Goods', 'title'],
        ['Goods', 'fields'],
      ],
    )
  })
})

describe('what a version of a form changed', () => {
  const differences = (change: (after: Sections) => void) => {
    const after = structuredClone(sections)
    change(after)
    return differencesBetween(sections, after, formWords.differences, type => formWords.types[type])
  }

  it('is said in sentences', () => {
    assert.deepEqual(
      differences(() => undefined),
      ['Nothing that people see changed.'],
    )
    assert.deepEqual(
      differences(([event, goods]) => {
        event!.title = 'What happened'
        event!.fields[0]!.required = false
        event!.fields[0]!.options!.pop()
        event!.fields[0]!.options!.push({ value: 'wet', label: 'Too wet' })
        event!.fields[1]!.visible_when = { field: 'kind', equals: 'wet' }
        event!.fields[1]!.max = 6
        goods!.fields[0]!.type = 'text'
        goods!.fields[0]!.help = ''
        goods!.fields.push({ key: 'batch', label: 'Batch', type: 'text' })
      }),
      [
        'Section “Event” is called “What happened”.',
        '“Kind” is no longer required.',
        '“Kind” has the choice “Too wet”.',
        '“Kind” no longer has the choice “Too cold”.',
        'The length of “Degrees” changed.',
        '“Degrees” is shown when “Kind” is “Too wet”.',
        '“Where” is a short text instead of a long text.',
        'The help of “Where” changed.',
        '“Batch” was added to “Goods”.',
      ],
    )
    assert.deepEqual(
      differences(all => {
        all.reverse()
        const [degrees] = all[1]!.fields.splice(1, 1)
        all[0]!.fields.push(degrees!)
      }),
      ['“Degrees” moved to “Goods”.', 'The order changed.'],
    )
    assert.deepEqual(
      differences(all => {
        all.pop()
      }),
      ['“Where” was removed.', 'Section “Goods” was removed.'],
    )
  })
})

describe('the text of a template', () => {
  const body = '# {{title}}\n\nFor {{ product }} and {{product}} in {{Room 1}}.\n\\{{product}}'
  const issue = (code: string, params: object, ...loc: (string | number)[]) => ({
    loc: ['body', ...loc],
    msg: code,
    type: code,
    params: params as Record<string, unknown>,
  })
  const undeclared = issue('template_variable_undeclared', { name: 'product', line: 3 }, 'body')
  const misnamed = issue('template_variable_misnamed', { placeholder: '{{Room 1}}', line: 3 }, 'body')

  it('is marked where it is wrong, each place of a line by itself', () => {
    const faults = templates.faultsOf(body, [
      undeclared,
      undeclared,
      misnamed,
      issue('template_body_unreadable', {}, 'body'),
      issue('template_variable_repeated', { name: 'a' }, 'variables', 2, 'name'),
    ])
    assert.deepEqual(
      faults.map(({ range, variable, field }) => (range ? body.slice(...range) : [variable, field])),
      ['{{ product }}', '{{product}}', '{{Room 1}}', [undefined, undefined], [2, 'name']],
    )
    assert.deepEqual(
      templates
        .piecesOf(body, faults)
        .filter(({ kind }) => kind !== 'text')
        .map(({ text, kind }) => [text, kind]),
      [
        ['{{title}}', 'variable'],
        ['{{ product }}', 'wrong'],
        ['{{product}}', 'wrong'],
        ['{{Room 1}}', 'wrong'],
      ],
      'what is text by its backslash is not marked',
    )
    assert.equal(
      templates
        .piecesOf(body, faults)
        .map(({ text }) => text)
        .join(''),
      body,
    )
  })

  it('marks the whole line where nothing of it is named', () => {
    const [fault] = templates.faultsOf('a\nb }} c', [issue('template_braces_not_opened', { line: 2 }, 'body')])
    assert.deepEqual(fault!.range, [2, 8])
  })

  it('changes with the name of a variable', () => {
    assert.equal(
      templates.renamed(body, 'product', 'item'),
      '# {{title}}\n\nFor {{item}} and {{item}} in {{Room 1}}.\n\\{{product}}',
    )
    assert.equal(templates.holds(body, 'product'), true)
    assert.equal(templates.holds('\\{{product}}', 'product'), false)
    assert.equal(templates.nameFor('Prüfer', ['pruefer']), 'pruefer_2')
    assert.equal(templates.nameFor('Title', []), 'title_2', 'what every template has is taken')
  })
})
