/** `2026-11-21 09:14:05`: the clock of the service, in UTC whatever the zone of the reader. */
export const clockText = (moment: Date) => moment.toISOString().slice(0, 19).replace('T', ' ')
export const timeText = (moment: Date) => moment.toISOString().slice(11, 19)

const units = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** The two largest units: `3 days 4 h`, `12 min 5 s`, `8 s`. */
export function durationText(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit === 'day' && count > 1 ? 'days' : unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ') || '0 s'
}

export const listText = (words: string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
