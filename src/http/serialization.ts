import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'
import { outgoingFormats } from './validation.ts'

type SerializerCompiler = NonNullable<FastifyInstance['serializerCompiler']>

// Formats restrict input only. Without optimization Ajv compiles a schema in half of the time.
const compile = SerializerSelector()({}, { ajv: { formats: outgoingFormats, code: { optimize: false } } })

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
    const known = writers.get(text) ?? compile({ schema, method, url, httpStatus })
    writers.set(text, known)
    return known
  }
}
