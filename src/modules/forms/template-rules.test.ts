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
      'body.sections.2.key: There are two sections with the key s. Choose another key.',
      'body.sections.0.fields.1.key: There are two fields with the key a. Choose another key.',
      'body.sections.1.fields.0.key: There are two fields with the key a. Choose another key.',
    ])
    const first = [select('a', 'x'), field('a'), field('b', { visible_when: { field: 'a', equals: 'x' } })]
    assert.deepEqual(faults(section('s', ...first)), [
      'body.sections.0.fields.1.key: There are two fields with the key a. Choose another key.',
    ])
    assert.deepEqual(faults(section('s', field('constructor'))), [
      'body.sections.0.fields.0.key: A field cannot have the key constructor. Choose another key.',
    ])
  })

  it('has options where it has a select, each value once, and nowhere else', () => {
    assert.deepEqual(faults(section('s', field('a', { type: 'select' }), select('b', 'x', 'y', 'x'))), [
      'body.sections.0.fields.0.options: Enter the options of the select.',
      'body.sections.0.fields.1.options.2.value: There are two options with the value x. Choose another value.',
    ])
    const shown = field('b', { visible_when: { field: 'a', equals: 'x' } })
    assert.deepEqual(faults(section('s', field('a', { type: 'select' }), shown)), [
      'body.sections.0.fields.0.options: Enter the options of the select.',
      'body.sections.0.fields.1.visible_when.equals: a has no option with the value x. Choose one of its options.',
    ])
    const { options } = select('b', 'x')
    for (const type of ['text', 'textarea', 'document_picker', 'capa_picker', 'image', 'file'] as const)
      assert.deepEqual(faults(section('s', field('a', { type, options: options! }))), [
        `body.sections.0.fields.0.options: Only a select has options. Remove them from the ${type}.`,
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
      'body.sections.0.fields.0.min: The least length 5 is more than the greatest length 4. Enter a smaller number.',
      'body.sections.0.fields.1.max: A text has at most 1000 characters. Enter a smaller number.',
      'body.sections.0.fields.2.max: Nothing could be written into this field. Enter at least 1.',
      'body.sections.0.fields.3.min: The least length 1001 is more than the greatest length 1000. Enter a smaller number.',
    ])
    for (const type of ['document_picker', 'capa_picker', 'image', 'file'] as const)
      assert.deepEqual(faults(section('s', field('a', { type, min: 1, max: 3 }))), [
        `body.sections.0.fields.0.min: Only a text or a textarea has min. Remove it from the ${type}.`,
        `body.sections.0.fields.0.max: Only a text or a textarea has max. Remove it from the ${type}.`,
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
        'body.sections.0.fields.0.visible_when.field: This field depends on b, which comes after it. Move it below b, or choose an earlier select.',
        'body.sections.1.fields.0.visible_when.field: There is no earlier field c. Choose an earlier select.',
        'body.sections.1.fields.1.visible_when.equals: a has no option with the value z. Choose one of its options.',
        'body.sections.1.fields.2.visible_when.field: A field depends on a select, and c is a text. Choose a select.',
        'body.sections.1.fields.3.visible_when.field: There is no earlier field none. Choose an earlier select.',
      ],
    )
    const circle = [
      { ...select('a', 'x'), ...shown('b', 'x') },
      { ...select('b', 'x'), ...shown('a', 'x') },
    ]
    const itself = { ...select('c', 'x'), ...shown('c', 'x') }
    const hanging = [field('d', shown('a', 'x')), field('e', shown('b', 'x')), field('f', shown('c', 'x'))]
    assert.deepEqual(faults(section('s', ...circle, itself, ...hanging)), [
      'body.sections.0.fields.0.visible_when.field: This field depends on b, which comes after it. Move it below b, or choose an earlier select.',
      'body.sections.0.fields.2.visible_when.field: There is no earlier field c. Choose an earlier select.',
    ])
    const chain = (length: number) =>
      section(
        's',
        ...Array.from({ length }, (_, i) => ({ ...select(`f${i}`, 'x'), ...(i > 0 && shown(`f${i - 1}`, 'x')) })),
      )
    assert.deepEqual(faults(chain(6)), [])
    assert.deepEqual(faults(chain(7)), [
      'body.sections.0.fields.6.visible_when: A field depends on at most 5 others in a chain. Let it depend on an earlier one.',
    ])
  })

  it('says which kind of mistake each is', () => {
    const { options } = select('b', 'x')
    const kinds = (...fields: Field[]) => checkSections([section('s', ...fields)]).map(({ type }) => type)
    assert.deepEqual(kinds(field('a', { type: 'select' })), ['form_options_required'])
    assert.deepEqual(kinds(field('a', { options: options! })), ['form_options_not_allowed'])
    assert.deepEqual(kinds(field('a', { type: 'file', min: 1 })), ['form_length_not_allowed'])
    assert.deepEqual(kinds(field('a', { max: 0 })), ['form_max_too_small'])
  })

  it('has 500 fields at most, which is told at once', () => {
    const many = (count: number) =>
      Array.from({ length: count / 100 }, (_, s) =>
        section(`s${s}`, ...Array.from({ length: 100 }, (_, f) => field(`f${s}_${f}`))),
      )
    assert.deepEqual(faults(...many(500)), [])
    assert.deepEqual(faults(...many(600)), [
      'body.sections: A form template has at most 500 fields, and this one has 600. Remove some.',
    ])
  })
})
