import { type Synonyms, tradeSynonyms } from './synonyms.ts'

interface Phrase {
  text: string
  /** It matches every word that begins with it. */
  is_prefix?: boolean
  /** A synonym of the typed word. */
  is_other?: boolean
}
/** `word`: searched for; `phrase`: required; `not`: excluded. */
interface Term {
  kind: 'word' | 'phrase' | 'not'
  /** Alternatives: synonyms, and the words that `or` connects. */
  any: Phrase[]
  /** A word of a typed name with several words, which counts a little where it stands apart. */
  is_part?: boolean
}
/** The typed query in the form of search_texts. */
export interface Terms {
  terms: Term[]
  /** Set if the query may be the number of a document. */
  number?: string
}

/** Further words do not improve a search. */
const maxTerms = 32
const minPrefixLength = 2

interface Token {
  text: string
  isNot: boolean
  isQuoted: boolean
  isPrefix: boolean
}

function tokensOf(q: string): Token[] {
  const tokens: Token[] = []
  for (const [, minus, quoted, plain] of q.matchAll(/(?<=^|\s)(-?)(?:"([^"]*)"?|([^\s]+))/gu)) {
    const text = (quoted ?? plain ?? '').replace(/^[*"]+|["*]+$/g, '').trim()
    if (!/[\p{L}\p{N}]/u.test(text)) continue
    tokens.push({
      text,
      isNot: minus === '-',
      isQuoted: quoted !== undefined,
      isPrefix: quoted === undefined && /\*+$/.test(plain!) && text.length >= minPrefixLength,
    })
  }
  return tokens
}

const isOr = ({ text, isNot, isQuoted }: Token) => !isNot && !isQuoted && /^or$/i.test(text)
const isPlain = (token: Token) => !(token.isNot || token.isQuoted || token.isPrefix || isOr(token))

/** OOS, CoA, cGMP. The words of its long form name the thing together alone. */
const isAbbreviation = (name: string) => /^[\p{L}\p{N}+]+$/u.test(name) && /\p{Lu}.*\p{Lu}/u.test(name)

/** `in-process` is also written `in process`. */
const spellings = ({ text, isPrefix }: Token): Phrase[] => {
  const phrase = { text, ...(isPrefix && { is_prefix: true }) }
  return /[\p{L}\p{N}]-[\p{L}\p{N}]/u.test(text) && !isPrefix ? [phrase, { text: text.replaceAll('-', ' ') }] : [phrase]
}

const mayBeNumber = (q: string) => /\d/.test(q) && /^[\p{L}\p{N}\s._/-]{1,40}$/u.test(q)

/** "Quoted" words stand together, `or` connects two words, `-` excludes a word, `*` ends the beginning of a word. */
export function termsOf(q: string, synonyms: Synonyms = tradeSynonyms): Terms {
  const tokens = tokensOf(q)
  const terms: Term[] = []
  for (let index = 0; index < tokens.length && terms.length < maxTerms; ) {
    const token = tokens[index]!
    const isBeforeOr = index + 2 < tokens.length && isOr(tokens[index + 1]!)
    if (isOr(token) && index > 0 && index < tokens.length - 1) {
      const last = terms.at(-1)
      const next = tokens[index + 1]!
      if (last && last.kind !== 'not' && !next.isNot) {
        last.any.push(...spellings(next))
        if (!next.isQuoted) last.kind = 'word'
        index += 2
        continue
      }
    }
    const known =
      isPlain(token) && !isBeforeOr
        ? synonyms.otherWords(tokens.slice(index).map(each => (isPlain(each) ? each.text : '')))
        : undefined
    if (known) {
      terms.push({
        kind: 'word',
        any: known.forms.map((text, index) => ({ text, ...(index > 0 && { is_other: true }) })),
      })
      if (known.length > 1 && !known.forms.some(isAbbreviation))
        for (const { text } of tokens.slice(index, index + known.length))
          terms.push({ kind: 'word', any: [{ text }], is_part: true })
      index += known.length
      continue
    }
    terms.push({ kind: token.isNot ? 'not' : token.isQuoted ? 'phrase' : 'word', any: spellings(token) })
    index += 1
  }
  const number = q.trim().replace(/^"|"$/g, '')
  return { terms, ...(mayBeNumber(number) && { number }) }
}

