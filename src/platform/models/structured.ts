import type { Static, TSchema } from 'typebox'
import { conforms } from '#kernel/json-schema.ts'
import { ModelFailed } from './failure.ts'

/** The keywords that every endpoint knows. Some refuse a schema with others, so these are only checked here. */
const known = ['type', 'description', 'enum', 'const', 'required', 'additionalProperties']

/** The schema that is sent. */
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

/** Parses JSON, also from a code fence or from within other text. */
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

/** The value in the text, valid by the schema. */
export function readStructured<S extends TSchema>(text: string, schema: S): Static<S> {
  const value = parsed(text)
  if (value === undefined) throw new ModelFailed('malformed', 'What it answers is no JSON')
  if (!conforms(schema, value)) throw new ModelFailed('malformed', 'What it answers is not what was asked for')
  return value
}

/** For an endpoint without a parameter for the schema. */
export const withSchema = (system: string, schema: TSchema) =>
  `${system}\n\nAnswer with one JSON object and nothing else. It is valid by this JSON Schema:\n${JSON.stringify(wireSchema(schema))}`
