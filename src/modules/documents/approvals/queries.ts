import { sql } from 'kysely'
import type { Actor } from '#action'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, isoMoment, personOf } from '#platform/db/expressions.ts'
import { readable } from '../core/list-queries.ts'
import { idAtWork } from '../core/queries.ts'

/** Versions whose next reminder, of an approval due soon or overdue, is due today. */
export const listNotices = (tx: Tx, today: string, limit: number) =>
  tx
    .selectFrom('document_versions')
    .select(['document_id', 'id as version_id'])
    .where('approval_notice_on', 'is not', null)
    .where('approval_notice_on', '<=', today)
    .orderBy('approval_notice_on')
    .orderBy('id')
    .limit(limit)
    .execute()

interface NewDelegation {
  document_id: number
  version_id: number
  round: number
  transition: string
  rules: number[]
  from_user_id: number
  to_user_id: number
  reason: string
}
export const insertDelegation = (tx: Tx, values: NewDelegation) =>
  tx.insertInto('document_delegations').values(values).execute()

export interface DecisionRow {
  transition: string
  user: Person
  /** The person for whom a deputy decided. */
  on_behalf_of: Person | null
  decision: 'approve' | 'reject'
  comment: string | null
  signature_id: number | null
  is_void: boolean
  decided_at: string
}
/** The decisions of the current round of a version, or of its last one; `is_void` are those that no longer count. */
export const listDecisions = async (tx: Tx, versionId: number, round: number): Promise<DecisionRow[]> => {
  const { rows } = await sql<DecisionRow>`
    select c.transition, ${personOf('c.user_id')} as "user", ${personOf('c.on_behalf_of_id')} as on_behalf_of, c.decision, c.comment, c.signature_id, c.is_void,
      ${isoMoment('c.decided_at')} as decided_at
    from document_decisions c where c.version_id = ${versionId} and c.round = ${round} order by c.id`.execute(tx)
  return rows
}

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

/**
 * Versions that wait in one of these states, in the order of their ids. They are found by the index on states, which the comparison of
 * three columns does not use, and ordered afterwards: in the order of ids, all versions would be read until there are enough.
 */
export async function listWaitingIds(
  tx: Tx,
  states: readonly GatedState[],
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (
      select v.id from document_versions v
        join documents d on d.id = v.document_id and d.latest_version_id = v.id
      where v.id > ${after} and v.status = any(${states.map(each => each.status)}::text[])
        and (v.workflow_template_id, v.workflow_template_version, v.status) in (select * from unnest(
            ${states.map(each => each.template_id)}::bigint[], ${states.map(each => each.version)}::integer[],
            ${states.map(each => each.status)}::text[]))
      offset 0) waiting
    order by id limit ${limit}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The versions whose approval was found to be orphaned. */
export const listAnnounced = (tx: Tx) =>
  tx
    .selectFrom('document_versions')
    .select(['id', 'document_id'])
    .where('approval_orphaned_at', 'is not', null)
    .orderBy('id')
    .execute()

export const findOrphanedAt = async (tx: Tx, versionId: number) =>
  (
    await tx
      .selectFrom('document_versions')
      .select('approval_orphaned_at')
      .where('id', '=', versionId)
      .executeTakeFirstOrThrow()
  ).approval_orphaned_at

export const setOrphanedAt = (tx: Tx, versionId: number, approval_orphaned_at: string | null) =>
  tx.updateTable('document_versions').set({ approval_orphaned_at }).where('id', '=', versionId).execute()

/** These people, by their user names. */
export const listPeople = (tx: Tx, ids: readonly number[]) =>
  tx.selectFrom('users').select(['id', 'username', 'full_name']).where('id', 'in', ids).orderBy('username').execute()

interface Keeping {
  template_id: number
  version: number | undefined
  actor: Actor
}

/** The versions under way that the actor may read, and that began with the template. */
const keeping = (tx: Tx, { template_id, version, actor }: Keeping) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .where('v.workflow_template_id', '=', template_id)
    .$if(version !== undefined, query => query.where('v.workflow_template_version', '=', version!))
    .where('v.status_kind', 'in', ['initial', 'review'])
    .where(readable(actor))

export const listKeeping = (tx: Tx, asked: Keeping, limit: number, offset: number) =>
  keeping(tx, asked)
    .select(['d.id', 'd.number', 'v.title', 'v.version', 'v.status', 'v.workflow_template_version as template_version'])
    .orderBy('d.number')
    .orderBy('v.id')
    .limit(limit)
    .offset(offset)
    .execute()

export const countKeeping = (tx: Tx, asked: Keeping) => countRows(keeping(tx, asked))
