import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'
import type { Antivirus } from './antivirus.ts'

/** Opens the configured scanner; without one, nothing of it is loaded. */
export async function openAntivirus({ clamav }: Pick<Config, 'clamav'>, log: Log): Promise<Antivirus | undefined> {
  if (!clamav) return undefined
  return (await import('./clamav.ts')).openClamav(clamav, log)
}
