import { type Actor, query } from '#action'
import { permissionRequired } from '#kernel/errors.ts'
import { envelope, limits, parseSort, type Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { filtersOf } from './filters.ts'
import { listFound, searchMore, sortVersions } from './found-queries.ts'
import { fuse, type Hit, nearest } from './fusion.ts'
import { ranking } from './ranking.ts'
import { SearchAnswer, SearchQuery } from './schema.ts'
import { searchScopeOf } from './scope.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { marksOf } from './snippet.ts'
import { termsOf } from './terms.ts'
import { findTexts, readVocabulary } from './words.ts'

/** A person who may not read documents is refused, because an empty answer would be misleading. */
function requireReader({ permissions }: Actor) {
  if (!permissions.has('documents.read')) throw permissionRequired('documents.read')
}

const foundSorts = ['score', 'number', 'title', 'effective_date'] as const

/** The hits by a field instead of their rank. */
async function inOrder(tx: Tx, hits: Hit[], { field, direction }: Sort<(typeof foundSorts)[number]>): Promise<Hit[]> {
  if (field === 'score') return direction === 'asc' ? hits.toReversed() : hits
  const byVersion = new Map(hits.map(hit => [hit.version_id, hit]))
  return (await sortVersions(tx, [...byVersion.keys()], { field, direction })).map(id => byVersion.get(id)!)
}

const summary = 'Search documents'

export const search = query({
  summary,
  description: `Searches by words, and by meaning if a model is configured, the best matches first; \`mode\` and \`matched\` say which. Other names of a thing are found as well: those of the trade, and those of the setting \`search_synonyms\`. "Quoted words" must stand together, \`or\` connects two words, \`-\` before a word excludes it, \`*\` ends the beginning of a word; a document number (SOP-0012, sop 12) comes first. It finds effective versions, or those in the states of \`status\`, that the caller may read.

\`filters\` is a JSON object with \`document_type\` (ids), \`category\`, \`status\`, \`date_from\`, \`date_to\`; the same names are parameters too, which may be repeated. A version is dated by its effective date, or else by its upload. \`total\` counts the versions that have all words, up to ${ranking.most_counted}, and the best of those that have some of them or are near. If more have all words, \`is_total_exact\` is false, and no page shows more than these.`,
  permission: 'search.use',
  plansOnce: true,
  input: { query: SearchQuery },
  response: SearchAnswer,
  async prepare({ actor, services, read }, { query }) {
    requireReader(actor)
    const sort = parseSort(query.sort, foundSorts, { field: 'score', direction: 'desc' })
    return { sort, filters: filtersOf(query), vector: await embedQuery({ services, read }, query.q) }
  },
  async run({ tx, actor, services, prepared: { filters, sort, vector } }, { query }) {
    const [vocabulary, scope] = await Promise.all([readVocabulary(tx), searchScopeOf({ tx, actor, services }, filters)])
    const near = vector ? nearest(await findByMeaning(tx, scope, vector, ranking.most_semantic), ranking) : []
    const text = await findTexts({ tx, actor, services }, scope, {
      vocabulary,
      terms: synonyms => termsOf(query.q, synonyms),
      near: near.map(({ version_id }) => version_id),
      ranking,
    })
    const ranked = fuse(text.found, near, ranking)
    const { limit, offset } = limits(query)
    const exactlyRanked = ranked.filter(({ is_exact }) => is_exact).map(({ version_id }) => version_id)
    const total = Math.min(text.total + ranked.length - exactlyRanked.length, ranking.most_counted)
    /** The hits from one place of the ranking on. */
    const hitsFrom = async (from: number, count: number): Promise<Hit[]> => {
      const hits = ranked.slice(from, from + count)
      if (hits.length === count || text.total === exactlyRanked.length) return hits
      const skip = Math.max(0, from - ranked.length)
      const take = Math.min(count, ranking.most_counted - from) - hits.length
      if (take <= 0) return hits
      const more = await searchMore(tx, scope, text, {
        leaveOut: exactlyRanked,
        most: ranking.most_counted + 1,
        skip,
        take,
      })
      return [...hits, ...more.map(each => ({ ...each, score: 0, matched: ['text' as const], is_exact: true }))]
    }
    const isByRank = sort.field === 'score' && sort.direction === 'desc'
    const hits = isByRank
      ? await hitsFrom(offset, limit)
      : (await inOrder(tx, await hitsFrom(0, ranking.most_counted), sort)).slice(offset, offset + limit)
    const rows = await listFound(tx, scope, { words: text.words, hits, ranking })
    const mark = marksOf(text.words)
    const byVersion = new Map(hits.map(hit => [hit.version_id, hit]))
    return {
      mode: vector ? ('hybrid' as const) : ('text' as const),
      ...envelope(
        rows.map(({ version_id, body, body_words, ...row }) => {
          const { score, matched } = byVersion.get(version_id)!
          return { ...row, snippet: body && mark(body, body_words!), score, matched }
        }),
        total,
        query,
      ),
      is_total_exact: text.total <= ranking.most_counted,
    }
  },
})
