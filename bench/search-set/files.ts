import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import { lexMarkdown } from '#platform/markdown/lex.ts'
import { makePdf } from '#platform/pdf/make.ts'
import type { SetDocument } from './read.ts'

const markdownOf = ({ title, text }: SetDocument) => `# ${title}\n\n${text}`

async function pdfOf(document: SetDocument): Promise<Buffer> {
  const { bytes } = await makePdf({
    source: { kind: 'sheets', blocks: [{ kind: 'flow', flow: lexMarkdown(markdownOf(document)) }] },
    info: { title: document.title, subject: '', author: '', created_at: '2026-01-05T08:00:00.000Z' },
  })
  return Buffer.from(bytes)
}

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const types = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A paragraph for each line, headings by their style: as Word writes it, as far as a reader of its text sees. */
async function docxOf(document: SetDocument): Promise<Buffer> {
  const paragraphs = markdownOf(document)
    .split('\n')
    .filter(line => line.trim() && !/^[\s|-]+$/.test(line))
    .map(line => {
      const [, marks, rest] = /^(#{0,3}) ?(.*)$/.exec(line)!
      const style = marks ? `<w:pPr><w:pStyle w:val="Heading${marks.length}"/></w:pPr>` : ''
      return `<w:p>${style}<w:r><w:t xml:space="preserve">${escaped(rest!)}</w:t></w:r></w:p>`
    })
  const styles = [1, 2, 3].map(
    level => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  )
  const zip = new yazl.ZipFile()
  const add = (name: string, text: string) =>
    zip.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`), name)
  add(
    '[Content_Types].xml',
    `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${types}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
  )
  add(
    '_rels/.rels',
    `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
  )
  add(
    'word/_rels/document.xml.rels',
    `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
  )
  add('word/styles.xml', `<w:styles xmlns:w="${word}">${styles.join('')}</w:styles>`)
  add('word/document.xml', `<w:document xmlns:w="${word}"><w:body>${paragraphs.join('')}</w:body></w:document>`)
  zip.end()
  return buffer(zip.outputStream as Readable)
}

/** Two of ten documents are PDFs and one is a Word file; the others are Markdown. */
export async function fileOf(document: SetDocument, place: number): Promise<{ bytes: Buffer; name: string }> {
  const ending = ['md', 'md', 'pdf', 'md', 'docx', 'md', 'md', 'pdf', 'md', 'md'][place % 10]!
  const bytes =
    ending === 'pdf'
      ? await pdfOf(document)
      : ending === 'docx'
        ? await docxOf(document)
        : Buffer.from(markdownOf(document))
  return { bytes, name: `${document.key}.${ending}` }
}
