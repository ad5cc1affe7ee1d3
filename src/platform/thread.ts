import { Worker } from 'node:worker_threads'
import type { Message } from '#kernel/message.ts'
import { compiledForThread } from './compiled.ts'
import { printed } from './messages.ts'

/** A thread failed; the message ends a sentence about its input. */
export class ThreadFailed extends Error {
  readonly reason: Message
  constructor(reason: Message, options?: ErrorOptions) {
    super(reason.text, options)
    this.reason = reason
  }
}

export interface Limits {
  /** Processor time of the thread, so that a busy machine does not fail its input. */
  longest_ms: number
  /** The limit of JavaScript's own memory, and again of the memory outside of it. */
  most_memory_mb: number
}

const lookEveryMs = 100
/** The limit by the clock, as a multiple of the limit by processor time. */
const patience = 10

/** `isAhead`: the worker is loaded before there is work, and has time to make itself familiar with what it will do. */
export interface Ahead {
  isAhead: boolean
}

function startThread(worker: URL, { most_memory_mb }: Limits, isAhead = false): Worker {
  return new Worker(worker, {
    workerData: { isAhead } satisfies Ahead,
    resourceLimits: { maxOldGenerationSizeMb: most_memory_mb },
    // Nothing else of the environment, because it holds the service's secrets.
    env: compiledForThread(),
    stdout: true,
    stderr: true,
  })
}

/**
 * Runs a worker in a thread of its own, so that the service answers others meanwhile. The worker gets its work as the first message, and
 * answers with one. A thread that takes too long or too much memory is ended, so that a malicious file does no harm.
 */
export const inThread = <Made>(worker: URL, given: unknown, limits: Limits): Promise<Made> =>
  answerOf<Made>(startThread(worker, limits), given, limits)

const ready_ms = 600_000

/**
 * Threads of a worker that takes longer to load than most of its work. After the first one, a thread stands ready that has loaded the
 * worker, and nothing that anybody gave. So each work still has a thread of its own, in which nothing of an earlier file is left. It ends
 * when it was not needed for `ready_ms`.
 */
export function openThreads(worker: URL, limits: Limits) {
  let ready: Worker | undefined
  let end: NodeJS.Timeout | undefined
  let isClosed = false

  function takeReady(): Worker | undefined {
    clearTimeout(end)
    const thread = ready
    ready = undefined
    thread?.ref()
    return thread
  }
  function prepare() {
    if (ready || isClosed) return
    const thread = startThread(worker, limits, true)
    const forget = () => {
      if (ready === thread) takeReady()
    }
    thread.once('error', forget).once('exit', forget).unref()
    ready = thread
    end = setTimeout(() => void takeReady()?.terminate(), ready_ms).unref()
  }

  return {
    async inThread<Made>(given: unknown): Promise<Made> {
      try {
        return await answerOf<Made>(takeReady() ?? startThread(worker, limits), given, limits)
      } finally {
        prepare()
      }
    },
    async close() {
      isClosed = true
      await takeReady()?.terminate()
    },
  }
}

async function answerOf<Made>(thread: Worker, given: unknown, { longest_ms, most_memory_mb }: Limits): Promise<Made> {
  const { promise, resolve, reject } = Promise.withResolvers<Made>()
  thread.once('message', resolve)
  thread.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? tooMuch()
        : new ThreadFailed(printed.pages_unreadable(), { cause: error }),
    ),
  )
  thread.once('exit', () => reject(new ThreadFailed(printed.pages_unreadable())))
  thread.postMessage(given)
  const late = setTimeout(() => reject(tooLong()), longest_ms * patience)
  // Node's resource limits count JavaScript's objects, and not the bytes that a stream was inflated to.
  const watch = setInterval(() => {
    Promise.all([thread.getHeapStatistics(), thread.cpuUsage()]).then(
      ([{ external_memory }, { user, system }]) => {
        if (external_memory > most_memory_mb * 1024 * 1024) reject(tooMuch())
        if ((user + system) / 1000 > longest_ms) reject(tooLong())
      },
      () => {}, // it has ended
    )
  }, lookEveryMs)
  try {
    return await promise
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    await thread.terminate()
  }
}

const tooLong = () => new ThreadFailed(printed.pages_too_slow())
const tooMuch = () => new ThreadFailed(printed.pages_too_much_memory())
