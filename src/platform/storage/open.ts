import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { withFailures } from './failure.ts'
import { openLocalStorage } from './local.ts'
import type { FileStorage } from './storage.ts'

/** For tests: a bucket of S3 that is silent for so long is asked again. */
export interface Patience {
  timeout_ms?: number
}

/** The store that is configured. Each of the others brings a large library, which is loaded only where that one is chosen. */
export const openStorage = async (
  config: Pick<Config, 'storage' | 'upload_dir'>,
  patience: Patience = {},
): Promise<FileStorage> => withFailures(await openKind(config, patience))

/** For whoever only looks: undefined where the folder of a local store is not there yet. Leaves nothing behind, the spool included. */
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

/** For people: where that is. */
export const placeOf = ({ storage, upload_dir }: Pick<Config, 'storage' | 'upload_dir'>) =>
  storage.type === 'local' ? upload_dir : `the ${storage.type} bucket ${storage.bucket}`
