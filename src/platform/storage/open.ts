import type { Config } from '../config.ts'
import { withFailures } from './failure.ts'
import { openLocalStorage } from './local.ts'
import type { FileStorage } from './storage.ts'

/** The store that is configured. Each of the others brings a large library, which is loaded only where that one is chosen. */
export const openStorage = async (config: Pick<Config, 'storage' | 'upload_dir'>): Promise<FileStorage> =>
  withFailures(await openKind(config))

async function openKind({ storage, upload_dir }: Pick<Config, 'storage' | 'upload_dir'>): Promise<FileStorage> {
  switch (storage.type) {
    case 'local':
      return openLocalStorage(upload_dir)
    case 's3':
      return (await import('./s3.ts')).openS3Storage(storage, upload_dir)
    case 'gcp':
      return (await import('./gcp.ts')).openGcpStorage(storage, upload_dir)
  }
}

/** For people: where that is. */
export const placeOf = ({ storage, upload_dir }: Pick<Config, 'storage' | 'upload_dir'>) =>
  storage.type === 'local' ? upload_dir : `the ${storage.type} bucket ${storage.bucket}`
