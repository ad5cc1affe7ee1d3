import { query } from '#action'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { Page } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { countAssignments, listAssignments, ownSorts } from '../assignments/list-queries.ts'
import { type Assignment, MyTraining, MyTrainingFilter } from '../assignments/schema.ts'
import { isOver } from '../rules.ts'
import { listPrerequisitesOf } from './people-queries.ts'

/** The assignments of one person, each open one with what it waits for. */
async function withPrerequisites(tx: Tx, all: readonly Assignment[], today: string): Promise<MyTraining[]> {
  const open = all.filter(({ status }) => !isOver(status))
  const found = await listPrerequisitesOf(tx, {
    user_id: all[0]?.user.id ?? 0,
    program_ids: open.map(({ training_id }) => training_id),
    today,
  })
  return all.map(each => ({
    id: each.training_id,
    ...each,
    prerequisites: open.includes(each)
      ? found.filter(({ of }) => of === each.training_id).map(({ of, ...prerequisite }) => prerequisite)
      : [],
  }))
}

export const myTraining = query({
  summary: 'List your own training',
  description:
    'Open assignments come first, by due date. The `id` of an item is its program, as GET /api/training/{id} and POST /api/training/{id}/complete need it.',
  permission: 'training.read_own',
  input: { query: MyTrainingFilter },
  response: Page(MyTraining),
  async run({ tx, actor, services }, { query }) {
    const sort = parseSort(query.sort, ownSorts, { field: 'urgency', direction: 'asc' })
    const filter = { ...query, user_id: [actor.userId!] }
    const today = await todayOf({ tx, services })
    return pageOf(
      query,
      async (limit, offset) =>
        withPrerequisites(tx, await listAssignments(tx, filter, today, sort, limit, offset), today),
      () => countAssignments(tx, filter, today),
    )
  },
})
