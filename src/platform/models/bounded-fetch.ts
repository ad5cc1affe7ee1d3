import { failureOfStatus, ModelFailed } from './failure.ts'

/** The key, and the headers that the protocol needs. No header tells a provider which software asks. */
const headersSent = ['authorization', 'x-api-key', 'anthropic-version', 'content-type', 'accept']

interface Bounds {
  /** Time until the first byte, and between two. */
  silence_ms: number
  /** The largest answer, inflated. */
  most_bytes: number
}

/**
 * `fetch` for models. It follows no redirect, because that would send the key elsewhere, reads no body of an error, and gives up an answer
 * that is silent or endless. Fails as ModelFailed.
 */
export function boundedFetch({ silence_ms, most_bytes }: Bounds): typeof fetch {
  return async (input, init = {}) => {
    const quiet = new AbortController()
    const listen = async <T>(work: Promise<T>): Promise<T> => {
      const timer = setTimeout(
        () => quiet.abort(new ModelFailed('too_slow', `It said nothing for ${silence_ms / 1000} s`)),
        silence_ms,
      )
      try {
        return await work
      } finally {
        clearTimeout(timer)
      }
    }
    const given = new Headers(init.headers)
    const headers = headersSent.flatMap(name => {
      const value = given.get(name)
      return value === null ? [] : [[name, value] as [string, string]]
    })
    const signal = init.signal ? AbortSignal.any([init.signal, quiet.signal]) : quiet.signal
    const response = await listen(fetch(input, { ...init, headers, signal, redirect: 'manual' }))
    const failure =
      response.status >= 300
        ? failureOfStatus(response.status, response.headers.get('retry-after'))
        : /^text\/html\b/i.test(response.headers.get('content-type') ?? '')
          ? new ModelFailed('malformed', 'It answers with a page for people')
          : undefined
    if (failure || !response.body) {
      await response.body?.cancel().catch(() => {})
      throw failure ?? new ModelFailed('malformed', 'Its answer is empty')
    }
    const { status } = response
    const kept = new Headers({ 'content-type': response.headers.get('content-type') ?? '' })
    return new Response(boundedBody(response.body, listen, most_bytes), { status, headers: kept })
  }
}

function boundedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  listen: <T>(work: Promise<T>) => Promise<T>,
  most_bytes: number,
) {
  const reader = body.getReader()
  let taken = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await listen(reader.read())
        if (done) return controller.close()
        taken += value.length
        if (taken > most_bytes) {
          await reader.cancel().catch(() => {})
          throw new ModelFailed('malformed', 'Its answer has no end')
        }
        controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
