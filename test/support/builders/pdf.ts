import { PDFDocument } from '@cantoo/pdf-lib'
import { extractText, getDocumentProxy } from 'unpdf'

/** The visible text of each page of a PDF, on one line each. */
export async function pagesOf(bytes: Uint8Array): Promise<string[]> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const { text } = await extractText(pdf, { mergePages: false })
  return text.map(page => page.replace(/\s+/g, ' '))
}

/** The files that are attached to a PDF, by their names. */
export async function attachmentsOf(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const pdf = await PDFDocument.load(bytes)
  return new Map(pdf.getAttachments().map(({ name, data }) => [name, Buffer.from(data)]))
}
