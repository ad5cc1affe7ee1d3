import type { Ranking } from './ranking.ts'

/** A version that was found by words, the best first. */
export interface TextHit {
  version_id: number
  score: number
  /** It has all words, so the total already counts it. */
  is_exact: boolean
  is_number: boolean
  /** The person may know its content; otherwise only number and title are shown. */
  may_know: boolean
}
interface SemanticHit {
  version_id: number
  /** The position of the nearest piece of its text. */
  position: number
  score: number
}
export interface Hit {
  version_id: number
  /** Between 0 and 1. */
  score: number
  matched: ('text' | 'semantic')[]
  is_exact: boolean
  may_know: boolean
  /** The piece that is nearest in meaning. */
  position?: number
}

/** Keeps hits that are nearly as near as the nearest, because every text is a little near to every other. */
export const nearest = <Hit extends { score: number }>(
  hits: readonly Hit[],
  { semantic_share, most_semantic }: Ranking,
): Hit[] => hits.filter(({ score }) => score > 0 && score >= hits[0]!.score * semantic_share).slice(0, most_semantic)

/** Keeps all exact hits, and the best of those that have only some of the words. */
function textHits(hits: readonly TextHit[], { related_share, most_related }: Ranking): TextHit[] {
  const best = Math.max(...hits.map(({ score }) => score), 0)
  let related = 0
  return hits.filter(
    ({ score, is_exact, is_number }) =>
      is_exact || is_number || (score > 0 && score >= best * related_share && ++related <= most_related),
  )
}

/**
 * Reciprocal rank fusion: versions that were found both by words and by meaning come first. `text` includes the versions that were found
 * by vectors and have the required words; the others are dropped.
 */
export function fuse(text: readonly TextHit[], semantic: readonly SemanticHit[], ranking: Ranking): Hit[] {
  const byVersion = new Map(text.map(hit => [hit.version_id, hit]))
  const places = new Map<number, { text?: number; semantic?: number; position?: number }>()
  textHits(text, ranking).forEach(({ version_id }, index) => {
    places.set(version_id, { text: index + 1 })
  })
  semantic
    .filter(({ version_id }) => byVersion.get(version_id)?.may_know)
    .forEach(({ version_id, position }, index) => {
      places.set(version_id, { ...places.get(version_id), semantic: index + 1, position })
    })
  const share = (weight: number, place: number | undefined) =>
    place === undefined ? 0 : (weight * (ranking.constant + 1)) / (ranking.constant + place)
  const whole = ranking.text + (semantic.length > 0 ? ranking.semantic : 0)
  const hits = [...places].map(([version_id, place]) => {
    const { is_number, is_exact, may_know } = byVersion.get(version_id)!
    const sum = share(ranking.text, place.text) + share(ranking.semantic, place.semantic)
    return {
      version_id,
      score: is_number ? 1 : Math.round((sum / whole) * 10_000) / 10_000,
      matched: [
        ...(place.text === undefined ? [] : ['text' as const]),
        ...(place.semantic === undefined ? [] : ['semantic' as const]),
      ],
      is_exact,
      is_number,
      may_know,
      ...(place.position !== undefined && { position: place.position }),
    }
  })
  return hits
    .toSorted((a, b) => Number(b.is_number) - Number(a.is_number) || b.score - a.score || b.version_id - a.version_id)
    .map(({ is_number, ...hit }) => hit)
}
