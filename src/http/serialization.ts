import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'
import { outgoingFormats } from './validation.ts'

type SerializerCompiler = NonNullable<FastifyInstance['serializerCompiler']>

// Our formats say what may come in; what goes out is written as it is. Half of the time that Ajv takes for a schema is for tidier code.
const compile = SerializerSelector()({}, { ajv: { formats: outgoingFormats, code: { optimize: false } } })

type Write = ReturnType<typeof compile>
/** By the text of the schema: what several routes answer, such as a document, is compiled once for all of them. */
const writers = new Map<string, Write>()

/** Each writer of answers is made with its first answer: most of those of some hundred routes are never needed by a process. */
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
