import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { zipWriter } from '#platform/files/zip-writer.ts'

/** Takes the files of an archive one after the other. Nothing of a file is held in memory beyond the piece that is being written. */
export interface ArchiveSink {
  /** Resolves when the content was read to its end. The path has slashes, and is given once. */
  add(path: string, content: AsyncIterable<Uint8Array>): Promise<{ size: number; sha256: string }>
}

const pathPattern = /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)*$/i

/** The program chooses the paths, never a person, so a wrong one is a bug. It throws before a file is written outside of the folder. */
function requirePath(path: string) {
  if (!pathPattern.test(path)) throw new Error(`${JSON.stringify(path)} is not a path in an archive`)
  return path
}

/** Counts and hashes what passes. */
function measured(content: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let size = 0
  async function* pieces() {
    for await (const piece of content) {
      hash.update(piece)
      size += piece.length
      yield piece
    }
  }
  return { pieces: pieces(), result: () => ({ size, sha256: hash.digest('hex') }) }
}

/** Writes the files below a folder that is there already. Each is on the disk when `add` resolves. */
export const folderSink = (folder: string): ArchiveSink => ({
  async add(path, content) {
    const to = join(folder, requirePath(path))
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const { pieces, result } = measured(content)
    await pipeline(
      Readable.from(pieces, { objectMode: false }),
      createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
    )
    return result()
  },
})

/** A zip whose bytes are read from `output` while files are added. `close` ends it with its directory, and `fail` without. */
export function zipSink(mtime: Date) {
  const { add, ...zip } = zipWriter(mtime)
  const sink: ArchiveSink = {
    async add(path, content) {
      const { pieces, result } = measured(content)
      // Stored files are mostly compressed already.
      await add(requirePath(path), pieces, { compress: !path.startsWith('files/') })
      return result()
    },
  }
  return { sink, ...zip }
}
