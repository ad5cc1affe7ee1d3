// For tests of what the service does within a second or two: a machine that stands still for as long is not what they are about.

import type { TestContext } from 'node:test'

// A test may move the clock.
const now = performance.now.bind(performance)
const look_every_ms = 10
/** A process waits for its turn no longer than this, unless the machine stands still. */
const still_ms = 100

/** How long a process had, and whether the machine stood still in between: a timer sees both. */
function watch() {
  let last = now()
  let had_ms = 0
  let isBroken = false
  const look = () => {
    const gone_ms = now() - last
    last += gone_ms
    had_ms += Math.min(gone_ms, still_ms)
    isBroken ||= gone_ms > still_ms
  }
  const timer = setInterval(look, look_every_ms).unref()
  return {
    end() {
      clearInterval(timer)
      look()
      return { had_ms, isBroken }
    },
  }
}

/** How long it takes. A moment in which nothing runs counts for a tenth of a second, however long it is. */
export async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const watching = watch()
  try {
    const result = await work()
    return [result, watching.end().had_ms]
  } finally {
    watching.end()
  }
}

const most_rounds = 20

/** Does the work again where it failed and the machine stood still meanwhile; where it did not, it has failed. */
export async function steadily<T>(work: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    const watching = watch()
    try {
      return await work()
    } catch (error) {
      if (!watching.end().isBroken || round === most_rounds) throw error
    } finally {
      watching.end()
    }
  }
}

/** The same of a test. */
export const steady = (work: (t: TestContext) => Promise<void>) => (t: TestContext) => steadily(() => work(t))
