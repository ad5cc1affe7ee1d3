import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'

/** A virus scanner, which is another program. */
export interface Antivirus {
  /** The name of the virus in the file, if any. Throws a 503 without an answer, because no file is accepted without a scan. */
  scan(path: string): Promise<string | undefined>
  /** Rejects where it does not answer. */
  check(): Promise<void>
}

/** Opens the configured scanner; without one, nothing of it is loaded. */
export async function openAntivirus({ clamav }: Pick<Config, 'clamav'>, log: Log): Promise<Antivirus | undefined> {
  if (!clamav) return undefined
  return (await import('./clamav.ts')).openClamav(clamav, log)
}
