import type { Block } from '#platform/text-extraction/index.ts'

/** A piece of text that an answer can quote: from one page and under one heading. */
export interface Chunk {
  page: number | null
  heading: string | null
  body: string
  /** The white space between this piece and the one whose paragraph it continues; null where a paragraph begins. */
  gap: string | null
}

/** Some 160 words: enough to say something, and little enough to say one thing. */
const usualCharacters = 1_000
/** A shorter rest of a section is joined to the piece before it. */
const minCharacters = 200

/** Finds ends of sentences in all languages; created for the first long paragraph. */
let segmenter: Intl.Segmenter | undefined
const sentencesOf = (paragraph: string) => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' })
  return Array.from(segmenter.segment(paragraph), ({ segment }) => segment)
}

/** Cuts between words if possible, and never within a character. */
function* cut(text: string): Generator<string> {
  let rest = text
  while (rest.length > usualCharacters) {
    const blank = rest.lastIndexOf(' ', usualCharacters)
    const at = blank > 0 ? blank + 1 : usualCharacters
    const end = /[\ud800-\udbff]/.test(rest[at - 1]!) ? at - 1 : at
    yield rest.slice(0, end)
    rest = rest.slice(end)
  }
  yield rest
}

/** Paragraphs, or the sentences of one that is too long, or parts of such a sentence; together they are the text. */
function* piecesOf(text: string): Generator<string> {
  for (const paragraph of text.split(/(?<=\n\n)/)) {
    if (paragraph.length <= usualCharacters) yield paragraph
    else
      for (const sentence of sentencesOf(paragraph)) {
        if (sentence.length <= usualCharacters) yield sentence
        else yield* cut(sentence)
      }
  }
}

function bodiesOf(text: string): Pick<Chunk, 'body' | 'gap'>[] {
  const bodies: string[] = []
  for (const piece of piecesOf(text)) {
    const last = bodies.length - 1
    if (last >= 0 && bodies[last]!.length + piece.trimEnd().length <= usualCharacters) bodies[last] += piece
    else bodies.push(piece)
  }
  if (bodies.length > 1 && bodies.at(-1)!.length < minCharacters) {
    const rest = bodies.pop()!
    bodies[bodies.length - 1] += rest
  }
  return bodies.flatMap((whole, index) => {
    const body = whole.trim()
    if (body === '') return []
    const gap = /\s*$/.exec(bodies[index - 1] ?? '\n\n')![0] + /^\s*/.exec(whole)![0]
    return [{ body, gap: gap.includes('\n\n') ? null : gap }]
  })
}

/** Splits a text at the ends of paragraphs and sentences. No piece crosses a page or a heading. */
export function chunksOf(blocks: readonly Block[]): Chunk[] {
  const sections: (Pick<Chunk, 'page' | 'heading'> & { texts: string[] })[] = []
  for (const { page, heading, text } of blocks) {
    const last = sections.at(-1)
    if (last && last.page === page && last.heading === heading) last.texts.push(text)
    else sections.push({ page, heading, texts: [text] })
  }
  return sections.flatMap(({ page, heading, texts }) =>
    bodiesOf(texts.join('\n\n')).map(piece => ({ page, heading, ...piece })),
  )
}
