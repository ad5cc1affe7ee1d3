import {
  conditionsOf,
  type Field,
  type FieldType,
  fieldsOf,
  isAttached,
  isTyped,
  lengthsOf,
  type Section,
} from './definition.ts'

/** The kind of record that the id in a field names. */
const targets: Partial<Record<FieldType, string>> = {
  document_picker: 'document',
  capa_picker: 'capa',
  image: 'attachment',
  file: 'attachment',
}

function constraintsOf(field: Field): object {
  if (isTyped(field)) {
    const { min, max } = lengthsOf(field)
    const length = { type: 'string', maxLength: max, format: 'plain-text' }
    if (field.required) return { ...length, ...(min > 1 && { minLength: min }), pattern: '\\S' }
    return { ...length, ...(min > 1 && { anyOf: [{ minLength: min }, { pattern: '^\\s*$' }] }) }
  }
  if (field.type === 'select')
    return { type: 'string', oneOf: field.options?.map(({ value, label }) => ({ const: value, title: label })) }
  return {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    'x-references': targets[field.type],
  }
}

const propertyOf = (field: Field) => ({
  title: field.label,
  ...(field.help && { description: field.help }),
  ...constraintsOf(field),
  'x-field-type': field.type,
})

function objectOf(fields: readonly Field[], isComplete: boolean) {
  const required = fields.filter(field => field.required && (isComplete || !isAttached(field)))
  return {
    properties: Object.fromEntries(fields.map(field => [field.key, propertyOf(field)])),
    ...(required.length > 0 && { required: required.map(({ key }) => key) }),
  }
}

interface Titled {
  name: string
  description: string | null
  sections: readonly Section[]
}

/**
 * The JSON Schema of the values that `readValues` accepts. A conditional field is declared in the `then` of its condition, so that a form
 * shows it only then. `propertyNames` closes the object, because a value for a hidden field is not an error.
 */
export function jsonSchemaOf({ name, description, sections }: Titled, { isComplete }: { isComplete: boolean }) {
  const fields = fieldsOf(sections)
  const byKey = new Map(fields.map(field => [field.key, field]))
  const hanging = Map.groupBy(
    fields.filter(({ visible_when }) => visible_when),
    field => JSON.stringify(field.visible_when),
  )
  const branches = [...hanging.values()].map(group => {
    const conditions = conditionsOf(group[0]!, byKey)
    return {
      if: {
        properties: Object.fromEntries(conditions.map(({ field, equals }) => [field, { const: equals }])),
        required: conditions.map(({ field }) => field),
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: objectOf(group, isComplete),
    }
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    ...(description && { description }),
    type: 'object',
    propertyNames: { enum: fields.map(({ key }) => key) },
    ...objectOf(
      fields.filter(({ visible_when }) => !visible_when),
      isComplete,
    ),
    ...(branches.length > 0 && { allOf: branches }),
    'x-sections': sections.map(section => ({
      key: section.key,
      title: section.title,
      ...(section.description && { description: section.description }),
      fields: section.fields.map(({ key }) => key),
    })),
  }
}
