import { unavailable } from '#kernel/errors.ts'
import { messages } from './messages.ts'

/** Runs `at_once` pieces of work at a time and lets `waiting` more queue up; beyond them it refuses with a 503. */
export function openGate({ at_once, waiting }: { at_once: number; waiting: number }) {
  let inside = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside < at_once) inside += 1
    else if (queue.length < waiting) await new Promise<void>(resolve => queue.push(resolve))
    else throw unavailable(messages.too_many_at_once())
    try {
      return await work()
    } finally {
      // The place is handed to the next in the queue, so that a newcomer cannot take it.
      const next = queue.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
export type Gate = ReturnType<typeof openGate>
