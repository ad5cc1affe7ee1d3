import { command } from '#action'
import { dayIn, daysLater } from '#kernel/day.ts'
import { forbidden } from '#kernel/errors.ts'
import { readSettings } from '#modules/accounts'
import { addHistory, attachUploads, listPermitted, setLinks } from '#modules/casework'
import { seriesOf, takeNumber } from '#platform/db/numbers.ts'
import { present } from './acts.ts'
import { changesTo, contentOf, type Written } from './content.ts'
import { insertDeviation } from './queries.ts'
import { deviationMachine, type Field, fieldRefusal, lateAfterHours, noticeOf } from './rules.ts'
import { Deviation, DeviationCreate } from './schema.ts'
import { findTakers, listAsked } from './unassigned.ts'
import { recorded, requireDeviation } from './view.ts'

export const create = command({
  summary: 'Report a deviation',
  description: `The deviation is open, and the caller is its reporter. The settings of the tenant give the due date by severity, and who takes reports that name no assignee (\`report_takers\`). More than ${lateAfterHours} hours after the detection it needs a \`late_report_reason\`.`,
  permission: 'deviations.create',
  input: { body: DeviationCreate },
  response: Deviation,
  async run(context, { body }) {
    const { tx, actor, services, record } = context
    const now = services.clock.now()
    const reported_at = now.toISOString()
    const { time_zone, due_days, report_takers, number_patterns } = await readSettings(tx)
    const today = dayIn(time_zone, now)
    const due_date = daysLater(today, due_days[body.severity])
    const change: Written = changesTo(undefined, body)
    const refusal = fieldRefusal(Object.keys(change) as Field[], {
      permissions: actor.permissions,
      isReporting: true,
      isNew: true,
    })
    if (refusal) throw forbidden(refusal)
    const content = await contentOf(context, undefined, change, { reported_at, isComplete: false })
    const { title, description, severity, detected_at = reported_at, department = null } = body
    const assignee = content.assigned_to ?? null
    const { taker = assignee, asked } =
      assignee === null ? await findTakers(tx, report_takers, { department, reporter_id: actor.userId! }) : {}
    const number = await takeNumber(tx, seriesOf({ number_pattern: number_patterns.deviation }, { today }))
    const [status] = deviationMachine.initial
    const { id } = await insertDeviation(tx, {
      ...content,
      assigned_to: taker,
      title,
      description,
      severity,
      detected_at,
      number,
      status: status!,
      reported_at,
      reported_by: actor.userId!,
      due_date,
      original_due_date: due_date,
      due_notice_on: noticeOf(due_date),
    })
    await addHistory(
      tx,
      { kind: 'deviation', id, number },
      { transition: 'report', from_status: null, to_status: status!, reason: null },
    )
    await attachUploads(context, { kind: 'deviation', id, number }, body.attachment_ids)
    const row = await requireDeviation(context, id)
    record('deviation.created', id, {
      number,
      after: { ...recorded(row), status },
      assignees: [
        ...new Set([
          ...(asked ?? (await listAsked(tx, row))),
          ...(severity === 'critical' ? await listPermitted(tx, 'deviation', 'deviations.assess') : []),
        ]),
      ],
    })
    const { document_ids, capa_ids } = change
    await setLinks(context, { kind: 'deviation', id, number }, { document_ids, capa_ids })
    // Links are shown with it.
    const isLinked = document_ids !== undefined || capa_ids !== undefined
    return present(context, isLinked ? await requireDeviation(context, id) : row)
  },
})
