import { type Actor, query } from '#action'
import { permissionRequired } from '#kernel/errors.ts'
import { envelope, limits } from '#kernel/paging.ts'
import { filtersOf } from './filters.ts'
import { listFound, searchMore, searchTexts } from './found-queries.ts'
import { fuse, type Hit, nearest } from './fusion.ts'
import { ranking, rankingBy } from './ranking.ts'
import { SearchAnswer, SearchQuery } from './schema.ts'
import { searchScopeOf } from './scope.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { htmlOf } from './snippet.ts'
import { termsOf } from './terms.ts'

/** A person who may not read documents is refused, because an empty answer would be misleading. */
function requireReader({ permissions }: Actor) {
  if (!permissions.has('documents.read')) throw permissionRequired('documents.read')
}

const summary = 'Search documents'

export const search = query({
  summary,
  description: `Searches by words and by meaning, the best matches first. "Quoted words" must stand together, \`or\` connects two words, \`-\` before a word excludes it, \`*\` ends the beginning of a word; a document number (SOP-0012, sop 12) comes first. It finds effective versions, or those in the states of \`status\`, that the caller may read.

\`filters\` is a JSON object with \`document_type\` (ids), \`category\`, \`status\`, \`date_from\`, \`date_to\`; the same names are parameters too, which may be repeated. A version is dated by its effective date, or else by its upload. \`total\` counts all versions that have all words, and the best of those that have some of them or are near in meaning.`,
  permission: 'search.use',
  input: { query: SearchQuery },
  response: SearchAnswer,
  async prepare({ actor, services, read }, { query }) {
    requireReader(actor)
    return { filters: filtersOf(query), vector: await embedQuery({ services, read }, query.q) }
  },
  async run({ tx, actor, services, prepared: { filters, vector } }, { query }) {
    const scope = await searchScopeOf({ tx, actor, services }, filters)
    const near = vector ? nearest(await findByMeaning(tx, scope, vector, ranking.most_semantic), ranking) : []
    const terms = termsOf(query.q)
    const text = await searchTexts(
      tx,
      scope,
      terms,
      near.map(({ version_id }) => version_id),
      ranking,
    )
    const weights = rankingBy(ranking, vector)
    const ranked = fuse(text.found, near, weights)
    const { limit, offset } = limits(query)
    const hits: Hit[] = ranked.slice(offset, offset + limit)
    const isExactlyRanked = ranked.filter(({ is_exact }) => is_exact).length
    if (hits.length < limit && text.total > isExactlyRanked) {
      const more = await searchMore(tx, scope, text, {
        leaveOut: ranked.filter(({ is_exact }) => is_exact).map(({ version_id }) => version_id),
        skip: Math.max(0, offset - ranked.length),
        take: limit - hits.length,
      })
      hits.push(...more.map(each => ({ ...each, score: 0, matched: ['text' as const], is_exact: true })))
    }
    const hasPrefix = terms.terms.some(({ any }) => any.some(({ is_prefix }) => is_prefix))
    const rows = await listFound(tx, scope, { words: text.words, hits, ranking, hasPrefix })
    const byVersion = new Map(hits.map(hit => [hit.version_id, hit]))
    return {
      mode: vector ? ('hybrid' as const) : ('text' as const),
      ...envelope(
        rows.map(({ version_id, snippet, ...row }) => {
          const { score, matched } = byVersion.get(version_id)!
          return { ...row, snippet: snippet && htmlOf(snippet), score, matched }
        }),
        text.total + ranked.length - isExactlyRanked,
        query,
      ),
    }
  },
})
