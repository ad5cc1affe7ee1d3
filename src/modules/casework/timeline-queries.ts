import { type RawBuilder, sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { isoMoment, personOf, shownFileName } from '#platform/db/expressions.ts'
import { type CaseRef, caseKinds } from './base/kinds.ts'
import type { Happened, Kind } from './timeline-words.ts'

const object = (columns: Record<string, string>) =>
  sql`jsonb_build_object(${sql.join(Object.entries(columns).flatMap(([name, column]) => [sql.lit(name), sql.ref(column)]))})`

const part = (
  { kind, at, by, details }: { kind: Kind; at: string; by: string; details: Record<string, string> },
  from: RawBuilder<unknown>,
) =>
  sql`select ${sql.ref(at)} as at, ${sql.lit(kind)} as kind, ${sql.ref(by)} as user_id, id, ${object(details)} as details ${from}`

/** Events of the record itself in the audit trail. Comments, files and extensions come from their own tables. */
const fromTrail = {
  updated: 'changed',
  plan_approved: 'plan_approved',
  linked: 'linked',
  unlinked: 'unlinked',
} as const
/** Events of the effectiveness reviews of a CAPA. */
const ofReviews = { created: 'review_planned', updated: 'review_changed', completed: 'review_completed' } as const

const trail = (resource: string, kinds: Record<string, Kind>, ids: RawBuilder<unknown>) => sql`
  select occurred_at, case action ${sql.join(
    Object.entries(kinds).map(([event, kind]) => sql`when ${sql.lit(`${resource}.${event}`)} then ${sql.lit(kind)}`),
    sql` `,
  )} end, user_id, id, ${object({ changes: 'changes', reason: 'reason' })}
  from audit_entries where resource_type = ${resource} and resource_id in (${ids}) and outcome = 'success'
    and action in (${sql.join(Object.keys(kinds).map(event => sql.lit(`${resource}.${event}`)))})`

/** Everything that happened to a record; each part is read by an index that begins with the record. */
function happened({ kind, id }: CaseRef) {
  const of = sql`${sql.ref(caseKinds[kind].column)} = ${id}`
  const signed = {
    kind: 'signed',
    at: 'signed_at',
    by: 'signer_id',
    details: { signature_id: 'id', signature_type: 'signature_type', intent: 'intent' },
  } as const
  const parts = [
    part(
      {
        kind: 'moved',
        at: 'occurred_at',
        by: 'user_id',
        details: {
          transition: 'transition',
          from: 'from_status',
          to: 'to_status',
          reason: 'reason',
          signature_id: 'signature_id',
        },
      },
      sql`from record_history where ${of}`,
    ),
    part(
      { kind: 'commented', at: 'created_at', by: 'created_by', details: { comment_id: 'id', text: 'text' } },
      sql`from record_comments where ${of}`,
    ),
    part(
      {
        kind: 'attached',
        at: 'created_at',
        by: 'created_by',
        details: { attachment_id: 'id', file_name: 'file_name', description: 'description' },
      },
      sql`from (select id, ${shownFileName('attachments', 'attachment_id')} as file_name, description, created_at, created_by
        from attachments where ${of}) attached`,
    ),
    part(
      {
        kind: 'file_removed',
        at: 'decided_at',
        by: 'decided_by',
        details: { attachment_id: 'attachment_id', removal_id: 'id', reason: 'reason' },
      },
      sql`from file_removals where status in ('approved', 'removed') and attachment_id in (select id from attachments where ${of})`,
    ),
    part(
      {
        kind: 'extension_requested',
        at: 'requested_at',
        by: 'requested_by',
        details: { extension_id: 'id', from_date: 'from_date', to_date: 'to_date', reason: 'reason' },
      },
      // An extension that was decided at once is shown only as decided.
      sql`from due_date_extensions where ${of} and requested_by is distinct from decided_by`,
    ),
    part(
      {
        kind: 'extension_decided',
        at: 'decided_at',
        by: 'decided_by',
        details: {
          extension_id: 'id',
          status: 'status',
          from_date: 'from_date',
          to_date: 'to_date',
          reason: 'reason',
          comment: 'comment',
        },
      },
      sql`from due_date_extensions where ${of} and decided_at is not null`,
    ),
    part(signed, sql`from signatures where ${of}`),
    trail(kind, fromTrail, sql`${id}`),
  ]
  if (kind === 'capa') {
    const reviews = sql`select id from effectiveness_reviews where capa_id = ${id}`
    parts.push(trail('effectiveness_review', ofReviews, reviews))
    parts.push(part(signed, sql`from signatures where effectiveness_review_id in (${reviews})`))
  }
  return sql`(${sql.join(parts, sql` union all `)})`
}

export async function listHappened(
  tx: Tx,
  ref: CaseRef,
  direction: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<Happened[]> {
  const order = sql.raw(direction)
  const { rows } = await sql<Happened & { by: Person | null }>`
    select ${isoMoment('h.at')} as at, h.kind, ${personOf('h.user_id')} as by, h.details from ${happened(ref)} h
    order by h.at ${order}, h.kind ${order}, h.id ${order} limit ${limit} offset ${offset}`.execute(tx)
  return rows
}

export async function countHappened(tx: Tx, ref: CaseRef): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${happened(ref)} h`.execute(tx)
  return rows[0]!.total
}
