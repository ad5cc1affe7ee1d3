import { inThread, type Limits, ThreadFailed } from '../thread.ts'
import type { Flow } from './flow.ts'

/** The parser's time grows with the square of the length of some texts. */
const usual: Limits = { longest_ms: 5_000, most_memory_mb: 256 }

/** The structures of the texts; undefined if one takes too long to parse or is nested without end. */
export async function readMarkdown(texts: string[], limits = usual): Promise<Flow[][] | undefined> {
  try {
    return await inThread<Flow[][]>(new URL('./worker.ts', import.meta.url), texts, limits)
  } catch (error) {
    if (error instanceof ThreadFailed) return undefined
    throw error
  }
}
