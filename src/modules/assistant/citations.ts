import type { Source } from './sources.ts'

/** What supports a statement: words that stand in that document, page and version, letter by letter. */
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
const longest_quote = 400
const shortest_stem = 3
const stem_length = 5

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Words and numbers as far as their endings do not matter. */
function stemsOf(text: string): Set<string> {
  const stems = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue
    const isShort = segment.length < shortest_stem && /^[a-z]+$/.test(segment)
    if (!isShort) stems.add(segment.slice(0, stem_length))
  }
  return stems
}

/** The sentence that a mark stands at the end of. */
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

/** The sentence of a source that has most in common with a statement; undefined where none has anything. */
export function supportOf(text: string, claim: string): string | undefined {
  const wanted = stemsOf(claim)
  let best: { sentence: string; score: number } | undefined
  for (const sentence of sentencesOf(text)) {
    const stems = stemsOf(sentence)
    const shared = [...stems].filter(each => wanted.has(each))
    // Longer words say more; a long sentence that happens to have one does not beat the one that is about it.
    const score = shared.reduce((sum, { length }) => sum + length, 0) / Math.sqrt(8 + stems.size)
    if (score > (best?.score ?? 0)) best = { sentence, score }
  }
  return best?.sentence
}

function shortened(quote: string): string {
  if (quote.length <= longest_quote) return quote
  const cut = quote.slice(0, longest_quote)
  return cut
    .slice(0, Math.max(cut.lastIndexOf(' '), longest_quote / 2))
    .toWellFormed()
    .replaceAll('\ufffd', '')
}

/**
 * The text with those marks alone that name a source that was sent and has something in common with what it is said to support, and of
 * each such source a sentence of its own. What a model claims to quote is not looked at.
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
