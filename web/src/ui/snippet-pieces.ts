const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const readText = (html: string) => html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, each => entities[each]!)

interface Piece {
  text: string
  isMarked: boolean
}

/**
 * What the service answers as HTML, as texts: between the marks everything is text, whatever it looks like, so that nothing of a document
 * can become an element.
 */
export const piecesOf = (snippet: string): Piece[] =>
  snippet
    .split(/<mark>(.*?)<\/mark>/gs)
    .map((html, index) => ({ text: readText(html), isMarked: index % 2 === 1 }))
    .filter(({ text }) => text !== '')

/** The words that a snippet marks, each once, as they stand in the text. */
export const markedIn = (snippet: string) =>
  [...new Set(piecesOf(snippet).flatMap(({ text, isMarked }) => (isMarked ? [text.toLowerCase()] : [])))].join(' ')
