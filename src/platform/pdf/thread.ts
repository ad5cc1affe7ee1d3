import type { Message } from '#kernel/message.ts'
import { type Limits, openThreads, ThreadFailed, inThread as workInThread } from '../thread.ts'
import type { MadePdf, PdfJob } from './job.ts'

/** A file could not be shown. The message is for the reader of the PDF that is made instead. */
export class NotPages extends Error {
  /** The reason as a sentence that can be said in any language. */
  readonly reason: Message
  constructor(reason: Message, options?: ErrorOptions) {
    super(reason.text, options)
    this.reason = reason
  }
}

/** It could be shown by a program that is not installed. */
export class ConverterMissing extends NotPages {}

const usual: Limits = { longest_ms: 60_000, most_memory_mb: 512 }

const worker = new URL('./worker.ts', import.meta.url)

async function asPages(making: Promise<MadePdf>): Promise<MadePdf> {
  try {
    return await making
  } catch (error) {
    if (!(error instanceof ThreadFailed)) throw error
    throw new NotPages(error.reason, { cause: error.cause })
  }
}

export const inThread = (job: PdfJob, limits: Limits = usual): Promise<MadePdf> =>
  asPages(workInThread<MadePdf>(worker, job, limits))

/** The same for one PDF after the other, without the time that the libraries take to load. */
export function openPdfThreads() {
  const threads = openThreads(worker, usual)
  return { make: (job: PdfJob) => asPages(threads.inThread<MadePdf>(job)), close: threads.close }
}
