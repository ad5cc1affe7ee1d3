import type { PrepareContext } from '#action'
import { askedBy } from './asked.ts'
import { listPassages } from './passage-queries.ts'

/** A piece of the text of a version, as an answer quotes it. */
export interface Passage {
  document_id: number
  number: string
  title: string
  version: string
  version_id: number
  status: string
  position: number
  page: number | null
  heading: string | null
  text: string
  /** Between 0 and 1. */
  score: number
}

/**
 * What the documents say about a question, the best first: of those alone whose content the caller may know. `documents`: of the shown
 * version of these alone.
 */
export async function passages(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  { q, documents, limit }: { q: string; documents?: number[] | undefined; limit: number },
): Promise<Passage[]> {
  return read(async tx => {
    const asked = await askedBy({ tx, actor, services }, documents ? { documents } : {})
    return listPassages(tx, asked, { q, limit })
  })
}
