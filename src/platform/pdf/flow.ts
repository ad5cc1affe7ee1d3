import type { Flow, Run } from '../markdown/flow.ts'
import { writeFlowTable } from './flow-table.ts'
import { withGlyphs } from './fonts.ts'
import { bottomOf, type Frame, type Look, linesOf, type Pdf, stepOf, widthOf, writeBars, writeLine } from './lines.ts'

export const grey = '#555555'
const pale = '#f2f2f2'
const body: Look = { size: 9.5 }
const headings: Look[] = [
  { size: 17, bold: true },
  { size: 13, bold: true },
  { size: 11, bold: true },
  { size: 10, bold: true },
]
const code: Look = { size: 8.5 }
const gap = 6
const indent = 18

/** Writes a text with headings, lists and tables over as many pages as it needs. */
export function writeFlow(pdf: Pdf, flow: readonly Flow[], frame: Frame) {
  for (const [at, part] of flow.entries()) {
    if (part.kind === 'heading') writeHeading(pdf, part, frame, flow[at + 1])
    else writePart(pdf, part, frame)
  }
}

function writePart(pdf: Pdf, part: Exclude<Flow, { kind: 'heading' }>, frame: Frame) {
  switch (part.kind) {
    case 'paragraph':
      writeRuns(pdf, part.runs, body, frame)
      pdf.y += gap
      break
    case 'list':
      writeList(pdf, part, frame)
      break
    case 'quote': {
      const inside = { left: frame.left + 12, width: frame.width - 12, bars: [...frame.bars, frame.left + 3] }
      writeFlow(pdf, part.flow, inside)
      break
    }
    case 'table':
      writeFlowTable(pdf, part, frame)
      pdf.y += gap + 2
      break
    case 'code':
      writeCode(pdf, part.text, frame)
      break
    case 'rule':
      keepTogether(pdf, gap * 2)
      pdf.y += gap / 2
      rule(pdf, frame.left, frame.width, pdf.y)
      pdf.y += gap
  }
}

export const rule = (pdf: Pdf, left: number, width: number, y: number) =>
  pdf
    .moveTo(left, y)
    .lineTo(left + width, y)
    .lineWidth(0.5)
    .strokeColor('#999999')
    .stroke()

function keepTogether(pdf: Pdf, height: number) {
  if (pdf.y + height > bottomOf(pdf)) pdf.addPage()
}

/** A heading stays with two lines of the text below it, or with the head of a table and a row. */
function writeHeading(
  pdf: Pdf,
  { level, runs }: Extract<Flow, { kind: 'heading' }>,
  frame: Frame,
  next: Flow | undefined,
) {
  const look = headings[Math.min(level, headings.length) - 1]!
  const lines = linesOf(pdf, runs, look, frame.width)
  const following = next?.kind === 'table' ? 64 : next?.kind === 'heading' ? 52 : 34
  const isFirst = pdf.y <= pdf.page.margins.top + 1
  const above = isFirst ? 0 : look.size * 0.7
  keepTogether(pdf, above + lines.length * stepOf(look) + following)
  if (pdf.y > pdf.page.margins.top + 1) pdf.y += above
  writeRuns(pdf, runs, look, frame)
  pdf.y += look.size * 0.35
}

function writeRuns(pdf: Pdf, runs: readonly Run[], look: Look, frame: Frame) {
  const lines = linesOf(pdf, runs, look, frame.width)
  const step = stepOf(look)
  // Keeps two lines of a paragraph together at the foot of a page.
  if (lines.length > 1) keepTogether(pdf, step * 2)
  for (const line of lines) {
    keepTogether(pdf, step)
    const top = pdf.y
    writeLine(pdf, line, frame.left, top, look)
    writeBars(pdf, frame, top, step)
    pdf.y = top + step
  }
}

function writeList(pdf: Pdf, { start, items }: Extract<Flow, { kind: 'list' }>, frame: Frame) {
  const last = start === null ? '•' : `${start + items.length - 1}.`
  const room = Math.max(indent, widthOf(pdf, last, 'regular', body.size) + 8)
  const inside = { ...frame, left: frame.left + room, width: frame.width - room }
  for (const [at, item] of items.entries()) {
    const marker = start === null ? '•' : `${start + at}.`
    keepTogether(pdf, stepOf(body) * 2)
    const top = pdf.y
    const page = pdf.page
    if (!isTask(item)) {
      const line = linesOf(pdf, [{ text: marker }], body, room)[0]!
      writeLine(pdf, line, inside.left - 6 - widthOf(pdf, marker, 'regular', body.size), top, body)
    }
    pdf.y = top
    writeFlow(pdf, item, inside)
    if (pdf.page === page && pdf.y === top) pdf.y += stepOf(body)
    // Items are closer together than paragraphs.
    else if (item.at(-1)?.kind === 'paragraph') pdf.y -= gap / 2
  }
  pdf.y += gap / 2
}

/** A task, which has a box of its own. */
const isTask = ([first]: readonly Flow[]) => first?.kind === 'paragraph' && /^[☐☑] /.test(first.runs[0]?.text ?? '')

/** Code on a pale background. A long line continues below. */
function writeCode(pdf: Pdf, text: string, frame: Frame) {
  const step = stepOf(code)
  const inside = { ...frame, left: frame.left + 6, width: frame.width - 12 }
  const per_line = Math.max(1, Math.floor(inside.width / widthOf(pdf, '0', 'mono', code.size)))
  for (const typed of text.replaceAll('\t', '    ').split('\n')) {
    const characters = Array.from(typed)
    for (let at = 0; at === 0 || at < characters.length; at += per_line) {
      keepTogether(pdf, step)
      const top = pdf.y
      pdf.rect(frame.left, top, frame.width, step).fill(pale)
      const shown = withGlyphs(characters.slice(at, at + per_line).join(''), 'mono')
      pdf.font('mono').fontSize(code.size).fillColor('black')
      pdf.text(shown, inside.left, top + 1.5, { lineBreak: false })
      writeBars(pdf, frame, top, step)
      pdf.y = top + step
    }
  }
  pdf.y += gap
}
