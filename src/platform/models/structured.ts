import type { Static, TSchema } from 'typebox'
import { conforms } from '#kernel/json-schema.ts'
import { ModelFailed } from './failure.ts'

/** What every endpoint knows of JSON Schema. The rest is checked here, and some refuse a schema with words that they do not know. */
const known = ['type', 'description', 'enum', 'const', 'required', 'additionalProperties']

/** A schema as it is sent. */
export function wireSchema(schema: TSchema): Record<string, unknown> {
  const given = schema as unknown as Record<string, unknown>
  const sent: Record<string, unknown> = {}
  for (const word of known) if (given[word] !== undefined) sent[word] = given[word]
  const { properties, items, anyOf } = given as {
    properties?: Record<string, TSchema>
    items?: TSchema
    anyOf?: TSchema[]
  }
  if (Array.isArray(given.enum) && given.enum.every(each => typeof each === 'string')) sent.type = 'string'
  if (properties) {
    sent.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, wireSchema(each)]))
    sent.additionalProperties = false
  }
  if (items) sent.items = wireSchema(items)
  if (anyOf) sent.anyOf = anyOf.map(wireSchema)
  return sent
}

/** Also from between fences, and from among words before and after it. */
function parsed(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/i.exec(text)?.[1]
  const braced = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  for (const each of [text, fenced, braced]) {
    if (!each) continue
    try {
      return JSON.parse(each)
    } catch {}
  }
  return undefined
}

/** The value that a text is, as the schema has it. */
export function readStructured<S extends TSchema>(text: string, schema: S): Static<S> {
  const value = parsed(text)
  if (value === undefined) throw new ModelFailed('malformed', 'What it answers is no JSON')
  if (!conforms(schema, value)) throw new ModelFailed('malformed', 'What it answers is not what was asked for')
  return value
}

/** For an endpoint that takes no schema beside the question. */
export const withSchema = (system: string, schema: TSchema) =>
  `${system}\n\nAnswer with one JSON object and nothing else. It is valid by this JSON Schema:\n${JSON.stringify(wireSchema(schema))}`
