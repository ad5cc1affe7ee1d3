import type { Answer } from '../../api/client.ts'

type Own = Answer<'GET /api/training/my-training'>['items'][number]

const week_days = 7
const daysUntil = (day: string, today: string) => (Date.parse(day) - Date.parse(today)) / 86_400_000

/** What is open, by how near its due day is; within a group what is due first comes first. */
export function byNearness<T extends Pick<Own, 'due_date' | 'is_overdue'>>(open: readonly T[], today: string) {
  const near = ({ due_date, is_overdue }: T) =>
    is_overdue ? 'overdue' : daysUntil(due_date, today) <= week_days ? 'week' : 'later'
  const groups = Map.groupBy(
    open.toSorted((a, b) => a.due_date.localeCompare(b.due_date)),
    near,
  )
  return (['overdue', 'week', 'later'] as const)
    .map(when => ({ when, items: groups.get(when) ?? [] }))
    .filter(({ items }) => items.length > 0)
}

/** Of each program the first, which is the newest. */
const newestOf = <T extends Pick<Own, 'training_id'>>(all: readonly T[]) =>
  all.filter(({ training_id }, index) => all.findIndex(each => each.training_id === training_id) === index)

type Over = Pick<Own, 'training_id' | 'status' | 'is_valid' | 'verification' | 'assignment_id'>

/** What waits for a trainer, and what has to be assigned anew; what was assigned again, or is held by another completion, is neither. */
export function overviewOf<T extends Over>(open: readonly Pick<Own, 'training_id'>[], over: readonly T[]) {
  const isAgain = ({ training_id }: T) =>
    open.some(each => each.training_id === training_id) ||
    over.some(each => each.training_id === training_id && each.is_valid)
  const newest = newestOf(over.toSorted((a, b) => b.assignment_id - a.assignment_id)).filter(each => !isAgain(each))
  return {
    waiting: newest.filter(
      ({ status, verification: { required, verified_at } }) => status === 'completed' && required && !verified_at,
    ),
    failed: newest.filter(({ status }) => status === 'failed'),
  }
}

/** What counts today, each program once: by the completion that holds longest. What ends soonest comes first. */
export function heldOf<T extends Pick<Own, 'training_id' | 'is_valid' | 'valid_until'>>(over: readonly T[]): T[] {
  const until = ({ valid_until }: T) => valid_until ?? '9999'
  const longest = newestOf(over.filter(each => each.is_valid).toSorted((a, b) => until(b).localeCompare(until(a))))
  return longest.toSorted((a, b) => until(a).localeCompare(until(b)))
}

const soon_days = 30

export const isSoon = (day: string, today: string) => daysUntil(day, today) <= soon_days
