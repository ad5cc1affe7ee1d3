const calendars = new Map<string, Intl.DateTimeFormat>()

function calendarOf(time_zone: string) {
  const known = calendars.get(time_zone)
  if (known) return known
  const calendar = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: time_zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  calendars.set(time_zone, calendar)
  return calendar
}

/** Of the second that was asked about last: most of what asks means this one, and no day begins within a second. */
const newest = new Map<string, { second: number; day: string }>()

/**
 * Which day, YYYY-MM-DD, it is in a time zone at a moment. What is to happen on a day is due once today is that day or a later one:
 * asked this way round, no clock change can hide it. There are days that begin at one o'clock, and some that a place never had.
 */
export function dayIn(time_zone: string, moment: Date): string {
  const second = Math.floor(moment.getTime() / 1000)
  const known = newest.get(time_zone)
  if (known?.second === second) return known.day
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of calendarOf(time_zone).formatToParts(moment)) part[type] = value
  const day = `${part.year}-${part.month}-${part.day}`
  newest.set(time_zone, { second, day })
  return day
}

/** The hour of the day in a time zone at a moment, 0 to 23. */
export const hourIn = (time_zone: string, moment: Date): number =>
  Number(
    new Intl.DateTimeFormat('en-u-nu-latn', { timeZone: time_zone, hour: '2-digit', hourCycle: 'h23' }).format(moment),
  )

export function daysLater(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** A day some months later; where that month is too short, its last one. */
export function monthsLater(day: string, months: number): string {
  const from = new Date(`${day}T00:00:00Z`)
  const date = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0))
  date.setUTCDate(Math.min(from.getUTCDate(), date.getUTCDate()))
  return date.toISOString().slice(0, 10)
}
