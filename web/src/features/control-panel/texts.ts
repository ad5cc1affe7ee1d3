import type { PanelWords } from './words.en.ts'

/** `2026-11-21 09:14:05`: the clock of the service, in UTC whatever the zone of the reader. */
export const clockText = (moment: Date) => moment.toISOString().slice(0, 19).replace('T', ' ')
export const timeText = (moment: Date) => moment.toISOString().slice(11, 19)

const sizes = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** The two largest units: `3 days 4 h`, `12 min 5 s`, `8 s`. */
export function durationText(seconds: number, { days }: Pick<PanelWords, 'days'>): string {
  let rest = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  for (const [unit, size] of sizes) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(unit === 'day' ? days(count) : `${count} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ') || '0 s'
}

/** In the unit that says it in three digits. */
export function bytesText(bytes: number, locale: string): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 }).format(value)} ${units[power]}`
}
