import type { Operations } from './api.generated.ts'

type OperationName = keyof Operations
export type AnswerOf<N extends OperationName> = Operations[N]['answer']

/** What the service refused, in its own words; `status` 0 where it did not answer at all. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

/** Longer than the service takes for any of these. */
const timeout_ms = 10_000

type Call<N extends OperationName> = { token?: string } & (Operations[N]['body'] extends undefined
  ? { body?: undefined }
  : { body: Operations[N]['body'] })

export async function call<N extends OperationName>(name: N, { token, body }: Call<N>): Promise<AnswerOf<N>> {
  const [method, path] = name.split(' ') as [string, string]
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      signal: AbortSignal.timeout(timeout_ms),
    })
  } catch {
    throw new Refusal(0, 'The service does not answer')
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok)
    throw new Refusal(response.status, sentenceOf(answer) ?? `The service answers with status ${response.status}`)
  if (answer === undefined) throw new Refusal(response.status, 'The answer of the service cannot be read')
  return answer as AnswerOf<N>
}

/** The shapes of the API's errors: a sentence, with a reference where it is the service's fault, or a list of what is wrong. */
function sentenceOf(answer: unknown): string | undefined {
  const { detail, request_id } = (answer ?? {}) as { detail?: unknown; request_id?: unknown }
  if (typeof detail === 'string') return typeof request_id === 'string' ? `${detail} (reference ${request_id})` : detail
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.at(-1)} ${msg}`).join('; ')
  return undefined
}
