import { messages } from '../messages.ts'
import { type Budget, readArchive } from './archive.ts'
import { refusal } from './bytes.ts'
import { withoutDtd } from './dtd.ts'
import { inspectPart } from './office.ts'

/** Macro libraries. Their lists exist even if they are empty. */
const macros = /^Scripts\/.+[^/]$|^Basic\/(?!.*script-l[bc]\.xml$|.*dialog-l[bc]\.xml$).+[^/]$/
const manifest = 'META-INF/manifest.xml'

/** Checks an OpenDocument text, spreadsheet or presentation. */
export async function inspectOpenDocument(path: string, content_type: string, budget: Budget) {
  await readArchive(path, budget, async parts => {
    if (parts[0]!.name !== 'mimetype' || !parts.some(({ name }) => name === manifest))
      throw refusal(messages.file_is_no_open_document())
    for (const part of parts) {
      if (macros.test(part.name)) throw refusal(messages.file_has_macros())
      if (part.name === 'mimetype') await requireType(part.content(), content_type)
      else if (part.name === manifest) await refuseEncryption(withoutDtd(part))
      else await inspectPart(part)
    }
  })
}

async function requireType(content: AsyncIterable<Buffer>, content_type: string) {
  let found = ''
  for await (const piece of content) found = (found + piece.toString('latin1')).slice(0, 200)
  if (found.trim() !== content_type) throw refusal(messages.open_document_kind_mismatch())
}

async function refuseEncryption(content: AsyncIterable<Buffer>) {
  let before = ''
  for await (const piece of content) {
    const text = before + piece.toString('latin1')
    if (text.includes('encryption-data')) throw refusal(messages.file_password_protected())
    before = text.slice(-20)
  }
}
