/** A number of entries whose keys lie between `low` and `high`, both included; they are counted, but not read. */
export interface Span {
  n: number
  low: number
  high: number
}

/**
 * Finds the spans that can contain entries of a page, in ascending order of keys, and the offset within them. Spans may overlap, so one is
 * left out only if all of it lies before or behind the page.
 */
export function spansOfPage<T extends Span>(spans: readonly T[], offset: number, limit: number) {
  const byLow = spans.toSorted((a, b) => a.low - b.low)
  const byHigh = spans.toSorted((a, b) => a.high - b.high)
  /** The most entries up to its last one. */
  const upTo = new Map<T, number>()
  let sum = 0
  let next = 0
  for (const span of byHigh) {
    for (; next < byLow.length && byLow[next]!.low <= span.high; next++) sum += byLow[next]!.n
    upTo.set(span, sum)
  }
  const within: T[] = []
  /** The entries that must come before its first one. */
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

/** The same span in descending order. */
export const reversed = <T extends Span>(span: T): T => ({ ...span, low: -span.high, high: -span.low })
