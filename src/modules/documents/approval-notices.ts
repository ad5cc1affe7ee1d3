// What the clock tells about pending approvals: that one is due soon, and that one is overdue.
import { Type } from 'typebox'
import { command } from '#action'
import { type ClockTask, clockTask } from '#action/clock-task.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { gateFrom, readTenantFacts, superiorsOf } from '#modules/workflows'
import { type ApprovalTerms, listNotices, updateTerms } from './approval-queries.ts'
import { decidersOf, noticeAfter } from './approval-terms.ts'
import { messages } from './messages.ts'
import { lockDocument } from './queries.ts'
import { loadAtWork } from './view.ts'

/** Tells what is due of one approval, once: what is told next, and when, is stored with it. */
const tellAboutApproval = command({
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
      concerns: [...superiors],
      asks: decidersOf(atWork, facts),
    })
    return null
  },
})

const most_at_once = 100

/** Which day it is changes once in a day, in each tenant at its own hour. */
export const tellAboutApprovals: ClockTask = clockTask({
  name: 'documents.tell_about_approvals',
  every_minutes: 15,
  due: ({ services, read }) =>
    read(async tx => {
      const notices = await listNotices(tx, await todayOf({ tx, services }), most_at_once)
      return notices.map(({ document_id, version_id }) => ({ params: { id: document_id, version_id } }))
    }),
  action: tellAboutApproval,
})
