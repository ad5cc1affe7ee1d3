import { unavailable } from '#kernel/errors.ts'

/** Lets so many in at once and so many more wait for their turn; whoever comes then is told to come again (503). */
export function openGate({ at_once, waiting, detail }: { at_once: number; waiting: number; detail: string }) {
  let inside = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside < at_once) inside += 1
    else if (queue.length < waiting) await new Promise<void>(resolve => queue.push(resolve))
    else throw unavailable(detail)
    try {
      return await work()
    } finally {
      // Who waits takes the place over, so that nobody slips in between.
      const next = queue.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
export type Gate = ReturnType<typeof openGate>
