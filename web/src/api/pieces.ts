import { type Answer, type Given, type Operation, send } from './client.ts'
import { Problem } from './problem.ts'

const longest_ms = 3_600_000

interface Event {
  name: string
  data: unknown
}

/** A line with a colon alone is a sign of life. */
function readEvent(text: string): Event | undefined {
  const lines = text.split('\n').map(line => /^(event|data): ?(.*)$/.exec(line))
  const textOf = (field: string) => lines.find(line => line?.[1] === field)?.[2]
  const [name, data] = [textOf('event'), textOf('data')]
  return name === undefined || data === undefined ? undefined : { name, data: JSON.parse(data) as unknown }
}

/** The events that are whole, and what has come of the next one. */
export function takeEvents(text: string): { events: Event[]; rest: string } {
  const parts = text.split('\n\n')
  const rest = parts.pop()!
  return { events: parts.map(readEvent).filter(each => each !== undefined), rest }
}

/**
 * An operation that takes long and says how far it is: its answer comes as server-sent events, so that neither a proxy nor the page gives it
 * up while it goes on.
 */
export async function callInPieces<N extends Operation, P>(
  name: N,
  given: Given<N>,
  onPiece: (piece: P) => void,
  signal?: AbortSignal,
): Promise<Answer<N>> {
  const response = await send(name, given as Given<Operation>, signal, longest_ms, {
    accept: 'text/event-stream',
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read().catch((error: Error) => {
      if (error.name === 'AbortError') throw error
      throw new Problem(0, undefined)
    })
    if (done) throw new Problem(0, undefined)
    const { events, rest } = takeEvents(text + value)
    text = rest
    for (const { name: kind, data } of events) {
      if (kind === 'piece') onPiece(data as P)
      if (kind === 'error') throw new Problem((data as { status: number }).status, data)
      if (kind === 'done') return data as Answer<N>
    }
  }
}
