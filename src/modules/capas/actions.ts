import { command, query } from '#action'
import { listQuery } from '#action/list.ts'
import { daysLater } from '#kernel/day.ts'
import { invalidField } from '#kernel/errors.ts'
import { labelOf } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { IdParams } from '#kernel/schema.ts'
import { readSettings, todayOf } from '#modules/accounts'
import {
  addHistory,
  attachUploads,
  caseMessages,
  filterReaders,
  listApprovers,
  markOverdue,
  requireAssignable,
  setLinks,
  withDay,
} from '#modules/casework'
import { seriesOf, takeNumber } from '#platform/db/numbers.ts'
import { insertActions } from './action-queries.ts'
import { present, presentCapa } from './acts.ts'
import { capaAsOf } from './as-of.ts'
import { planActions } from './plan.ts'
import { announcePlan } from './plan-approval.ts'
import { capaFacets, capaSorts, countCapas, countCapasBy, insertCapa, isCounted, listCapas } from './queries.ts'
import { assigneePermissions, dueDays, isOver, noticeOf } from './rules.ts'
import { Capa, CapaChoice, CapaCreate, CapaDetails, CapaFilter, CapaSummary } from './schema.ts'
import { loadCapa, recorded, textOrNull } from './view.ts'

export const list = listQuery({
  summary: 'List CAPAs',
  description: '`date_from` and `date_to` filter by the day of creation.',
  permission: 'capa.read',
  filter: CapaFilter,
  item: CapaSummary,
  sorts: capaSorts,
  sort: { field: 'id', direction: 'desc' },
  facets: capaFacets,
  exported: {
    name: 'CAPAs',
    event: 'capa.list_exported',
    columns: [
      ['Number', each => each.number],
      ['Title', each => each.title],
      ['Type', each => labelOf(each.type)],
      ['Source', each => labelOf(each.source)],
      ['Priority', each => labelOf(each.priority)],
      ['State', each => labelOf(each.status)],
      ['Assigned to', each => each.assigned_to && personInWords(each.assigned_to)],
      ['Due', each => each.due_date, 'day'],
      ['Overdue', each => each.overdue],
      ['Open actions', each => each.action_counts.open],
      ['Done actions', each => each.action_counts.done],
      ['Cancelled actions', each => each.action_counts.cancelled],
      ['Created (UTC)', each => each.created_at, 'moment'],
      ['Created by', each => each.created_by && personInWords(each.created_by)],
      ['Changed (UTC)', each => each.updated_at, 'moment'],
    ],
  },
  async find(context, query, sort) {
    const { tx } = context
    const filter = await withDay(context, query)
    return {
      list: (limit, offset) =>
        markOverdue(context, listCapas(tx, filter, sort, limit, offset), ({ status }) => isOver(status)),
      count: () => countCapas(tx, filter),
      isKept: isCounted(filter),
      facet: field => countCapasBy(tx, field as (typeof capaFacets)[number], filter),
    }
  },
})

export const details = query({
  summary: 'Read a CAPA',
  description:
    '`you.why_not.close` also tells, before its closure is the next step, what is missing until it can be closed: `missing` and `conditions` of the code `conditions_not_met`.',
  permission: 'capa.read',
  input: { params: IdParams, query: CapaChoice },
  response: CapaDetails,
  run: (context, { params: { id }, query: { as_of } }) =>
    as_of === undefined ? presentCapa(context, id) : capaAsOf(context, id, as_of),
})

export const create = command({
  summary: 'Create a CAPA',
  description:
    'With linked documents it is open at once; without, it is a draft that awaits approval. An open one of high or critical priority needs the approval of its plan before it starts. The default `due_date` is 15 days from today for critical, 30 for high, 60 for medium and 90 for low priority.',
  permission: 'capa.create',
  input: { body: CapaCreate },
  response: Capa,
  async run(context, { body }) {
    const { tx, record } = context
    const { actions = [], document_ids = [], deviation_ids = [], attachment_ids, due_date: wanted, ...fields } = body
    const { priority = 'medium', assigned_to = null } = fields
    const today = await todayOf(context)
    const due_date = wanted ?? daysLater(today, dueDays[priority])
    if (due_date < today) throw invalidField('due_date', caseMessages.record_due_date_past())
    const { added } = planActions([], actions, { due_date })
    const owners = added.map(each => each.assigned_to)
    await requireAssignable(tx, assigned_to === null ? owners : [assigned_to, ...owners], assigneePermissions)
    const status = document_ids.length > 0 ? 'open' : 'draft'
    const { number_patterns } = await readSettings(tx)
    const number = await takeNumber(tx, seriesOf({ number_pattern: number_patterns.capa }, { today }))
    const { id } = await insertCapa(tx, {
      ...fields,
      number,
      status,
      priority,
      assigned_to,
      root_cause: textOrNull(fields.root_cause),
      adverse_effect_assessment: textOrNull(fields.adverse_effect_assessment),
      due_date,
      original_due_date: due_date,
      notice_on: noticeOf(due_date),
    })
    if (added.length > 0)
      await insertActions(
        tx,
        id,
        added.map(each => ({ ...each, notice_on: noticeOf(each.due_date) })),
      )
    const ref = { kind: 'capa', id, number } as const
    await addHistory(tx, ref, { transition: 'created', from_status: null, to_status: status, reason: null })
    await attachUploads(context, ref, attachment_ids)
    await setLinks(context, ref, { document_ids, deviation_ids })
    const work = await loadCapa(context, id)
    record('capa.created', id, {
      number,
      after: { ...recorded(work), status, revision: work.row.revision },
      ...(status === 'draft'
        ? {
            notify: await filterReaders(tx, 'capa', [assigned_to]),
            assignees: await listApprovers(tx, 'capa', 'capa.approve_draft'),
          }
        : { assignees: await filterReaders(tx, 'capa', [assigned_to, ...owners]) }),
    })
    await announcePlan(context, undefined, work)
    return present(context, work, undefined)
  },
})
