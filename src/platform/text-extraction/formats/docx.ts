import type { Writer } from '../writer.ts'
import { mainPart, openParts, type Parts } from './parts.ts'
import { openTable } from './table.ts'

/** Deleted text, fallbacks for other programs, and the code of fields. */
const skipped = new Set(['del', 'moveFrom', 'Fallback', 'instrText'])

/** Reads a Word file: headings, paragraphs, rows, and each footnote after its paragraph. */
export async function readDocx(file: number, writer: Writer) {
  const parts = await openParts(file)
  const main = await mainPart(parts)
  const related = [...(await parts.relations(main)).values()]
  const ofKind = (kind: string) => related.find(relation => relation.kind === kind)?.target ?? ''
  const headings = await headingStyles(parts, ofKind('styles'))
  const notes = {
    footnoteReference: await notesOf(parts, ofKind('footnotes'), 'footnote'),
    endnoteReference: await notesOf(parts, ofKind('endnotes'), 'endnote'),
  }
  const table = openTable(row => writer.line(row))
  const behind: string[] = []
  await parts.xml(
    main,
    eachParagraph({
      open(tag, { id = '' }) {
        if (tag === 'tr') table.openRow()
        else if (tag === 'tc') table.openCell()
        else if (tag === 'footnoteReference' || tag === 'endnoteReference') behind.push(notes[tag].get(id) ?? '')
      },
      close(tag) {
        if (tag === 'tr') table.closeRow()
        else if (tag === 'tc') table.closeCell()
      },
      paragraph({ text, style, isOutlined, isItem }) {
        if (table.isInCell) table.add(text)
        else if (isOutlined || headings.has(style)) writer.heading(text)
        else if (isItem) writer.line(text)
        else if (text.trim() !== '') writer.paragraph(text)
        if (!table.isInCell) for (const note of behind.splice(0)) writer.paragraph(note)
      },
    }),
  )
}

interface Paragraph {
  text: string
  style: string
  isOutlined: boolean
  isItem: boolean
}

/** A paragraph with a text box contains other paragraphs. */
function eachParagraph(handler: {
  open(tag: string, attributes: Record<string, string>): void
  close(tag: string): void
  paragraph(paragraph: Paragraph): void
}) {
  const open: Paragraph[] = []
  let run: { isHidden: boolean } | undefined
  let isText = false
  let skipping = 0
  const add = (text: string) => {
    const paragraph = open.at(-1)
    if (paragraph && skipping === 0 && !run?.isHidden) paragraph.text += text
  }
  const marks: Record<string, string> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' }
  return {
    open(tag: string, attributes: Record<string, string>) {
      const paragraph = open.at(-1)
      if (skipped.has(tag)) skipping += 1
      else if (tag === 'p') open.push({ text: '', style: '', isOutlined: false, isItem: false })
      else if (tag === 'r') run = { isHidden: false }
      else if (tag === 't') isText = true
      else if (run && tag in marks) add(marks[tag]!)
      else if (run && tag === 'vanish') run.isHidden = !/^(0|false|off)$/.test(attributes.val ?? '')
      else if (paragraph && tag === 'pStyle') paragraph.style = attributes.val ?? ''
      else if (paragraph && tag === 'outlineLvl') paragraph.isOutlined = Number(attributes.val) < 9
      else if (paragraph && tag === 'numPr') paragraph.isItem = true
      handler.open(tag, attributes)
    },
    text(text: string) {
      if (isText) add(text)
    },
    close(tag: string) {
      if (skipped.has(tag)) skipping -= 1
      else if (tag === 't') isText = false
      else if (tag === 'r') run = undefined
      else if (tag === 'p') {
        const paragraph = open.pop()
        if (paragraph) handler.paragraph(paragraph)
      }
      handler.close(tag)
    },
  }
}

/** Word keeps the English names of its built-in styles, with localized ids. */
const heading = /^(heading [1-9]|title)$/i
const maxSteps = 20

async function headingStyles(parts: Parts, name: string): Promise<Set<string>> {
  const styles = new Map<string, { isHeading: boolean; basedOn: string }>()
  let id = ''
  await parts.xml(name, {
    open(tag, attributes) {
      if (tag === 'style') {
        id = attributes.styleId ?? ''
        styles.set(id, { isHeading: false, basedOn: '' })
      }
      const style = styles.get(id)
      if (!style) return
      if (tag === 'name' && heading.test(attributes.val ?? '')) style.isHeading = true
      if (tag === 'outlineLvl') style.isHeading ||= Number(attributes.val) < 9
      if (tag === 'basedOn') style.basedOn = attributes.val ?? ''
    },
  })
  const isHeading = (style: string) => {
    for (let step = 0, at = styles.get(style); at && step < maxSteps; step += 1, at = styles.get(at.basedOn))
      if (at.isHeading) return true
    return false
  }
  return new Set([...styles.keys()].filter(isHeading))
}

async function notesOf(parts: Parts, name: string, tag: string): Promise<Map<string, string>> {
  const notes = new Map<string, string>()
  let id = ''
  await parts.xml(
    name,
    eachParagraph({
      open(opened, attributes) {
        if (opened === tag) id = attributes.id ?? ''
      },
      close() {},
      paragraph: ({ text }) => void notes.set(id, `${notes.get(id) ?? ''} ${text}`.trim()),
    }),
  )
  return notes
}
