import { PDFDocument } from '@cantoo/pdf-lib'
import PDFDocumentWriter from 'pdfkit'
import { extractText, getDocumentProxy } from 'unpdf'

/** The visible text of each page of a PDF, on one line each. */
export async function pagesOf(bytes: Uint8Array): Promise<string[]> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const { text } = await extractText(pdf, { mergePages: false })
  return text.map(page => page.replace(/\s+/g, ' '))
}

/** A PDF with so many pages, each of which says which it is. */
export function pdfOf(pages: number): Promise<Buffer> {
  const made = new PDFDocumentWriter({ autoFirstPage: false })
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  made.on('data', (chunk: Buffer) => chunks.push(chunk))
  made.on('end', () => resolve(Buffer.concat(chunks)))
  for (let page = 1; page <= pages; page++) made.addPage().text(`The original, sheet ${page}`)
  made.end()
  return promise
}

/** The files that are attached to a PDF, by their names. */
export async function attachmentsOf(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const pdf = await PDFDocument.load(bytes)
  return new Map(pdf.getAttachments().map(({ name, data }) => [name, Buffer.from(data)]))
}
