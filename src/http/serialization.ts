import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance } from 'fastify'
import { outgoingFormats } from './validation.ts'

type SerializerCompiler = NonNullable<FastifyInstance['serializerCompiler']>

// Our formats say what may come in; what goes out is written as it is.
const compile = SerializerSelector()({}, { ajv: { formats: outgoingFormats } })

/** Each writer of answers is made with its first answer: most of those of some hundred routes are never needed by a process. */
export const serializerCompiler: SerializerCompiler = ({ schema, method, url, httpStatus = '' }) => {
  let write: ReturnType<typeof compile> | undefined
  return data => {
    write ??= compile({ schema, method, url, httpStatus })
    return write(data)
  }
}
