import type { Flow } from '../../markdown/flow.ts'
import { lexMarkdown } from '../../markdown/lex.ts'
import { decode } from '../encoding.ts'
import { clean } from '../tidy.ts'
import type { Writer } from '../writer.ts'
import { bytesOf } from './bytes.ts'

/** Reads Markdown. A section that cannot be parsed stays as it was typed. */
export async function readMarkdown(file: number, writer: Writer) {
  for (const section of sectionsOf(clean(decode(bytesOf(file))))) {
    let flow: Flow[]
    try {
      flow = lexMarkdown(section)
    } catch {
      writer.paragraph(section)
      continue
    }
    for (const part of flow) write(part, writer)
  }
}

/** Splits at headings, so that one bad section does not spoil the others. A code fence may contain lines that look like headings. */
function sectionsOf(text: string): string[] {
  const sections: string[][] = [[]]
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    if (fence === undefined && /^#{1,6}\s/.test(line)) sections.push([])
    sections.at(-1)!.push(line)
  }
  return sections.map(lines => lines.join('\n'))
}

function write(part: Flow, writer: Writer, as: 'paragraph' | 'line' = 'paragraph') {
  switch (part.kind) {
    case 'heading':
      return writer.heading(textOf(part.runs))
    case 'paragraph':
      return writer[as](textOf(part.runs))
    case 'code':
      return writer.paragraph(part.text)
    case 'quote':
      for (const inner of part.flow) write(inner, writer)
      return
    case 'list':
      for (const item of part.items) for (const inner of item) write(inner, writer, 'line')
      return
    case 'table':
      for (const row of [part.head, ...part.rows]) writer.line(row.map(textOf).join(' | '))
  }
}

/** Without comments, which are not shown. */
const textOf = (runs: readonly { text: string }[]) =>
  runs
    .map(({ text }) => text)
    .join('')
    .replace(/<!--.*?-->/gs, '')
