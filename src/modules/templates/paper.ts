import { Readable } from 'node:stream'
import type { PrepareContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { readMarkdown } from '#platform/markdown/read.ts'
import type { MadePdf } from '#platform/pdf/rendition.ts'
import { type Filling, flowOf } from './fill.ts'
import { markedBody, type Piece } from './placeholders.ts'

/** The text on paper: what it is and by which template on each page, and its Markdown attached. */
export async function paperOf(
  { services, actor }: PrepareContext,
  { pieces, content, filling }: { pieces: readonly Piece[]; content: string; filling: Filling },
): Promise<MadePdf> {
  const { storage, pdf, clock } = services
  const { title, company, template_name, template_version } = filling.builtins
  const from = `${template_name}, version ${template_version}`
  return pdf.turn(async () => {
    const read = await readMarkdown(markedBody(pieces))
    if (!read) throw conflict('The text of the template could not be read: try again in a minute')
    const source = await storage.receive(Readable.from([Buffer.from(content)]), { max_bytes: Number.POSITIVE_INFINITY })
    try {
      return await pdf.write({
        blocks: [{ kind: 'flow', flow: flowOf(read[0]!, pieces, filling) }],
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
