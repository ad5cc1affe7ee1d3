import { Readable } from 'node:stream'
import type { PrepareContext, Upload } from '#action'
import { conflict } from '#kernel/errors.ts'
import type { Print } from '#kernel/print.ts'
import { nameOfTenant, readSettings } from '#modules/accounts'
import { keepFirstFile } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { cleanFileName } from '#platform/files/file-name.ts'
import type { Flow } from '#platform/markdown/flow.ts'
import { readMarkdown } from '#platform/markdown/read.ts'
import type { MadePdf } from '#platform/pdf/rendition.ts'
import { type Filling, flowOf } from './fill.ts'
import { messages, printed } from './messages.ts'
import { markedBody, type Piece } from './placeholders.ts'

interface Text {
  /** The Markdown itself, which is attached. */
  content: string
  title: string
  /** The template, which is printed on each page. */
  from: Print
  company: string
}

/** The filled-in template as a PDF, with title and template on each page and the Markdown attached. */
export function templatePdf(
  context: PrepareContext,
  { pieces, content, filling }: { pieces: readonly Piece[]; content: string; filling: Filling },
): Promise<MadePdf> {
  const { title, company, template_name, template_version } = filling.builtins
  const text = {
    content,
    title,
    company,
    from: printed.template_and_version({ template: template_name, version: template_version }),
  }
  return writePdf(context, markedBody(pieces), text, flow => flowOf(flow, pieces, filling))
}

function writePdf(
  { services, actor, read: ask }: PrepareContext,
  markdown: string,
  { content, title, from, company }: Text,
  filled: (flow: readonly Flow[]) => Flow[],
): Promise<MadePdf> {
  const { storage, pdf, clock } = services
  return pdf.turn(actor.tenantId, async () => {
    const { language } = await ask(readSettings)
    const read = await readMarkdown([markdown])
    if (!read) throw conflict(messages.template_text_unreadable())
    const source = await storage.receive(Readable.from([Buffer.from(content)]), { max_bytes: Number.POSITIVE_INFINITY })
    try {
      return await pdf.write({
        // It becomes a document, which is the same for every reader.
        language,
        blocks: [{ kind: 'flow', flow: filled(read[0]!) }],
        bands: { head: { left: title, right: from }, foot: company },
        info: {
          title,
          subject: from,
          author: actor.fullName ?? actor.username,
          created_at: clock.now().toISOString(),
        },
        attachment: {
          path: source.path,
          name: 'content.md',
          content_type: 'text/markdown',
          description: 'The text as Markdown',
        },
      })
    } finally {
      await storage.discard(source)
    }
  })
}

/** The PDF in the form of an uploaded file. */
export async function asUpload(
  { services, ifRefused }: PrepareContext,
  bytes: Uint8Array,
  title: string,
): Promise<Upload> {
  const { storage, config } = services
  const received = await storage.receive(Readable.from([bytes]), { max_bytes: config.max_upload_bytes })
  ifRefused(() => storage.discard(received))
  return {
    name: cleanFileName(`${title.replaceAll(/[/\\]/g, '-')}.pdf`),
    content_type: 'application/pdf',
    size_bytes: received.size_bytes,
    sha256: received.sha256,
    path: received.path,
    keep: key => storage.keep(received, key),
  }
}

/** The file of a draft is a PDF, which the tenant's settings must accept. */
export async function requirePdf(tx: Tx) {
  const { upload_types } = await readSettings(tx)
  if (!upload_types.includes('pdf')) throw conflict(messages.template_pdf_not_accepted())
}

/** Stores Markdown as the PDF of a new document, for `addDocument`. */
export async function keepMarkdown(
  context: PrepareContext,
  {
    document_type,
    department,
    ...text
  }: Omit<Text, 'company'> & { document_type: number; department?: string | undefined },
) {
  const company = await context.read(nameOfTenant)
  const { bytes } = await writePdf(context, text.content, { ...text, company }, flow => [...flow])
  return keepFirstFile(context, { document_type, department }, await asUpload(context, bytes, text.title))
}
