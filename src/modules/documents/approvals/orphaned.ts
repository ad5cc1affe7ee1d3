// Approvals that too few people are left to give, because approvers left, changed their roles or lost a permission, whatever the cause was.
import { Type } from 'typebox'
import { command } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { listHolders } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { gateFrom } from '#modules/workflows'
import { lockDocument } from '../core/queries.ts'
import { loadAtWork } from '../core/view.ts'
import { messages } from '../messages.ts'
import { findOrphanedAt, listAnnounced, setOrphanedAt } from './queries.ts'
import { factsOf, isOrphaned, listOrphanedApprovals } from './waiting.ts'

/** In a larger company only the first are notified; all of them see it among the orphaned items. */
const maxNotified = 100

const announce = command({
  summary: 'Report an approval that too few people are left to give, or that can be given again',
  permission: 'documents.configure_approval',
  input: { params: Type.Object({ id: Id, version_id: Id }) },
  response: Type.Null(),
  async run({ tx, services, record }, { params: { id, version_id } }) {
    const document = await lockDocument(tx, id)
    if (!document) throw notFound('Document')
    const atWork = await loadAtWork(tx, version_id)
    const { version, definition } = atWork
    const gate = document.latest_version_id === version_id ? gateFrom(definition, version.status) : undefined
    const isStuck = gate !== undefined && isOrphaned(atWork, await factsOf(tx, [atWork]))
    const since = await findOrphanedAt(tx, version_id)
    if (isStuck === (since !== null)) throw conflict(messages.document_reminder_not_due({ number: document.number }))
    const approval_orphaned_at = isStuck ? services.clock.now().toISOString() : null
    await setOrphanedAt(tx, version_id, approval_orphaned_at)
    const approvers = version.approvals.map(({ user }) => user.id)
    const able = isStuck ? await listHolders(tx, 'documents.configure_approval', 'documents.read_drafts') : []
    record(isStuck ? 'document.approval_orphaned' : 'document.approval_resumed', id, {
      number: document.number,
      before: { approval_orphaned_at: since },
      after: { approval_orphaned_at, version: version.version, due_date: version.approval_due_date },
      assignees: able.filter(each => !approvers.includes(each)).slice(0, maxNotified),
    })
    return null
  },
})

const maxChecked = 1000
const maxPerRun = 100

export const announceOrphanedApprovals: Schedule = {
  name: 'documents.orphaned_approvals',
  every_minutes: 5,
  round: forEachDue({
    where: { task: 'documents.orphaned_approvals' },
    due: ({ read }) =>
      read(async tx => {
        const announced = await listAnnounced(tx)
        const { versions } = await listOrphanedApprovals(tx, { most: maxChecked })
        const stuck = new Set(versions.map(({ id }) => id))
        const known = new Set(announced.map(({ id }) => id))
        const changed = [
          ...versions.filter(({ id }) => !known.has(id)),
          ...announced.filter(({ id }) => !stuck.has(id)),
        ]
        return changed
          .slice(0, maxPerRun)
          .map(({ id, document_id }) => ({ params: { id: document_id, version_id: id } }))
      }),
    action: announce,
  }),
}
