/** A word of a text in its normal form, with its position. */
export interface Word {
  form: string
  start: number
  end: number
  /** Signals match within one sentence. */
  sentence: number
  /** "No" and "perhaps" apply to their clause only. */
  clause: number
}

/** Rules have no longer words. */
const maxFormLength = 40

// The alternatives begin differently and match in one way only, so the time is linear in the length.
const pieces =
  /[wW]\/[oO](?![\p{L}\p{N}])|\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{Cf}][\p{L}\p{M}\p{N}\p{Cf}]*(?:['’]\p{L}+)*|[.!?;:\n,()–—]/gu
const sentenceEnds = new Set(['.', '!', '?', '\n'])
const clauseEnds = new Set([';', ':', ',', '(', ')', '–', '—'])
/** Words that begin a new clause. */
const turns = new Set([
  'but',
  'however',
  'although',
  'though',
  'while',
  'whereas',
  'yet',
  'nevertheless',
  'because',
  'which',
  'when',
  'until',
])
/** "No impact on product, patient or data" is one clause; the last item of a list may be this many words after a comma. */
const maxListWords = 6

/** Removes case, accents, full width and invisible characters. */
const formOf = (text: string) =>
  text
    .slice(0, maxFormLength)
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll('’', "'")
    .toLowerCase()

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let sentence = 0
  let clause = 0
  const commas: number[] = []
  for (const { 0: piece, index: start } of text.matchAll(pieces)) {
    if (sentenceEnds.has(piece)) {
      sentence++
      clause++
    } else if (clauseEnds.has(piece)) {
      clause++
      if (piece === ',') commas.push(words.length)
    } else {
      const form = formOf(piece)
      if (turns.has(form)) clause++
      if (form !== '') words.push({ form, start, end: start + piece.length, sentence, clause })
    }
  }
  joinLists(words, commas)
  return words
}

/** A comma within a list does not end a clause. `commas` are the indexes of the words after a comma. */
function joinLists(words: Word[], commas: readonly number[]) {
  let joined = 0
  let next = 0
  for (const [index, word] of words.entries()) {
    if (commas[next] === index) {
      while (commas[next] === index) next++
      const before = words[index - 1]
      if (before?.sentence === word.sentence && isOfList(words, index)) joined = word.clause - before.clause
    }
    // Later clauses of the sentence are shifted by the same number.
    if (words[index - 1]?.sentence !== word.sentence) joined = 0
    word.clause -= joined
  }
}

function isOfList(words: readonly Word[], from: number) {
  const { sentence } = words[from]!
  for (let n = from; n < Math.min(words.length, from + maxListWords); n++) {
    const { form, sentence: its } = words[n]!
    if (its !== sentence) return false
    if (form === 'or' || form === 'nor') return true
  }
  return false
}
