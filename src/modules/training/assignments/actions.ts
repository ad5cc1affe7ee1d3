import { listQuery } from '#action/list.ts'
import { labelOf } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { todayOf } from '#modules/accounts'
import {
  assignmentFacets,
  assignmentSorts,
  countAssignments,
  countAssignmentsBy,
  listAssignments,
} from './list-queries.ts'
import { Assignment, AssignmentFilter } from './schema.ts'

export const assignmentList = listQuery({
  summary: 'List training assignments',
  description: '`date_from` and `date_to` limit the day of the assignment.',
  permission: 'training.read_all',
  filter: AssignmentFilter,
  item: Assignment,
  sorts: assignmentSorts,
  sort: { field: 'id', direction: 'desc' },
  facets: assignmentFacets,
  exported: {
    name: 'Training assignments',
    event: 'training_assignment.list_exported',
    columns: [
      ['Program', each => each.number],
      ['Title', each => each.title],
      ['Type', each => labelOf(each.type)],
      ['Username', each => each.user.username],
      ['Full name', each => each.user.full_name],
      ['State', each => labelOf(each.status)],
      ['Due', each => each.due_date, 'day'],
      ['Overdue', each => each.is_overdue],
      ['Document', each => each.document?.number ?? null],
      ['Version', each => each.document_version],
      ['Source', each => labelOf(each.source)],
      ['Assigned (UTC)', each => each.assigned_at, 'moment'],
      ['Assigned by', each => each.assigned_by && personInWords(each.assigned_by)],
      ['Completed (UTC)', each => each.completed_at, 'moment'],
      ['Score in percent', each => each.score],
      ['Verified (UTC)', each => each.verification.verified_at, 'moment'],
      ['Valid until', each => each.valid_until, 'day'],
      ['Trained today', each => each.is_valid],
      ['Reason', each => each.reason],
    ],
  },
  async find({ tx, services }, query, sort) {
    const today = await todayOf({ tx, services })
    return {
      list: (limit, offset) => listAssignments(tx, query, today, sort, limit, offset),
      count: () => countAssignments(tx, query, today),
      facet: field => countAssignmentsBy(tx, field as (typeof assignmentFacets)[number], query, today),
    }
  },
})
