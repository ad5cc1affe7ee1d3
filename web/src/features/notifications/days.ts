/** The day that a moment falls on at a place, as the API writes days. */
const dayOf = (moment: string, timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment))

/** In the order that they come in, with a heading for each day. */
export function byDay<T extends { created_at: string }>(items: T[], timeZone: string): { day: string; items: T[] }[] {
  const days: { day: string; items: T[] }[] = []
  for (const item of items) {
    const day = dayOf(item.created_at, timeZone)
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}
