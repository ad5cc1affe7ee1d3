import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { assignmentSorts, countAssignments, listAssignments, ownSorts } from './list-queries.ts'
import { findAssignment } from './queries.ts'
import { Assignment, AssignmentFilter, MyTraining, MyTrainingFilter } from './schema.ts'

export const myTraining = query({
  summary: 'List your own training',
  description:
    'Open assignments come first, by due date. The `id` of an item is its program, as GET /api/training/{id} and POST /api/training/{id}/complete need it.',
  permission: 'training.read_own',
  input: { query: MyTrainingFilter },
  response: Page(MyTraining),
  async run({ tx, actor, services }, { query }) {
    const sort = parseSort(query.sort, ownSorts, { field: 'urgency', direction: 'asc' })
    const filter = { ...query, user_id: actor.userId! }
    const today = await todayOf({ tx, services })
    return pageOf(
      query,
      async (limit, offset) =>
        (await listAssignments(tx, filter, today, sort, limit, offset)).map(each => ({
          id: each.training_id,
          ...each,
        })),
      () => countAssignments(tx, filter, today),
    )
  },
})

export const assignmentList = query({
  summary: 'List training assignments',
  description: '`date_from` and `date_to` limit the day of the assignment.',
  permission: 'training.read_all',
  input: { query: AssignmentFilter },
  response: Page(Assignment),
  async run({ tx, services }, { query }) {
    const sort = parseSort(query.sort, assignmentSorts, { field: 'id', direction: 'desc' })
    const today = await todayOf({ tx, services })
    return pageOf(
      query,
      (limit, offset) => listAssignments(tx, query, today, sort, limit, offset),
      () => countAssignments(tx, query, today),
    )
  },
})

export const assignmentDetails = query({
  summary: 'Read a training assignment',
  description: 'Your own, or with the permission `training.read_all` any.',
  permission: 'training.read_own',
  input: { params: IdParams },
  response: Assignment,
  async run({ tx, actor, services }, { params }) {
    const assignment = await findAssignment(tx, params.id, await todayOf({ tx, services }))
    const isReadable = assignment?.user.id === actor.userId || actor.permissions.has('training.read_all')
    if (!assignment || !isReadable) throw notFound('Training assignment')
    return assignment
  },
})
