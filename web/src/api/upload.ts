import { type Answer, addressOf, type Given, language, type Operation } from './client.ts'
import type { Operations } from './operations.generated.ts'
import { Problem } from './problem.ts'

/** The operations that take a form with a file. */
export type Uploading = { [N in Operation]: Operations[N]['body'] extends FormData ? N : never }[Operation]

interface Watching {
  signal: AbortSignal
  /** From 0 to 1, which it reaches while the service still checks and stores the file. */
  onProgress: (part: number) => void
}

function answerOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a form with a file by XMLHttpRequest: `fetch` does not say how much of a body has gone. */
export const upload = <N extends Uploading>(name: N, given: Given<N>, { signal, onProgress }: Watching) =>
  new Promise<Answer<N>>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const { status, responseText } = request
      const answer = answerOf(responseText)
      if (status >= 200 && status < 300) resolve(answer as Answer<N>)
      else reject(new Problem(status, answer, request.getResponseHeader('www-authenticate') ?? ''))
    }
    request.onerror = () => reject(new Problem(0, undefined))
    request.onabort = () => reject(new DOMException('The upload was cancelled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open('POST', addressOf(name, given as Given<Operation>))
    request.setRequestHeader('accept-language', language())
    request.send(given.body as FormData)
  })
