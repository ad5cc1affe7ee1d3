/** How what is found is put in order: all that can be tuned, in one place. `node bench/search-quality.ts` says what a change does. */
export const ranking = {
  /** What a place of a word counts: in the text, a heading, keywords and description, title and number. */
  places: '{0.1,0.3,0.5,1}',
  /** Another name of what was typed counts so much of it, and in these places: numbers begin with abbreviations. */
  other: 0.7,
  other_places: '{0.1,0.3,0.5,0.1}',
  /** Nearer to 0, that a word is there counts more, and where it is counts less. */
  power: 0.5,
  /** As of ts_rank: 2 is divided by the length of the text. */
  normalization: 2,
  /** Of words that many have, so many versions are ranked: the newest. */
  most: 500,
  /** Fewer than so many that have all words: then those that have some of them are found too. */
  few: 20,
  /** So many of the rarest words, and of each so many versions. */
  most_words: 8,
  most_of_word: 200,
  /** What has some of the words: as good as this share of the best, and no more of them than this. */
  related_share: 0.3,
  most_related: 100,
  /** What is found by meaning: as near as this share of the nearest, and no more of them than this. */
  semantic_share: 0.8,
  most_semantic: 50,
  /** Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009); with a small constant the first places count most. */
  constant: 5,
  text: 1,
  semantic: 1,
  /** In the place of `semantic` where the model knows spelling alone: words find better than it does, it finds what they do not. */
  lexical: 0.1,
} as const

/** `vector`: what it is asked by, where meaning takes part. */
export const rankingBy = <R extends Ranking>(base: R, vector: { is_lexical: boolean } | undefined): Ranking =>
  vector?.is_lexical ? { ...base, semantic: base.lexical } : base

export type Ranking = { readonly [K in keyof typeof ranking]: (typeof ranking)[K] extends number ? number : string }
