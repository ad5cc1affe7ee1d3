import type { Tx } from '#platform/db/database.ts'
import { requireSpace } from '#platform/storage/quota.ts'
import { newKey } from '#platform/storage/storage.ts'
import type { PrepareContext, Upload } from './index.ts'

/**
 * The file is stored before its row: a crash in between leaves a file that no row names, never a row without its file. `check` refuses a
 * file before it is stored.
 */
export async function keepFile(
  { actor, services, read, ifRefused }: PrepareContext,
  file: Upload,
  check: (tx: Tx) => Promise<void> = async () => {},
) {
  await read(async tx => {
    const space = requireSpace(tx, file.size_bytes)
    space.catch(() => {}) // the check's refusal goes first
    await check(tx)
    await space
  })
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
