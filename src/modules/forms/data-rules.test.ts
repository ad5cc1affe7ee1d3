import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readValues } from './data-rules.ts'
import type { Section } from './definition.ts'

const sections: Section[] = [
  {
    key: 's',
    title: 'S',
    fields: [
      { key: 'line', label: 'Line', type: 'text', required: true, min: 2, max: 5 },
      { key: 'note', label: 'Note', type: 'textarea', min: 3 },
      {
        key: 'affected',
        label: 'Affected',
        type: 'select',
        options: [
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No' },
        ],
      },
      {
        key: 'batch',
        label: 'Batch',
        type: 'text',
        required: true,
        visible_when: { field: 'affected', equals: 'yes' },
      },
      { key: 'sop', label: 'SOP', type: 'document_picker' },
      { key: 'capa', label: 'CAPA', type: 'capa_picker' },
      { key: 'photo', label: 'Photo', type: 'image', required: true },
      { key: 'chart', label: 'Chart', type: 'file' },
    ],
  },
]
const read = (data: Record<string, unknown>, isComplete = false) => readValues(sections, data, { isComplete })
const faults = (data: Record<string, unknown>, isComplete = false) =>
  read({ line: 'L1', ...data }, isComplete).issues.map(({ loc, type }) => [loc.join('.'), type])

// proves: DEV-02
describe('what is filled into a form', () => {
  it('is kept as it was written', () => {
    const data = { line: ' L1 ', note: 'Two\nlines', affected: 'yes', batch: 'B7', sop: 1, capa: 4, photo: 5, chart: 6 }
    const { values, pointers, issues } = read(data, true)
    assert.deepEqual({ values, issues }, { values: data, issues: [] })
    assert.deepEqual(
      pointers.map(({ key, id }) => [key, id]),
      [
        ['sop', 1],
        ['capa', 4],
        ['photo', 5],
        ['chart', 6],
      ],
    )
  })

  it('is refused where the form has no such field', () => {
    for (const key of ['other', 'Line', 'toString', '__proto__', 'constructor', ''])
      assert.deepEqual(faults(JSON.parse(JSON.stringify({ x: 1 }).replace('x', key))), [
        [`body.form_data.${key}`, 'extra_forbidden'],
      ])
  })

  it('is refused where it is of another type', () => {
    for (const value of [1, null, true, [], {}, ['L1']]) {
      assert.deepEqual(faults({ line: value }), [['body.form_data.line', 'wrong_type']])
      assert.deepEqual(faults({ affected: value }), [['body.form_data.affected', 'not_allowed_value']])
    }
    for (const key of ['sop', 'capa', 'photo', 'chart'])
      for (const value of ['1', 0, -1, 1.5, 2 ** 53, Number.NaN, null, [1], { id: 1 }])
        assert.deepEqual(faults({ [key]: value }), [[`body.form_data.${key}`, 'form_id_required']])
  })

  it('is as long as the field says, in characters, whatever they take up', () => {
    assert.deepEqual(faults({ line: 'x' }), [['body.form_data.line', 'too_short']])
    assert.deepEqual(faults({ line: 'x'.repeat(6) }), [['body.form_data.line', 'too_long']])
    assert.deepEqual(faults({ line: '\u{1f9ea}'.repeat(5) }), [])
    assert.deepEqual(faults({ line: '\u{1f9ea}'.repeat(6) }), [['body.form_data.line', 'too_long']])
    assert.deepEqual(faults({ line: '\u{1f9ea}' }), [['body.form_data.line', 'too_short']])
    assert.deepEqual(faults({ note: 'x'.repeat(20_001) }), [['body.form_data.note', 'too_long']])
    for (const text of ['a\0b', '\ud800 x'])
      assert.deepEqual(faults({ line: text }), [['body.form_data.line', 'unreadable_text']])
  })

  it('is one of the options where there are some', () => {
    for (const value of ['maybe', 'Yes', '', ' yes'])
      assert.deepEqual(faults({ affected: value }), [['body.form_data.affected', 'not_allowed_value']])
  })

  it('is refused by a sentence that says what it must be', () => {
    const said = (data: Record<string, unknown>) => read(data).issues.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`)
    assert.deepEqual(said({ line: 1, note: 'x', affected: 'maybe', sop: '3', other: 1 }), [
      'other: This request has no such field. Correct its name or leave it out.',
      'line: Enter text.',
      'note: Enter at least 3 characters.',
      'affected: Choose one of these values: yes, no.',
      'sop: Enter the id of a record or of an attachment.',
    ])
    assert.deepEqual(said({ line: 'x'.repeat(6) }), ['line: Enter at most 5 characters.'])
    assert.deepEqual(said({}), ['line: Enter a value.'])
  })

  it('is missing where it is required and blank, and not there where it may be', () => {
    for (const blank of ['', '  ', '\n\t', '\u00a0']) {
      assert.deepEqual(faults({ line: blank }), [['body.form_data.line', 'missing']])
      const { values, issues: none } = read({ line: 'L1', note: blank })
      assert.deepEqual([values, none], [{ line: 'L1' }, []])
    }
    assert.deepEqual(
      read({}).issues.map(({ loc, type }) => [loc.at(-1), type]),
      [['line', 'missing']],
    )
  })

  it('is asked for, and kept, only where the field is there', () => {
    assert.deepEqual(faults({ affected: 'yes' }), [['body.form_data.batch', 'missing']])
    assert.deepEqual(faults({ affected: 'no' }), [])
    for (const stale of ['B7', '', 12, null]) {
      assert.deepEqual(read({ line: 'L1', affected: 'no', batch: stale }).values, { line: 'L1', affected: 'no' })
      assert.deepEqual(read({ line: 'L1', batch: stale }).values, { line: 'L1' })
    }
  })

  it('may be without its files and images until it goes to its approval', () => {
    assert.deepEqual(faults({}, false), [])
    assert.deepEqual(faults({}, true), [['body.form_data.photo', 'form_attachment_required']])
    assert.deepEqual(faults({ photo: 5 }, true), [])
  })
})
