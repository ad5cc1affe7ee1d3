import { randomBytes } from 'node:crypto'

/** A piece of a document that a model is shown, by the number that its answer names it by. */
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

/** Of each call its own: nobody who writes a document knows with what its end is told. */
export const newBoundary = () => randomBytes(16).toString('hex')

const place = ({ number, version, page }: Source) =>
  [`${number}, version ${version}`, ...(page === null ? [] : [`page ${page}`])].join(', ')

/**
 * The sources as a model is shown them. All that people have written, the titles too, stands between two lines that hold the boundary;
 * the line before it says nothing but numbers.
 */
export const enclose = (sources: readonly Source[], boundary: string): string =>
  sources
    .map(source => {
      const said = [
        `Title: ${source.title}`,
        ...(source.heading === null ? [] : [`Heading: ${source.heading}`]),
        '',
        source.text,
      ].join('\n')
      return [
        `--- ${boundary} source [${source.mark}]: ${place(source)} ---`,
        said.replaceAll(boundary, ''),
        `--- ${boundary} end of source [${source.mark}] ---`,
      ].join('\n')
    })
    .join('\n\n')

/** Those that there is room for, from the first on; the numbers are given in their order. */
export function fitting<T>(
  pieces: readonly T[],
  textOf: (piece: T) => string,
  room: number,
  count: (text: string) => number,
) {
  const fit: T[] = []
  let left = room
  for (const piece of pieces) {
    left -= count(textOf(piece)) + tokens_of_frame
    if (left < 0) break
    fit.push(piece)
  }
  return fit
}
/** The lines around a source, and its title and heading. */
const tokens_of_frame = 160
