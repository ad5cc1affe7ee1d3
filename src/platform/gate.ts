import { unavailable } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { openTurns } from './turns.ts'

/**
 * Runs `at_once` pieces of work at a time, and serves the tenants that wait in turn. Each tenant has `waiting` places in the queue; beyond
 * them it is refused with a 503, and the places of the other tenants stay free.
 */
export function openGate({ at_once, waiting }: { at_once: number; waiting: number }) {
  let inside = 0
  const queue = openTurns<() => void>({ most: Number.POSITIVE_INFINITY, most_per_lane: waiting })
  return async <T>(tenantId: number, work: () => Promise<T>): Promise<T> => {
    if (inside < at_once) inside += 1
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (queue.push(tenantId, resolve)) throw unavailable(messages.too_many_at_once())
      await promise
    }
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
