// Writes web/src/api/operations.generated.ts from the API's description: the shapes of every operation, by its name. `--check` fails when
// the committed file is stale.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readConfig } from '#platform/config.ts'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { createLog } from '#platform/log/log.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { openService } from '../src/commands/service.ts'

const target = new URL('../web/src/api/operations.generated.ts', import.meta.url)

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  description?: string
  format?: string
}
type Content = Record<string, { schema: Schema }>
interface Operation {
  summary: string
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

/** The description as it is served. It comes from the routes alone: neither database nor storage is opened. */
async function describe(): Promise<{ paths: Record<string, Record<string, Operation>> }> {
  const config = readConfig({ SECRET_KEY: randomBytes(32).toString('base64') })
  const log = createLog({ format: 'text', level: 'critical', write() {} })
  const database = new Database(openPool({}, log))
  // Neither is used, because no route runs.
  const [storage, signingKey] = [{} as FileStorage, {} as SigningKey]
  const outside = { database, storage, signingKey, auditKey: signingKey, previousAuditKey: undefined }
  const { server, close } = await openService(config, log, { outside })
  const reply = await server.inject('/docs/json')
  await close()
  return reply.json()
}

/** Types for the kinds of schema that our routes have; another kind is an error here, not an `unknown` there. */
function typeOf(schema: Schema): string {
  const { type, enum: values, const: value, anyOf, properties, required = [], additionalProperties, items } = schema
  if (values) return values.map(each => JSON.stringify(each)).join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (Array.isArray(type)) return type.map(each => typeOf({ ...schema, type: each })).join(' | ')
  switch (type) {
    case 'object': {
      const fields = Object.entries(properties ?? {}).map(([name, field]) => {
        const comment = field.description ? `/** ${field.description.replaceAll('*/', '* /')} */ ` : ''
        return `${comment}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`
      })
      const others = typeof additionalProperties === 'object' ? `Record<string, ${typeOf(additionalProperties)}>` : ''
      if (fields.length === 0) return others || 'Record<string, unknown>'
      return `{ ${fields.join('; ')} }${others && ` & ${others}`}`
    }
    case 'array':
      return `(${typeOf(items ?? {})})[]`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'boolean':
    case 'null':
      return type
    case undefined:
      return 'unknown'
    default:
      throw new Error(`no type is known for the schema ${JSON.stringify(schema)}`)
  }
}

const recordOf = (fields: string[]) => (fields.length > 0 ? `{ ${fields.join('; ')} }` : 'undefined')

function answerOf(content: Content | undefined) {
  if (content === undefined || Object.keys(content).length === 0) return 'undefined'
  const json = content['application/json']?.schema
  return json ? typeOf(json) : 'Blob'
}

function typeOfOperation(name: string, { summary, parameters = [], requestBody, responses }: Operation) {
  const given = (place: string) =>
    parameters
      .filter(each => each.in === place)
      .map(each => `${JSON.stringify(each.name)}${each.required ? '' : '?'}: ${typeOf(each.schema)}`)
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const json = requestBody?.content['application/json']?.schema
  const body = requestBody?.content['multipart/form-data'] ? 'FormData' : json ? typeOf(json) : 'undefined'
  return `  /** ${summary}. */
  ${JSON.stringify(name)}: {
    path: ${recordOf(given('path'))}
    query: ${recordOf(given('query'))}
    body: ${body}
    answer: ${answerOf(success?.content)}
  }`
}

const { paths } = await describe()
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => typeOfOperation(`${method.toUpperCase()} ${path}`, operation)),
)
const text = `// Generated by tools/generate-client.ts from the API's description. Do not edit.

export interface Operations {
${operations.join('\n')}
}
`

if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  console.error('web/src/api/operations.generated.ts is stale: run node tools/generate-client.ts')
  process.exitCode = 1
}
