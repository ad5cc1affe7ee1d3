import type { ActionContext } from '#action'
import { readableKinds, sightOf } from '#modules/documents'
import { restrictedDocumentsOf } from '#modules/training'

/** What a search is narrowed by: of several values any. Days as YYYY-MM-DD. */
export interface Filters {
  document_type?: number[]
  category?: string[]
  status?: string[]
  date_from?: string
  date_to?: string
  /** These alone, each by the version that its readers are shown. */
  documents?: number[]
}

/**
 * What somebody may find and what they ask for, as `search_condition` and `content_condition` take it. They stand within the statement
 * that searches, so that no total, no page and no order tells of what is not theirs.
 */
export interface Asked extends Filters {
  /** The kinds of state whose versions they read, whoever's those are. */
  kinds: string[]
  /** Whose own versions are found in any state. */
  user_id: number
  /** Reads drafts, and so what training keeps back. */
  drafts: boolean
  /** The restricted documents whose content they may know because of their training. */
  trained: number[]
}

export async function askedBy(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  filters: Filters,
): Promise<Asked> {
  const sight = sightOf(context.actor)
  const userId = sight.userId ?? 0
  return {
    ...filters,
    kinds: readableKinds(sight),
    user_id: userId,
    drafts: sight.drafts,
    trained: sight.drafts ? [] : await restrictedDocumentsOf(context, userId),
  }
}
