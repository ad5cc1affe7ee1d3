import type { Source } from './sources.ts'

/** The source of a statement; the quote is a literal part of that document, version and page. */
export interface Citation {
  mark: number
  document_id: number
  number: string
  title: string
  version: string
  page: number | null
  heading: string | null
  quote: string
}

const marks = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/g
const maxQuoteLength = 400
const minStemLength = 3
const stemLength = 5

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Words without their endings, and numbers. */
function stemsOf(text: string): Set<string> {
  const stems = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue
    const isShort = segment.length < minStemLength && /^[a-z]+$/.test(segment)
    if (!isShort) stems.add(segment.slice(0, stemLength))
  }
  return stems
}

/** The sentence that ends with the mark. */
function claimBefore(text: string, at: number): string {
  const before = text.slice(0, at).replace(/(\s|\[[\d\s,;]*\]|[.!?;:,])+$/, '')
  const starts = [...before.matchAll(/[.!?]\s+|\n+/g)]
  const last = starts.at(-1)
  return last ? before.slice(last.index + last[0].length) : before
}

const sentencesOf = (text: string) =>
  text
    .split(/(?<=[.!?])\s+(?=\S)|\n+/)
    .map(each => each.trim())
    .filter(each => each !== '')

/** The sentence of a source with most words in common with a statement; undefined if no sentence has any. */
export function supportOf(text: string, claim: string): string | undefined {
  const wanted = stemsOf(claim)
  let best: { sentence: string; score: number } | undefined
  for (const sentence of sentencesOf(text)) {
    const stems = stemsOf(sentence)
    const shared = [...stems].filter(each => wanted.has(each))
    // Longer words count more, and long sentences less, because they share a word by chance more often.
    const score = shared.reduce((sum, { length }) => sum + length, 0) / Math.sqrt(8 + stems.size)
    if (score > (best?.score ?? 0)) best = { sentence, score }
  }
  return best?.sentence
}

function shortened(quote: string): string {
  if (quote.length <= maxQuoteLength) return quote
  const cut = quote.slice(0, maxQuoteLength)
  return cut
    .slice(0, Math.max(cut.lastIndexOf(' '), maxQuoteLength / 2))
    .toWellFormed()
    .replaceAll('\ufffd', '')
}

/**
 * Keeps the marks whose source was sent and shares words with the statement, and quotes a sentence of each such source. The quotes of
 * the model itself are not trusted.
 */
export function cite(
  text: string,
  sources: readonly Source[],
  isOtherLanguage: (text: string) => boolean = () => false,
) {
  const bySource = new Map<number, Citation>()
  const shown = text.replace(marks, (_, list: string, at: number) => {
    const claim = claimBefore(text, at)
    const kept = list
      .split(/[,;]/)
      .map(Number)
      .filter(mark => {
        const source = sources.find(each => each.mark === mark)
        if (!source) return false
        const support =
          supportOf(source.text, claim) ?? (isOtherLanguage(source.text) ? sentencesOf(source.text)[0] : undefined)
        if (support === undefined) return false
        if (!bySource.has(mark)) {
          const { document_id, number, title, version, page, heading } = source
          bySource.set(mark, { mark, document_id, number, title, version, page, heading, quote: shortened(support) })
        }
        return true
      })
    return kept.map(mark => `[${mark}]`).join('')
  })
  return {
    text: shown
      .replace(/[ \t]+(?=[.,;:!?](\s|$))/g, '')
      .replace(/[ \t]+$/gm, '')
      .trim(),
    citations: [...bySource.values()],
  }
}
