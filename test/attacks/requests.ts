// Requests made from the description of the API as anybody may read it: most of them nearly right, which is what gets furthest.
import fc from 'fast-check'
import type { Schema } from '#test/builders/samples.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}
interface Answer {
  content?: Record<string, { schema?: object }>
}
export interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer>
}
export interface Description {
  paths: Record<string, Record<string, Operation>>
}

export interface Request {
  path: string
  headers: Record<string, string>
  body: { type: string; content: unknown } | undefined
}

/** The ids to try at a place: of one's own, of another tenant, of nobody; by the name of the place where it is known. */
export type IdsOf = (place: string) => readonly number[]

const hostile = [
  ...[
    '',
    ' ',
    'a\0b',
    '\ud800',
    '\u202egpj.exe',
    '👩‍🔬 "quoted" \\back',
    "'; drop table users; --",
    '%_\\',
    '../../etc/passwd',
  ],
  ...[
    '<script>alert(1)</script>',
    '{{7*7}}',
    '=1+1',
    '__proto__',
    'constructor',
    'null',
    '1e3',
    '٣',
    '2026-02-30',
    'infinity',
  ],
  ...['2026-12-31T23:59:60Z', '2026-01-01T00:00:00+23:59', '294277-01-01', '\r\nX-Injected: 1', 'x'.repeat(3_000)],
]
const numbers = [0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, -0]

const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('acmes', 'text', 'Cleaning of line 3', 'draft', 'name') },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  fc.string({ unit: 'binary', maxLength: 60 }),
)
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(...hostile, ...numbers, null, true, [], {}),
)
const days = fc.date({ min: new Date('1990-01-01'), max: new Date('2210-01-01'), noInvalidDate: true })

/** One time in `n` something else. */
const seldom = <T>(n: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: n - 1, arbitrary: usual }, { weight: 1, arbitrary: other })

export function requestsOf(path: string, { parameters = [], requestBody }: Operation, idsOf: IdsOf) {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const of = (place: Parameter['in']) => parameters.filter(parameter => parameter.in === place)
  const values = (place: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        of(place).map(({ name, schema }) => [name, nearly(schema, place === 'path' ? `${path} ${name}` : name, idsOf)]),
      ),
      { requiredKeys: of(place).flatMap(({ name, required }) => (required ? [name] : [])) },
    )
  return fc
    .record({
      inPath: values('path'),
      query: seldom(40, values('query'), fc.dictionary(texts, texts, { maxKeys: 3 })) as fc.Arbitrary<
        Record<string, unknown>
      >,
      inHeader: values('header'),
      headers: seldom(
        20,
        fc.constant({}),
        fc.constantFrom(
          ...[{ 'if-match': '"1"' }, { 'if-match': '*, "x' }, { accept: 'text/event-stream' }, { accept: 'nonsense' }],
          ...[{ range: 'bytes=0-1' }, { range: 'bytes=9-' }, { 'if-none-match': '*' }, { 'content-encoding': 'gzip' }],
          ...[
            { 'x-request-id': '../x' },
            { 'x-forwarded-for': "' or 1=1" },
            { expect: 'other' },
            { 'accept-language': '*;q=9' },
          ],
        ),
      ) as fc.Arbitrary<Record<string, string>>,
      body: content ? seldom(30, nearly(content.schema, '', idsOf), anything) : fc.constant(undefined),
      type: seldom(
        60,
        fc.constant(type ?? 'application/json'),
        fc.constantFrom('text/plain', 'application/xml', 'x'),
      ) as fc.Arbitrary<string>,
    })
    .map(({ inPath, query, inHeader, headers, body, type }): Request => {
      const search = Object.entries(query)
        .flatMap(([name, value]) => [value].flat().map(each => `${encoded(name)}=${encoded(each)}`))
        .join('&')
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]).slice(0, 300) || '0')
      return {
        path: search ? `${filled}?${search}` : filled,
        headers: { ...mapped(inHeader), ...headers },
        body: content && { type, content: body },
      }
    })
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const encoded = (value: unknown) => encodeURIComponent(asText(value).toWellFormed())
const mapped = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), encoded(value)]))

/** Nearly always matches the schema. `place` is the name of the field, by which ids of the right kind are found. */
function nearly(schema: Schema, place: string, idsOf: IdsOf): fc.Arbitrary<unknown> {
  return seldom(30, right(schema, place, idsOf), anything)
}

function right(schema: Schema, place: string, idsOf: IdsOf): fc.Arbitrary<unknown> {
  const ids = idsOf(schema['x-references'] ?? place)
  if (ids.length > 0) return fc.constantFrom(...ids)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(each => right(each, place, idsOf)))
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, nearly(each, name, idsOf)])
      const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: schema.required ?? [],
      })
      const unknown = fc.dictionary(
        fc.constantFrom('id', 'tenant_id', 'is_platform_user', 'created_by', 'revision', 'role', '__proto__'),
        anything,
        { maxKeys: 2 },
      )
      return seldom(
        25,
        known,
        fc.tuple(known, unknown).map(([a, b]) => ({ ...b, ...a })),
      )
    }
    case 'array':
      return fc.array(nearly(schema.items ?? {}, place, idsOf), {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 3,
      })
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? 0, max: (schema.minimum ?? 0) + 20 }),
        fc.constantFrom(...numbers),
      )
    case 'number':
      return fc.oneof(
        fc.double({ noNaN: true, min: schema.minimum ?? 0, max: (schema.minimum ?? 0) + 20 }),
        fc.constantFrom(...numbers),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return textOf(schema)
    default:
      return anything
  }
}

function textOf({ pattern, format }: Schema): fc.Arbitrary<string> {
  if (pattern) return fc.oneof(fc.stringMatching(new RegExp(pattern)), texts)
  if (format === 'date') return days.map(day => day.toISOString().slice(0, 10))
  if (format === 'date-time') return days.map(day => day.toISOString())
  if (format === 'email') return fc.oneof(fc.emailAddress(), texts)
  return texts
}
