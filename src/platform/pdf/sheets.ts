import { readFileSync } from 'node:fs'
import PDFDocument from 'pdfkit'
import { grey, rule, writeFlow } from './flow.ts'
import { type FontName, fontNames, fontOf, printable, withGlyphs } from './fonts.ts'
import { type Bands, type Block, type Column, type Fact, pageOf } from './job.ts'
import { linesOf, type Pdf, writeLine } from './lines.ts'

const margin = 48
const nameWidth = 128

/** Writes pages of our own, with their fonts embedded. */
export function writeSheets(created_at: string, write: (pdf: Pdf) => void, bands?: Bands): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin,
    lang: 'en',
    info: { CreationDate: new Date(created_at) },
    bufferPages: bands !== undefined,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  pdf.on('end', () => resolve(Buffer.concat(chunks)))
  pdf.on('error', reject)
  // The types know a font as a file alone.
  for (const name of fontNames) pdf.registerFont(name, fontOf(name) as never)
  write(pdf)
  if (bands) writeBands(pdf, bands)
  pdf.end()
  return promise
}

/** Called when the number of pages is known. */
function writeBands(pdf: Pdf, { head, foot, page_of }: Bands) {
  const { start, count } = pdf.bufferedPageRange()
  /** Both on one line. If they are too long, the left one is cut. */
  const line = (left: string, font: FontName, right: string, y: number) => {
    pdf.fontSize(8).fillColor(grey)
    const place = { height: 10, ellipsis: true, lineBreak: false }
    const end = printable(right, 'regular')
    pdf.font('regular').text(end, margin, y, { ...place, width: widthOf(pdf), align: 'right' })
    const room = widthOf(pdf) - pdf.widthOfString(end) - 12
    pdf.font(font).text(printable(left, font), margin, y, { ...place, width: room, align: 'left' })
  }
  for (let at = 0; at < count; at++) {
    pdf.switchToPage(start + at)
    // Writing into a margin would otherwise begin another page.
    pdf.page.margins = { top: 0, bottom: 0, left: margin, right: margin }
    line(head.left, 'bold', head.right, 24)
    line(foot, 'regular', pageOf(page_of, at + 1, count), pdf.page.height - 34)
    rule(pdf, margin, widthOf(pdf), 38)
    rule(pdf, margin, widthOf(pdf), pdf.page.height - 40)
  }
}

export const writeBlocks = (pdf: Pdf, blocks: readonly Block[]) => {
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'heading') keepTogether(pdf, headingHeight + heightAfter(pdf, blocks.slice(at + 1, at + 5)))
    writeBlock(pdf, block)
  }
}

const headingHeight = 28

/** The height of the text that must follow a heading on its page. */
function heightAfter(pdf: Pdf, [next, ...others]: readonly Block[]): number {
  if (next?.kind === 'heading' || next?.kind === 'warning') return headingHeight + heightAfter(pdf, others)
  if (next?.kind === 'facts') {
    const height = factsOf(pdf, next.facts).reduce((sum, fact) => sum + fact.height, 0)
    return Math.min(height, (bottomOf(pdf) - margin) / 2)
  }
  return next?.kind === 'flow' && next.flow[0]?.kind === 'table' ? 64 : 32
}

const styles: Record<'title' | 'heading' | 'text' | 'note' | 'warning', [FontName, number, string]> = {
  title: ['bold', 17, 'black'],
  heading: ['bold', 12, 'black'],
  text: ['regular', 9.5, 'black'],
  note: ['regular', 8, grey],
  warning: ['bold', 9.5, '#b00000'],
}

function writeBlock(pdf: Pdf, block: Block) {
  if (block.kind === 'facts') writeFacts(pdf, block.facts)
  else if (block.kind === 'table') writeTable(pdf, block.columns, block.rows)
  else if (block.kind === 'page') pdf.addPage()
  else if (block.kind === 'flow') writeFlow(pdf, block.flow, { left: margin, width: widthOf(pdf), bars: [] })
  else {
    const [font, size, colour] = styles[block.kind]
    if (block.kind === 'heading') pdf.y += 8
    pdf.font(font).fontSize(size).fillColor(colour)
    pdf.text(printable(block.text, font), margin, pdf.y, { width: widthOf(pdf), lineGap: 1.5 })
    pdf.y += block.kind === 'title' ? 8 : 5
  }
}

const widthOf = ({ page }: Pdf) => page.width - 2 * margin
const bottomOf = ({ page }: Pdf) => page.height - margin

function keepTogether(pdf: Pdf, height: number) {
  if (pdf.y + height > bottomOf(pdf)) pdf.addPage()
}

/** Facts with the height of each, with the lines of a value as they were typed. */
const factsOf = (pdf: Pdf, facts: readonly Fact[]) =>
  facts.map(([label, value]) => {
    const name = printable(label, 'regular')
    const lines = value.split('\n').map(line => printable(line, 'regular'))
    const text = lines.join('\n').trim() || '-'
    const height = Math.max(
      heightOf(pdf, 'regular', 9, name, nameWidth - 8),
      heightOf(pdf, 'regular', 9, text, widthOf(pdf) - nameWidth),
    )
    return { name, text, height: height + 3 }
  })

