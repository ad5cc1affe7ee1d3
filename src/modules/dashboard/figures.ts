/** Mean and median of days, given as `[days, count]`. */
export function daysOf(times: readonly (readonly [days: number, n: number])[]) {
  const sorted = [...times].sort(([a], [b]) => a - b)
  const count = sorted.reduce((sum, [, n]) => sum + n, 0)
  if (count === 0) return { count, mean: null, median: null }
  const at = (place: number) => {
    let left = place
    for (const [days, n] of sorted) {
      if (left < n) return days
      left -= n
    }
    throw new Error(`there is no place ${place} among ${count}`)
  }
  return {
    count,
    mean: rounded(sorted.reduce((sum, [days, n]) => sum + days * n, 0) / count),
    median: (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2,
  }
}

/** Without a denominator the rate is null, and neither 0 nor 1. */
export const rateOf = (numerator: number, denominator: number) => ({
  numerator,
  denominator,
  rate: denominator === 0 ? null : rounded(numerator / denominator),
})

/** Four decimal places are as exact as the records allow. */
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

/** The months, YYYY-MM, up to that of the day, the oldest first. */
export function monthsUntil(day: string, count: number): string[] {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(year, month - count + i, 1)).toISOString().slice(0, 7),
  )
}