/** The words of a question are alternatives, and its quotes and hyphens are no operators. */
export const questionOf = (q: string, synonyms?: Synonyms): Terms =>
  termsOf(q.replace(/["*]/g, ' ').replace(/(?<=^|\s)-/gu, ' '), synonyms)

/** The forms of a phrase in the index, as text queries. */
export interface PhraseForms {
  queries: string[]
  /** Some language does not index it. */
  is_stop: boolean
  /** The pairs of neighbouring words that each text with the phrase has, as numbers of the index on pairs. */
  pairs: number[]
}

/** A searched word in the forms of the index, as text queries. */
export interface SearchedWord {
  /** Each form, combined by `|`. */
  any: string
  typed: string[]
  /** Synonyms, and those that are the prefix of a document type. */
  other: string[]
  prefix: string[]
  /** A version with all words has this one. */
  is_asked: boolean
  /** The number of `ranking` by which the word counts less. */
  share: 'stop' | 'part' | null
  text: string
  can_be_mistyped: boolean
  /** The number of versions that have it, see Frequencies. */
  found?: number
  /** How much the word counts by its rarity. */
  weight?: number
}

/** The typed query in the form of search_texts. */
export interface SearchedWords {
  /** Text queries: what every result has, and has not. */
  must: string | null
  never: string | null
  /** The pairs of neighbouring words that every result has. */
  pairs: number[]
  number?: string
  words: SearchedWord[]
  /** The number of versions that `found` is a part of. */
  everything?: number
  /** The text search configurations of the tenant's languages, an array of PostgreSQL. */
  configurations: string
}

/**
 * One of these queries. A phrase with a word that is a query itself, such as `standard operating procedure` beside `procedure`, finds nothing
 * more, and would have the index read for each of its words.
 */
function either(queries: readonly string[]): string {
  const single = new Set(queries.filter(query => !query.includes(' ')))
  const isCovered = (query: string) => query.includes(' ') && query.split(' <-> ').some(word => single.has(word))
  return queries.flatMap(query => (isCovered(query) ? [] : [`(${query})`])).join(' | ')
}

/**
 * A word that some language does not index counts little beside others, and so do the words of a name that is typed. A prefix of a document
 * type, such as SOP, is in the number of every such document, so as another name it tells nothing about one of them.
 */
export function wordsOf(
  { terms, number }: Terms,
  { configurations, prefixes }: { configurations: string; prefixes: readonly string[] },
  formsOf: (phrase: Phrase) => PhraseForms,
): SearchedWords {
  const must: string[] = []
  const never: string[] = []
  const pairs: number[] = []
  const words: SearchedWord[] = []
  for (const { kind, any, is_part = false } of terms) {
    const [typed, other, prefix] = [new Set<string>(), new Set<string>(), new Set<string>()]
    let isStop = false
    for (const phrase of any) {
      const { queries, is_stop } = formsOf(phrase)
      const to = !phrase.is_other ? typed : prefixes.includes(phrase.text.toLowerCase()) ? prefix : other
      for (const query of queries) to.add(query)
      if (queries.length > 0) isStop ||= is_stop
    }
    const all = [...new Set([...typed, ...other, ...prefix])]
    if (all.length === 0) continue
    if (kind === 'not') {
      never.push(either(all))
      continue
    }
    if (kind === 'phrase') {
      must.push(either(all))
      if (any.length === 1) pairs.push(...formsOf(any[0]!).pairs)
    }
    words.push({
      any: either(all),
      typed: [...typed],
      // A form that was typed counts more as that.
      other: [...other].filter(query => !typed.has(query)),
      prefix: [...prefix],
      is_asked: kind === 'phrase' || !(isStop || is_part),
      share: isStop ? 'stop' : is_part ? 'part' : null,
      text: any[0]!.text,
      can_be_mistyped: kind === 'word' && !is_part && any.length === 1 && !any[0]!.is_prefix,
    })
  }
  const hasAsked = words.some(({ is_asked }) => is_asked)
  return {
    must: must.length > 0 ? must.map(each => `(${each})`).join(' & ') : null,
    never: never.length > 0 ? never.join(' | ') : null,
    pairs,
    ...(number !== undefined && { number }),
    configurations,
    // Only stop words: then they count.
    words: hasAsked ? words : words.map(word => ({ ...word, is_asked: true, share: null })),
  }
}
