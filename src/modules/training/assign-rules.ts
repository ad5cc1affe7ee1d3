import { daysLater } from '#kernel/day.ts'

/** Days from the due date on which somebody is told: that it is due soon, and then that it is overdue. */
const notice_days = [-7, -1, 1, 8, 15, 22, 29]

/** The next day behind this one on which somebody is to be told of the due date; null once there is nothing more to tell. */
export const noticeAfter = (today: string, due_date: string): string | null =>
  notice_days.map(days => daysLater(due_date, days)).find(day => day > today) ?? null

export const whySkipped = {
  inactive: 'the account is not active',
  unable: 'may not complete training, which needs the permission training.complete',
  trained: 'is validly trained already',
} as const
