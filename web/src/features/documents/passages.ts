/** What is compared: a paragraph, or a sentence of one that is so long that a change in it would be lost in it. */
export interface Passage {
  page: number | null
  text: string
}

export interface Part {
  text: string
  isChanged: boolean
}

/** The same passage of both versions, side by side; null where one of them does not have it. */
export interface Row {
  before: { page: number | null; parts: Part[] } | null
  after: { page: number | null; parts: Part[] } | null
  isChanged: boolean
}

type Pages = readonly { number: number | null; paragraphs: readonly { text: string }[] }[]

const long = 600
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })

export function passagesOf(pages: Pages): Passage[] {
  return pages.flatMap(({ number, paragraphs }) =>
    paragraphs.flatMap(({ text }) => {
      // A line of a PDF ends where the paper does, which says nothing of the text.
      const flat = text.replaceAll(/\s+/g, ' ').trim()
      const texts = flat.length > long ? Array.from(sentences.segment(flat), each => each.segment.trim()) : [flat]
      return texts.filter(each => each !== '').map(each => ({ page: number, text: each }))
    }),
  )
}

export interface Stretch {
  /** The place of its first row, by which it is known. */
  at: number
  rows: Row[]
  /** Far from each change: shown on demand. */
  isFolded: boolean
}

/** Rows in stretches: what changed with `context` rows around it, and what is far from each change. */
export function stretchesOf(rows: readonly Row[], context = 3): Stretch[] {
  const isNear = rows.map(() => false)
  for (const [at, { isChanged }] of rows.entries())
    if (isChanged) isNear.fill(true, Math.max(0, at - context), at + context + 1)
  const stretches: Stretch[] = []
  for (const [at, row] of rows.entries()) {
    const last = stretches.at(-1)
    if (last && last.isFolded !== isNear[at]) last.rows.push(row)
    else stretches.push({ at, rows: [row], isFolded: !isNear[at] })
  }
  return stretches
}
