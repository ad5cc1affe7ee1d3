import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/**
 * What `tenants_with_work` of the database knows how to look for, by the names of schedules. It is asked as of a moment: the present, or
 * where records wait for a time before they are due, the moment before which they must have been made.
 */
export type Task =
  | 'accounts.break_glass'
  | 'accounts.login_failures'
  | 'accounts.sessions'
  | 'documents.make_effective'
  | 'documents.approval_reminders'
  | 'documents.review_reminders'
  | 'documents.orphaned_approvals'
  | 'controlled_copies.remind'
  | 'deviations.tell_of_due_dates'
  | 'capas.tell_of_due_dates'
  | 'capas.tell_of_actions'
  | 'capas.tell_of_reviews'
  | 'training.reminders'
  | 'training.requalification'
  | 'training.audience'
  | 'training.deactivated'
  | 'training.compliance'
  | 'statistics.count_by_new_zone'
  | 'storage.sweep'
  | 'notifications.send_digests'
  | 'notifications.escalate'
  | 'api_keys.reminders'
  | 'ai_calls.end_abandoned'
  | 'uploads.erase_expired'
  | 'jobs.idempotency_keys'
  | 'identity-providers.attempts'
  | 'tenant_exports.expire'
  | 'file_removals.delete_restored'
  | LostWork

/** Records that wait for an item of a queue. */
export type LostWork = 'background_jobs' | 'mails' | 'texts' | 'file_removals' | 'disposals' | 'tenant_exports'

/** The active tenants in which the task may have something to do, in the transaction of the platform. */
export const listTenantsWithWork = async (tx: Tx, task: Task, at: Date): Promise<number[]> =>
  (
    await sql<{
      id: number
    }>`select id from tenants_with_work(${task}, ${at.toISOString()}::timestamptz) as found (id) order by id`.execute(
      tx,
    )
  ).rows.map(({ id }) => id)
