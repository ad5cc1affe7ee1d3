import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'
import { outgoingFormats } from './validation.ts'

type SerializerCompiler = NonNullable<FastifyInstance['serializerCompiler']>

// Formats restrict input only. Without optimization Ajv compiles a schema in half of the time.
const compile = SerializerSelector()({}, { ajv: { formats: outgoingFormats, code: { optimize: false } } })

interface Schema {
  type?: string
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
}

/**
 * The schema for the writer alone: it would have Ajv look through a value to find out that it is not null, and through the person in it again
 * for their name.
 */
function withNullable({ anyOf, items, properties, ...own }: Schema): Schema {
  const [other, ...more] = anyOf?.filter(({ type }) => type !== 'null') ?? []
  if (anyOf?.length === 2 && other && more.length === 0 && canBeNullable(other))
    return { ...own, ...withNullable(typed(other)), nullable: true } as Schema
  return {
    ...own,
    ...(anyOf && { anyOf }),
    ...(items && { items: withNullable(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, withNullable(each)])),
    }),
  }
}

const isText = ({ enum: values }: Schema) => values?.every(each => typeof each === 'string') ?? false
const canBeNullable = (schema: Schema) => typeof schema.type === 'string' || isText(schema)
const typed = (schema: Schema): Schema => (isText(schema) ? { ...schema, type: 'string' } : schema)

type Write = ReturnType<typeof compile>
/** By the text of the schema, so that a schema of several routes, such as a document, is compiled once. */
const writers = new Map<string, Write>()

/** Compiles a serializer at its first answer, because a process never needs most of them. */
export const serializerCompiler: SerializerCompiler = ({ schema, method, url, httpStatus = '' }) => {
  let write: Write | undefined
  return data => {
    write ??= writerOf()
    return write(data)
  }
  function writerOf(): Write {
    const text = JSON.stringify(schema)
    const known = writers.get(text) ?? compile({ schema: withNullable(schema as Schema), method, url, httpStatus })
    writers.set(text, known)
    return known
  }
}
