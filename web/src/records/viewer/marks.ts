/** From one character to before another. */
export type Span = [start: number, end: number]

const isWord = /[\p{L}\p{N}]/u
const longEnough = 3

/** Where `wanted` stands in the text as a whole; where it does not, each of its words. Case and the spaces between words do not count. */
export function spansOf(text: string, wanted: string): Span[] {
  const words = wanted.split(/\s+/).filter(each => isWord.test(each))
  if (words.length === 0) return []
  const whole = find(text, words.map(escaped).join('\\s*'))
  if (whole.length > 0) return whole
  const longer = words.filter(each => each.length >= longEnough)
  return find(text, (longer.length > 0 ? longer : words).map(escaped).join('|'))
}

const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const find = (text: string, pattern: string): Span[] =>
  [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu'))].map(
    ({ index, 0: found }) => [index, index + found.length],
  )
