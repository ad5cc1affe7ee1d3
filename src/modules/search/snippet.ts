import type { SearchedWord } from './terms.ts'

/** A snippet has two parts of the text at most. */
const maxFragments = 2
const maxWords = 32
/** Words of a text in which nothing is marked. */
const openingWords = 12

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, each => entities[each]!)

const letters: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' }
const hasAccents = (text: string) => /[^\0-\x7f]/.test(text)
/** Without accents, in lower case: about as the index has a word. Both sides of a comparison go through it. */
const fold = (text: string) =>
  hasAccents(text)
    ? text
        .normalize('NFKD')
        .toLowerCase()
        .replace(/\p{M}/gu, '')
        .replace(/[ßæœøđðłþı]/g, each => letters[each]!)
    : text.toLowerCase()

/** The lexemes of the forms of words, and the beginnings of lexemes, as a text search vector has them behind a quote. */
function keysOf(words: readonly SearchedWord[]): string[] {
  const keys = new Set<string>()
  // A word that a language does not index, such as "and", tells nothing of the text.
  for (const { typed, other, prefix } of words.filter(({ is_asked, share }) => is_asked || share !== 'stop'))
    for (const form of [...typed, ...other, ...prefix])
      for (const [, lexeme, isPrefix] of form.matchAll(/'((?:[^']|'')*)'(:\*)?/g))
        keys.add(isPrefix ? lexeme! : `${lexeme}':`)
  // It is everywhere, and would be looked for without end.
  keys.delete('')
  return [...keys]
}

const [zero, nine, comma] = [48, 57, 44]

/** Calls with the positions of a lexeme, which begin at `from`. Returns where they end. */
function eachPlace(vector: string, from: number, call: (place: number) => void): number {
  for (let at = from, place = 0; ; at++) {
    const code = vector.charCodeAt(at)
    if (code >= zero && code <= nine) place = place * 10 + code - zero
    else if (code === comma || !(code > comma)) {
      call(place)
      if (code !== comma) return at
      place = 0
    }
  }
}

/** The positions of the keys in a text. */
function placesOf(keys: readonly string[], vector: string): Set<number> {
  const places = new Set<number>()
  for (const key of keys)
    for (let at = vector.indexOf(key); at >= 0; at = vector.indexOf(key, at + 1))
      if (vector[at - 1] === "'" && (at === 1 || vector[at - 2] === ' '))
        eachPlace(vector, vector.indexOf("':", at + 1) + 2, place => places.add(place))
  return places
}

/** The forms of a text in which one of the keys is at the same position of its vector. */
function formsAt(keys: readonly string[], vector: string): Set<string> {
  const forms = new Set<string>()
  const places = placesOf(keys, vector)
  if (places.size === 0) return forms
  for (let at = 0, to = vector.indexOf("':"); to > 0; to = vector.indexOf("':", at + 1)) {
    let isFound = false
    const end = eachPlace(vector, to + 2, place => {
      isFound ||= places.has(place)
    })
    if (isFound) forms.add(fold(vector.slice(vector[at + 1] === '-' ? at + 2 : at + 1, to)))
    at = end + 1
  }
  forms.delete('')
  return forms
}

/**
 * Returns a function that makes the HTML of the parts of a text in which the words are: the text is escaped, and only the marks become
 * elements. Its second parameter is the text in the form of the index, as text. There a word has the same position by its stem and as it
 * stands, which tells what a found stem stands for in this text without its stems being computed again.
 */
export function marksOf(words: readonly SearchedWord[]): (body: string, vector: string) => string {
  const keys = keysOf(words)
  return (body, vector) => htmlOf(body.trim().replace(/\s{2,}|[^\S ]/g, ' '), formsAt(keys, vector))
}

interface Mark {
  from: number
  to: number
  form: string
}

/** A word, or a number with a point in it. */
const wordPattern = /[\p{L}\p{N}\p{M}]+(?:\.\p{N}+)*/gu
const isPartOfWord = (letter: string | undefined) => letter !== undefined && /[a-z0-9]/.test(letter)

