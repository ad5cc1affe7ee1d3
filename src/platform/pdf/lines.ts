import type PDFDocument from 'pdfkit'
import type { Run } from '../markdown/flow.ts'
import { type FontName, withGlyphs } from './fonts.ts'

export type Pdf = InstanceType<typeof PDFDocument>

export const bottomOf = ({ page }: Pdf) => page.height - page.margins.bottom

/** The place of text on a page: its left edge, with a bar for each quote around it. */
export interface Frame {
  left: number
  width: number
  bars: readonly number[]
}

/** A stretch of a line in one font, with its place on the line. */
interface Stretch {
  text: string
  font: FontName
  left: number
  strike: boolean
}
export interface Line {
  stretches: Stretch[]
}

export interface Look {
  size: number
  /** For headings. */
  bold?: boolean
  colour?: string
  /** The distance of lines, in font sizes. */
  step?: number
}

const defaultStep = 1.36
export const stepOf = ({ size, step = defaultStep }: Look) => size * step

const fontOf = ({ bold, italic, code }: Run, isBold: boolean): FontName =>
  code ? 'mono' : bold || isBold ? (italic ? 'bold_italic' : 'bold') : italic ? 'italic' : 'regular'

/** With features named, pdfkit does not cache texts, which would take some kilobytes for each line. */
const uncached = { features: [] }

/** A cache of the widths of words at size 1, because words repeat and measuring takes most of the time. */
const widths = new Map<string, number>()
const maxCached = 50_000
const maxWordLength = 40

export function widthOf(pdf: Pdf, text: string, font: FontName, size: number): number {
  // An identifier, a hash or the like. Measured letter by letter it takes a hundredth of the time.
  if (text.length > maxWordLength)
    return Array.from(text).reduce((sum, each) => sum + widthOf(pdf, each, font, size), 0)
  const key = `${font} ${text}`
  let width = widths.get(key)
  if (width === undefined) {
    width = pdf.font(font).fontSize(100).widthOfString(text, uncached) / 100
    if (widths.size < maxCached) widths.set(key, width)
  }
  return width * size
}

/** A long text without blanks is measured in pieces, because measuring it whole for each line takes the square of its length. */
const measurable = /.{1,200}/gsu

/** Breaks runs into lines of a width: between words, and within a word that is longer than a line. */
export function linesOf(pdf: Pdf, runs: readonly Run[], { size, bold = false }: Look, width: number): Line[] {
  const lines: Line[] = [{ stretches: [] }]
  let used = 0
  /** A blank is written only if a word follows on the same line. */
  let hasBlank = false
  const begin = () => {
    lines.push({ stretches: [] })
    used = 0
    hasBlank = false
  }
  const put = (word: string, font: FontName, strike: boolean) => {
    const { stretches } = lines.at(-1)!
    const last = stretches.at(-1)
    const blank = last && hasBlank ? widthOf(pdf, ' ', last.font, size) : 0
    const wide = widthOf(pdf, word, font, size)
    if (last && used + blank + wide > width) {
      begin()
      put(word, font, strike)
      return
    }
    if (wide > width && word.length > 1) {
      const characters = Array.from(word)
      const fits = Math.max(1, Math.floor((characters.length * width) / wide) - 1)
      put(characters.slice(0, fits).join(''), font, strike)
      put(characters.slice(fits).join(''), font, strike)
      return
    }
    if (last && blank > 0) last.text += ' '
    if (last?.font === font && last.strike === strike) last.text += word
    else stretches.push({ text: word, font, left: used + blank, strike })
    used += blank + wide
    hasBlank = false
  }
  for (const run of runs) {
    const font = fontOf(run, bold)
    for (const part of run.text.split(/(\n|[ \t]+)/)) {
      if (part === '\n') begin()
      else if (/^[ \t]+$/.test(part)) hasBlank = true
      else for (const word of withGlyphs(part, font).match(measurable) ?? []) put(word, font, run.strike ?? false)
    }
  }
  return lines
}

/** The width of the widest word, and of the whole text on one line. */
export function widthsOf(pdf: Pdf, runs: readonly Run[], { size, bold = false }: Look) {
  let [least, most, line] = [0, 0, 0]
  for (const run of runs) {
    const font = fontOf(run, bold)
    for (const part of run.text.split(/(\n|[ \t]+)/)) {
      if (part === '\n') line = 0
      else {
        const wide = widthOf(pdf, /^[ \t]+$/.test(part) ? ' ' : withGlyphs(part, font), font, size)
        line += wide
        most = Math.max(most, line)
        least = Math.max(least, wide)
      }
    }
  }
  return { least, most }
}

export function writeLine(pdf: Pdf, { stretches }: Line, left: number, top: number, { size, colour = 'black' }: Look) {
  for (const stretch of stretches) {
    pdf.font(stretch.font).fontSize(size).fillColor(colour)
    pdf.text(stretch.text, left + stretch.left, top, {
      ...uncached,
      lineBreak: false,
      ...(stretch.strike && { strike: true }),
    })
  }
}

export function writeBars(pdf: Pdf, { bars }: Frame, top: number, height: number) {
  for (const left of bars) pdf.rect(left, top - 1, 1.5, height + 2).fill('#bbbbbb')
}
