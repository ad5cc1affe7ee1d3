import { Parser } from 'htmlparser2'
import { decode } from '../encoding.ts'
import type { Writer } from '../writer.ts'
import { bytesOf } from './bytes.ts'
import { openTable } from './table.ts'

/** Elements whose content is not shown. */
const unseen = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'head', 'iframe', 'object', 'select'])
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const items = new Set(['li', 'dt', 'dd', 'option'])
/** Elements that begin a new block without being a paragraph. */
const boxes = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr html li main nav ol p pre section summary table tbody tfoot thead ul'.split(
    ' ',
  ),
)
const charset = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})/i

/** Reads a page as it is shown, without scripts, styles and hidden elements. */
export async function readHtml(file: number, writer: Writer) {
  const bytes = bytesOf(file)
  const html = decode(bytes, charset.exec(bytes.toString('latin1', 0, 4_096))?.[1])
  const table = openTable(row => writer.line(row))
  /** The open elements. `isHidden` is of the element itself, not of its parents. */
  const open: { tag: string; isHidden: boolean }[] = []
  let hidden = 0
  let preformatted = 0
  let text = ''

  const end = (as: 'paragraph' | 'heading' | 'line') => {
    const found = text.trim()
    text = ''
    if (found === '') return
    if (table.isInCell) table.add(found)
    else writer[as](found)
  }
  const endOf = (tag: string) => end(headings.has(tag) ? 'heading' : items.has(tag) ? 'line' : 'paragraph')
  /** The block that is open around the place where another begins. */
  const around = () => open.findLast(({ tag }) => boxes.has(tag) || headings.has(tag))?.tag ?? 'p'

  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const isHidden = unseen.has(tag) || isUnseen(attributes)
        if (isHidden) hidden += 1
        if (boxes.has(tag) || headings.has(tag) || tag === 'tr') endOf(around())
        open.push({ tag, isHidden })
        if (tag === 'pre') preformatted += 1
        else if (tag === 'tr') table.openRow()
        else if (tag === 'td' || tag === 'th') table.openCell()
        else if (tag === 'br') text += '\n'
      },
      ontext(piece) {
        if (hidden === 0) text += preformatted > 0 ? piece : piece.replace(/\s+/g, ' ')
      },
      onclosetag(tag) {
        const closed = open.pop()
        if (closed?.isHidden) hidden -= 1
        if (boxes.has(tag) || headings.has(tag)) endOf(tag)
        if (tag === 'pre') preformatted -= 1
        else if (tag === 'td' || tag === 'th') {
          end('line')
          table.closeCell()
        } else if (tag === 'tr') table.closeRow()
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  end('paragraph')
}

const isUnseen = ({ hidden, style = '', 'aria-hidden': aria }: Record<string, string>) =>
  hidden !== undefined || aria === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
