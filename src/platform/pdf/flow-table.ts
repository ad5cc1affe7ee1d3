import type { Flow, Run } from '../markdown/flow.ts'
import {
  bottomOf,
  type Frame,
  type Line,
  type Look,
  linesOf,
  type Pdf,
  stepOf,
  widthsOf,
  writeBars,
  writeLine,
} from './lines.ts'

type Table = Extract<Flow, { kind: 'table' }>

const look: Look = { size: 8.5, step: 1.3 }
const head: Look = { ...look, bold: true }
const padding = 4
/** The height of an empty cell, which is filled in by hand. */
const minHeight = 20
const minWidth = 24
const lineColour = '#999999'

/** Each column gets the width of its widest word, and a share of the rest by its content. */
function columnsOf(pdf: Pdf, { head: titles, rows }: Table, width: number): number[] {
  const needs = titles.map((title, at) => {
    const cells = [widthsOf(pdf, title, head), ...rows.map(row => widthsOf(pdf, row[at] ?? [], look))]
    const least = Math.min(Math.max(minWidth, ...cells.map(cell => cell.least)) + 2 * padding, width * 0.4)
    return { least, most: Math.max(least, Math.min(width, Math.max(...cells.map(cell => cell.most)) + 2 * padding)) }
  })
  const sum = (of: (need: (typeof needs)[number]) => number) => needs.reduce((all, need) => all + of(need), 0)
  const least = sum(need => need.least)
  // The words do not fit, so each column gets its share and words are broken.
  if (least > width) return needs.map(need => (need.least * width) / least)
  const wished = sum(need => need.most - need.least)
  const left = width - least
  return needs.map(need => need.least + (wished > 0 ? ((need.most - need.least) * left) / wished : left / needs.length))
}

/** Rows continue on the next page below a repeated head. A row that is higher than a page is cut between its lines. */
export function writeFlowTable(pdf: Pdf, table: Table, frame: Frame) {
  const widths = columnsOf(pdf, table, frame.width)
  const step = stepOf(look)
  const cellsOf = (cells: readonly Run[][], of: Look) =>
    widths.map((width, at) => linesOf(pdf, cells[at] ?? [], of, width - 2 * padding))
  const heightOf = (cells: readonly Line[][]) =>
    Math.max(minHeight, Math.max(...cells.map(lines => lines.length)) * step + 2 * padding)
  const titles = cellsOf(table.head, head)
  const head_height = heightOf(titles)
  const page_height = bottomOf(pdf) - pdf.page.margins.top
  const isRepeated = head_height < page_height / 3

  const write = (cells: readonly Line[][], of: Look, height: number) => {
    const top = pdf.y
    let { left } = frame
    for (const [at, lines] of cells.entries()) {
      const width = widths[at]!
      const box = pdf.rect(left, top, width, height).lineWidth(0.5)
      if (of.bold) box.fillAndStroke('#eeeeee', lineColour)
      else box.strokeColor(lineColour).stroke()
      for (const [number, line] of lines.entries())
        writeLine(pdf, line, left + padding, top + padding + number * step, of)
      left += width
    }
    writeBars(pdf, frame, top, height)
    pdf.y = top + height
  }
  const nextPage = () => {
    pdf.addPage()
    if (isRepeated) write(titles, head, head_height)
  }
  const room = () => bottomOf(pdf) - pdf.y
  const writeRow = (cells: Line[][], of: Look) => {
    const height = heightOf(cells)
    if (height > room() && height <= page_height - (isRepeated ? head_height : 0)) nextPage()
    if (height <= room()) {
      write(cells, of, height)
      return
    }
    let fits = Math.floor((room() - 2 * padding) / step)
    if (fits < 2) {
      nextPage()
      fits = Math.floor((room() - 2 * padding) / step)
    }
    const part = cells.map(lines => lines.slice(0, fits))
    write(part, of, heightOf(part))
    nextPage()
    writeRow(
      cells.map(lines => lines.slice(fits)),
      of,
    )
  }
  const first = table.rows[0] ? Math.min(heightOf(cellsOf(table.rows[0], look)), page_height / 3) : 0
  if (isRepeated && head_height + first > room()) pdf.addPage()
  writeRow(titles, head)
  for (const row of table.rows) writeRow(cellsOf(row, look), look)
}
