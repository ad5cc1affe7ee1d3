import { newKey } from '#platform/storage/storage.ts'
import type { PrepareContext, Upload } from './index.ts'

/** The file is on the disk before its row: a crash in between leaves a file that nothing names, never a row without its file. */
export async function keepFile({ actor, services, ifRefused }: PrepareContext, file: Upload) {
  const file_key = newKey(actor.tenantId)
  await file.keep(file_key)
  ifRefused(() => services.storage.remove(file_key))
  return { file_key }
}

/** What a row says of its file, beside the key. */
export const fileColumns = ({ name, size_bytes, content_type, sha256 }: Upload) => ({
  file_name: name,
  file_size: size_bytes,
  content_type,
  sha256,
})
