import { flowing } from './formats/pdf-paragraphs.ts'

export interface Word {
  /** The page of a picture with several pages. */
  page: number
  paragraph: string
  line: string
  text: string
}

/** In percent. Words below it are dots and edges of a picture that were taken for letters. */
const minConfidence = 40
const columns = 12

/** Reads the table of Tesseract: page, block, paragraph, line, word, place, confidence and text. */
export function wordsOf(table: string): Word[] {
  return table.split('\n').flatMap(row => {
    const [level, page = '', block = '', paragraph = '', line = '', , , , , , confidence = '', text = ''] = row.split(
      '\t',
      columns,
    )
    if (level !== '5' || text.trim() === '' || !(Number(confidence) >= minConfidence)) return []
    const place = `${page} ${block} ${paragraph}`
    return [{ page: Number(page), paragraph: place, line: `${place} ${line}`, text }]
  })
}

/** The text of each page by its number. A page without a word of letters has no text. */
export function pagesOf(words: readonly Word[]): Map<number, string> {
  const pages = new Map<number, string>()
  for (const [page, ofPage] of Map.groupBy(words, word => word.page)) {
    const paragraphs = [...Map.groupBy(ofPage, word => word.paragraph).values()].map(ofParagraph =>
      flowing(
        [...Map.groupBy(ofParagraph, word => word.line).values()].map(line => line.map(word => word.text).join(' ')),
      ),
    )
    const text = paragraphs.join('\n\n')
    if (/\p{L}{2}/u.test(text)) pages.set(page, text)
  }
  return pages
}
