/** Entries that are counted, and not read: so many, whose keys all are from the lowest to the highest, both included. */
export interface Span {
  n: number
  low: number
  high: number
}

/**
 * In which spans the entries of a page are, where all of them are in ascending order of their keys; and how many there are in those ahead
 * of them. Spans may overlap: one is left out only where all of it is ahead of the page, or behind it.
 */
export function spansOfPage<T extends Span>(spans: readonly T[], offset: number, limit: number) {
  const byLow = spans.toSorted((a, b) => a.low - b.low)
  const byHigh = spans.toSorted((a, b) => a.high - b.high)
  /** All that can be ahead of its last entry, itself included. */
  const upTo = new Map<T, number>()
  let sum = 0
  let next = 0
  for (const span of byHigh) {
    for (; next < byLow.length && byLow[next]!.low <= span.high; next++) sum += byLow[next]!.n
    upTo.set(span, sum)
  }
  const within: T[] = []
  /** All that must be ahead of its first entry. */
  let ahead = 0
  let skipped = 0
  next = 0
  for (const span of byLow) {
    for (; byHigh[next]!.high < span.low; next++) ahead += byHigh[next]!.n
    if (upTo.get(span)! <= offset) skipped += span.n
    else if (ahead < offset + limit) within.push(span)
  }
  return { within, offset: offset - skipped }
}

/** The same, for the other direction. */
export const reversed = <T extends Span>(span: T): T => ({ ...span, low: -span.high, high: -span.low })
