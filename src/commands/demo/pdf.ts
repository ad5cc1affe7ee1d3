import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

/** The content of a controlled document. */
export interface PdfContent {
  title: string
  kind: string
  sections: Section[]
}
interface Section {
  heading: string
  /** Paragraphs; a list of texts is numbered steps. */
  body: (string | string[])[]
  table?: { columns: string[]; rows: string[][] }
}

const company = 'Linden Pharma (demo)'
const fontFile = createRequire(import.meta.url).resolve
const fonts = {
  regular: fontFile('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: fontFile('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
}
const margin = 62
const grey = '#555555'

/** Makes a PDF with embedded fonts, numbered sections, and a header and footer on each page. */
export function pdfOf({ title, kind, sections }: PdfContent): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin,
    bufferPages: true,
    lang: 'en',
    info: { Title: title, Author: company, Subject: kind },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  pdf.on('end', () => resolve(Buffer.concat(chunks)))
  pdf.on('error', reject)

  for (const [name, file] of Object.entries(fonts)) pdf.registerFont(name, file)
  pdf.font('regular').fontSize(10).fillColor(grey).text(kind.toUpperCase(), { characterSpacing: 1 })
  pdf.font('bold').fontSize(19).fillColor('black').text(title)
  pdf.moveDown(0.8)
  for (const [index, section] of sections.entries()) writeSection(pdf, index + 1, section)
  addHeadAndFoot(pdf, title)
  pdf.end()
  return promise
}

type Pdf = InstanceType<typeof PDFDocument>

function writeSection(pdf: Pdf, number: number, { heading, body, table }: Section) {
  pdf.moveDown(0.7).font('bold').fontSize(12).text(`${number}  ${heading}`).moveDown(0.25)
  pdf.font('regular').fontSize(10)
  for (const part of body) {
    if (typeof part === 'string') pdf.text(part, { lineGap: 2 }).moveDown(0.35)
    else
      for (const [index, step] of part.entries())
        pdf.text(`${number}.${index + 1}  ${step}`, { indent: 10, lineGap: 2 }).moveDown(0.2)
  }
  if (table) pdf.fontSize(9).table({ data: [table.columns, ...table.rows] })
}

/** Called when the number of pages is known. Without the changed margins, writing into them would begin another page. */
function addHeadAndFoot(pdf: Pdf, title: string) {
  const { start, count } = pdf.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page)
    pdf.page.margins = { top: 0, bottom: 0, left: margin, right: margin }
    const { height } = pdf.page
    pdf.font('regular').fontSize(8).fillColor(grey)
    pdf.text(company, margin, 30, { lineBreak: false })
    pdf.text(`${title}, page ${page - start + 1} of ${count}`, margin, height - 36, { lineBreak: false })
  }
}
