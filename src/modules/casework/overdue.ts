import type { ActionContext } from '#action'
import { todayOf } from '#modules/accounts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'services'>

/** What a filter asks of records that are due: whether they are overdue, and on which day of the tenant's. */
export interface Due {
  overdue: boolean
  today: string
}

/** The filter with the day that it is answered by, which nobody else is asked for. */
export async function withDay<F extends { overdue?: boolean }>(context: Reading, { overdue, ...filter }: F) {
  return overdue === undefined ? filter : { ...filter, due: { overdue, today: await todayOf(context) } satisfies Due }
}

/** The rows, asked for together with the day that says which of them are overdue. */
export async function markOverdue<R extends { due_date: string }>(
  context: Reading,
  asked: Promise<R[]>,
  isOver: (row: R) => boolean,
) {
  const [rows, today] = await Promise.all([asked, todayOf(context)])
  return rows.map(row => ({ ...row, overdue: row.due_date < today && !isOver(row) }))
}
