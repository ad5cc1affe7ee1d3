import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Field, Section } from './definition.ts'
import { checkSections } from './template-rules.ts'

const section = (key: string, ...fields: Field[]): Section => ({ key, title: key, fields })
const field = (key: string, fields: Partial<Field> = {}): Field => ({ key, label: key, type: 'text', ...fields })
const select = (key: string, ...values: string[]) =>
  field(key, { type: 'select', options: values.map(value => ({ value, label: value })) })
const faults = (...sections: Section[]) => checkSections(sections).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)

// proves: DEV-02
describe('a form template', () => {
  it('is sound with all seven types, and with what hangs on what', () => {
    assert.deepEqual(
      faults(
        section(
          'first',
          field('a', { min: 2, max: 10 }),
          field('b', { type: 'textarea', required: true, help: 'Why' }),
          select('c', 'yes', 'no'),
          { ...select('d', 'one'), visible_when: { field: 'c', equals: 'yes' } },
        ),
        section(
          'second',
          field('e', { type: 'document_picker', visible_when: { field: 'd', equals: 'one' } }),
          field('f', { type: 'capa_picker' }),
          field('g', { type: 'image', required: true }),
          field('h', { type: 'file' }),
        ),
      ),
      [],
    )
  })

  it('has each key once: of its sections, and of its fields whatever their sections', () => {
    assert.deepEqual(faults(section('s', field('a'), field('a')), section('t', field('a')), section('s', field('s'))), [
      'body.sections.2.key: There are two sections with the key s',
      'body.sections.0.fields.1.key: There are two fields with the key a',
      'body.sections.1.fields.0.key: There are two fields with the key a',
    ])
    const first = [select('a', 'x'), field('a'), field('b', { visible_when: { field: 'a', equals: 'x' } })]
    assert.deepEqual(faults(section('s', ...first)), [
      'body.sections.0.fields.1.key: There are two fields with the key a',
    ])
    assert.deepEqual(faults(section('s', field('constructor'))), [
      'body.sections.0.fields.0.key: A field cannot be called constructor',
    ])
  })

  it('has options where it has a select, each value once, and nowhere else', () => {
    assert.deepEqual(faults(section('s', field('a', { type: 'select' }), select('b', 'x', 'y', 'x'))), [
      'body.sections.0.fields.0.options: A select needs its options',
      'body.sections.0.fields.1.options.2.value: There are two options of the value x',
    ])
    const shown = field('b', { visible_when: { field: 'a', equals: 'x' } })
    assert.deepEqual(faults(section('s', field('a', { type: 'select' }), shown)), [
      'body.sections.0.fields.0.options: A select needs its options',
      'body.sections.0.fields.1.visible_when.equals: a has no option of the value x',
    ])
    const { options } = select('b', 'x')
    for (const type of ['text', 'textarea', 'document_picker', 'capa_picker', 'image', 'file'] as const)
      assert.deepEqual(faults(section('s', field('a', { type, options: options! }))), [
        `body.sections.0.fields.0.options: Only a select has options, not a ${type}`,
      ])
  })

  it('says how long a text may be, where there is a text, and in a way that one can be written', () => {
    const limits = [
      field('a', { min: 5, max: 4 }),
      field('b', { max: 1_001 }),
      field('c', { max: 0 }),
      field('d', { min: 1_001 }),
      field('one', { min: 1, max: 1 }),
    ]
    assert.deepEqual(faults(section('s', ...limits, field('e', { type: 'textarea', min: 1_001, max: 20_000 }))), [
      'body.sections.0.fields.0.min: min is 5, more than the 4 characters that it may have',
      'body.sections.0.fields.1.max: A text has 1000 characters at most',
      'body.sections.0.fields.2.max: Nothing could be written into it',
      'body.sections.0.fields.3.min: min is 1001, more than the 1000 characters that it may have',
    ])
    for (const type of ['document_picker', 'capa_picker', 'image', 'file'] as const)
      assert.deepEqual(faults(section('s', field('a', { type, min: 1, max: 3 }))), [
        `body.sections.0.fields.0.min: Only a text or a textarea has min, not a ${type}`,
        `body.sections.0.fields.0.max: Only a text or a textarea has max, not a ${type}`,
      ])
  })

  it('shows a field by an earlier select and by one of its values, so never in a circle', () => {
    const shown = (by: string, equals: string) => ({ visible_when: { field: by, equals } })
    assert.deepEqual(
      faults(
        section('s', { ...select('a', 'x'), ...shown('b', 'x') }, { ...select('b', 'x'), ...shown('a', 'x') }),
        section(
          't',
          field('c', shown('c', 'x')),
          field('d', shown('a', 'z')),
          field('e', shown('c', 'x')),
          field('f', shown('none', 'x')),
        ),
      ),
      [
        'body.sections.0.fields.0.visible_when.field: There is no earlier field b',
        'body.sections.1.fields.0.visible_when.field: There is no earlier field c',
        'body.sections.1.fields.1.visible_when.equals: a has no option of the value z',
        'body.sections.1.fields.2.visible_when.field: Only a select decides what is there, and c is a text',
        'body.sections.1.fields.3.visible_when.field: There is no earlier field none',
      ],
    )
    const circle = [
      { ...select('a', 'x'), ...shown('b', 'x') },
      { ...select('b', 'x'), ...shown('a', 'x') },
    ]
    const itself = { ...select('c', 'x'), ...shown('c', 'x') }
    const hanging = [field('d', shown('a', 'x')), field('e', shown('b', 'x')), field('f', shown('c', 'x'))]
    assert.deepEqual(faults(section('s', ...circle, itself, ...hanging)), [
      'body.sections.0.fields.0.visible_when.field: There is no earlier field b',
      'body.sections.0.fields.2.visible_when.field: There is no earlier field c',
    ])
    const chain = (length: number) =>
      section(
        's',
        ...Array.from({ length }, (_, i) => ({ ...select(`f${i}`, 'x'), ...(i > 0 && shown(`f${i - 1}`, 'x')) })),
      )
    assert.deepEqual(faults(chain(6)), [])
    assert.deepEqual(faults(chain(7)), [
      'body.sections.0.fields.6.visible_when: A field hangs on 5 others at most, one behind the other',
    ])
  })

  it('says which kind of mistake each is', () => {
    const { options } = select('b', 'x')
    const kinds = (...fields: Field[]) => checkSections([section('s', ...fields)]).map(({ type }) => type)
    assert.deepEqual(kinds(field('a', { type: 'select' })), ['missing'])
    assert.deepEqual(kinds(field('a', { options: options! })), ['extra_forbidden'])
    assert.deepEqual(kinds(field('a', { type: 'file', min: 1 })), ['extra_forbidden'])
    assert.deepEqual(kinds(field('a', { max: 0 })), ['value_error'])
  })

  it('has 500 fields at most, which is told at once', () => {
    const many = (count: number) =>
      Array.from({ length: count / 100 }, (_, s) =>
        section(`s${s}`, ...Array.from({ length: 100 }, (_, f) => field(`f${s}_${f}`))),
      )
    assert.deepEqual(faults(...many(500)), [])
    assert.deepEqual(faults(...many(600)), ['body.sections: A template has 500 fields at most, not 600'])
  })
})
