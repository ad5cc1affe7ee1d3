import { sql } from 'kysely'
import type { Actor } from '#action'
import { linkIds } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import type { Asked, Candidate } from './rules.ts'
import type { SimilarDeviation, SimilarFilter } from './schema.ts'

/** The facts of a deviation that similar ones are searched by. */
export async function findAsked(tx: Tx, id: number): Promise<Asked | undefined> {
  const { rows } = await sql<Asked>`
    select concat_ws(' ', title, description, investigation) as text, plain_words(title) as title, plain_items(affected_items) as items,
      category, root_cause_category
    from deviations where id = ${id}`.execute(tx)
  return rows[0]
}

/** The text in the form in which the index holds titles. */
export async function plainWords(tx: Tx, text: string): Promise<string> {
  const { rows } = await sql<{ plain: string }>`select plain_words(${text}) as plain`.execute(tx)
  return rows[0]!.plain
}

/** Returns some hundred candidates at most, with those of `near`. */
export async function listCandidates(
  tx: Tx,
  { text, title, items }: Asked,
  names: readonly object[],
  near: readonly number[],
  { deviation_id, severity, category }: Pick<SimilarFilter, 'deviation_id' | 'severity' | 'category'>,
): Promise<Omit<Candidate, 'meaning'>[]> {
  const { rows } = await sql<Omit<Candidate, 'meaning'>>`
    select deviation_id, words, text_score, title_score, items, category, root_cause_category
    from similar_deviations(${text}, ${title}, ${items}::text[], ${deviation_id ?? null}::bigint, ${severity ?? null}, ${category ?? null},
      ${JSON.stringify(names)}::jsonb, ${near}::bigint[])`.execute(tx)
  return rows
}

export type Found = Omit<SimilarDeviation, 'score' | 'why' | 'matched'>

/** The found deviations as they are shown. `of`: the deviation that they are similar to, which may already be linked to them. */
export async function listFound(
  tx: Tx,
  { permissions }: Actor,
  ids: number[],
  of: number | undefined,
): Promise<Found[]> {
  const { capa_ids } = linkIds.deviation('d')
  const linked = of ?? null
  const { rows } = await sql<Found>`
    select d.id, d.number, d.title, d.severity, d.status, d.category, d.detected_at, d.closed_at,
      case when d.root_cause is not null then
        jsonb_build_object('category', d.root_cause_category, 'summary', d.root_cause ->> 'summary') end as root_cause,
      case when ${permissions.has('capa.read')} then ${capa_ids} else '[]'::jsonb end as capa_ids,
      (select relation from deviation_deviations l where (l.deviation_id, l.other_id) = (greatest(d.id, ${linked}), least(d.id, ${linked}))) as linked_as
    from deviations d where d.id = any(${ids})`.execute(tx)
  return rows
}
