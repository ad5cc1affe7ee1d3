import type { Block, Cell, Extraction, ReaderOutput, SheetOfCells } from './extraction.ts'
import { limits } from './limits.ts'
import type { Ended } from './process.ts'
import { sentences } from './writer.ts'

export const because: Record<Exclude<Ended, 'by itself'>, string> = {
  'too slow': `it takes longer than the ${limits.longest_ms / 1000} seconds that there are for one file`,
  'too large': 'it takes more memory than there is for one file',
  crashed: 'it cannot be read to its end',
}

/** Collects the output of a reader process, within limits, because a malicious file may control it. */
export function collect() {
  const blocks: Block[] = []
  const blank: number[] = []
  let pages: number | null = null
  let partly: string | null = null
  let failed: string | null = null
  let characters = 0

  function emit(output: ReaderOutput) {
    if ('block' in output) {
      if (!isBlock(output.block)) throw new TypeError('no block')
      characters += output.block.text.length
      if (characters > limits.most_characters || blocks.length >= limits.most_blocks) throw new RangeError('too much')
      blocks.push(output.block)
    } else if ('pages' in output) pages = output.pages
    else if ('blank' in output) blank.push(output.blank)
    else if ('partly' in output) partly ??= output.partly
    else if ('end' in output) failed = output.end.failed
  }

  function extraction(ended: Ended): Extraction {
    const why = ended === 'by itself' ? failed : because[ended]
    const last = blocks.at(-1)
    if (!last) {
      const reason = why === null ? (partly ?? sentences.empty) : sentences.unread(why)
      return { status: why === null ? 'no_text' : 'failed', reason, pages, by_ocr: false, blocks }
    }
    const reason = why === null ? partly : sentences.partly(why, last.page)
    return { status: 'extracted', reason, pages, by_ocr: false, blocks }
  }

  return { emit, extraction, blank }
}

/** The same for the rows of a workbook. */
export function collectRows() {
  const sheets: SheetOfCells[] = []
  let rows = 0
  let failed: string | null = null

  function emit(output: ReaderOutput) {
    if ('sheet' in output) {
      if (!isText(output.sheet, limits.most_heading_characters) || sheets.length >= limits.most_columns)
        throw new TypeError('no sheet')
      sheets.push({ name: output.sheet, rows: [] })
    } else if ('row' in output) {
      const { line, cells } = output.row
      rows += 1
      if (!Number.isSafeInteger(line) || line < 1 || rows > limits.most_rows || !cells.every(isCell))
        throw new TypeError('no row')
      sheets.at(-1)!.rows.push({ line, cells })
    } else if ('end' in output) failed = output.end.failed
  }

  return { emit, sheets, failed: () => failed }
}

const isCell = (cell: Cell) =>
  typeof cell === 'string' ? isText(cell, limits.most_row_characters) : isText(cell.date, 20)

const isText = (text: unknown, most: number) =>
  typeof text === 'string' && text.length <= most && text.isWellFormed() && !text.includes('\0')

const isBlock = ({ page, heading, text }: Block) =>
  (page === null || (Number.isSafeInteger(page) && page > 0)) &&
  (heading === null || isText(heading, limits.most_heading_characters)) &&
  isText(text, limits.most_block_characters)
