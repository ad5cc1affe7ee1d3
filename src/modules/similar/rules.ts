/** What makes two deviations alike, and how much each part of it weighs; docs and answers use the same names. */
const weights = {
  /** The words of title, description and investigation: the rarer a shared one is, the more it says. */
  text: 0.5,
  /** How alike the titles are letter by letter, so that another spelling counts too. */
  title: 0.2,
  /** The share of the affected items that the other has too. */
  items: 0.15,
  category: 0.075,
  root_cause: 0.075,
} as const

type Part = keyof typeof weights

/** What similar ones are looked for by. Of a text without a record there are only words. */
export interface Asked {
  text: string
  title: string
  items: string[]
  category: string | null
  root_cause_category: string | null
}

/** What the index found, as far as it is alike. */
export interface Candidate {
  deviation_id: number
  words: string[]
  /** 0 to 1 each. */
  text_score: number
  title_score: number
  items: string[]
  category: string | null
  root_cause_category: string | null
}

const at_most_words = 8
/** Titles of one trade share letters; only from here on that is worth saying. */
const like_title = 0.5

/**
 * The weighted mean of the parts that can be asked at all: a record without a category is not held against the other. `why` says in
 * words what they share.
 */
export function judge(asked: Asked, candidate: Candidate): { score: number; why: string[] } {
  const isSameCategory = asked.category !== null && asked.category === candidate.category
  const isSameCause = asked.root_cause_category !== null && asked.root_cause_category === candidate.root_cause_category
  const parts: [Part, number | undefined][] = [
    ['text', candidate.text_score],
    ['title', candidate.title_score],
    ['items', asked.items.length > 0 ? candidate.items.length / asked.items.length : undefined],
    ['category', asked.category === null ? undefined : Number(isSameCategory)],
    ['root_cause', asked.root_cause_category === null ? undefined : Number(isSameCause)],
  ]
  let sum = 0
  let whole = 0
  for (const [part, share] of parts) {
    if (share === undefined) continue
    sum += weights[part] * share
    whole += weights[part]
  }
  const words = candidate.words.slice(0, at_most_words)
  const why = [
    ...(words.length > 0 ? [`words: ${words.join(', ')}`] : []),
    ...(candidate.title_score >= like_title ? ['title'] : []),
    ...candidate.items.map(item => `item: ${item}`),
    ...(isSameCategory ? [`category: ${candidate.category}`] : []),
    ...(isSameCause ? [`root cause: ${candidate.root_cause_category}`] : []),
  ]
  return { score: Math.round(Math.min(1, sum / whole) * 1000) / 1000, why }
}

/** The best first; of equals the newer. */
export const ranked = <T extends { id: number; score: number }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => b.score - a.score || b.id - a.id)
