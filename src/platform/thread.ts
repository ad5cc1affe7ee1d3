import { Worker } from 'node:worker_threads'

/** Why a thread did not do its work: the end of a sentence about what it was given. */
export class ThreadFailed extends Error {}

export interface Limits {
  /** Of its own work: that the machine has others to do is not the fault of what it reads. */
  longest_ms: number
  /** Of JavaScript's own memory, and again of what lies beside it. */
  most_memory_mb: number
}

const look_every_ms = 100
/** By the clock a thread has so many times as long as by its work. */
const patience = 10

/**
 * What a worker answers, in a thread of its own, so that the service answers others meanwhile, and a file that was made to do harm
 * harms nobody: a thread that takes too long or too much is ended.
 */
export async function inThread<Made>(
  worker: URL,
  given: unknown,
  { longest_ms, most_memory_mb }: Limits,
): Promise<Made> {
  const thread = new Worker(worker, {
    workerData: given,
    resourceLimits: { maxOldGenerationSizeMb: most_memory_mb },
    // Nothing of the service's secrets is there to be found.
    env: {},
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Made>()
  thread.once('message', resolve)
  thread.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? tooMuch()
        : new ThreadFailed('it could not be read', { cause: error }),
    ),
  )
  thread.once('exit', () => reject(new ThreadFailed('it could not be read')))
  const late = setTimeout(() => reject(tooLong()), longest_ms * patience)
  // The limit of resources counts JavaScript's objects, and not the bytes that a stream was unpacked to.
  const watch = setInterval(() => {
    Promise.all([thread.getHeapStatistics(), thread.cpuUsage()]).then(
      ([{ external_memory }, { user, system }]) => {
        if (external_memory > most_memory_mb * 1024 * 1024) reject(tooMuch())
        if ((user + system) / 1000 > longest_ms) reject(tooLong())
      },
      () => {}, // it has ended
    )
  }, look_every_ms)
  try {
    return await promise
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    await thread.terminate()
  }
}

const tooLong = () => new ThreadFailed('it took too long to read')
const tooMuch = () => new ThreadFailed('it takes more memory than there is for one file')
