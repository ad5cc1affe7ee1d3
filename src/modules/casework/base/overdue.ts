import type { ActionContext } from '#action'
import { todayOf } from '#modules/accounts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'services'>

/** The part of a filter about overdue records, with today in the time zone of the tenant. */
export interface Due {
  overdue: boolean
  today: string
}

/** Adds today to a filter for overdue records; other filters need no day. */
export async function withDay<F extends { overdue?: boolean }>(context: Reading, { overdue, ...filter }: F) {
  return overdue === undefined ? filter : { ...filter, due: { overdue, today: await todayOf(context) } satisfies Due }
}

/** Reads today beside the rows, and marks those that are overdue. */
export async function markOverdue<R extends { due_date: string }>(
  context: Reading,
  asked: Promise<R[]>,
  isOver: (row: R) => boolean,
) {
  const [rows, today] = await Promise.all([asked, todayOf(context)])
  return rows.map(row => ({ ...row, overdue: row.due_date < today && !isOver(row) }))
}
