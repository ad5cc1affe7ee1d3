import { command } from '#action'
import { requireAll } from '#action/allowed.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { findAssignment, updateAssignment } from '../assignments/queries.ts'
import { Assignment } from '../assignments/schema.ts'
import { trainingTransitions } from '../rules.ts'
import { findOpening } from './queries.ts'
import { auditFieldsOf, checksOf, requireOwn, storedOpening } from './work.ts'

export const start = command({
  summary: 'Start your own training',
  description:
    'The page calls it after the document was opened (`GET /api/documents/{id}/download?purpose=view`): the assignment then says when, and in which version. Starting it again changes nothing else.',
  permission: trainingTransitions.start.permission,
  input: { params: IdParams },
  response: Assignment,
  async run(context, { params }) {
    const { tx, record, services } = context
    const work = await requireOwn(context, params.id, { lock: true })
    const { program, assignment } = work
    const before = { status: assignment.status, revision: assignment.revision }
    if (assignment.status !== 'in_progress') {
      await requireAll(checksOf(context, work, trainingTransitions.start))
      const started_at = services.clock.now().toISOString()
      await updateAssignment(tx, assignment.id, { status: 'in_progress', started_at })
    }
    const opening = await findOpening(tx, assignment.id)
    if (opening && opening.opened_version_id !== assignment.opened_version_id)
      await updateAssignment(tx, assignment.id, storedOpening(opening))
    const after = (await findAssignment(tx, assignment.id, await todayOf(context)))!
    record('training_assignment.started', assignment.id, {
      number: program.number,
      before,
      after: {
        ...auditFieldsOf(work),
        status: after.status,
        started_at: after.started_at,
        ...opening,
        revision: after.revision,
      },
      notify: [assignment.user_id],
    })
    return after
  },
})
