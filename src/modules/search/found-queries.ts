import { sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Hit, TextHit } from './fusion.ts'
import { formsOf, type Ranking, scoreOf } from './ranking.ts'
import type { FoundDocument } from './schema.ts'
import type { SearchScope } from './scope.ts'
import type { PhraseForms, SearchedWord, SearchedWords } from './terms.ts'

/** What the preparation of a query depends on: the text search configurations of the tenant's languages, and the prefixes of its types. */
export async function findVocabulary(tx: Tx): Promise<{ configurations: string; prefixes: string[] }> {
  const { rows } = await sql<{ configurations: string; prefixes: string[] }>`
    select words_configurations()::text as configurations, array(select lower(prefix) from document_types) as prefixes`.execute(
    tx,
  )
  return rows[0]!
}

/** The forms of each phrase, in the order of the phrases. */
export async function listForms(
  tx: Tx,
  phrases: readonly { text: string; is_prefix: boolean }[],
  configurations: string,
): Promise<PhraseForms[]> {
  const { rows } = await sql<PhraseForms>`
    select f.queries::text[] as queries, f.is_stop, f.pairs
    from unnest(${phrases.map(({ text }) => text)}::text[], ${phrases.map(({ is_prefix }) => is_prefix)}::boolean[])
        with ordinality p (phrase, is_prefix, place)
      cross join lateral phrase_queries(p.phrase, p.is_prefix, ${configurations}::regconfig[]) f
    order by p.place`.execute(tx)
  return rows
}

export interface TextAnswer {
  /** The searched words with their weights, and without typing errors. */
  words: SearchedWord[]
  /** The text query for all words; `total` counts the versions that match it, up to one more than `most_counted` of the ranking. */
  exact: string | null
  /** The text query for the excluded words. */
  never: string | null
  /** The pairs of neighbouring words that every result has. */
  pairs: number[]
  /** All words are frequent, so the newest versions were looked at first. */
  are_frequent: boolean
  total: number
  found: TextHit[]
}
interface CountedAnswer extends Omit<TextAnswer, 'never' | 'pairs'> {
  /** For each word whose frequency was not given, the number of versions that have it, of `everything`. */
  counted: Record<string, number>
  everything: number | null
}

interface FoundColumns {
  version_ids: number[]
  /** Of each version the factor of the length of its text, and the rank of each form of the words. */
  lengths: number[]
  ranks: number[][]
  are_exact: boolean[]
  are_numbers: boolean[]
  may_know: boolean[]
}

const rounded = (score: number) => Math.round(score * 1e6) / 1e6

/** The best first. `near`: versions that were found by meaning; those with the required words are part of the answer. */
export async function searchTexts(
  tx: Tx,
  scope: SearchScope,
  query: SearchedWords,
  near: readonly number[],
  ranking: Ranking,
): Promise<CountedAnswer> {
  const { rows } = await sql<{ answer: Omit<CountedAnswer, 'found'> & FoundColumns }>`
    select search_texts(${JSON.stringify(scope)}::jsonb, ${JSON.stringify(query)}::jsonb, ${near}::bigint[],
      ${JSON.stringify(ranking)}::jsonb) as answer`.execute(tx)
  const { version_ids, lengths, ranks, are_exact, are_numbers, may_know, ...answer } = rows[0]!.answer
  const forms = formsOf(answer.words, ranking)
  const found = version_ids
    .map((version_id, index) => ({
      version_id,
      score: rounded(scoreOf(forms, ranking, lengths[index]!, ranks[index]!)),
      is_exact: are_exact[index]!,
      is_number: are_numbers[index]!,
      may_know: may_know[index]!,
    }))
    .sort((a, b) => Number(b.is_number) - Number(a.is_number) || b.score - a.score || b.version_id - a.version_id)
  return { ...answer, found }
}

/** Versions with all words that follow the ranked ones, of the first `most` that are found: those that were counted. */
export async function searchMore(
  tx: Tx,
  scope: SearchScope,
  { exact, never, pairs, are_frequent }: Pick<TextAnswer, 'exact' | 'never' | 'pairs' | 'are_frequent'>,
  { leaveOut, most, skip, take }: { leaveOut: number[]; most: number; skip: number; take: number },
): Promise<{ version_id: number; may_know: boolean }[]> {
  const { rows } = await sql<{ version_id: number; may_know: boolean }>`
    select version_id, may_know from search_more(${JSON.stringify(scope)}::jsonb, ${exact}, ${never}, ${pairs}::integer[], ${are_frequent}, ${leaveOut}::bigint[], ${most}::integer, ${skip}::bigint,
      ${take}::integer)`.execute(tx)
  return rows
}

const sortColumns = { number: 'd.number', title: 'v.title', effective_date: 'v.effective_date' } as const

/** The ids of versions in the order of a field. */
export const sortVersions = async (
  tx: Tx,
  ids: readonly number[],
  { field, direction }: Sort<keyof typeof sortColumns>,
): Promise<number[]> =>
  (
    await tx
      .selectFrom('document_versions as v')
      .innerJoin('documents as d', 'd.id', 'v.document_id')
      .select('v.id')
      .where('v.id', '=', sql<number>`any(${ids}::bigint[])`)
      .orderBy(sortColumns[field], direction)
      .orderBy('v.id', direction)
      .execute()
  ).map(({ id }) => id)

type FoundRow = Omit<FoundDocument, 'score' | 'matched' | 'snippet'> & {
  version_id: number
  /** The best piece of the text, and its words in the form of the index; null if there is none, or it is not for the person. */
  body: string | null
  body_words: string | null
}

/** The best pieces of these versions, a few of each, as an expression of a statement. */
export function bestPieces(
  scope: SearchScope,
  words: readonly SearchedWord[],
  ranking: Ranking,
  versions: readonly number[],
  each: number,
) {
  const { forms, word, share, is_prefix } = formsOf(words, ranking)
  const telling = words.length > 0 ? words.map(({ any }) => any).join(' | ') : null
  return sql`search_pieces(${JSON.stringify(scope)}::jsonb, ${telling}::tsquery, ${forms}::tsquery[], ${word}::integer[], ${share}::float8[],
    ${is_prefix}::boolean[], ${JSON.stringify(ranking)}::jsonb, ${versions}::bigint[], ${each}::integer)`
}

/** The rows of a page of hits, in their order. */
export async function listFound(
  tx: Tx,
  scope: SearchScope,
  { words, hits, ranking }: { words: readonly SearchedWord[]; hits: readonly Hit[]; ranking: Ranking },
): Promise<FoundRow[]> {
  const known = hits.filter(({ may_know }) => may_know).map(({ version_id }) => version_id)
  const { rows } = await sql<FoundRow>`
    with pieces as (select version_id, position from ${bestPieces(scope, words, ranking, known, 1)})
    select v.id as version_id, v.document_id, d.number, v.title, v.version, v.status, v.category,
      (select jsonb_build_object('id', id, 'name', name) from document_types where id = d.document_type_id) as document_type,
      c.page, c.heading, c.body, c.words::text as body_words
    from unnest(${hits.map(({ version_id }) => version_id)}::bigint[], ${hits.map(({ position }) => position ?? 0)}::integer[],
        ${hits.map(({ may_know }) => may_know)}::boolean[]) with ordinality f (version_id, position, may_know, place)
      join document_versions v on v.id = f.version_id
      join documents d on d.id = v.document_id
      left join pieces p on p.version_id = f.version_id
      left join document_chunks c on f.may_know and c.version_id = f.version_id and c.position = coalesce(p.position, f.position)
    order by f.place`.execute(tx)
  return rows
}