function writeFacts(pdf: Pdf, facts: readonly Fact[]) {
  const width = widthOf(pdf) - nameWidth
  const lines = factsOf(pdf, facts)
  const whole = lines.reduce((sum, { height }) => sum + height, 0)
  if (whole < bottomOf(pdf) - margin) keepTogether(pdf, whole)
  for (const { name, text, height } of lines) {
    if (height < bottomOf(pdf) - margin) keepTogether(pdf, height)
    const top = pdf.y
    pdf
      .font('regular')
      .fontSize(9)
      .fillColor(grey)
      .text(name, margin, top, { width: nameWidth - 8 })
    const { page } = pdf
    const afterName = pdf.y
    pdf.fillColor('black').text(text, margin + nameWidth, top, { width })
    if (pdf.page === page) pdf.y = Math.max(pdf.y, afterName)
    pdf.y += 3
  }
  pdf.y += 7
}

function heightOf(pdf: Pdf, font: FontName, size: number, text: string, width: number) {
  return pdf.font(font).fontSize(size).heightOfString(text, { width })
}

const cellGap = 6
const cellSize = 7.5

/** Written without pdfkit's own table, which takes 600 KB of memory for a row. */
function writeTable(pdf: Pdf, columns: readonly Column[], rows: readonly string[][]) {
  const width = widthOf(pdf)
  const total = columns.reduce((sum, { share }) => sum + share, 0)
  let left = margin
  const places = columns.map(({ share }) => {
    const place = { left, width: (width * share) / total - cellGap }
    left += (width * share) / total
    return place
  })
  const step = pdf.font('regular').fontSize(cellSize).currentLineHeight(true)
  const writeRow = (cells: readonly string[], font: 'regular' | 'bold') => {
    const look = { size: cellSize, bold: font === 'bold' }
    const texts = cells.map((cell, at) => linesOf(pdf, [{ text: cut(printable(cell, font)) }], look, places[at]!.width))
    const height = Math.max(...texts.map(lines => lines.length)) * step
    if (pdf.y + height > bottomOf(pdf)) {
      pdf.addPage()
      if (font === 'regular') writeHead()
    }
    const top = pdf.y
    for (const [at, lines] of texts.entries())
      for (const [number, line] of lines.entries()) writeLine(pdf, line, places[at]!.left, top + number * step, look)
    pdf.y = top + height + 2.5
    pdf
      .moveTo(margin, pdf.y)
      .lineTo(margin + width, pdf.y)
      .lineWidth(0.3)
      .strokeColor('#bbbbbb')
      .stroke()
    pdf.y += 2.5
  }
  const writeHead = () => writeRow(columns.map(({ title }) => title), 'bold') // biome-ignore format: one line
  keepTogether(pdf, 40)
  writeHead()
  for (const row of rows) writeRow(row, 'regular')
  pdf.y += 7
}

const cellMaxLength = 1_500

/** A row must fit on a page. */
const cut = (text: string) => (text.length > cellMaxLength ? `${text.slice(0, cellMaxLength)} …` : text)

/** A plain text in a monospaced font. A long line continues below. */
export function writeText(pdf: Pdf, path: string) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  pdf.font('mono').fontSize(8.5).fillColor('black')
  const per_line = Math.floor(widthOf(pdf) / pdf.widthOfString('0'))
  const step = pdf.currentLineHeight(true)
  for (const line of text.split(/\r\n|[\n\r\f\v\u0085\u2028\u2029]/)) {
    const shown = Array.from(withGlyphs(line.replaceAll('\t', '    '), 'mono'))
    let at = 0
    do {
      const end = breakOf(shown, at, per_line)
      if (pdf.y + step > bottomOf(pdf)) pdf.addPage()
      pdf.text(shown.slice(at, end).join(''), margin, pdf.y, { lineBreak: false })
      pdf.y += step
      at = end
    } while (at < shown.length)
  }
}

/** Where a line that begins at `from` ends: behind a blank between words, and within a word only if that is longer than a line. */
function breakOf(characters: readonly string[], from: number, per_line: number): number {
  const most = from + per_line
  if (most >= characters.length) return characters.length
  let first = from
  while (first < most && characters[first] === ' ') first++
  // A blank at the very end hangs over the edge, where nobody sees it.
  for (let at = most; at > first; at--) if (characters[at] === ' ') return at + 1
  return most
}

/** As large as the page allows, and at most at 96 dots per inch. */
export function writePicture(pdf: Pdf, path: string) {
  const picture = (pdf as unknown as OpensPictures).openImage(readFileSync(path))
  // A photograph that lies on its side is turned upright.
  const isTurned = (picture.orientation ?? 1) > 4
  const across = (isTurned ? picture.height : picture.width) * pointsPerPixel
  const down = (isTurned ? picture.width : picture.height) * pointsPerPixel
  const fit: [number, number] = [Math.min(widthOf(pdf), across), Math.min(bottomOf(pdf) - margin, down)]
  pdf.image(picture as never, margin, margin, { fit })
}

const pointsPerPixel = 72 / 96
/** Missing from the types of pdfkit. */
interface OpensPictures {
  openImage(bytes: Uint8Array): Picture
}
interface Picture {
  width: number
  height: number
  orientation?: number
}
