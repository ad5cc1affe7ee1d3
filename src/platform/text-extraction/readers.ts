import type { Ending } from '../files/media-type.ts'
import type { Writer } from './writer.ts'

/** Reads an open file. */
export type Reader = (file: number, writer: Writer, limits: { maxPdfPages: number }) => Promise<void>

/** What is read from a file: its text, by its ending, or the values of a workbook. */
export type Readable = Ending | 'xlsx-rows'

/** Loaded separately, so that reading a table does not load the library for PDF. */
export const readers: Partial<Record<Readable, () => Promise<Reader>>> = {
  pdf: async () => (await import('./formats/pdf.ts')).readPdf,
  docx: async () => (await import('./formats/docx.ts')).readDocx,
  xlsx: async () => (await import('./formats/xlsx.ts')).readXlsx,
  'xlsx-rows': async () => (await import('./formats/xlsx.ts')).readXlsxRows,
  pptx: async () => (await import('./formats/pptx.ts')).readPptx,
  odt: async () => (await import('./formats/open-document.ts')).readOpenDocument,
  ods: async () => (await import('./formats/open-document.ts')).readOpenDocument,
  odp: async () => (await import('./formats/open-document.ts')).readOpenDocument,
  html: async () => (await import('./formats/html.ts')).readHtml,
  md: async () => (await import('./formats/markdown.ts')).readMarkdown,
  txt: async () => (await import('./formats/plain.ts')).readPlain,
  csv: async () => (await import('./formats/plain.ts')).readRows,
}
