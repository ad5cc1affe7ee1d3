// For any template that is taken: what its JSON Schema says of a filled-in form, the service says too.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { readValues } from './data-rules.ts'
import { type Field, FieldType, fieldsOf, isTyped, type Section } from './definition.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { starterForm } from './starter.ts'
import { checkSections } from './template-rules.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('plain-text', (text: string) => !text.includes('\0') && text.isWellFormed())

const values = ['a', 'b', 'c']
const keys = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']

const field = (key: string, earlier: readonly Field[]): fc.Arbitrary<Field> => {
  const selects = earlier.filter(({ type }) => type === 'select').map(each => each.key)
  return fc
    .record({
      // Half of them selects, so that much hangs on something.
      type: fc.oneof(fc.constant('select' as const), fc.constantFrom(...FieldType.enum)),
      required: fc.option(fc.boolean(), { nil: undefined }),
      min: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
      max: fc.option(fc.integer({ min: 4, max: 6 }), { nil: undefined }),
      options: fc.subarray(values, { minLength: 1 }),
      other: fc.option(fc.constantFrom(...(selects.length > 0 ? selects : ['none'])), { nil: undefined }),
      equals: fc.constantFrom(...values),
    })
    .map(({ type, required, min, max, options, other, equals }) => {
      const taken = earlier.find(each => each.key === other)?.options?.some(({ value }) => value === equals)
      const isText = type === 'text' || type === 'textarea'
      return {
        key,
        label: key,
        type,
        ...(required !== undefined && { required }),
        ...(isText && min !== undefined && { min }),
        ...(isText && max !== undefined && { max }),
        ...(type === 'select' && { options: options.map(value => ({ value, label: value })) }),
        ...(other && taken && { visible_when: { field: other, equals } }),
      }
    })
}

const sections: fc.Arbitrary<Section[]> = fc
  .tuple(fc.shuffledSubarray(keys, { minLength: 1 }), fc.integer({ min: 1, max: 3 }))
  .chain(([chosen, size]) =>
    chosen
      .reduce<fc.Arbitrary<Field[]>>(
        (made, key) => made.chain(earlier => field(key, earlier).map(next => [...earlier, next])),
        fc.constant([]),
      )
      .map(fields =>
        Array.from({ length: Math.ceil(fields.length / size) }, (_, i) => ({
          key: `s${i}`,
          title: 'Section',
          fields: fields.slice(i * size, (i + 1) * size),
        })),
      ),
  )

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(' ', '\u00a0', '\u2028', '\ufeff', '\n', 'x', '\u{1f9ea}'), maxLength: 8 }),
  fc.constantFrom('\0', '\ud800', ''),
)
/** Mostly what the field takes: where one of seven values is at random, hardly any form would be taken. */
const valueFor = (each: Field): fc.Arbitrary<unknown> => {
  const right: fc.Arbitrary<unknown> = isTyped(each)
    ? fc.string({ unit: 'grapheme', minLength: each.min ?? 1, maxLength: 6 })
    : each.type === 'select'
      ? fc.constantFrom(...each.options!.map(({ value }) => value))
      : fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  const any = fc.oneof(text, fc.jsonValue({ maxDepth: 1 }), fc.integer(), fc.double(), fc.constantFrom(...values))
  return fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: any })
}
const dataFor = (made: readonly Section[]): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.record(Object.fromEntries(fieldsOf(made).map(each => [each.key, valueFor(each)])), { requiredKeys: [] }),
      fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.dictionary(fc.constantFrom('other', 'toString'), text)),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }))

// proves: DEV-02
it('the schema takes a form exactly where the service does, and what is kept is taken again as it is', () => {
  let taken = 0
  let hidden = 0
  const runs = 300
  fc.assert(
    fc.property(
      sections.chain(made => fc.tuple(fc.constant(made), dataFor(made), fc.boolean())),
      ([made, data, isComplete]) => {
        assert.deepEqual(checkSections(made), [])
        const { values: kept, issues } = readValues(made, data, { isComplete })
        const isValid = ajv.compile(jsonSchemaOf({ name: 'Form', description: null, sections: made }, { isComplete }))
        assert.equal(isValid(data), issues.length === 0, JSON.stringify({ errors: isValid.errors, issues }))
        if (issues.length > 0) return
        taken += 1
        if (Object.keys(kept).length < Object.keys(data).length) hidden += 1
        assert.ok(isValid(kept))
        assert.deepEqual(readValues(made, kept, { isComplete }), {
          ...readValues(made, data, { isComplete }),
          values: kept,
        })
      },
    ),
    { numRuns: runs },
  )
  // Otherwise the two might agree only in refusing.
  assert.ok(taken > runs / 10 && taken < (runs * 9) / 10, `${taken} of ${runs} were taken`)
  assert.ok(hidden > runs / 100, `${hidden} of ${runs} were taken without a part`)
})

it('any template is refused or taken at once, whatever its fields hang on', () => {
  const options = values.map(value => ({ value, label: value }))
  const anywhere = fc.array(
    fc.record({
      key: fc.constantFrom(...keys),
      other: fc.option(fc.constantFrom(...keys)),
      equals: fc.constantFrom(...values),
    }),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(anywhere, made => {
      const fields = made.map(({ key, other, equals }): Field => {
        const hanging = other === null ? {} : { visible_when: { field: other, equals } }
        return { key, label: key, type: 'select', options, ...hanging }
      })
      const hangsOnLater = fields.some(
        ({ visible_when }, i) => visible_when && !fields.slice(0, i).some(({ key }) => key === visible_when.field),
      )
      const faults = checkSections([{ key: 's', title: 'S', fields }])
      if (hangsOnLater) assert.ok(faults.length > 0)
    }),
  )
})

it('the form of every new tenant is sound, and its schema one that a strict validator compiles', () => {
  assert.deepEqual(checkSections(starterForm.sections), [])
  const strict = new Ajv2020({ keywords: ['x-field-type', 'x-references', 'x-sections'], strictRequired: false })
  strict.addFormat('plain-text', true)
  strict.compile(jsonSchemaOf(starterForm, { isComplete: true }))
})
