import type { PrepareContext } from '#action'
import { fuse, nearest } from './fusion.ts'
import { listPassages, listPieces, type Passage } from './passage-queries.ts'
import { type Ranking, ranking } from './ranking.ts'
import { searchScopeOf } from './scope.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { questionOf } from './terms.ts'
import { findTexts, readVocabulary } from './words.ts'

/** A question is answered by texts that have some of its words. */
const questioning = { ...ranking, few: 1_000_000, related_share: 0.2 }
const maxVersions = 30
/** An answer should use passages of at least so many documents. */
const minDocuments = 3

/**
 * The passages that answer a question best, from documents whose content the caller may know. `documents`: only from the shown versions
 * of these.
 */
export async function passages(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  { q, documents, limit }: { q: string; documents?: number[] | undefined; limit: number },
): Promise<Passage[]> {
  if (!actor.permissions.has('documents.read')) return []
  const vector = await embedQuery({ services, read }, q)
  return read(async tx => {
    const [vocabulary, scope] = await Promise.all([
      readVocabulary(tx),
      searchScopeOf({ tx, actor, services }, documents ? { documents } : {}),
    ])
    const near = vector ? nearest(await findByMeaning(tx, scope, vector, ranking.most_semantic), ranking) : []
    const text = await findTexts({ tx, actor, services }, scope, {
      vocabulary,
      terms: synonyms => questionOf(q, synonyms),
      near: near.map(({ version_id }) => version_id),
      ranking: questioning,
    })
    const versions = fuse(text.found, near, questioning)
      .filter(({ may_know }) => may_know)
      .slice(0, maxVersions)
      .map(({ version_id }) => version_id)
    const each = Math.max(1, Math.ceil(limit / Math.min(minDocuments, documents?.length ?? minDocuments)))
    const pieces = await listPieces(tx, scope, { words: text.words, ranking, versions, each })
    return listPassages(tx, bestPieces(pieces, near, questioning, { limit, each }))
  })
}

interface Piece {
  version_id: number
  position: number
}

/** Ranks pieces by their places in both lists, by words and by meaning. */
function bestPieces(
  byWords: readonly Piece[],
  byMeaning: readonly Piece[],
  { constant, text, semantic }: Ranking,
  { limit, each }: { limit: number; each: number },
) {
  const scores = new Map<string, Piece & { score: number }>()
  const lists = [
    { pieces: byWords, weight: text },
    { pieces: byMeaning, weight: semantic },
  ].filter(({ pieces }) => pieces.length > 0)
  const whole = lists.reduce((sum, { weight }) => sum + weight, 0)
  for (const { pieces, weight } of lists)
    pieces.forEach(({ version_id, position }, index) => {
      const key = `${version_id}:${position}`
      const score = (weight / whole) * ((constant + 1) / (constant + index + 1))
      scores.set(key, { version_id, position, score: score + (scores.get(key)?.score ?? 0) })
    })
  const taken = new Map<number, number>()
  return [...scores.values()]
    .toSorted((a, b) => b.score - a.score || b.version_id - a.version_id || a.position - b.position)
    .filter(({ version_id }) => {
      const count = (taken.get(version_id) ?? 0) + 1
      taken.set(version_id, count)
      return count <= each
    })
    .slice(0, limit)
}