/** The places of the forms in a text, in its order. A text without accents, as most are, is not taken apart into words. */
function findForms(text: string, forms: ReadonlySet<string>): Mark[] {
  const found: Mark[] = []
  if (hasAccents(text)) {
    for (const { 0: word, index } of text.matchAll(wordPattern)) {
      const form = fold(word)
      if (forms.has(form)) found.push({ from: index, to: index + word.length, form })
    }
    return found
  }
  const plain = text.toLowerCase()
  for (const form of forms)
    for (let from = plain.indexOf(form); from >= 0; from = plain.indexOf(form, from + 1)) {
      const to = from + form.length
      if (!isPartOfWord(plain[from - 1]) && !isPartOfWord(plain[to])) found.push({ from, to, form })
    }
  // A form with a point or a hyphen in it has other forms within.
  const whole: Mark[] = []
  for (const mark of found.sort((a, b) => a.from - b.from || b.to - a.to))
    if (mark.from >= (whole.at(-1)?.to ?? 0)) whole.push(mark)
  return whole
}

/** A part of the words of a text. */
interface Fragment {
  from: number
  to: number
}
interface MarkedWord extends Mark {
  /** The place of the word among those of the text. */
  place: number
}

function htmlOf(text: string, forms: ReadonlySet<string>): string {
  const starts = [0]
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) starts.push(at + 1)
  let place = 0
  const marked: MarkedWord[] = findForms(text, forms).map(mark => {
    while (place + 1 < starts.length && starts[place + 1]! <= mark.from) place++
    return { ...mark, place }
  })
  return fragmentsOf(marked, starts.length)
    .map(fragment => {
      let html = ''
      let end = starts[fragment.from]!
      for (const { from, to, place } of marked) {
        if (place < fragment.from || place >= fragment.to) continue
        html += `${escaped(text.slice(end, from))}<mark>${escaped(text.slice(from, to))}</mark>`
        end = to
      }
      const last = fragment.to < starts.length ? starts[fragment.to]! - 1 : text.length
      return html + escaped(text.slice(end, last))
    })
    .join(' … ')
}

/** The parts with the most different words, in the order of the text. */
function fragmentsOf(marked: readonly MarkedWord[], words: number): Fragment[] {
  if (marked.length === 0) return [{ from: 0, to: Math.min(words, openingWords) }]
  const fragments: Fragment[] = []
  const seen = new Set<string>()
  let rest = marked
  while (fragments.length < maxFragments && rest.length > 0) {
    const run = bestRun(rest, seen)
    const [first, last] = [run[0]!.place, run.at(-1)!.place]
    const least = Math.max(0, ...fragments.filter(({ to }) => to <= first).map(({ to }) => to))
    const most = Math.min(words, ...fragments.filter(({ from }) => from > last).map(({ from }) => from))
    const middle = first - Math.floor((maxWords - (last - first + 1)) / 2)
    const from = Math.max(least, Math.min(middle, most - maxWords))
    fragments.push({ from, to: Math.min(most, from + maxWords) })
    for (const { form } of run) seen.add(form)
    rest = rest.filter(({ place }) => !fragments.some(each => place >= each.from && place < each.to))
  }
  return fragments.sort((a, b) => a.from - b.from)
}

/** Of the marked words that fit into one fragment, those with the most forms that were not seen yet, then the most words. */
function bestRun(marked: readonly MarkedWord[], seen: ReadonlySet<string>): readonly MarkedWord[] {
  let best: readonly MarkedWord[] = []
  let bestScore = 0
  for (const [index, { place }] of marked.entries()) {
    const run = marked.slice(index).filter(each => each.place < place + maxWords)
    const fresh = new Set(run.filter(({ form }) => !seen.has(form)).map(({ form }) => form)).size
    const score = fresh * marked.length + run.length
    if (score > bestScore) [best, bestScore] = [run, score]
  }
  return best
}
