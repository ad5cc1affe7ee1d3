import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { FileStorage, Received } from '#platform/storage/storage.ts'

const readBytes = 256 * 1024

/** What was read of the database lies on the disk of this machine until it is in the archive, so that no snapshot stays open for long. */
export function openSpool(storage: Pick<FileStorage, 'receive' | 'discard'>) {
  const kept = new Set<Received>()
  return {
    async take(content: AsyncIterable<Uint8Array>): Promise<Received> {
      const received = await storage.receive(content, { max_bytes: Number.POSITIVE_INFINITY })
      kept.add(received)
      return received
    },
    async discard(received: Received) {
      kept.delete(received)
      await storage.discard(received)
    },
    async discardAll() {
      for (const received of kept) await storage.discard(received)
      kept.clear()
    },
  }
}
export type Spool = ReturnType<typeof openSpool>

/** With no more memory than the file is large, because most files are small, and there are many. */
export const bytesOf = ({ path, size_bytes }: Received): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: Math.max(1, Math.min(readBytes, size_bytes)) })

/** The objects of a file that `jsonLines` made. */
export async function* objectsOf<T>({ path }: Received): AsyncGenerator<T> {
  const input = createReadStream(path, { highWaterMark: readBytes })
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      yield JSON.parse(line) as T
  } finally {
    input.destroy()
  }
}

export async function countLines(spooled: Received): Promise<number> {
  let count = 0
  for await (const bytes of bytesOf(spooled)) for (const byte of bytes) if (byte === 10) count += 1
  return count
}

export const lineOf = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)

/** A JSON object a line. */
export async function* jsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Buffer> {
  for await (const value of values) yield lineOf(value)
}

export async function* textOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
