import { limits } from '../limits.ts'
import { sentences, type Writer } from '../writer.ts'
import { openParts } from './parts.ts'
import { openTable } from './table.ts'

/** Deleted text, annotations, and text that repeats on each page. */
const skipped = new Set(['tracked-changes', 'annotation', 'master-styles', 'forms', 'script', 'sequence-decls'])
/** A file may ask for any number of repeated blanks. */
const maxBlanks = 100

/** Reads an OpenDocument text, spreadsheet or presentation. Sheets and slides become headings. */
export async function readOpenDocument(file: number, writer: Writer) {
  const parts = await openParts(file)
  /** The open paragraphs: a note lies within its paragraph. */
  const open: { text: string; isHeading: boolean }[] = []
  const notes: string[] = []
  const table = openTable(row => writer.line(row))
  const depth = { skipped: 0, list: 0, note: 0 }
  let isSpreadsheet = false
  let isTitle = false
  let slides = 0
  const add = (text: string) => {
    const paragraph = open.at(-1)
    if (paragraph && depth.skipped === 0) paragraph.text += text
  }

  function end({ text, isHeading }: { text: string; isHeading: boolean }) {
    if (depth.note > 0) notes.push(text)
    else if (table.isInCell) table.add(text)
    else if (isHeading) writer.heading(text)
    else if (depth.list > 0) writer.line(text)
    else if (text.trim() !== '') writer.paragraph(text)
    if (depth.note === 0 && !table.isInCell) for (const note of notes.splice(0)) writer.paragraph(note)
  }

  await parts.xml('content.xml', {
    open(tag, attributes) {
      if (skipped.has(tag)) depth.skipped += 1
      if (depth.skipped > 0) return
      if (tag === 'p' || tag === 'h') open.push({ text: '', isHeading: tag === 'h' })
      else if (tag === 's') add(' '.repeat(Math.min(Number(attributes.c) || 1, maxBlanks)))
      else if (tag === 'tab') add('\t')
      else if (tag === 'line-break') add('\n')
      else if (tag === 'list') depth.list += 1
      else if (tag === 'note-body') depth.note += 1
      else if (tag === 'note-citation') depth.skipped += 1
      else if (tag === 'table' && !table.isInCell && attributes.name && isSpreadsheet) writer.heading(attributes.name)
      else if (tag === 'table-row') table.openRow()
      else if (tag === 'table-cell') table.openCell()
      else if (tag === 'spreadsheet') isSpreadsheet = true
      else if (tag === 'page') {
        slides += 1
        if (slides <= limits.most_pages) writer.page(slides)
      } else if (tag === 'frame') isTitle = attributes.class === 'title'
    },
    text: add,
    close(tag) {
      if (skipped.has(tag) || tag === 'note-citation') depth.skipped -= 1
      if (depth.skipped > 0) return
      if (tag === 'p' || tag === 'h') {
        const paragraph = open.pop()
        if (paragraph) end({ ...paragraph, isHeading: paragraph.isHeading || isTitle })
      } else if (tag === 'list') depth.list -= 1
      else if (tag === 'note-body') depth.note -= 1
      else if (tag === 'table-cell') table.closeCell()
      else if (tag === 'table-row') table.closeRow()
      else if (tag === 'frame') isTitle = false
    },
  })
  if (slides > 0) writer.pages(slides)
  if (slides > limits.most_pages) writer.partly(sentences.tooManyPages(slides))
}
