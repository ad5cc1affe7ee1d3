import { sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Hit, TextHit } from './fusion.ts'
import type { Ranking } from './ranking.ts'
import type { FoundDocument } from './schema.ts'
import type { SearchScope } from './scope.ts'
import type { Terms } from './terms.ts'

/** The searched words in the form of the index, with their weights. */
export type WeighedWords = object[]

interface TextAnswer {
  words: WeighedWords
  /** The text query for all words; `total` counts the versions that match it, up to one more than `most_counted` of the ranking. */
  exact: string | null
  /** The text query for the excluded words. */
  never: string | null
  total: number
  found: TextHit[]
}

type Row = [version_id: number, score: number, is_exact: boolean, is_number: boolean, may_know: boolean]

/** `near`: versions that were found by meaning; those with the required words are part of the answer. */
export async function searchTexts(
  tx: Tx,
  scope: SearchScope,
  terms: Terms,
  near: readonly number[],
  ranking: Ranking,
): Promise<TextAnswer> {
  const { rows } = await sql<{ answer: Omit<TextAnswer, 'found'> & { found: Row[] } }>`
    select search_texts(${JSON.stringify(scope)}::jsonb, ${JSON.stringify(terms)}::jsonb, ${near}::bigint[],
      ${JSON.stringify(ranking)}::jsonb) as answer`.execute(tx)
  const { found, ...answer } = rows[0]!.answer
  return {
    ...answer,
    found: found.map(([version_id, score, is_exact, is_number, may_know]) => ({
      version_id,
      score,
      is_exact,
      is_number,
      may_know,
    })),
  }
}

/** Versions with all words that follow the ranked ones. */
export async function searchMore(
  tx: Tx,
  scope: SearchScope,
  { exact, never }: TextAnswer,
  { leaveOut, skip, take }: { leaveOut: number[]; skip: number; take: number },
): Promise<{ version_id: number; may_know: boolean }[]> {
  const { rows } = await sql<{ version_id: number; may_know: boolean }>`
    select version_id, may_know from search_more(${JSON.stringify(scope)}::jsonb, ${exact}, ${never}, ${leaveOut}::bigint[], ${skip}::bigint,
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

/** Characters that ts_headline or the parser would treat specially are replaced in the text and restored in the snippet. */
export const hidden = { shown: '<>&/\\_|', kept: '\ue000\ue001\ue002\ue003\ue004\ue005\ue006' } as const
export const marks = { start: '\ue007', stop: '\ue008' } as const
const headline = `StartSel=${marks.start}, StopSel=${marks.stop}, MaxFragments=2, MaxWords=32, MinWords=12, ShortWord=2, FragmentDelimiter=" … "`

type FoundRow = Omit<FoundDocument, 'score' | 'matched'> & { version_id: number }

/** The rows of a page of hits, in their order. */
export async function listFound(
  tx: Tx,
  scope: SearchScope,
  {
    words,
    hits,
    ranking,
    hasPrefix,
  }: { words: WeighedWords; hits: readonly Hit[]; ranking: Ranking; hasPrefix: boolean },
): Promise<FoundRow[]> {
  const known = hits.filter(({ may_know }) => may_know).map(({ version_id }) => version_id)
  const { rows } = await sql<FoundRow>`
    with pieces as (select version_id, position from search_pieces(${JSON.stringify(scope)}::jsonb, ${JSON.stringify(words)}::jsonb,
        ${JSON.stringify(ranking)}::jsonb, ${known}::bigint[], 1)),
      telling as (select (select string_agg('(' || (w ->> 'any') || ')', ' | ')::tsquery
        from jsonb_array_elements(${JSON.stringify(words)}::jsonb) w) as words)
    select v.id as version_id, v.document_id, d.number, v.title, v.version, v.status, v.category,
      (select jsonb_build_object('id', id, 'name', name) from document_types where id = d.document_type_id) as document_type,
      c.page, c.heading,
      ts_headline(case when ${hasPrefix} then 'simple_unaccented' else words_configuration(t.language) end,
        translate(c.body, ${hidden.shown} || ${marks.start + marks.stop}, ${hidden.kept}), coalesce(telling.words, ''::tsquery),
        ${headline}) as snippet
    from unnest(${hits.map(({ version_id }) => version_id)}::bigint[], ${hits.map(({ position }) => position ?? 0)}::integer[],
        ${hits.map(({ may_know }) => may_know)}::boolean[]) with ordinality f (version_id, position, may_know, place)
      join document_versions v on v.id = f.version_id
      join documents d on d.id = v.document_id
      cross join telling
      left join pieces p on p.version_id = f.version_id
      left join document_texts t on t.version_id = f.version_id
      left join document_chunks c on f.may_know and c.version_id = f.version_id and c.position = coalesce(p.position, f.position)
    order by f.place`.execute(tx)
  return rows
}
