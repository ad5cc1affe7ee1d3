import type { Block, Extraction, ReaderOutput } from './extraction.ts'
import { limits } from './limits.ts'
import type { Ended } from './process.ts'
import { sentences } from './writer.ts'

const because: Record<Exclude<Ended, 'by itself'>, string> = {
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

const isText = (text: unknown, most: number) =>
  typeof text === 'string' && text.length <= most && text.isWellFormed() && !text.includes('\0')

const isBlock = ({ page, heading, text }: Block) =>
  (page === null || (Number.isSafeInteger(page) && page > 0)) &&
  (heading === null || isText(heading, limits.most_heading_characters)) &&
  isText(text, limits.most_block_characters)
