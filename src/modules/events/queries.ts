import { sql } from 'kysely'
import type { ResourceType } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import type { JobProgress } from './schema.ts'

/** How many entries the log of each of these tenants has. */
export const readPositions = async (tx: Tx, tenants: readonly number[]) =>
  (
    await sql<{ tenant_id: number; seq: number }>`
      select tenant_id, seq from audit_positions(${[...tenants]}::bigint[])`.execute(tx)
  ).rows

/** An entry of the audit trail, without what it says of the record. */
export interface Change {
  action: string
  resource_type: ResourceType
  resource_id: number | null
  revision: number | null
  user_id: number | null
}

export const listChanges = async (tx: Tx, after: number, last: number): Promise<Change[]> =>
  (
    await sql<Change>`
      select e.action, e.resource_type, e.resource_id, e.resource_revision as revision, e.user_id
      from audit_leaves l join audit_entries e on e.tenant_id = l.tenant_id and e.id = l.entry_id
      where l.seq > ${after} and l.seq <= ${last} and e.outcome = 'success' order by l.seq`.execute(tx)
  ).rows

/** The owner, author and status of the shown version decide who may read a document. */
export interface DocumentFacts {
  id: number
  owner_id: number
  status_kind: string | null
  created_by: number | null
}

export const listDocumentFacts = async (tx: Tx, ids: readonly number[]): Promise<DocumentFacts[]> =>
  (
    await sql<DocumentFacts>`
      select d.id, d.owner_id, v.status_kind, v.created_by
      from documents d left join document_versions v on v.tenant_id = d.tenant_id and v.id = d.shown_version_id
      where d.id = any(${[...ids]}::bigint[])`.execute(tx)
  ).rows

export const listAssignees = async (tx: Tx, ids: readonly number[]) =>
  (
    await sql<{ id: number; user_id: number }>`
      select id, user_id from training_assignments where id = any(${[...ids]}::bigint[])`.execute(tx)
  ).rows

/** The unread notifications of each of these people who has any. */
export const countUnread = async (tx: Tx, people: readonly number[]) =>
  (
    await sql<{ user_id: number; unread: number }>`
      select user_id, count(*) as unread from notifications
      where user_id = any(${[...people]}::bigint[]) and not is_read group by 1`.execute(tx)
  ).rows

/** Unfinished jobs of these people, and those that were just followed, which may be finished now. */
export const listJobs = async (tx: Tx, people: readonly number[], followed: readonly number[]) =>
  (
    await sql<JobProgress & { requested_by: number }>`
      select id, status, total, done, skipped, requested_by from background_jobs
      where finished_at is null and requested_by = any(${[...people]}::bigint[])
        or id = any(${[...followed]}::bigint[]) and requested_by = any(${[...people]}::bigint[]) order by id`.execute(
      tx,
    )
  ).rows
