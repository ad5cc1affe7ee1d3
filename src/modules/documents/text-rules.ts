import type { VersionText } from './core/schema.ts'

interface Passage {
  page: number | null
  heading: string | null
  body: string
  /** Null where a paragraph begins; otherwise the white space behind the passage before. */
  gap: string | null
}

/** Paragraphs as they stand in the file, also those that passages were cut from. */
export function pagesOf(passages: readonly Passage[]): VersionText['pages'] {
  const pages: VersionText['pages'] = []
  for (const { page, heading, body, gap } of passages) {
    if (pages.at(-1)?.number !== page || pages.length === 0) pages.push({ number: page, paragraphs: [] })
    const { paragraphs } = pages.at(-1)!
    const texts = body.split(/\n{2,}/)
    const last = paragraphs.at(-1)
    if (gap !== null && last) last.text += gap + texts.shift()!
    paragraphs.push(...texts.map(text => ({ heading, text })))
  }
  return pages
}
