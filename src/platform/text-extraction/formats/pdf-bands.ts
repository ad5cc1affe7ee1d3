import type { Line } from './pdf-lines.ts'

/** The number of first and last lines that may be a header or footer. */
const deep = 4
const minPages = 3

/** Finds headers and footers, which are read once and left out on the following pages. */
export function openBands() {
  const known = new Set<string>()
  const seen = new Set<string>()

  function learn(pages: Line[][]) {
    const counts = new Map<string, number>()
    for (const lines of pages)
      for (const key of new Set(outermost(lines).map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
    for (const [key, count] of counts) if (count >= minPages && count > pages.length / 2) known.add(key)
  }

  /** The text of a page, and its new lines of header and footer. */
  function divide(lines: Line[]): { body: Line[]; around: Line[] } {
    const outer = new Set(outermost(lines))
    const isAround = (line: Line) => outer.has(line) && known.has(keyOf(line))
    const around = lines.filter(line => isAround(line) && !seen.has(keyOf(line)))
    for (const line of around) seen.add(keyOf(line))
    return { body: lines.filter(line => !isAround(line)), around }
  }

  return { learn, divide }
}

function outermost(lines: Line[]): Line[] {
  const fromAbove = lines.toSorted((a, b) => b.y - a.y)
  return [...fromAbove.slice(0, deep), ...fromAbove.slice(-deep)]
}

/** The same words in the same place, with any numbers in them. */
const keyOf = ({ text, y }: Line) => `${Math.round(y / 2)} ${text.replace(/\d+/g, '0')}`
