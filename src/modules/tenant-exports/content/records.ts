import type { TObject, TSchema } from 'typebox'
import type { ActionContext, Actor, AnyAction, Services } from '#action'
import { localizerOf } from '#http/language.ts'
import { serializerCompiler } from '#http/serialization.ts'
import { validate } from '#http/validation.ts'
import { defaultLanguage } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Kind } from './kinds.ts'

declare module '#action/definitions.ts' {
  interface Services {
    /** The action that answers `GET` at this address of the API. */
    findRead(url: string): AnyAction
  }
}

export type Json = Record<string, unknown>

/** What a reader may do with a record is no part of it. */
const ofReader = 'you'

export interface Reading {
  tx: Tx
  actor: Actor
  services: Services
}

type Params = Record<string, number>

/** As they stand in an address. */
const textsOf = (params: Params) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

/** The answer of the API at this address, as its schema lets it out: a column that no answer shows is in no export either. */
async function answerOf(
  { tx, actor, services }: Reading,
  url: string,
  params: Params,
  query: Params = {},
): Promise<unknown> {
  const action = services.findRead(url)
  const { input, response } = action
  const context: ActionContext<undefined> = {
    tx,
    actor,
    services,
    origin: { requestId: '', clientAddr: '' },
    prepared: undefined,
    expectedRevision: undefined,
    record() {
      throw new Error(`GET ${url} records something, so it is no part of a record`)
    },
    afterCommit() {},
  }
  const asked = {
    ...(input.params && { params: validate(input.params, 'path', textsOf(params)) }),
    ...(input.query && { query: validate(input.query, 'query', textsOf(query)) }),
  }
  const answer = await action.run(context, asked as never)
  const said = localizerOf(response as TSchema)?.(answer, defaultLanguage) ?? answer
  const write = serializerCompiler({ schema: response, method: 'GET', url, httpStatus: '200' } as never)
  return withoutReader(JSON.parse(write(said)), response as Shape)
}

/** Only where the schema has it: a form may have a field of this name. */
function withoutReader(value: unknown, { properties = {}, items, anyOf = [] }: Shape): unknown {
  if (Array.isArray(value)) return items ? value.map(each => withoutReader(each, items)) : value
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, each]) => {
    const shape = properties[name]
    return shape && name === ofReader ? [] : [[name, shape ? withoutReader(each, shape) : each]]
  })
  return anyOf.reduce<unknown>((rest, shape) => withoutReader(rest, shape), Object.fromEntries(kept))
}

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
}

const perPage = 100

/** All items of a list, whether it is answered in pages or as a whole. */
async function listOf(reading: Reading, url: string, params: Params): Promise<Json[]> {
  const properties = (reading.services.findRead(url).response as TObject).properties as object | undefined
  if (!properties || !('items' in properties)) return (await answerOf(reading, url, params)) as Json[]
  const items: Json[] = []
  for (let page = 1; ; page++) {
    const answer = (await answerOf(reading, url, params, { page, page_size: perPage })) as {
      items: Json[]
      pages: number
    }
    items.push(...answer.items)
    if (page >= answer.pages) return items
  }
}

export const readSingle = async (reading: Reading, url: string) => (await answerOf(reading, url, {})) as Json

/** A record as its GET shows it, with its parts. */
export async function readRecord(reading: Reading, { path, parts = {}, version }: Kind, id: number): Promise<Json> {
  const record = (await answerOf(reading, path, { id })) as Json
  for (const [name, url] of Object.entries(parts)) {
    if (name in record) throw new Error(`${path} has a field ${name}, so its part needs another name`)
    const items = await listOf(reading, url, { id })
    record[name] = version && name === 'versions' ? await eachVersion(reading, version, id, items) : items
  }
  return record
}

async function eachVersion(reading: Reading, url: string, id: number, items: readonly Json[]) {
  const versions: unknown[] = []
  for (const { version } of items) versions.push(await answerOf(reading, url, { id, version: version as number }))
  return versions
}

type Schema = Record<string, unknown>

/** JSON Schema of the records of a kind, from what the API says of its answers. */
export function schemaOf({ findRead }: Pick<Services, 'findRead'>, { name, path, parts = {}, version }: Kind): Schema {
  const responseOf = (url: string) => plain(findRead(url).response as Schema) as Schema
  const itemOf = (url: string): Schema => {
    const { items, properties } = responseOf(url) as { items?: Schema; properties?: { items?: { items: Schema } } }
    return items ?? properties!.items!.items
  }
  const ofParts = Object.entries(parts).map(([part, url]) => [
    part,
    { type: 'array', items: version && part === 'versions' ? responseOf(version) : itemOf(url) },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A line of records/${name}.jsonl`,
    allOf: [
      responseOf(path),
      { type: 'object', properties: Object.fromEntries(ofParts), required: ofParts.map(([part]) => part) },
    ],
  }
}

/** Without what depends on the reader, and without the marks that only the service reads. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value as Schema).filter(([name]) => !name.startsWith('x-'))
  return Object.fromEntries(
    said.map(([name, each]) => {
      if (name === 'properties') {
        const kept = Object.entries(each as Schema).filter(([property]) => property !== ofReader)
        return [name, Object.fromEntries(kept.map(([property, schema]) => [property, plain(schema)]))]
      }
      if (name === 'required') return [name, (each as string[]).filter(property => property !== ofReader)]
      return [name, plain(each)]
    }),
  )
}
