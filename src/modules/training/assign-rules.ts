import { daysLater } from '#kernel/day.ts'

/** So many assignments are made, ended or told of in one transaction. */
export const most_at_once = 200
/** What one look of the clock finds; the next finds the rest. */
export const most_in_look = 5_000

/** Days from the due date on which somebody is told: that it is due soon, and then that it is overdue. */
const notice_days = [-7, -1, 1, 8, 15, 22, 29]

/** The next day behind this one on which somebody is to be told of the due date; null once there is nothing more to tell. */
export const noticeAfter = (today: string, due_date: string): string | null =>
  notice_days.map(days => daysLater(due_date, days)).find(day => day > today) ?? null

const day_ms = 86_400_000

export const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / day_ms

const renewal_days = 30

/** When a qualification is to be renewed that was gained on a day and ends on another: 30 days ahead, or half of it where it is short. */
export const renewalOn = (gained: string, valid_until: string) =>
  daysLater(valid_until, -Math.min(renewal_days, Math.floor(daysBetween(gained, valid_until) / 2)))

export const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
