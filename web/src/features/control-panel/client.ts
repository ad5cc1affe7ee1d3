import type { Operations } from '../../api/operations.generated.ts'
import { Problem } from '../../api/problem.ts'
import { language } from '../../words/index.ts'

/** The operations that the operators' page calls. */
export type OperationName =
  | 'POST /api/auth/token'
  | 'GET /api/status'
  | 'GET /api/platform/installation'
  | 'GET /api/platform/checks'
  | 'GET /api/platform/failed-work'
  | 'GET /api/platform/tenants/'
  | 'POST /api/platform/tenants/'
  | 'PUT /api/platform/tenants/{id}'
  | 'POST /api/platform/tenants/{id}/retry-mails'
  | 'POST /api/platform/tenants/{id}/retry-jobs'
export type AnswerOf<N extends OperationName> = Operations[N]['answer']

/** Longer than the service takes for any of these; an examination compares the records of every tenant. */
const timeout_ms = 10_000
const examination_ms = 90_000

type Given<N extends OperationName> = {
  [Part in 'path' | 'query' | 'body' as Operations[N][Part] extends undefined ? never : Part]: Operations[N][Part]
}

/** As `call` of the application, with a token instead of its cookie: no request of this page is one of somebody who works in a tenant. */
export async function call<N extends OperationName>(
  name: N,
  { token, ...given }: { token?: string } & Given<N>,
): Promise<AnswerOf<N>> {
  const { path = {}, query = {}, body } = given as { path?: object; query?: object; body?: unknown }
  const [method, pattern] = name.split(' ') as [string, string]
  const url = Object.entries(path).reduce((all, [key, value]) => all.replace(`{${key}}`, String(value)), pattern)
  const asked = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  ).toString()
  const response = await fetch(asked === '' ? url : `${url}?${asked}`, {
    method,
    headers: {
      'accept-language': language(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    cache: 'no-store',
    signal: AbortSignal.timeout(name === 'GET /api/platform/checks' ? examination_ms : timeout_ms),
  }).catch(() => {
    throw new Problem(0, undefined)
  })
  // A proxy in front of the service may answer in another shape, or with no JSON at all.
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok || answer === undefined) throw new Problem(response.ok ? 500 : response.status, answer)
  return answer as AnswerOf<N>
}
