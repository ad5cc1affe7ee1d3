import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { withFailures } from './failure.ts'
import { openLocalStorage } from './local.ts'
import type { FileStorage } from './storage.ts'
import { withTrash } from './trash.ts'

/** For tests: the silence of an S3 bucket after which a request is repeated. */
export interface Patience {
  timeout_ms?: number
}

/** Opens the configured store. The library of a bucket is large, so it is loaded only if it is used. */
export const openStorage = async (
  config: Pick<Config, 'storage' | 'upload_dir'>,
  patience: Patience = {},
): Promise<FileStorage> => withFailures(withTrash(await openKind(config, patience)))

/** Opens the store to inspect it, without leaving anything behind. Undefined if the folder of a local store does not exist yet. */
export async function openStorageToLook({
  storage,
  upload_dir,
}: Pick<Config, 'storage' | 'upload_dir'>): Promise<FileStorage | undefined> {
  const isLocal = storage.type === 'local'
  if (isLocal && !existsSync(upload_dir)) return undefined
  const spool = await mkdtemp(isLocal ? join(upload_dir, '.look-') : join(tmpdir(), 'attest-look-'))
  const removeSpool = () => rm(spool, { recursive: true, force: true })
  try {
    const opened = isLocal ? await openLocalStorage(upload_dir, spool) : await openKind({ storage, upload_dir: spool })
    return {
      ...withFailures(opened),
      async close() {
        await opened.close?.()
        await removeSpool()
      },
    }
  } catch (error) {
    await removeSpool()
    throw error
  }
}

async function openKind(
  { storage, upload_dir }: Pick<Config, 'storage' | 'upload_dir'>,
  patience: Patience = {},
): Promise<FileStorage> {
  switch (storage.type) {
    case 'local':
      return openLocalStorage(upload_dir)
    case 's3':
      return (await import('./s3.ts')).openS3Storage(storage, upload_dir, patience)
    case 'gcp':
      return (await import('./gcp.ts')).openGcpStorage(storage, upload_dir)
  }
}

/** The place of the store, for people. */
export const placeOf = ({ storage, upload_dir }: Pick<Config, 'storage' | 'upload_dir'>) =>
  storage.type === 'local' ? upload_dir : `the ${storage.type} bucket ${storage.bucket}`
