import { type Budget, readArchive } from './archive.ts'
import { refusal } from './bytes.ts'
import { withoutDtd } from './dtd.ts'
import { inspectPart } from './office.ts'

/** Libraries of macros; their lists are written also where they are empty. */
const macros = /^Scripts\/.+[^/]$|^Basic\/(?!.*script-l[bc]\.xml$|.*dialog-l[bc]\.xml$).+[^/]$/
const manifest = 'META-INF/manifest.xml'

/** A text, spreadsheet or presentation of LibreOffice or another program that writes OpenDocument. */
export async function inspectOpenDocument(path: string, content_type: string, budget: Budget) {
  await readArchive(path, budget, async parts => {
    if (parts[0]!.name !== 'mimetype' || !parts.some(({ name }) => name === manifest))
      throw refusal('The file is no OpenDocument file: what it is stands nowhere in it')
    for (const part of parts) {
      if (macros.test(part.name)) throw refusal('The file holds macros: save it without them')
      if (part.name === 'mimetype') await requireType(part.content(), content_type)
      else if (part.name === manifest) await refuseEncryption(withoutDtd(part))
      else await inspectPart(part)
    }
  })
}

async function requireType(content: AsyncIterable<Buffer>, content_type: string) {
  let found = ''
  for await (const piece of content) found = (found + piece.toString('latin1')).slice(0, 200)
  if (found.trim() !== content_type)
    throw refusal('The file is an OpenDocument file of another kind than its name says')
}

async function refuseEncryption(content: AsyncIterable<Buffer>) {
  let before = ''
  for await (const piece of content) {
    const text = before + piece.toString('latin1')
    if (text.includes('encryption-data')) throw refusal('The file is protected by a password: save it without one')
    before = text.slice(-20)
  }
}
