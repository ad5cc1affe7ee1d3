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

/** What the lexemes of text queries, and the beginnings of lexemes, begin with in a text search vector. */
function keysOf(words: readonly SearchedWord[]): string[] {
  const keys = new Set<string>()
  // A word that a language does not index, such as "and", tells nothing of the text.
  for (const { any } of words.filter(({ is_asked, share }) => is_asked || share !== 'stop'))
    for (const [, lexeme, isPrefix] of any.matchAll(/'((?:[^']|'')*)'(:\*)?/g))
      keys.add(isPrefix ? `'${lexeme}` : `'${lexeme}':`)
  return [...keys]
}

/** Adds the positions of the lexemes of a vector that begin with the key. */
function addPlaces(places: Set<string>, vector: string, key: string) {
  for (let at = vector.indexOf(key); at >= 0; at = vector.indexOf(key, at + key.length)) {
    if (at > 0 && vector[at - 1] !== ' ') continue
    const from = vector.indexOf("':", at + 1) + 2
    const end = vector.indexOf(' ', from)
    for (const place of vector.slice(from, end < 0 ? undefined : end).split(','))
      places.add(place.replace(/[A-D]$/, ''))
  }
}

/** Adds the lexemes at a position of a vector. */
function addForms(forms: Set<string>, vector: string, place: string) {
  for (const before of [':', ','])
    for (let at = vector.indexOf(before + place); at >= 0; at = vector.indexOf(before + place, at + 1)) {
      if (/\d/.test(vector[at + 1 + place.length] ?? '')) continue
      const end = vector.lastIndexOf("':", at)
      // A lexeme may have a comma in it.
      if (end < 0 || /[^\dA-D,]/.test(vector.slice(end + 2, at + 1))) continue
      const begin = vector.lastIndexOf(" '", end)
      const form = fold(vector.slice(begin < 0 ? 1 : begin + 2, end).replace(/^-/, ''))
      if (form !== '') forms.add(form)
    }
}

/**
 * Returns a function that makes the HTML of the parts of a text in which the words are: the text is escaped, and only the marks become
 * elements. Its second parameter is the text in the form of the index, as text. There a word has the same position by its stem and as it
 * stands, which tells what a found stem stands for in this text without its stems being computed again.
 */
export function marksOf(words: readonly SearchedWord[]): (body: string, vector: string) => string {
  const keys = keysOf(words)
  return (body, vector) => {
    const places = new Set<string>()
    for (const key of keys) addPlaces(places, vector, key)
    const forms = new Set<string>()
    for (const place of places) addForms(forms, vector, place)
    return htmlOf(body.trim().replace(/\s+/g, ' '), forms)
  }
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
