import { randomBytes } from 'node:crypto'

/** A piece of a document for the model; `mark` is the number by which the answer cites it. */
export interface Source {
  mark: number
  document_id: number
  number: string
  title: string
  version: string
  version_id: number
  page: number | null
  heading: string | null
  text: string
}

/** A new word for each call, so that no author of a document can fake the end of a source. */
export const newBoundary = () => randomBytes(16).toString('hex')

const place = ({ number, version, page }: Source) =>
  [`${number}, version ${version}`, ...(page === null ? [] : [`page ${page}`])].join(', ')

/**
 * Puts everything that people have written, titles included, between two lines with the boundary. The line before it holds nothing but
 * numbers.
 */
export const enclose = (sources: readonly Source[], boundary: string): string =>
  sources
    .map(source => {
      const content = [
        `Title: ${source.title}`,
        ...(source.heading === null ? [] : [`Heading: ${source.heading}`]),
        '',
        source.text,
      ].join('\n')
      return [
        `--- ${boundary} source [${source.mark}]: ${place(source)} ---`,
        content.replaceAll(boundary, ''),
        `--- ${boundary} end of source [${source.mark}] ---`,
      ].join('\n')
    })
    .join('\n\n')

/** The first pieces that fit into the room. */
export function takeFitting<T>(
  pieces: readonly T[],
  textOf: (piece: T) => string,
  room: number,
  count: (text: string) => number,
) {
  const fit: T[] = []
  let left = room
  for (const piece of pieces) {
    left -= count(textOf(piece)) + frameTokens
    if (left < 0) break
    fit.push(piece)
  }
  return fit
}
/** The lines around a source, and its title and heading. */
const frameTokens = 160
