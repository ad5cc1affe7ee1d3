import { fstatSync, readSync } from 'node:fs'
import { limits } from '../limits.ts'
import { reasons, Unreadable } from '../writer.ts'

/** The whole file, for formats that cannot be streamed. */
export function bytesOf(file: number): Buffer<ArrayBuffer> {
  const { size } = fstatSync(file)
  if (size > limits.most_file_bytes) throw new Unreadable(reasons.tooLarge)
  const bytes = Buffer.alloc(size)
  let read = 0
  while (read < size) {
    const more = readSync(file, bytes, read, size - read, read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}
