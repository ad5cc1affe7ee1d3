import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#platform/config.ts'
import { makeFolder, writeOnce } from '#platform/files/disk.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'

const fileOf = (dataDir: string) => join(dataDir, 'demo.txt')

/** Marks a new folder, because everybody knows the password of a demo. A folder that an installation has used stays as it is. */
export async function markDemo(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'keys'))) return
  await makeFolder(dataDir)
  await writeOnce(
    fileOf(dataDir),
    'This folder belongs to a demo, whose password is public. It does not start with ENVIRONMENT=production.\n',
  )
}

export function refuseDemoInProduction({ environment, data_dir }: Config): void {
  if (environment === 'production' && existsSync(fileOf(data_dir)))
    throw new Refusal(lines.demo_folder_in_production({ folder: data_dir }))
}
