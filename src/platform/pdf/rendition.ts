import { availableParallelism } from 'node:os'
import { defaultLanguage, type Language } from '#kernel/message.ts'
import { type Print, printedIn, printIn, type Unprinted } from '#kernel/print.ts'
import { openGate } from '../gate.ts'
import { printed } from '../messages.ts'
import type * as made from './job.ts'
import type { MadePdf, PdfJob } from './job.ts'
import { isForOffice, openOffice } from './office.ts'
import { NotPages, openPdfThreads } from './thread.ts'

export type { MadePdf } from './job.ts'
export { ConverterMissing, NotPages } from './thread.ts'

/** The parts of pages with texts that are said in the language of the reader when the pages are made. */
export type Bands = Unprinted<made.Bands>
export type Block = Unprinted<made.Block>
export type Fact = [name: Print, value: Print]
export type PdfInfo = Unprinted<made.PdfInfo>
export type Stamp = Unprinted<made.Stamp>

/** A larger file is only named, because showing or attaching it takes some five times its size in memory. */
export const largest_shown_bytes = 64 * 1024 * 1024
const largestTextBytes = 4 * 1024 * 1024

interface FileToShow {
  /** Its place on this machine; undefined if it is too large to be fetched. */
  path: string | undefined
  name: string
  content_type: string
  size_bytes: number
}

export interface Rendition {
  language: Language
  file: FileToShow
  /** In place of a file that cannot be shown. The reason follows, and the file is attached. Without it, `NotPages` is thrown. */
  cover?: Block[]
  /** Pages after the file. */
  sheets: Block[]
  stamp: Stamp
  info: PdfInfo
}

/** What stands for the numbers until the pages are counted. */
const pageOf = (language: Language) => printIn(language, printed.pdf_page({ page: '{page}', pages: '{pages}' }))

const numbersIn = (language: Language) => printIn(language, printed.pdf_numbers())

interface Written {
  blocks: made.Block[]
  bands?: made.Bands
  info: made.PdfInfo
  stamp?: made.Stamp
  attachment?: NonNullable<PdfJob['attachment']>
}
/** Pages that show no file. */
export type Pages = Unprinted<Written>

const kinds: Record<string, 'pdf' | 'picture' | 'text'> = {
  'application/pdf': 'pdf',
  'image/png': 'picture',
  'image/jpeg': 'picture',
  'text/plain': 'text',
  'text/csv': 'text',
  'text/markdown': 'text',
}

export type PdfRenderer = ReturnType<typeof openPdfRenderer>

export const most_waiting = 8

/** Throws `NotPages` if the file cannot be shown. */
export type MakePdf = (job: PdfJob) => Promise<MadePdf>

/** Makes PDFs, a few at a time, and serves tenants in turn. `waiting` more of each tenant queue up; beyond them it refuses with a 503. */
export function openPdfRenderer({
  office: candidates,
  waiting = most_waiting,
  make: given,
}: {
  office?: readonly string[]
  waiting?: number
  make?: MakePdf
} = {}) {
  const { make, close } = given ? { make: given, close: async () => {} } : openPdfThreads()
  const turn = openGate({
    at_once: Math.max(1, Math.min(4, availableParallelism() - 1)),
    waiting,
  })
  const office = openOffice(candidates)

  async function sourceOf({
    path,
    content_type,
    size_bytes,
  }: FileToShow): Promise<{ source: PdfJob['source']; done?: () => Promise<void> }> {
    if (path === undefined)
      throw new NotPages(printed.pages_file_too_large({ mebibytes: largest_shown_bytes / 1024 / 1024 }))
    if (isForOffice(content_type)) {
      const made = await office.toPdf(path, content_type)
      return { source: { kind: 'pdf', path: made.path }, done: made.discard }
    }
    const kind = kinds[content_type]
    if (!kind) throw new NotPages(printed.pages_kind_without_pages())
    if (kind === 'text' && size_bytes > largestTextBytes)
      throw new NotPages(printed.pages_text_too_long({ mebibytes: largestTextBytes / 1024 / 1024 }))
    return { source: { kind, path } }
  }

  /** The file on stamped pages, or a cover with the reason and the file attached. Called within a turn. */
  async function render({ language, file, cover, sheets: blocks, ...around }: Rendition): Promise<MadePdf> {
    const sheets = printedIn<made.Block[]>(language, blocks)
    const { stamp: marks, info } = printedIn<Pick<Required<PdfJob>, 'stamp' | 'info'>>(language, around)
    const stamp = { ...marks, page_of: pageOf(language) }
    const numbers = numbersIn(language)
    const parts = { sheets: [{ kind: 'page' as const }, ...sheets], stamp, info }
    try {
      const { source, done } = await sourceOf(file)
      try {
        return await make({ source, ...parts, sheets, numbers })
      } finally {
        await done?.()
      }
    } catch (error) {
      if (!(error instanceof NotPages) || !cover) throw error
      const { path, ...attachment } = file
      const reason = printIn(language, error.reason)
      const why: Block[] = [
        { kind: 'warning', text: printed.pdf_not_shown({ reason }) },
        { kind: 'text', text: path ? printed.pdf_attached() : printed.pdf_too_large_to_attach() },
      ]
      return make({
        source: { kind: 'sheets', blocks: [...printedIn<made.Block[]>(language, [...cover, ...why]), ...parts.sheets] },
        ...{ stamp, info, numbers },
        ...(path && {
          attachment: { ...attachment, path, description: printIn(language, printed.pdf_original()) },
        }),
      })
    }
  }

  /** The pages of the file as they are, or `NotPages`. Called within a turn. */
  async function show(file: FileToShow, info: made.PdfInfo): Promise<MadePdf> {
    const { source, done } = await sourceOf(file)
    try {
      return await make({ source, info })
    } finally {
      await done?.()
    }
  }

  /** Pages without a file. Called within a turn. */
  function write({ language = defaultLanguage, ...pages }: { language?: Language } & Pages): Promise<MadePdf> {
    const { blocks, bands, stamp, ...job } = printedIn<Written>(language, pages)
    const page_of = pageOf(language)
    return make({
      source: { kind: 'sheets', blocks, ...(bands && { bands: { ...bands, page_of } }) },
      ...(stamp && { stamp: { ...stamp, page_of } }),
      numbers: numbersIn(language),
      ...job,
    })
  }

  return { turn, render, show, write, close }
}
