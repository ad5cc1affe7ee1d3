import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError, type Issue } from '#kernel/errors.ts'
import { openValidator } from '#kernel/json-schema.ts'

// A body is taken as sent: coercion would store "" for null, and drop misspelt fields without a word.
const ajv = openValidator({ allErrors: true, useDefaults: true, coerceTypes: false, removeAdditional: false })

// Ajv's own compares each item with each other one, which takes minutes for as many as fit into a body. Ours are lists of words.
ajv.removeKeyword('uniqueItems')
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  validate: (isUnique: boolean, items: unknown[]) => !isUnique || new Set(items).size === items.length,
  error: { message: 'must not have the same item twice' },
})

/** For the writer of answers, which knows no formats of ours and would say so of each. */
export const outgoingFormats = { 'plain-text': true, words: true } as const

const messages: Record<string, string> = {
  'plain-text': 'must be text without NUL or unpaired surrogate characters',
  words: 'must not be blank, nor hold NUL or unpaired surrogate characters',
  date: 'must be a day of the calendar from 1900 to 2199, as YYYY-MM-DD',
  'date-time': 'must be a moment such as 2026-03-01T08:30:00Z',
  email: 'must be an e-mail address',
}

function issueOf(part: string, { keyword, instancePath, params, message = 'is wrong' }: ErrorObject): Issue {
  const way = instancePath
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const loc = [part, ...way.map(step => (/^\d+$/.test(step) ? Number(step) : step))]
  switch (keyword) {
    case 'required':
      return { loc: [...loc, params.missingProperty], msg: 'is required', type: 'missing' }
    case 'additionalProperties':
      return {
        loc: [...loc, params.additionalProperty],
        msg: 'is not a field of this request',
        type: 'extra_forbidden',
      }
    case 'enum':
      return { loc, msg: `must be one of ${params.allowedValues.join(', ')}`, type: 'enum' }
    case 'format':
      return { loc, msg: messages[params.format] ?? message, type: `${params.format.replaceAll('-', '_')}_format` }
    default:
      return { loc, msg: message, type: keyword }
  }
}

/** Enough to mend any real request by; a body of a hundred thousand mistakes is not answered by as many sentences. */
const most_issues = 100

/** Of a value that may be null, what is wrong with it is said once, not once more for not being null. */
function issuesOf(part: string, errors: ErrorObject[]): Issue[] {
  const said = errors.filter(
    ({ keyword, params, schemaPath }) =>
      !(keyword === 'anyOf' || (schemaPath.includes('/anyOf/') && keyword === 'type' && params.type === 'null')),
  )
  const issues = (said.length > 0 ? said : errors).slice(0, most_issues).map(error => issueOf(part, error))
  return [...new Map(issues.map(issue => [JSON.stringify(issue), issue])).values()]
}

type FlatSchema = { properties?: Record<string, { type?: string; items?: { type?: string } }> }

/** A query string, a path and a form have strings alone: what reads as a whole number or a truth value becomes one. */
function readStrings(schema: FlatSchema, data: unknown) {
  const values = Object.entries((data ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const { type, items } = schema.properties?.[name] ?? {}
    if (type === 'array')
      return [name, (Array.isArray(value) ? value : [value]).map(each => readString(items?.type, each))]
    return [name, readString(type, value)]
  })
  return Object.fromEntries(values)
}
function readString(type: string | undefined, value: unknown) {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?(0|[1-9]\d{0,14}|[1-8]\d{15})$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** SVC-10: who asks for a page of what has no pages gets it whole, as without the question. */
function pagingApart(schema: FlatSchema, data: unknown) {
  if (schema.properties?.page) return data
  const { page: _page, page_size: _page_size, ...rest } = (data ?? {}) as Record<string, unknown>
  return rest
}

const compiled = new WeakMap<object, ValidateFunction>()

/** The value as the schema has it, or the 422 that says all that is wrong. `part` is the first step of each location. */
export function validate(
  schema: TSchema,
  part: 'body' | 'query' | 'path',
  data: unknown,
  { fromText = part !== 'body' } = {},
) {
  let check = compiled.get(schema)
  if (!check) {
    check = ajv.compile(schema)
    compiled.set(schema, check)
  }
  // Whoever sends no body at all is told which fields it lacks.
  const value = fromText
    ? readStrings(schema as FlatSchema, part === 'query' ? pagingApart(schema, data) : data)
    : (data ?? {})
  if (!check(value)) throw new AppError(422, issuesOf(part, check.errors ?? []))
  return value
}

const partNames = { body: 'body', querystring: 'query', params: 'path', headers: 'header' } as const

export const validatorCompiler: FastifySchemaCompiler<TSchema> =
  ({ schema, httpPart }) =>
  data => {
    try {
      return { value: validate(schema, partNames[httpPart as 'body' | 'querystring' | 'params'], data) }
    } catch (error) {
      return { error: error as Error }
    }
  }
