import { type FileHandle, open } from 'node:fs/promises'
import { invalidField } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'

export const refusal = (message: Message) => invalidField('file', message)

const window_bytes = 256 * 1024

/** A file on this machine, read through a window of a quarter of a MiB. */
export interface Bytes {
  size: number
  /** The bytes from `offset` on: at least `least` of them if the file has as many, and more if they are in memory. */
  at(offset: number, least?: number): Promise<Buffer>
}

export async function withBytes<T>(path: string, signal: AbortSignal, work: (bytes: Bytes) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    return await work({ size, at: windowOn(file, signal) })
  } finally {
    await file.close()
  }
}

/** A file that is in memory. */
export const bytesOf = (whole: Buffer): Bytes => ({ size: whole.length, at: async offset => whole.subarray(offset) })

function windowOn(file: FileHandle, signal: AbortSignal): Bytes['at'] {
  let begin = 0
  let held: Buffer = Buffer.alloc(0)
  return async (offset, least = 1) => {
    const skipped = offset - begin
    if (skipped >= 0 && skipped + least <= held.length) return held.subarray(skipped)
    signal.throwIfAborted()
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(window_bytes), 0, window_bytes, offset)
    begin = offset
    held = buffer.subarray(0, bytesRead)
    return held
  }
}

/** The whole file in pieces. Each begins with the last `overlap` bytes of the one before, so that no match across two pieces is missed. */
export async function* piecesOf(bytes: Bytes, overlap = 0): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.size; ) {
    const from = Math.max(0, offset - overlap)
    const piece = await bytes.at(from, window_bytes)
    if (piece.length === 0) return
    yield piece
    offset = from + piece.length
  }
}
