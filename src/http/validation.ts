import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { type Issue, invalid, issueAt } from '#kernel/errors.ts'
import { isPlain, openValidator } from '#kernel/json-schema.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

// A body is taken as sent: coercion would store "" for null, and drop misspelt fields without a word.
const open = ({ allErrors }: { allErrors: boolean }) => {
  // Without optimization a schema is compiled in half of the time.
  const code = { optimize: false }
  const ajv = openValidator({ allErrors, useDefaults: true, coerceTypes: false, removeAdditional: false, code })
  // Ajv compares each item with each other one, which takes minutes for as many as fit into a body. A set takes no time, and suffices for
  // the lists of words and numbers that schemas have.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    validate: (isUnique: boolean, items: unknown[]) => !isUnique || new Set(items).size === items.length,
  })
  return ajv
}
/** Ajv cannot stop after some issues: of a value with more parts than any form has, it looks for the first one only. */
const maxParts = 2000

function hasManyParts(value: unknown): boolean {
  let parts = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const each = waiting.pop()
    if (typeof each !== 'object' || each === null) continue
    const inside = Object.values(each)
    parts += inside.length
    if (parts > maxParts) return true
    waiting.push(...inside)
  }
  return false
}

/** For the writer of answers, which knows no formats of ours and would say so of each. */
export const outgoingFormats = { 'plain-text': true, words: true } as const

interface Place {
  /** The value that was sent. */
  value: unknown
  /** The schema of the value. */
  schema: { examples?: readonly unknown[] } | undefined
}

function messageOf({ keyword, params }: ErrorObject, { value, schema }: Place): Message {
  switch (keyword) {
    case 'required':
      return messages.missing()
    case 'additionalProperties':
      return messages.extra_forbidden()
    case 'type':
      return messages.wrong_type({ expected: [params.type].flat().join(' or ') })
    case 'enum':
      return messages.not_allowed_value({ allowed: params.allowedValues })
    case 'const':
      return messages.not_allowed_value({ allowed: [params.allowedValue] })
    case 'minLength':
      return messages.too_short({ minimum: params.limit })
    case 'maxLength':
      return messages.too_long({ maximum: params.limit })
    case 'minimum':
      return messages.too_small({ minimum: params.limit })
    case 'maximum':
      return messages.too_large({ maximum: params.limit })
    case 'minItems':
      return messages.too_few_items({ minimum: params.limit })
    case 'maxItems':
    case 'maxProperties':
      return messages.too_many_items({ maximum: params.limit })
    case 'uniqueItems':
      return messages.duplicate_items()
    case 'pattern':
      return messages.wrong_pattern({ pattern: params.pattern, example: exampleOf(schema) })
    case 'format':
      return messageOfFormat(params.format, value)
    default:
      return messages.invalid_value()
  }
}

const exampleOf = (schema: Place['schema']) => (schema?.examples ? String(schema.examples[0]) : null)

function messageOfFormat(format: string, value: unknown): Message {
  switch (format) {
    case 'words':
      return isPlain(String(value)) ? messages.too_short({ minimum: 1 }) : messages.unreadable_text()
    case 'plain-text':
      return messages.unreadable_text()
    case 'date':
      return messages.invalid_day()
    case 'date-time':
      return messages.invalid_moment()
    case 'email':
      return messages.invalid_email()
    default:
      return messages.invalid_value()
  }
}

/** The steps of a JSON pointer, such as `/items/0` or `#/properties/items`. */
const stepsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const at = (value: unknown, steps: readonly string[]) =>
  steps.reduce<unknown>((each, step) => (each as Record<string, unknown> | undefined)?.[step], value)

function issueOf(part: string, error: ErrorObject, { value, schema }: { value: unknown; schema: TSchema }): Issue {
  const steps = stepsOf(error.instancePath)
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>
  const loc = [part, ...steps.map(step => (/^\d+$/.test(step) ? Number(step) : step))]
  const field = missingProperty ?? additionalProperty
  const place = {
    value: at(value, steps),
    schema: at(schema, stepsOf(error.schemaPath).slice(0, -1).map(decodeURIComponent)) as Place['schema'],
  }
  return issueAt(field === undefined ? loc : [...loc, field], messageOf(error, place))
}

/** Enough to correct any real request by. */
const maxIssues = 20

/** A wrong value that may also be null is one mistake: that it is not null either is left out. */
function issuesOf(part: string, errors: ErrorObject[], checked: { value: unknown; schema: TSchema }): Issue[] {
  const own = errors.filter(
    ({ keyword, params, schemaPath }) =>
      !(keyword === 'anyOf' || (schemaPath.includes('/anyOf/') && keyword === 'type' && params.type === 'null')),
  )
  const issues = (own.length > 0 ? own : errors).slice(0, maxIssues).map(error => issueOf(part, error, checked))
  return [...new Map(issues.map(issue => [JSON.stringify(issue), issue])).values()]
}

interface FlatType {
  type?: string
  anyOf?: readonly { type?: string }[]
}
type FlatSchema = { properties?: Record<string, FlatType & { items?: FlatType }> }

/** A query string, a path and a form have strings alone, so whole numbers and booleans are read from them. */
function readStrings(schema: FlatSchema, data: unknown) {
  const values = Object.entries((data ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const { items, ...own } = schema.properties?.[name] ?? {}
    if (own.type === 'array')
      return [name, (Array.isArray(value) ? value : [value]).map(each => readString(typeIn(items ?? {}), each))]
    return [name, readString(typeIn(own), value)]
  })
  return Object.fromEntries(values)
}
/** An id or a word, such as `none`, is read as the number that it may be. */
const typeIn = ({ type, anyOf }: FlatType) =>
  type ?? (anyOf?.some(each => each.type === 'integer') ? 'integer' : undefined)

function readString(type: string | undefined, value: unknown) {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?(0|[1-9]\d{0,14}|[1-8]\d{15})$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** SVC-10: an endpoint without pages ignores the parameters of paging. */
function withoutPaging(schema: FlatSchema, data: unknown) {
  if (schema.properties?.page) return data
  const { page: _page, page_size: _page_size, ...rest } = (data ?? {}) as Record<string, unknown>
  return rest
}

/** By the schema, and by its text, so that a schema of several routes, such as an id in a path, is compiled once. */
class Checks {
  readonly #ajv: Ajv
  readonly #bySchema = new WeakMap<object, ValidateFunction>()
  readonly #byText = new Map<string, ValidateFunction>()
  constructor(ajv: Ajv) {
    this.#ajv = ajv
  }

  of(schema: TSchema): ValidateFunction {
    const before = this.#bySchema.get(schema)
    if (before) return before
    const text = JSON.stringify(schema)
    const check = this.#byText.get(text) ?? this.#ajv.compile(schema)
    this.#bySchema.set(schema, check)
    this.#byText.set(text, check)
    return check
  }
}
const allIssues = new Checks(open({ allErrors: true }))
const firstIssue = new Checks(open({ allErrors: false }))

/** The value with the defaults of its schema, or the 422 with its first issues. `part` is the first step of each location. */
export function validate(
  schema: TSchema,
  part: 'body' | 'query' | 'path',
  data: unknown,
  { fromText = part !== 'body' } = {},
) {
  // A missing body is treated as an empty one, so that the refusal names the required fields.
  const value = fromText
    ? readStrings(schema as FlatSchema, part === 'query' ? withoutPaging(schema, data) : data)
    : (data ?? {})
  const check = (hasManyParts(value) ? firstIssue : allIssues).of(schema)
  if (!check(value)) throw invalid(...issuesOf(part, check.errors ?? [], { value, schema }))
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
