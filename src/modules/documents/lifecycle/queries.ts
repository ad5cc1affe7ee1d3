import { sql } from 'kysely'
import type { Counts, StateKind, Step } from '#modules/workflows'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { isoMoment, personOf } from '#platform/db/expressions.ts'
import { gateHere, thresholdHere } from '../core/gate-queries.ts'
import type { HistoryEntry } from '../core/schema.ts'

export type NewHistory = {
  document_id: number
  version_id: number
  round: number
  comment: string | null
  from_status: string | null
  to_status: string
  signature_id?: number | null
  trigger: Step['trigger'] | 'migration'
} & Pick<Step, 'transition'>

export const insertHistory = (tx: Tx, values: NewHistory) => tx.insertInto('document_history').values(values).execute()

export interface NewDecision {
  document_id: number
  version_id: number
  round: number
  transition: string
  rules: number[]
  user_id: number
  on_behalf_of_id: number | null
  decision: 'approve' | 'reject'
  comment: string | null
  signature_id: number | null
}

export const insertDecision = (tx: Tx, values: NewDecision) =>
  tx.insertInto('document_decisions').values(values).execute()

export const voidDecisions = (tx: Tx, versionId: number) =>
  tx
    .updateTable('document_decisions')
    .set({ is_void: true })
    .where('version_id', '=', versionId)
    .where('is_void', '=', false)
    .execute()

/** `id`: the approval that was taken back; `later`: the approvals of later steps, which no longer count either. */
export async function withdrawDecision(
  tx: Tx,
  { id, later, reason, signature_id }: { id: number; later: number[]; reason: string; signature_id: number | null },
) {
  await tx
    .updateTable('document_decisions')
    .set({
      is_void: true,
      withdrawn_at: sql`clock_timestamp()`,
      withdrawal_reason: reason,
      withdrawal_signature_id: signature_id,
    })
    .where('id', '=', id)
    .execute()
  if (later.length > 0)
    await tx.updateTable('document_decisions').set({ is_void: true }).where('id', 'in', later).execute()
}

/** The state that each approved step of a round was taken from, the newest where one was taken twice. */
export async function listSources(tx: Tx, { id, round }: { id: number; round: number }) {
  const steps = await tx
    .selectFrom('document_history')
    .select(['transition', 'from_status'])
    .where('version_id', '=', id)
    .where('round', '=', round)
    .where('from_status', 'is not', null)
    .orderBy('id')
    .execute()
  return new Map(steps.map(each => [each.transition, each.from_status!]))
}

export async function listHistory(tx: Tx, documentId: number) {
  const { rows } = await sql<HistoryEntry & { version_id: number }>`
    select 'transition' as kind, ${isoMoment('h.occurred_at')} as occurred_at, v.version, v.id as version_id, h.round,
      h.transition, h.from_status as "from", h.to_status as "to", h.trigger, null as decision, false as is_void,
      h.signature_id, ${personOf('h.user_id')} as "user", h.comment, null::jsonb as delegation, null::jsonb as on_behalf_of, h.occurred_at as at, h.id as tie
    from document_history h join document_versions v on v.id = h.version_id where h.document_id = ${documentId}
    union all
    select 'decision', ${isoMoment('c.decided_at')}, v.version, v.id, c.round,
      c.transition, null, null, null, c.decision, c.is_void,
      c.signature_id, ${personOf('c.user_id')}, c.comment, null, ${personOf('c.on_behalf_of_id')}, c.decided_at, c.id
    from document_decisions c join document_versions v on v.id = c.version_id where c.document_id = ${documentId}
    union all
    select 'decision_withdrawn', ${isoMoment('c.withdrawn_at')}, v.version, v.id, c.round,
      c.transition, null, null, null, c.decision, false,
      c.withdrawal_signature_id, ${personOf('c.user_id')}, c.withdrawal_reason, null, ${personOf('c.on_behalf_of_id')}, c.withdrawn_at, c.id
    from document_decisions c join document_versions v on v.id = c.version_id
    where c.document_id = ${documentId} and c.withdrawn_at is not null
    union all
    select e.kind, ${isoMoment('e.at')}, v.version, v.id, g.round, g.transition, null, null, null, null, false, null,
      ${personOf('e.by')}, e.words,
      jsonb_build_object('from', ${personOf('g.from_user_id')}, 'to', ${personOf('g.to_user_id')}), null, e.at, g.id
    from document_delegations g join document_versions v on v.id = g.version_id
      cross join lateral (values ('delegation', g.given_at, g.given_by, g.reason),
        ('delegation_ended', g.ended_at, g.ended_by, g.end_reason)) as e (kind, at, by, words)
    where g.document_id = ${documentId} and e.at is not null
    order by at, kind, tie`.execute(tx)
  return rows
}

