import { type Static, Type } from 'typebox'
import { Body, OneOf, Text, Words } from '#kernel/schema.ts'

const keyPattern = '^[a-z][a-z0-9_]{0,39}$'
const Key = Type.String({
  pattern: keyPattern,
  examples: ['batch_number'],
  description: 'Lower-case letters, digits and _; no two fields of a template have the same, whatever their sections',
})

export const FieldType = OneOf('text', 'textarea', 'select', 'document_picker', 'capa_picker', 'image', 'file')
export type FieldType = Static<typeof FieldType>

/** The greatest length of a text: the default of `max`, and its upper limit. */
export const maxCharacters = { text: 1_000, textarea: 20_000 } as const

const Limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: maxCharacters.textarea, description }))

const VisibleWhen = Body({
  field: Type.String({
    pattern: keyPattern,
    examples: ['batch_number'],
    description:
      'An earlier select. The field is visible only while that select has this value; a value for a hidden field is not stored',
  }),
  equals: Words(100),
})

export const Field = Body({
  key: Key,
  label: Words(200),
  type: FieldType,
  required: Type.Optional(
    Type.Boolean({
      description:
        'Required while the field is visible. A file or image is required only when the record is submitted for approval, because it can be attached only to a stored record',
    }),
  ),
  help: Type.Optional(Text({ maxLength: 1000 })),
  options: Type.Optional(
    Type.Array(Body({ value: Words(100), label: Words(200) }), {
      minItems: 1,
      maxItems: 200,
      description: 'The options of a select; other fields have none',
    }),
  ),
  min: Limit('The least length of a text or textarea, in characters'),
  max: Limit(
    'The greatest length of a text or textarea, in characters; by default 1,000 for a text and 20,000 for a textarea',
  ),
  visible_when: Type.Optional(VisibleWhen),
})
export type Field = Static<typeof Field>

export const Section = Body({
  key: Key,
  title: Words(200),
  description: Type.Optional(Text({ maxLength: 2000 })),
  fields: Type.Array(Field, { minItems: 1, maxItems: 100 }),
})
export type Section = Static<typeof Section>

/** `checkSections` checks the rules between fields, which a schema cannot express. */
export const Sections = Type.Array(Section, { minItems: 1, maxItems: 50 })

export const fieldsOf = (sections: readonly Section[]): Field[] => sections.flatMap(({ fields }) => fields)

export type TypedField = Field & { type: 'text' | 'textarea' }
export const isTyped = (field: Field): field is TypedField => field.type === 'text' || field.type === 'textarea'
export const isAttached = ({ type }: Field) => type === 'image' || type === 'file'
export const lengthsOf = ({ type, min = 0, max }: TypedField) => ({ min, max: max ?? maxCharacters[type] })

/** Every condition for a field to be visible: its own, and those of the field that it depends on. */
export function conditionsOf(field: Field, fields: ReadonlyMap<string, Field>): { field: string; equals: string }[] {
  const conditions = []
  for (let each: Field | undefined = field; each?.visible_when; each = fields.get(each.visible_when.field))
    conditions.unshift(each.visible_when)
  return conditions
}
