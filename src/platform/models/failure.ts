import { failureWords } from '../failure-words.ts'

type ModelFailureKind = 'unreachable' | 'too_slow' | 'refused' | 'malformed' | 'busy' | 'resting'

/** A model gave no answer. The sentence is ours: a provider's own may quote the prompt, and is not even read. */
export class ModelFailed extends Error {
  readonly kind: ModelFailureKind
  /** Time after which a retry makes sense. */
  readonly retry_after_s: number | undefined
  /** The HTTP status of the failed answer. */
  readonly status: number | undefined
  constructor(kind: ModelFailureKind, message: string, more: { retry_after_s?: number; status?: number } = {}) {
    super(message)
    this.name = 'ModelFailed'
    this.kind = kind
    this.retry_after_s = more.retry_after_s
    this.status = more.status
  }
}

/** The failure behind a status of 300 or more. */
export function failureOfStatus(status: number, retry_after: string | null): ModelFailed {
  const retry = retry_after && /^\d{1,6}$/.test(retry_after) ? { retry_after_s: Number(retry_after) } : {}
  if (status < 400) return new ModelFailed('refused', 'It redirects to another address', { status })
  if (status === 401 || status === 403) return new ModelFailed('refused', 'It does not accept the key', { status })
  if (status === 404)
    return new ModelFailed('refused', 'It does not know the model, or there is no such service', { status })
  if (status === 429) return new ModelFailed('busy', 'It refuses so many requests', { status, ...retry })
  if (status < 500) return new ModelFailed('refused', `It refuses the request with status ${status}`, { status })
  return new ModelFailed('unreachable', `It answers with status ${status}`, { status, ...retry })
}

const maxCauses = 8

/** Makes a failure of any error. The original is not kept, because a library's error holds the request and so the prompt. */
export function failureOf(thrown: unknown): ModelFailed {
  let each = thrown as { code?: unknown; cause?: unknown; lastError?: unknown } | undefined
  for (let depth = 0; each && depth < maxCauses; depth++) {
    if (each instanceof ModelFailed) return each
    const words = failureWords(each.code)
    if (words) return new ModelFailed('unreachable', words)
    each = (each.cause ?? each.lastError) as typeof each
  }
  return new ModelFailed('malformed', 'Its answer cannot be read')
}