/** The approval terms of a version: required counts, due date and the next notice. */
export interface ApprovalTerms {
  approval_counts: Counts
  approval_due_date: string | null
  approval_notice: 'reminder' | 'escalation' | null
  approval_notice_on: string | null
}

const termsOf = ({ approval_counts, ...terms }: Partial<ApprovalTerms>) => ({
  ...terms,
  ...(approval_counts && { approval_counts: JSON.stringify(approval_counts) }),
})

export const updateTerms = (tx: Tx, versionId: number, terms: Partial<ApprovalTerms>) =>
  tx.updateTable('document_versions').set(termsOf(terms)).where('id', '=', versionId).execute()

export interface VersionChanges extends Partial<ApprovalTerms> {
  status: string
  status_kind: StateKind
  round: number
  submitted_at?: string
  submitted_by?: number | null
  approved_at?: string | null
  effective_at?: string
  effective_date?: string | null
  is_waiting: boolean
  review_due_date?: string | null
  review_notice_on?: string | null
  needs_revision?: boolean
}

/** Under the document's lock the version must still be in the state that the decision was made on. */
export async function updateVersionState(tx: Tx, versionId: number, from: string, changes: VersionChanges) {
  const { numUpdatedRows } = await tx
    .updateTable('document_versions')
    .set({ ...changes, ...termsOf(changes) })
    .where('id', '=', versionId)
    .where('status', '=', from)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new Error(`version ${versionId} is no longer in the state ${from} that the step was decided on`)
}

/** The facts of a document, beside its versions, that its transitions depend on. */
const lifecycleFacts = builtOnce((tx, { id }: { id: number }) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .select([gateHere.as('gate'), thresholdHere.as('threshold'), 't.review_period_months'])
    .select('t.controlled as is_controlled')
    .select(
      sql<number | null>`(select o.id from document_versions o where o.document_id = d.id and o.effective_at is not null
        order by o.major desc, o.minor desc limit 1)`.as('once_effective_id'),
    )
    .where('d.id', '=', id),
)
export const findLifecycleFacts = async (tx: Tx, id: number) => (await lifecycleFacts(tx, { id }))[0]!

/** `givers`: ends the delegations of these people only; without it, of everybody. */
export const endDelegations = (
  tx: Tx,
  versionId: number,
  {
    givers,
    transition,
    ended_by,
    end_reason,
  }: { givers?: number[]; transition?: string; ended_by: number | null; end_reason: string | null },
) =>
  tx
    .updateTable('document_delegations')
    .set({ ended_at: sql`clock_timestamp()`, ended_by, end_reason })
    .where('version_id', '=', versionId)
    .where('ended_at', 'is', null)
    .$if(transition !== undefined, query => query.where('transition', '=', transition!))
    .$if(givers !== undefined, query => query.where('from_user_id', 'in', givers!))
    .execute()

/** The planned date is not part of what is signed, so the content revision stays. */
export const planEffectiveDate = (tx: Tx, versionId: number, effective_date: string | null) =>
  tx.updateTable('document_versions').set({ effective_date }).where('id', '=', versionId).execute()

/** Waiting versions whose effective date has come, the longest overdue first. Few versions wait, and they have an index of their own. */
export const listDueVersions = (tx: Tx, today: string) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .select(['v.id as version_id', 'v.document_id', gateHere.as('gate'), thresholdHere.as('threshold')])
    .where('v.is_waiting', '=', true)
    // A type that was made controlled while the version waited without an approval.
    .where(e =>
      e.or([
        e('t.controlled', '=', false),
        sql<boolean>`exists (select from document_decisions c where c.document_id = v.document_id and c.version_id = v.id
          and c.round = v.round and c.decision = 'approve' and not c.is_void)`,
      ]),
    )
    .where(e => e.or([e('v.effective_date', 'is', null), e('v.effective_date', '<=', today)]))
    .orderBy('v.effective_date')
    .orderBy('v.id')
    .execute()
