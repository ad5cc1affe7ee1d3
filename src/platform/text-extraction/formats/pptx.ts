import { limits } from '../limits.ts'
import { oneLine } from '../tidy.ts'
import { sentences, type Writer } from '../writer.ts'
import { mainPart, openParts, type Parts, type Relation } from './parts.ts'
import { openTable } from './table.ts'

/** Reads a presentation: each slide is a page below its title, with the speaker's notes. */
export async function readPptx(file: number, writer: Writer) {
  const parts = await openParts(file)
  const main = await mainPart(parts)
  const relations = await parts.relations(main)
  const slides: Relation[] = []
  await parts.xml(main, {
    open(tag, { id = '' }) {
      const slide = tag === 'sldId' ? relations.get(id) : undefined
      if (slide) slides.push(slide)
    },
  })
  writer.pages(slides.length)
  if (slides.length > limits.most_pages) writer.partly(sentences.tooManyPages(slides.length))
  for (const [at, { target }] of slides.slice(0, limits.most_pages).entries()) {
    writer.page(at + 1)
    const isShown = await readSlide(parts, target, writer, 'text')
    const notes = [...(await parts.relations(target)).values()].find(({ kind }) => kind === 'notesSlide')
    if (isShown && notes) await readSlide(parts, notes.target, writer, 'notes')
  }
}

/** Parts of a notes page that are not notes: the picture of the slide, header, footer, date and number. */
const notNotes = new Set(['sldImg', 'hdr', 'ftr', 'dt', 'sldNum'])
const notText = new Set(['ftr', 'dt', 'sldNum'])

/** Reads the title first, wherever its shape is. Resolves to whether the slide is shown. */
async function readSlide(parts: Parts, name: string, writer: Writer, what: 'text' | 'notes'): Promise<boolean> {
  const lines: string[] = []
  let title = ''
  let isShown = true
  let placeholder = ''
  let paragraph = ''
  let isText = false
  const table = openTable(row => lines.push(row))
  await parts.xml(name, {
    open(tag, attributes) {
      if (tag === 'sld') isShown = !/^(0|false)$/.test(attributes.show ?? '')
      else if (tag === 'sp') placeholder = ''
      else if (tag === 'ph') placeholder = attributes.type ?? ''
      else if (tag === 'tr') table.openRow()
      else if (tag === 'tc') table.openCell()
      else if (tag === 'p') paragraph = ''
      else if (tag === 'br') paragraph += '\n'
      else if (tag === 't') isText = true
    },
    text(text) {
      if (isText) paragraph += text
    },
    close(tag) {
      if (tag === 't') isText = false
      else if (tag === 'tr') table.closeRow()
      else if (tag === 'tc') table.closeCell()
      else if (tag === 'sp') placeholder = ''
      else if (tag === 'p' && paragraph.trim() !== '') {
        if (table.isInCell) table.add(paragraph)
        else if ((what === 'notes' ? notNotes : notText).has(placeholder)) return
        else if (what === 'text' && /^(title|ctrTitle)$/.test(placeholder)) title += ` ${paragraph}`
        else lines.push(paragraph)
      }
    },
  })
  if (!isShown) return false
  if (oneLine(title) !== '') writer.heading(title)
  for (const line of lines) writer.line(line)
  return true
}
