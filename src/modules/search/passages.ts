import type { PrepareContext } from '#action'
import { askedBy } from './asked.ts'
import { searchTexts } from './found-queries.ts'
import { fuse, nearest } from './fusion.ts'
import { listPassages, listPieces, type Passage } from './passage-queries.ts'
import { type Ranking, ranking, rankingBy } from './ranking.ts'
import { embedQuery, findByMeaning } from './semantic.ts'
import { questionOf } from './terms.ts'

/** A question is answered by what has some of its words. */
const questioning = { ...ranking, few: 1_000_000, related_share: 0.2 }
const most_versions = 30
/** Of so many documents at least an answer is made, where there are as many. */
const fewest_documents = 3

/**
 * What the documents say about a question, the best first: of those alone whose content the caller may know. `documents`: of the shown
 * version of these alone.
 */
export async function passages(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  { q, documents, limit }: { q: string; documents?: number[] | undefined; limit: number },
): Promise<Passage[]> {
  if (!actor.permissions.has('documents.read')) return []
  const vector = await embedQuery({ services, read }, q)
  return read(async tx => {
    const asked = await askedBy({ tx, actor, services }, documents ? { documents } : {})
    const near = vector ? nearest(await findByMeaning(tx, asked, vector, ranking.most_semantic), ranking) : []
    const text = await searchTexts(
      tx,
      asked,
      questionOf(q),
      near.map(({ version_id }) => version_id),
      questioning,
    )
    const weights = rankingBy(questioning, vector)
    const versions = fuse(text.found, near, weights)
      .filter(({ may_know }) => may_know)
      .slice(0, most_versions)
      .map(({ version_id }) => version_id)
    const each = Math.max(1, Math.ceil(limit / Math.min(fewest_documents, documents?.length ?? fewest_documents)))
    const pieces = await listPieces(tx, asked, { words: text.words, ranking, versions, each })
    return listPassages(tx, bestPieces(pieces, near, weights, { limit, each }))
  })
}

interface Piece {
  version_id: number
  position: number
}

/** By their places among the pieces by words and among those by meaning. */
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
