import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { idAtWork } from './core/queries.ts'

/** A state of a workflow in which versions wait for an approval. */
export interface GatedState {
  template_id: number
  version: number
  status: string
}

/**
 * Versions that wait for an approval about which this person may have a say: it names them (`naming`), it was configured for the one
 * document, or a part in it was handed to them. The soonest due come first, and approvals without a due date last.
 */
export async function listCandidates(
  tx: Tx,
  {
    userId,
    gated,
    naming,
    limit,
  }: { userId: number; gated: readonly string[]; naming: readonly GatedState[]; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select v.id from document_versions v
      join documents d on d.id = v.document_id
      join document_versions l on l.id = d.latest_version_id
    where v.status = any(${gated}::text[])
      -- What is under way comes before the effective version beside it.
      and v.id = ${idAtWork}
      and ((v.workflow_template_id, v.workflow_template_version, v.status) in (select * from unnest(
          ${naming.map(each => each.template_id)}::bigint[], ${naming.map(each => each.version)}::integer[],
          ${naming.map(each => each.status)}::text[]))
        or v.approval_overrides <> '[]'
        or exists (select from document_delegations g
          where g.document_id = v.document_id and g.version_id = v.id and g.round = v.round
            and g.to_user_id = ${userId} and g.ended_at is null))
    order by v.approval_due_date nulls last, v.id
    limit ${limit}`.execute(tx)
  return rows.map(({ id }) => id)
}
