// The language of an answer: sentences are English within the service, and said in the language of the reader at the edge.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Issue } from '#kernel/errors.ts'
import {
  defaultLanguage,
  type Language,
  languages,
  type Message,
  type MessageParams,
  translate,
  withoutParts,
} from '#kernel/message.ts'
import type { SentenceFields } from '#kernel/schema.ts'

const isLanguage = (name: string): name is Language => (languages as readonly string[]).includes(name)

/** The first of our languages that `Accept-Language` prefers; undefined where it names none. `*` is any other, so it is English. */
export function askedLanguageOf({ headers }: Pick<FastifyRequest, 'headers'>): Language | undefined {
  const asked = headers['accept-language']
  if (asked === undefined) return undefined
  const ranges = asked
    .slice(0, 500)
    .split(',')
    .flatMap(range => {
      const [, name, quality = '1'] =
        /^\s*([a-z]{1,8}|\*)(?:-[a-z0-9-]*)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(range) ?? []
      return name === undefined
        ? []
        : [{ name: name === '*' ? defaultLanguage : name.toLowerCase(), quality: Number(quality) }]
    })
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  return wanted.map(({ name }) => name).find(isLanguage)
}

export const languageOf = (request: Pick<FastifyRequest, 'headers'>): Language =>
  askedLanguageOf(request) ?? defaultLanguage

/** The headers of an answer with sentences. */
export function tellLanguage(reply: FastifyReply, language: Language) {
  reply.header('content-language', language)
  const others = String(reply.getHeader('vary') ?? '')
    .split(/\s*,\s*/)
    .filter(each => each !== '' && each.toLowerCase() !== 'accept-language')
  reply.header('vary', [...others, 'Accept-Language'].join(', '))
}

interface Refusal {
  detail: string | Issue[]
  code: string
  params: MessageParams
}

const issueIn =
  (language: Language) =>
  (issue: Issue): Issue => ({
    ...issue,
    msg: translate(language, { code: issue.type, params: issue.params ?? {} })?.text ?? issue.msg,
    ...(issue.params && { params: withoutParts(issue.params) }),
  })

/** The body of a refusal in a language. */
export const refusalIn = <R extends Refusal>(language: Language, refusal: R): R => ({
  ...refusal,
  detail: Array.isArray(refusal.detail)
    ? refusal.detail.map(issueIn(language))
    : (translate(language, refusal)?.text ?? refusal.detail),
  params: withoutParts(refusal.params),
})

/** Says the sentences in a value. */
type Localize = (value: unknown, language: Language) => unknown

interface Schema {
  'x-said'?: boolean
  'x-sentence'?: SentenceFields
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const sayMessage: Localize = (value, language) => {
  const message = value as Message | null
  return isObject(message) ? (translate(language, message)?.text ?? message.text) : message
}

function sayFields(value: Record<string, unknown>, { text, title }: SentenceFields, language: Language) {
  if (typeof value.code !== 'string') return value
  const params = (value.params ?? {}) as MessageParams
  const said = translate(language, { code: value.code, params })
  return {
    ...value,
    params: withoutParts(params),
    ...(said && { [text]: said.text, ...(title && said.title !== undefined && { [title]: said.title }) }),
  }
}

const found = new WeakMap<object, { localize: Localize | undefined }>()

/** By the schema of an answer, what says the sentences in it; undefined where it has none. */
export function localizerOf(schema: TSchema): Localize | undefined {
  const known = found.get(schema) ?? { localize: makeLocalizer(schema as Schema) }
  found.set(schema, known)
  return known.localize
}

function makeLocalizer({
  anyOf,
  items,
  properties = {},
  patternProperties = {},
  ...own
}: Schema): Localize | undefined {
  if (own['x-said']) return sayMessage
  if (anyOf) {
    const parts = anyOf.flatMap(each => localizerOf(each as TSchema) ?? [])
    return parts.length === 0
      ? undefined
      : (value, language) => parts.reduce((said, part) => part(said, language), value)
  }
  const ofItem = items && localizerOf(items as TSchema)
  if (ofItem) return (value, language) => (Array.isArray(value) ? value.map(each => ofItem(each, language)) : value)
  const [ofEach] = Object.values(patternProperties).flatMap(each => localizerOf(each as TSchema) ?? [])
  if (ofEach)
    return (value, language) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ofEach(each, language)]))
        : value
  const ofFields = Object.entries(properties).flatMap(([name, each]) => {
    const localize = localizerOf(each as TSchema)
    return localize ? [{ name, localize }] : []
  })
  const fields = own['x-sentence']
  if (!fields && ofFields.length === 0) return undefined
  return (value, language) => {
    if (!isObject(value) || Array.isArray(value)) return value
    const said = fields ? sayFields(value, fields, language) : value
    const parts = ofFields.flatMap(({ name, localize }) =>
      name in said ? [[name, localize(said[name], language)]] : [],
    )
    return { ...said, ...Object.fromEntries(parts) }
  }
}
