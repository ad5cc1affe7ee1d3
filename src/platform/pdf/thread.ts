import { Worker } from 'node:worker_threads'
import type { MadePdf, PdfJob } from './job.ts'

/** Why a file did not become pages. The text is for the reader of the PDF that is made instead. */
export class NotPages extends Error {}

export interface Limits {
  longest_ms: number
  /** Of JavaScript's own memory, and again of what lies beside it. */
  most_memory_mb: number
}

const usual: Limits = { longest_ms: 60_000, most_memory_mb: 512 }
const look_every_ms = 100

/**
 * In a thread of its own, so that the service answers others meanwhile, and a file that was made to do harm harms nobody: a
 * thread that takes too long or too much is ended.
 */
export async function inThread(job: PdfJob, { longest_ms, most_memory_mb }: Limits = usual): Promise<MadePdf> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: most_memory_mb },
    // Nothing of the service's secrets is there to be found.
    env: {},
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<MadePdf>()
  worker.once('message', resolve)
  worker.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : new NotPages('it could not be read', { cause: error }),
    ),
  )
  worker.once('exit', () => reject(new NotPages('it could not be read')))
  const late = setTimeout(() => reject(new NotPages('it took too long to read')), longest_ms)
  // The limit of resources counts JavaScript's objects, and not the bytes that a stream was unpacked to.
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => external_memory > most_memory_mb * 1024 * 1024 && reject(tooMuch()),
      () => {}, // it has ended
    )
  }, look_every_ms)
  try {
    return await promise
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    await worker.terminate()
  }
}

const tooMuch = () => new NotPages('it takes more memory than there is for one file')
