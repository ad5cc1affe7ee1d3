import type { ActionContext } from '#action'
import { readableKinds, sightOf } from '#modules/documents'
import { restrictedDocumentsOf } from '#modules/training'

/** The filters of a search. Any of several values matches; days are YYYY-MM-DD. */
export interface Filters {
  document_type?: number[]
  category?: string[]
  status?: string[]
  date_from?: string
  date_to?: string
  /** Only these documents, in their shown versions. */
  documents?: number[]
}

/**
 * The filters and reading rights of a search, in the form of `search_condition` and `content_condition`. Both apply within the searching
 * statement, so that neither a total nor a page nor an order reveals a document that the person may not read.
 */
export interface SearchScope extends Filters {
  /** The kinds of state that the person may read in everybody's versions. */
  kinds: string[]
  /** The person, who finds their own versions in every state. */
  user_id: number
  /** The person may read drafts, and so also documents with a training gate. */
  drafts: boolean
  /** The documents with a training gate whose content the person may know through training. */
  trained: number[]
}

export async function searchScopeOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  filters: Filters,
): Promise<SearchScope> {
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
