// The form of a tenant: its JSON Schema as fields. A field of a condition is in the `then` of that condition.
import { textOf } from '../../app/addresses.ts'

interface Property {
  title: string
  description?: string
  'x-field-type': 'text' | 'textarea' | 'select' | 'document_picker' | 'capa_picker' | 'image' | 'file'
  oneOf?: { const: string; title: string }[]
  maxLength?: number
}
interface Part {
  properties?: Record<string, Property>
  required?: string[]
}
interface Condition {
  if: { properties: Record<string, { const: string }> }
  then: Part
}
interface Schema extends Part {
  allOf?: Condition[]
  'x-sections': { key: string; title: string; description?: string; fields: string[] }[]
}

export interface FormField extends Pick<Property, 'title' | 'description' | 'maxLength'> {
  key: string
  type: Property['x-field-type']
  isRequired: boolean
  options: { id: string; name: string }[]
}
export interface FormSection {
  key: string
  title: string
  description?: string | undefined
  fields: FormField[]
}

/** The sections with the fields that are visible with these values, in their order. */
export function formOf(schema: Record<string, unknown>, values: Record<string, unknown>): FormSection[] {
  const { allOf = [], 'x-sections': sections, ...plain } = schema as unknown as Schema
  const holds = ({ if: { properties } }: Condition) =>
    Object.entries(properties).every(([key, each]) => values[key] === each.const)
  const parts: Part[] = [plain, ...allOf.filter(holds).map(({ then }) => then)]
  const properties = Object.assign({}, ...parts.map(part => part.properties ?? {})) as Record<string, Property>
  const required = new Set(parts.flatMap(part => part.required ?? []))
  return sections
    .map(({ key, title, description, fields }) => ({
      key,
      title,
      description,
      fields: fields
        .filter(each => each in properties)
        .map(each => fieldOf(each, properties[each]!, required.has(each))),
    }))
    .filter(({ fields }) => fields.length > 0)
}

const fieldOf = (key: string, property: Property, isRequired: boolean): FormField => ({
  key,
  title: property.title,
  ...(property.description && { description: property.description }),
  ...(property.maxLength && { maxLength: property.maxLength }),
  type: property['x-field-type'],
  isRequired,
  options: (property.oneOf ?? []).map(each => ({ id: each.const, name: each.title })),
})

/** The values of the fields that are visible; what is empty is no value. */
export function readForm(sections: FormSection[], values: Record<string, unknown>): Record<string, unknown> {
  const keys = sections.flatMap(({ fields }) => fields.map(({ key }) => key))
  return Object.fromEntries(
    keys
      .map((key): [string, unknown] => [key, values[key]])
      .filter(([, value]) => value !== undefined && value !== null && textOf(value).trim() !== ''),
  )
}
