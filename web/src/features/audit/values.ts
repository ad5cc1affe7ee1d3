export const longest = 400

/** A value of a change, as text; undefined where there is none. */
export function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return value.every(each => typeof each !== 'object') ? value.join(', ') : JSON.stringify(value, null, 2)
  }
  return linesOf(value as object)
}

/** An object of plain values is a line for each; a deeper one is written as it is stored. */
function linesOf(value: object): string {
  const entries = Object.entries(value)
  if (entries.some(([, each]) => typeof each === 'object' && each !== null && !Array.isArray(each)))
    return JSON.stringify(value, null, 2)
  return entries.map(([name, each]) => `${fieldName(name)}: ${valueText(each) ?? '–'}`).join('\n')
}

/** A field as a person reads it; the code of the trail is kept, because an export has it. */
export const fieldName = (field: string) => field.replaceAll('_', ' ').replaceAll('.', ' › ')

/** In the order that they come in, with a heading for each day (UTC). */
export function byDay<T extends { occurred_at: string }>(items: T[]): { day: string; items: T[] }[] {
  const days: { day: string; items: T[] }[] = []
  for (const item of items) {
    const day = item.occurred_at.slice(0, 10)
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}
