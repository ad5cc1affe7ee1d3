import { daysLater } from '#kernel/day.ts'

/** The most assignments that one transaction creates, ends or sends notices of. */
export const maxAtOnce = 200
/** The most that one round of a schedule finds; the next run finds the rest. */
export const maxPerRun = 5_000

/** Days relative to the due date with a notice: first that it is due soon, then that it is overdue. */
const noticeDays = [-7, -1, 1, 8, 15, 22, 29]

/** The next day after this one with a notice about the due date; null after the last notice. */
export const noticeAfter = (today: string, due_date: string): string | null =>
  noticeDays.map(days => daysLater(due_date, days)).find(day => day > today) ?? null

const dayMs = 86_400_000

export const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs

const renewalDays = 30

/** The day of renewal: 30 days before the qualification ends, or half of its time if it is short. */
export const renewalOn = (gained: string, valid_until: string) =>
  daysLater(valid_until, -Math.min(renewalDays, Math.floor(daysBetween(gained, valid_until) / 2)))

export const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
