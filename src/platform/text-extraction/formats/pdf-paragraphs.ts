import { limits } from '../limits.ts'
import type { Writer } from '../writer.ts'
import type { Line } from './pdf-lines.ts'

/** The look of the body text: the size and the font of most letters. */
export interface Look {
  learn(lines: readonly Line[]): void
  readonly size: number
  readonly font: string
}

export function openLook(): Look {
  const sizes = new Map<number, number>()
  const fonts = new Map<string, number>()
  const most = <T>(counts: Map<T, number>, none: T) =>
    [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [none, 0] as [T, number])[0]
  return {
    learn(lines) {
      for (const { text, size, font } of lines) {
        const rounded = Math.round(size * 2) / 2
        sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length)
        fonts.set(font, (fonts.get(font) ?? 0) + text.length)
      }
    },
    get size() {
      return most(sizes, 0)
    },
    get font() {
      return most(fonts, '')
    },
  }
}

const headingLarger = 1.15
/** The most lines of a heading. More is text in large letters. */
const maxHeadingLines = 3
/** The gap between paragraphs, as a multiple of that between lines. */
const paragraphRoom = 1.4
const usualLeading = 1.25
const item = /^([•◦▪‣●○■□–—*-]|\(?(\d{1,3}|[a-z])[.)])\s/i
const numbered = /^\d{1,2}(\.\d{1,2}){0,4}\.?\s+\p{L}/u

/** Writes headings and the paragraphs below them. */
export function writePage(lines: readonly Line[], { size, font }: Look, writer: Writer) {
  const leading = leadingOf(lines)
  const room = (at: number) => (at > 0 ? lines[at - 1]!.y - lines[at]!.y : Number.POSITIVE_INFINITY)
  const isHeading = (at: number) => {
    const line = lines[at]!
    if (!/\p{L}{2}/u.test(line.text) || line.text.length > limits.most_heading_characters) return false
    if (line.size >= headingLarger * size) return true
    const standsAlone = room(at) > paragraphRoom * leading || room(at) < 0
    return (
      line.font !== font &&
      !line.isSpread &&
      line.text.length <= 120 &&
      !/[.;,:]$/.test(line.text) &&
      (numbered.test(line.text) || (standsAlone && /^\p{Lu}/u.test(line.text))) &&
      line.size >= 0.95 * size
    )
  }
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    if (isHeading(at)) {
      const same = (next: number) =>
        isHeading(next) &&
        lines[next]!.font === lines[at]!.font &&
        Math.abs(lines[next]!.size - lines[at]!.size) < 0.5 &&
        !numbered.test(lines[next]!.text) &&
        room(next) < 1.7 * lines[at]!.size
      while (end < lines.length && same(end)) end += 1
      const text = lines.slice(at, end).map(line => line.text)
      if (end - at <= maxHeadingLines) writer.heading(flowing(text))
      else writer.paragraph(flowing(text))
    } else {
      const goesOn = (next: number) => {
        if (isHeading(next) || item.test(lines[next]!.text)) return false
        const isNextColumn = room(next) < 0
        return isNextColumn ? !/[.!?:]$/.test(lines[next - 1]!.text) : room(next) <= paragraphRoom * leading
      }
      while (end < lines.length && goesOn(end)) end += 1
      const text = flowing(lines.slice(at, end).map(line => line.text))
      if (item.test(text)) writer.line(text)
      else writer.paragraph(text)
    }
    at = end
  }
}

/** The usual distance of lines on the page. */
function leadingOf(lines: readonly Line[]): number {
  const steps = lines
    .slice(1)
    .map((line, at) => lines[at]!.y - line.y)
    .filter((step, at) => step > 0.5 * lines[at]!.size && step < 3 * lines[at]!.size)
    .toSorted((a, b) => a - b)
  return steps[Math.floor(steps.length / 3)] ?? usualLeading * (lines[0]?.size ?? 0)
}

/** Joins lines to a text, and words that were hyphenated at a line end. */
export const flowing = (lines: readonly string[]): string =>
  lines.reduce((text, line) => {
    if (text.endsWith('\u00ad')) return text.slice(0, -1) + line
    const isDivided = /\p{L}{2}[-‐]$/u.test(text) && /^\p{Ll}{2}/u.test(line)
    return isDivided ? text.slice(0, -1) + line : `${text} ${line}`
  })
