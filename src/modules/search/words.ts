import type { ActionContext } from '#action'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { findVocabulary, listForms, type PhraseForms, searchTexts, type TextAnswer } from './found-queries.ts'
import type { Ranking } from './ranking.ts'
import type { SearchScope } from './scope.ts'
import { type Synonyms, synonymsWith } from './synonyms.ts'
import type { Terms } from './terms.ts'

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
}

/** The typed query in the form of search_texts. */
export interface SearchedWords {
  /** Text queries: what every result has, and has not. */
  must: string | null
  never: string | null
  number?: string
  words: SearchedWord[]
  /** The number of versions that `found` is a part of. */
  everything?: number
}

const maxForms = 20_000
const maxFrequencies = 20_000
const frequency_ms = 60_000

/** Keeps the newest entries of a map. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number) {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}

/**
 * What a process remembers of words. How a phrase is indexed depends on the languages alone. How many versions have a word is counted among
 * those that every reader of the tenant may find with their content, so that an order reveals nothing of the others, and counts for a minute,
 * because it only weighs words.
 */
interface Remembered {
  forms: Map<string, PhraseForms>
  frequencies: Map<string, { found: number; until: number }>
}
const remembered = new WeakMap<object, Remembered>()
function rememberedOf(database: object): Remembered {
  const known = remembered.get(database) ?? { forms: new Map(), frequencies: new Map() }
  remembered.set(database, known)
  return known
}

interface Vocabulary {
  /** The text search configurations of the tenant's languages. */
  configurations: string
  /** The prefixes of its document types, in lower case. */
  prefixes: string[]
}

async function formsOf(tx: Tx, { forms }: Remembered, terms: Terms, configurations: string) {
  const found = new Map<string, PhraseForms>()
  const unknown = new Map<string, { text: string; is_prefix: boolean }>()
  for (const { any } of terms.terms)
    for (const { text, is_prefix = false } of any) {
      const name = `${is_prefix} ${text}`
      const known = forms.get(`${configurations} ${name}`)
      if (known) found.set(name, known)
      else unknown.set(name, { text, is_prefix })
    }
  if (unknown.size > 0) {
    const names = [...unknown.keys()]
    const listed = await listForms(tx, [...unknown.values()], configurations)
    for (const [place, name] of names.entries()) {
      found.set(name, listed[place]!)
      keep(forms, `${configurations} ${name}`, listed[place]!, maxForms)
    }
  }
  return ({ text, is_prefix = false }: { text: string; is_prefix?: boolean }) => found.get(`${is_prefix} ${text}`)!
}

const either = (queries: readonly string[]) => queries.map(each => `(${each})`).join(' | ')

/**
 * A word that some language does not index counts little beside others, and so do the words of a name that is typed. A prefix of a document
 * type, such as SOP, is in the number of every such document, so as another name it tells nothing about one of them.
 */
function wordsOf(
  { terms, number }: Terms,
  { prefixes }: Vocabulary,
  formsOf: (phrase: { text: string; is_prefix?: boolean }) => PhraseForms,
): SearchedWords {
  const must: string[] = []
  const never: string[] = []
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
    if (kind === 'phrase') must.push(either(all))
    words.push({
      any: either(all),
      typed: [...typed],
      other: [...other],
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
    ...(number !== undefined && { number }),
    // Only stop words: then they count.
    words: hasAsked ? words : words.map(word => ({ ...word, is_asked: true, share: null })),
  }
}

/** The key of the count of all versions: no query is empty. */
const everythingKey = ''

/** The versions that have the words that were typed, by `terms`; `near` as in searchTexts. */
export async function findTexts(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  scope: SearchScope,
  {
    terms: termsBy,
    near,
    ranking,
  }: { terms: (synonyms: Synonyms) => Terms; near: readonly number[]; ranking: Ranking },
): Promise<TextAnswer> {
  const known = rememberedOf(services.database)
  const [{ search_synonyms }, vocabulary] = await Promise.all([readSettings(tx), findVocabulary(tx)])
  const terms = termsBy(synonymsWith(search_synonyms))
  const query = wordsOf(terms, vocabulary, await formsOf(tx, known, terms, vocabulary.configurations))
  const now = performance.now()
  const keyOf = (any: string) => `${actor.tenantId} ${any}`
  const frequencyOf = (any: string) => {
    const entry = known.frequencies.get(keyOf(any))
    return entry && entry.until > now ? entry.found : undefined
  }
  const everything = frequencyOf(everythingKey)
  if (everything !== undefined) {
    query.everything = everything
    for (const word of query.words) {
      const found = frequencyOf(word.any)
      if (found !== undefined) word.found = found
    }
  }
  const { counted, everything: counted_of, ...answer } = await searchTexts(tx, scope, query, near, ranking)
  const remember = (any: string, found: number) =>
    keep(known.frequencies, keyOf(any), { found, until: now + frequency_ms }, maxFrequencies)
  if (everything === undefined && counted_of !== null) remember(everythingKey, counted_of)
  for (const [any, found] of Object.entries(counted)) remember(any, found)
  return { ...answer, never: query.never }
}
