import { openForTheLastTime } from '#platform/files/disk.ts'
import type { MadeFile } from './file.ts'
import type { PrepareContext } from './index.ts'

/** Makes a file on the disk of this machine, where it lies until it is sent. */
export async function makeFile(
  { services: { storage }, ifRefused }: Pick<PrepareContext, 'services' | 'ifRefused'>,
  bytes: AsyncIterable<Uint8Array>,
  { name, content_type }: Pick<MadeFile, 'name' | 'content_type'>,
): Promise<MadeFile> {
  const made = await storage.receive(bytes, { max_bytes: Number.POSITIVE_INFINITY })
  ifRefused(() => storage.discard(made))
  return { name, content_type, size_bytes: made.size_bytes, open: () => openForTheLastTime(made.path) }
}
