import { availableParallelism } from 'node:os'
import { openGate } from '../gate.ts'
import { printed } from '../messages.ts'
import type { Bands, Block, MadePdf, PdfInfo, PdfJob, Stamp } from './job.ts'
import { isForOffice, openOffice } from './office.ts'
import { inThread, NotPages } from './thread.ts'

export type { Bands, Block, Fact, MadePdf, PdfInfo, Stamp } from './job.ts'
export { ConverterMissing, NotPages } from './thread.ts'

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
  file: FileToShow
  /** In place of a file that cannot be shown. The reason follows, and the file is attached. Without it, `NotPages` is thrown. */
  cover?: Block[]
  /** Pages after the file. */
  sheets: Block[]
  stamp: Stamp
  info: PdfInfo
}

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
  make = inThread,
}: {
  office?: readonly string[]
  waiting?: number
  make?: MakePdf
} = {}) {
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
  async function render({ file, cover, sheets, stamp, info }: Rendition): Promise<MadePdf> {
    const parts = { sheets: [{ kind: 'page' as const }, ...sheets], stamp, info }
    try {
      const { source, done } = await sourceOf(file)
      try {
        return await make({ source, ...parts, sheets })
      } finally {
        await done?.()
      }
    } catch (error) {
      if (!(error instanceof NotPages) || !cover) throw error
      const { path, ...attachment } = file
      const why: Block[] = [
        { kind: 'warning', text: `The file is not shown here: ${error.message}.` },
        {
          kind: 'text',
          text: path
            ? 'It is attached to this PDF, byte for byte as it is stored.'
            : 'It is too large to be attached: download it without a rendition. It is the one with this SHA-256.',
        },
      ]
      return make({
        source: { kind: 'sheets', blocks: [...cover, ...why, ...parts.sheets] },
        stamp,
        info,
        ...(path && { attachment: { ...attachment, path, description: 'The original' } }),
      })
    }
  }

  /** The pages of the file as they are, or `NotPages`. Called within a turn. */
  async function show(file: FileToShow, info: PdfInfo): Promise<MadePdf> {
    const { source, done } = await sourceOf(file)
    try {
      return await make({ source, info })
    } finally {
      await done?.()
    }
  }

  /** Pages without a file. Called within a turn. */
  const write = ({ blocks, bands, ...job }: { blocks: Block[]; bands?: Bands } & Omit<PdfJob, 'source' | 'sheets'>) =>
    make({ source: { kind: 'sheets', blocks, ...(bands && { bands }) }, ...job })

  return { turn, render, show, write }
}
