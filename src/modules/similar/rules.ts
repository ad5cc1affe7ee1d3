import type { Message } from '#kernel/message.ts'
import { printed } from './messages.ts'

/** The parts of the similarity of two deviations and their weights; documentation and answers use the same names. */
const weights = {
  /** The words of title, description and investigation: the rarer a shared one is, the more it says. */
  text: 0.5,
  /** Titles are compared letter by letter, so that another spelling counts too. */
  title: 0.2,
  /** How near they are in meaning, where a model that knows it is installed. */
  meaning: 0.5,
  /** The share of the affected items that both have. */
  items: 0.15,
  category: 0.075,
  root_cause: 0.075,
} as const

type Part = keyof typeof weights

/** The facts that similar deviations are searched by; a text without a deviation has only words. */
export interface Asked {
  text: string
  title: string
  items: string[]
  category: string | null
  root_cause_category: string | null
}

/** A deviation from the index, with its shared words and scores. */
export interface Candidate {
  deviation_id: number
  words: string[]
  /** 0 to 1 each. */
  text_score: number
  title_score: number
  items: string[]
  category: string | null
  root_cause_category: string | null
  /** 0 to 1; null where nothing is searched by meaning. */
  meaning: number | null
}

const maxWords = 8
/** Titles of one trade always share letters, so a lower score is not mentioned. */
const minTitleScore = 0.5

interface Judged {
  score: number
  why: Message[]
  /** `text`: by words, titles and facts; `semantic`: by meaning. */
  matched: ('text' | 'semantic')[]
}

/** The weighted mean of the parts that the searched deviation has, and in `why` what the two share. */
export function judge(asked: Asked, candidate: Candidate): Judged {
  const isSameCategory = asked.category !== null && asked.category === candidate.category
  const isSameCause = asked.root_cause_category !== null && asked.root_cause_category === candidate.root_cause_category
  const parts: [Part, number | undefined][] = [
    ['text', candidate.text_score],
    ['title', candidate.title_score],
    ['items', asked.items.length > 0 ? candidate.items.length / asked.items.length : undefined],
    ['category', asked.category === null ? undefined : Number(isSameCategory)],
    ['meaning', candidate.meaning ?? undefined],
    ['root_cause', asked.root_cause_category === null ? undefined : Number(isSameCause)],
  ]
  let sum = 0
  let whole = 0
  const matched = new Set<'text' | 'semantic'>()
  for (const [part, share] of parts) {
    if (share === undefined) continue
    sum += weights[part] * share
    whole += weights[part]
    if (share > 0) matched.add(part === 'meaning' ? 'semantic' : 'text')
  }
  const words = candidate.words.slice(0, maxWords)
  const why = [
    ...(words.length > 0 ? [printed.similar_words({ words })] : []),
    ...(candidate.title_score >= minTitleScore ? [printed.similar_title()] : []),
    ...(candidate.meaning ? [printed.similar_meaning()] : []),
    ...candidate.items.map(item => printed.similar_item({ item })),
    ...(isSameCategory ? [printed.similar_category({ category: candidate.category! })] : []),
    ...(isSameCause ? [printed.similar_root_cause({ category: candidate.root_cause_category! })] : []),
  ]
  return { score: Math.round(Math.min(1, sum / whole) * 1000) / 1000, why, matched: [...matched] }
}

/** The best first; among equals the newest. */
export const ranked = <T extends { id: number; score: number }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => b.score - a.score || b.id - a.id)
