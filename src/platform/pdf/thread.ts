import type { Message } from '#kernel/message.ts'
import { type Limits, ThreadFailed, inThread as workInThread } from '../thread.ts'
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

export async function inThread(job: PdfJob, limits: Limits = usual): Promise<MadePdf> {
  try {
    return await workInThread<MadePdf>(new URL('./worker.ts', import.meta.url), job, limits)
  } catch (error) {
    if (!(error instanceof ThreadFailed)) throw error
    throw new NotPages(error.reason, { cause: error.cause })
  }
}
