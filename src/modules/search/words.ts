import type { ActionContext } from '#action'
import { keepNewest } from '#kernel/keep-newest.ts'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { findVocabulary, listForms, searchTexts, type TextAnswer } from './found-queries.ts'
import type { Ranking } from './ranking.ts'
import type { SearchScope } from './scope.ts'
import { type Synonyms, synonymsWith } from './synonyms.ts'
import { type PhraseForms, type Terms, wordsOf } from './terms.ts'

const maxForms = 20_000
const maxFrequencies = 20_000
const frequency_ms = 60_000

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
      keepNewest(forms, `${configurations} ${name}`, listed[place]!, maxForms)
    }
  }
  return ({ text, is_prefix = false }: { text: string; is_prefix?: boolean }) => found.get(`${is_prefix} ${text}`)!
}

/** The key of the count of all versions: no query is empty. */
const everythingKey = ''

/** The names of one thing in the tenant, and what the preparation of a query depends on. */
export async function readVocabulary(tx: Tx) {
  const [{ search_synonyms }, vocabulary] = await Promise.all([readSettings(tx), findVocabulary(tx)])
  return { ...vocabulary, synonyms: synonymsWith(search_synonyms) }
}

/** The versions that have the words that were typed, by `terms`; `near` as in searchTexts. */
export async function findTexts(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  scope: SearchScope,
  {
    vocabulary,
    terms: termsBy,
    near,
    ranking,
  }: {
    vocabulary: Awaited<ReturnType<typeof readVocabulary>>
    terms: (synonyms: Synonyms) => Terms
    near: readonly number[]
    ranking: Ranking
  },
): Promise<TextAnswer> {
  const known = rememberedOf(services.database)
  const terms = termsBy(vocabulary.synonyms)
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
    keepNewest(known.frequencies, keyOf(any), { found, until: now + frequency_ms }, maxFrequencies)
  if (everything === undefined && counted_of !== null) remember(everythingKey, counted_of)
  for (const [any, found] of Object.entries(counted)) remember(any, found)
  return { ...answer, never: query.never, pairs: query.pairs }
}
