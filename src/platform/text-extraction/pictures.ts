import type { Block, Extraction } from './extraction.ts'
import { limits } from './limits.ts'
import type { Ocr } from './ocr.ts'
import { pagesOf, type Word } from './ocr-words.ts'
import { tidy } from './tidy.ts'
import { sentences } from './writer.ts'

/** The time for the pictures of one file, enough for some 150 pages of text. */
const timeoutMs = 10 * 60_000
const maxPages = 300

const noProgram = 'no program that reads letters off pictures is installed here'

/** Reads the text of a picture, if any. */
export async function readPicture(ocr: Ocr | null, path: string, signal?: AbortSignal): Promise<Extraction> {
  const without = (status: 'no_text' | 'failed', reason: string): Extraction => ({
    status,
    reason,
    pages: null,
    by_ocr: false,
    blocks: [],
  })
  if (!ocr) return without('no_text', `The file is a picture, and ${noProgram}.`)
  const words = await ocr.read(path, undefined, signal)
  if (!words) return without('failed', sentences.unread('the letters of the picture could not be told in time'))
  const blocks = blocksOf(words)
  if (blocks.length === 0) return without('no_text', 'There are no letters in the picture.')
  return { status: 'extracted', reason: null, pages: Math.max(...words.map(({ page }) => page)), by_ocr: true, blocks }
}

/** Reads the pages of a PDF without letters as pictures, as in a scan. */
export async function readBlankPages(
  ocr: Ocr | null,
  path: string,
  blank: readonly number[],
  read: Extraction,
  signal?: AbortSignal,
): Promise<Extraction> {
  if (blank.length === 0 || read.status === 'failed') return read
  let reason = read.reason === sentences.empty ? null : read.reason
  const isScan = read.blocks.length === 0
  if (!ocr?.canReadPdf) {
    const which = isScan ? 'Its pages have no text' : `${blank.length} of its pages have no text`
    return { ...read, reason: reason ?? `${which}: if they are pictures, ${noProgram}.` }
  }
  const until = Date.now() + timeoutMs
  const found: Block[] = []
  for (const [at, page] of blank.entries()) {
    if (at >= maxPages || Date.now() > until) {
      reason ??= `Only the first ${at} of its ${blank.length} pages that are pictures were read.`
      break
    }
    const words = await ocr.read(path, page, signal)
    if (words) found.push(...blocksOf(words).map(block => ({ ...block, page })))
    else reason ??= sentences.somePages
  }
  if (found.length === 0) return { ...read, reason: reason ?? read.reason }
  const blocks = [...read.blocks, ...found].toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0))
  return { ...read, status: 'extracted', reason, by_ocr: true, blocks }
}

const blocksOf = (words: readonly Word[]): Block[] =>
  [...pagesOf(words)].map(([page, text]) => ({
    page,
    heading: null,
    text: tidy(text).slice(0, limits.most_block_characters).toWellFormed(),
  }))
