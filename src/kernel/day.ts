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

/** The day of the last second asked about, per time zone: most callers mean the present second, and no day begins within one. */
const newest = new Map<string, { second: number; day: string }>()

/**
 * The day, YYYY-MM-DD, in a time zone at a moment. A task of a day is due once today is that day or a later one, so that no clock
 * change can hide it: some days begin at one o'clock, and some a place never had.
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

/** Days before and after the day last asked about: most callers mean today, and ask for the same few days. */
let near = { day: '', others: new Map<number, string>() }

export function daysLater(day: string, days: number): string {
  if (near.day !== day) near = { day, others: new Map() }
  const known = near.others.get(days)
  if (known) return known
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  const later = date.toISOString().slice(0, 10)
  near.others.set(days, later)
  return later
}

/** A day some months later; in a month that is too short, its last day. */
export function monthsLater(day: string, months: number): string {
  const from = new Date(`${day}T00:00:00Z`)
  const date = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0))
  date.setUTCDate(Math.min(from.getUTCDate(), date.getUTCDate()))
  return date.toISOString().slice(0, 10)
}
