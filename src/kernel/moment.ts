/** `2026-11-21 11:05:33 UTC`, as printed documents show a moment. */
export const momentInUtc = (moment: Date) => `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** The same moment as the clocks of a time zone show it: `2026-11-21 12:05:33 Europe/Berlin (GMT+1)`. */
export function momentIn(zone: string, moment: Date): string {
  const parts = clockOf(zone).formatToParts(moment)
  const the = (type: Intl.DateTimeFormatPartTypes) => parts.find(part => part.type === type)!.value
  return `${the('year')}-${the('month')}-${the('day')} ${the('hour')}:${the('minute')}:${the('second')} ${zone} (${the('timeZoneName')})`
}

/** In UTC, and in the time zone where that is another one. */
export const momentInBoth = (zone: string, moment: Date) =>
  `${momentInUtc(moment)}${zone === 'UTC' ? '' : ` (${momentIn(zone, moment)})`}`

/** Kept, because making a format takes as long as using it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>()
function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'shortOffset',
    })
    clocks.set(zone, clock)
  }
  return clock
}
