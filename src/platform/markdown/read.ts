import { inThread, ThreadFailed } from '../thread.ts'
import type { Flow } from './flow.ts'

/** Some texts take a reader of Markdown a time that grows with the square of their length. */
const limits = { longest_ms: 5_000, most_memory_mb: 256 }

/** What texts are made of, in their order; undefined where one cannot be read in its time, or is nested without end. */
export async function readMarkdown(...texts: string[]): Promise<Flow[][] | undefined> {
  try {
    return await inThread<Flow[][]>(new URL('./worker.ts', import.meta.url), texts, limits)
  } catch (error) {
    if (error instanceof ThreadFailed) return undefined
    throw error
  }
}
