import type { Operations } from '../../api/operations.generated.ts'

/** The operations that the operators' page calls. */
type OperationName = 'POST /api/auth/token' | 'GET /api/status'
export type AnswerOf<N extends OperationName> = Operations[N]['answer']

/** A refusal in the words of the service. `status` is 0 and `code` empty where it did not answer at all. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, sentence: string, code = '') {
    super(sentence)
    this.status = status
    this.code = code
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
        // The page of the operators is English.
        'accept-language': 'en',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      signal: AbortSignal.timeout(timeout_ms),
    })
  } catch {
    throw new Refusal(0, 'The service does not answer.')
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw refusalOf(response.status, answer)
  if (answer === undefined) throw new Refusal(response.status, 'The answer of the service cannot be read.')
  return answer as AnswerOf<N>
}

interface RefusalBody {
  detail: string | { loc: (string | number)[]; msg: string }[]
  code: string
  request_id?: string
}

/** A proxy in front of the service may answer in another shape, or with no JSON at all. */
function refusalOf(status: number, answer: unknown): Refusal {
  const { detail, code, request_id } = (answer ?? {}) as Partial<RefusalBody>
  if (Array.isArray(detail)) {
    const issues = detail.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`)
    return new Refusal(status, issues.join(' '), code)
  }
  if (detail === undefined) return new Refusal(status, `The service answers with status ${status}.`)
  return new Refusal(status, request_id === undefined ? detail : `${detail} The reference is ${request_id}.`, code)
}
