import type { IncomingHttpHeaders } from 'node:http'
import { rangeNotSatisfiable } from '#kernel/errors.ts'
import type { ByteRange } from '#platform/storage/storage.ts'

/** The client has the file already, so nothing is sent and no download is recorded. */
export class NotModified extends Error {
  readonly sha256: string
  constructor(sha256: string) {
    super('not modified')
    this.sha256 = sha256
  }
}

const listed = (header: string, tag: string) =>
  header.split(',').some(each => each.trim().replace(/^W\//, '') === tag || each.trim() === '*')

/**
 * RFC 9110, 13 and 14: the requested range of a file, undefined for all of it. Throws `NotModified`, or a 416.
 *
 * A range that is invalid, one of several, or of another version of the file counts as all of it.
 */
export function partAsked(
  headers: IncomingHttpHeaders,
  { sha256, size_bytes }: { sha256: string; size_bytes: number },
): ByteRange | undefined {
  const tag = tagOf(sha256)
  const known = headers['if-none-match']
  if (known !== undefined && listed(known, tag)) throw new NotModified(sha256)
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.range ?? '') ?? []
  const condition = headers['if-range']
  if ((first === '' && last === '') || (condition !== undefined && String(condition).trim() !== tag)) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size_bytes)
    if (length === 0) throw rangeNotSatisfiable(size_bytes)
    return { start: size_bytes - length, end: size_bytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size_bytes - 1 : Math.min(Number(last), size_bytes - 1)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size_bytes) throw rangeNotSatisfiable(size_bytes)
  return { start, end }
}

export const tagOf = (sha256: string) => `"${sha256}"`
