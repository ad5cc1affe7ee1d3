import type { Operations } from './operations.generated.ts'
import { Problem } from './problem.ts'

export type { Operations }

export type Operation = keyof Operations
export type Answer<N extends Operation> = Operations[N]['answer']

type Required<N extends Operation, K extends 'path' | 'body'> = Operations[N][K] extends undefined
  ? { [key in K]?: undefined }
  : { [key in K]: Operations[N][K] }
/** What is undefined is not sent. */
export type Query<N extends Operation> = { [K in keyof Operations[N]['query']]?: Operations[N]['query'][K] | undefined }
export type Given<N extends Operation> = Required<N, 'path'> & Required<N, 'body'> & { query?: Query<N> }

type Value = string | number | boolean

/** The address that an operation is called at. */
export function addressOf<N extends Operation>(name: N, { path, query }: Pick<Given<N>, 'path' | 'query'>) {
  const [, template] = name.split(' ') as [string, string]
  const url = template.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String((path as unknown as Record<string, unknown>)[key])),
  )
  const search = new URLSearchParams(
    Object.entries((query ?? {}) as Record<string, Value | Value[] | undefined>).flatMap(([key, value]) =>
      value === undefined || value === '' ? [] : [value].flat().map((each): [string, string] => [key, String(each)]),
    ),
  )
  return search.size > 0 ? `${url}?${search}` : url
}

let ahead_ms = 0

/** By the service's clock, as far as its answers tell it: this machine's own need not be right. */
export const serviceNow = () => Date.now() + ahead_ms

const answer_ms = 30_000
const file_ms = 600_000

async function send(
  name: Operation,
  { path, query, body }: Given<Operation>,
  signal: AbortSignal | undefined,
  most_ms: number,
  key?: string,
) {
  const [method] = name.split(' ') as [string]
  const late = AbortSignal.timeout(most_ms)
  const isForm = (body as unknown) instanceof FormData
  const response = await fetch(addressOf(name, { path, query } as Given<Operation>), {
    method,
    headers: {
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body ? { body: isForm ? (body as unknown as FormData) : JSON.stringify(body) } : {}),
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, late]) : late,
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, undefined)
  })
  const date = Date.parse(response.headers.get('date') ?? '')
  // It says whole seconds. Their end is taken, so that no warning before an end comes late.
  if (!Number.isNaN(date)) ahead_ms = date + 999 - Date.now()
  if (response.ok) return response
  throw new Problem(
    response.status,
    await response.json().catch(() => undefined),
    response.headers.get('www-authenticate') ?? '',
  )
}

/**
 * Calls the API by the name of an operation: `call('GET /api/documents/{id}', { path: { id } })`. With a `key`, a command that may have
 * arrived can be sent again, and happens once (docs/idempotency.md).
 */
export async function call<N extends Operation>(
  name: N,
  given: Given<N>,
  signal?: AbortSignal,
  key?: string,
): Promise<Answer<N>> {
  const response = await send(name, given as Given<Operation>, signal, answer_ms, key)
  return (response.status === 204 ? undefined : await response.json()) as Answer<N>
}

export async function callForFile<N extends Operation>(
  name: N,
  given: Given<N>,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return new Uint8Array(await (await send(name, given as Given<Operation>, signal, file_ms)).arrayBuffer())
}
