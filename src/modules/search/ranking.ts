import type { SearchedWord } from './terms.ts'

/** All numbers that the ranking of a search depends on. `node bench/search-quality.ts` measures the effect of a change. */
export const ranking = {
  /** The weight of a word in the text, a heading, keywords and description, title and number. */
  places: '{0.1,0.3,0.5,1}',
  /** The weight of a synonym. */
  other: 0.8,
  /**
   * The weight of a synonym that is also the prefix of a document type, such as SOP, and its weights by place. They are low in titles
   * and numbers, because every document of the type has the prefix there.
   */
  prefix: 0.5,
  prefix_places: '{0.1,0.3,0.5,0.1}',
  /** The weight of a stop word of any language, beside words that are none. */
  stop: 0.1,
  /** The weight of the words of a synonym with several words that was typed, where they stand apart. */
  part: 0.5,
  /** Nearer to 0, the presence of a word counts more and its place less. */
  power: 0.5,
  /** The normalization of ts_rank: 2 divides by the length of the text. */
  normalization: 2,
  /** So many versions with all words are ranked: those with the most of them in the title, then the newest. */
  most: 100,
  /** Versions with all words are counted up to this number, and those of a frequent word that are looked at are no more. */
  most_counted: 1000,
  /** If there are more, the titles of so many of them are looked at, the newest. */
  most_titled: 300,
  /** How rare a word is, is counted up to so many versions that have it, of so many that may be found. */
  most_weighed: 200,
  most_everything: 800,
  /** If fewer versions have all words, versions with some of them are found as well. */
  few: 20,
  /** Then the rarest words are used, so many of them, and so many versions of each. */
  most_words: 8,
  most_of_word: 100,
  most_partly: 200,
  /** Versions with some of the words need this share of the best score, and their number is limited. */
  related_share: 0.2,
  most_related: 100,
  /** Versions that are found by meaning need this share of the best score, and their number is limited. */
  semantic_share: 0.8,
  most_semantic: 50,
  /** Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009); with a small constant the first places count most. */
  constant: 5,
  text: 1,
  semantic: 1,
} as const

export type Ranking = { readonly [K in keyof typeof ranking]: (typeof ranking)[K] extends number ? number : string }

/** The forms of words, with how much each counts; `word` is the place of its word. */
export interface WeighedForms {
  forms: string[]
  word: number[]
  share: number[]
  is_prefix: boolean[]
}

/** In the order of word_forms(): of each word first as it was typed, then other names, then those that are prefixes of document types. */
export function formsOf(words: readonly SearchedWord[], ranking: Ranking): WeighedForms {
  const weighed: WeighedForms = { forms: [], word: [], share: [], is_prefix: [] }
  for (const [place, { typed, other, prefix, weight = 1, share }] of words.entries()) {
    const whole = weight * (share === null ? 1 : ranking[share])
    const add = (forms: readonly string[], counts: number, isPrefix: boolean) => {
      for (const form of forms) {
        weighed.forms.push(form)
        weighed.word.push(place)
        weighed.share.push(whole * counts)
        weighed.is_prefix.push(isPrefix)
      }
    }
    add(typed, 1, false)
    add(other, ranking.other, false)
    add(prefix, ranking.prefix, true)
  }
  return weighed
}

/**
 * The score of a text: for each word its best form, and all of it by the length of the text. `ranks` has the ranks of the forms, with the
 * precision of PostgreSQL's real.
 */
export const scoreOf = (
  { forms, word, share }: WeighedForms,
  { power }: Ranking,
  length: number,
  ranks: readonly number[],
): number => {
  let sum = 0
  let best = 0
  for (let form = 0; form < forms.length; form++) {
    best = Math.max(best, share[form]! * Math.fround(ranks[form]!) ** power)
    if (word[form] === word[form + 1]) continue
    sum += best
    best = 0
  }
  return Math.fround(length) ** power * sum
}
