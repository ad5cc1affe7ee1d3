// Reminders of pending approvals, due soon or overdue, and the people who are still asked for a decision.
import { Type } from 'typebox'
import { command } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { gateFrom, readTenantFacts, superiorsOf } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { findLatestVersionId, lockDocument } from '../core/queries.ts'
import { loadAtWork } from '../core/view.ts'
import { currentApprovers, noticeAfter } from '../lifecycle/approval-terms.ts'
import { type ApprovalTerms, updateTerms } from '../lifecycle/queries.ts'
import { messages } from '../messages.ts'
import { listNotices } from './queries.ts'
import { isOrphaned } from './waiting.ts'

/** Sends one reminder of one approval, and stores which one comes next and when, so that none is sent twice. */
const remindOfApproval = command({
  summary: 'Remind of an approval that is due, or report one that is overdue',
  permission: 'documents.configure_approval',
  input: { params: Type.Object({ id: Id, version_id: Id }) },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    const document = await lockDocument(tx, params.id)
    if (!document) throw notFound('Document')
    const atWork = await loadAtWork(tx, params.version_id)
    const { version, definition } = atWork
    const today = await todayOf(context)
    const { approval_due_date: due, approval_notice_on: on } = version
    const gate = gateFrom(definition, version.status)
    if (!gate || due === null || on === null || on > today)
      throw conflict(messages.document_reminder_not_due({ number: document.number }))
    const facts = await readTenantFacts(tx, definition)
    const isOverdue = today > due
    const next: Partial<ApprovalTerms> = isOverdue
      ? { approval_notice: null, approval_notice_on: null }
      : noticeAfter(due)
    await updateTerms(tx, version.id, next)
    const superiors = isOverdue ? superiorsOf(gate.approval, facts) : []
    record(isOverdue ? 'document.approval_escalated' : 'document.approval_due', document.id, {
      number: document.number,
      after: { version: version.version, transition: gate.name, due_date: due },
      notify: [...superiors],
      assignees: currentApprovers(atWork, facts),
    })
    return null
  },
})

const maxPerRun = 100

/** Tenants have different time zones, so the day changes at another hour in each. */
export const approvalReminders: Schedule = {
  name: 'documents.approval_reminders',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'documents.approval_reminders' },
    due: ({ services, read }) =>
      read(async tx => {
        const notices = await listNotices(tx, await todayOf({ tx, services }), maxPerRun)
        return notices.map(({ document_id, version_id }) => ({ params: { id: document_id, version_id } }))
      }),
    action: remindOfApproval,
  }),
}

/** The newest version and its pending approval. */
async function findPending(tx: Tx, id: number) {
  const latestId = await findLatestVersionId(tx, id)
  if (!latestId) return undefined
  const atWork = await loadAtWork(tx, latestId)
  const gate = gateFrom(atWork.definition, atWork.version.status)
  return gate && { atWork, gate }
}

const orphaned = 'document_approval_orphaned'

/** The people among these who may still decide about the pending approval. */
async function stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  const pending = await findPending(tx, id)
  if (!pending) return []
  const facts = await readTenantFacts(tx, pending.atWork.definition)
  if (type === orphaned) return isOrphaned(pending.atWork, facts) ? user_ids : []
  const deciders = currentApprovers(pending.atWork, facts)
  return user_ids.filter(each => deciders.includes(each))
}

/** An overdue approval with its own escalation is reported to the people that the workflow names for it. */
async function isReportedByWorkflow(tx: Tx, type: string, id: number) {
  const pending = type === orphaned ? undefined : await findPending(tx, id)
  return pending?.gate.approval.escalate_to !== undefined && pending.atWork.version.approval_due_date !== null
}

export const requestsOfDocuments = { permission: 'documents.read_drafts', stillAsks, isReportedByWorkflow } as const
