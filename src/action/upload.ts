import { requireSpace } from '#platform/storage/quota.ts'
import { newKey } from '#platform/storage/storage.ts'
import type { PrepareContext, Upload } from './index.ts'

/** The file is stored before its row: a crash in between leaves a file that no row names, never a row without its file. */
export async function keepFile({ actor, services, read, ifRefused }: PrepareContext, file: Upload) {
  await read(tx => requireSpace(tx, file.size_bytes))
  const file_key = newKey(actor.tenantId)
  await file.keep(file_key)
  ifRefused(() => services.storage.remove(file_key))
  return { file_key }
}

/** The columns of a row about its file, apart from the key. */
export const fileColumns = ({ name, size_bytes, content_type, sha256 }: Upload) => ({
  file_name: name,
  file_size: size_bytes,
  content_type,
  sha256,
})
