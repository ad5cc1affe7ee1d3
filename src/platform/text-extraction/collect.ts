import type { Block, Extraction, Told } from './extraction.ts'
import { limits } from './limits.ts'
import type { Ended } from './process.ts'
import { sentences } from './writer.ts'

const because: Record<Exclude<Ended, 'by itself'>, string> = {
  'too slow': `it takes longer than the ${limits.longest_ms / 1000} seconds that there are for one file`,
  'too large': 'it takes more memory than there is for one file',
  crashed: 'it cannot be read to its end',
}

/** What a process told of a file, which it may have been made to tell by that file: no more of it is taken than there may be. */
export function collect() {
  const blocks: Block[] = []
  const blank: number[] = []
  let pages: number | null = null
  let partly: string | null = null
  let failed: string | null = null
  let characters = 0

  function tell(told: Told) {
    if ('block' in told) {
      characters += told.block.text.length
      if (characters > limits.most_characters || blocks.length >= limits.most_blocks) throw new RangeError('too much')
      blocks.push(told.block)
    } else if ('pages' in told) pages = told.pages
    else if ('blank' in told) blank.push(told.blank)
    else if ('partly' in told) partly ??= told.partly
    else if ('end' in told) failed = told.end.failed
  }

  function extraction(ended: Ended): Extraction {
    const reason = ended === 'by itself' ? (failed ?? partly) : reasonOf(ended)
    const isFailure = ended !== 'by itself' || failed !== null
    const status = blocks.length > 0 ? 'extracted' : isFailure ? 'failed' : 'no_text'
    return { status, reason: reason ?? (blocks.length > 0 ? null : sentences.empty), pages, by_ocr: false, blocks }
  }

  const reasonOf = (ended: Exclude<Ended, 'by itself'>) => {
    const last = blocks.at(-1)?.page
    if (blocks.length === 0) return `The file cannot be read: ${because[ended]}.`
    return `Only a part of the file was read${last ? `, to page ${last}` : ''}: ${because[ended]}.`
  }

  return { tell, extraction, blank }
}
