import type { Readable } from 'node:stream'
import yazl from 'yazl'

export interface ZipPart {
  name: string
  /** Bytes, if known beforehand. */
  size?: number
  /** False for content that is compressed already; true by default. */
  compress?: boolean
  /** Called when the part is due. */
  open(): Readable | Promise<Readable>
}

/**
 * Opens one part after the other while the archive is read, so that a slow reader costs only one open part. If a part fails, or the
 * reader breaks off, the open part is closed and the archive ends without its directory.
 */
export function zipOf(parts: readonly ZipPart[], mtime: Date): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  let current: Readable | undefined
  output.once('close', () => current?.destroy())
  zip.on('error', (error: Error) => output.destroy(error))
  const turn = async (part: ZipPart, give: (error: null, stream: Readable) => void) => {
    current = await part.open()
    // The reader may have gone meanwhile.
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
