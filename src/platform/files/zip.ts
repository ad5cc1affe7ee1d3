import type { Readable } from 'node:stream'
import yazl from 'yazl'

export interface ZipPart {
  name: string
  /** Bytes, where it is known before. */
  size?: number
  /** False where it is compressed already; true unless said. */
  compress?: boolean
  /** When it is its turn. */
  open(): Readable | Promise<Readable>
}

/**
 * One part after the other, each opened while the zip is read: a slow reader costs nothing but one open part. Where one cannot be read,
 * or the reader breaks off, the part that is open is closed, and the zip ends without its directory.
 */
export function zipOf(parts: readonly ZipPart[], mtime: Date): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  let current: Readable | undefined
  output.once('close', () => current?.destroy())
  zip.on('error', (error: Error) => output.destroy(error))
  const turn = async (part: ZipPart, give: (error: null, stream: Readable) => void) => {
    current = await part.open()
    // The reader may have gone while it was opened.
    if (output.destroyed) return void current.destroy()
    current.once('error', error => output.destroy(error))
    give(null, current)
  }
  for (const { name, size, compress = true, ...part } of parts)
    zip.addReadStreamLazy(name, { mtime, mode: 0o100644, compress, ...(size !== undefined && { size }) }, give => {
      turn({ name, ...part }, give).catch((error: Error) => output.destroy(error))
    })
  zip.end()
  return output
}
