import type { Config } from '../config.ts'
import type { Log } from '../log/log.ts'

/** Another program that knows viruses. */
export interface Antivirus {
  /** The name of what was found in the file, if anything. A 503 where no answer can be had: what was not scanned is not taken. */
  scan(path: string): Promise<string | undefined>
  /** Rejects where it does not answer. */
  check(): Promise<void>
}

/** That of the configuration; where there is none, nothing of it is loaded. */
export async function openAntivirus({ clamav }: Pick<Config, 'clamav'>, log: Log): Promise<Antivirus | undefined> {
  if (!clamav) return undefined
  return (await import('./clamav.ts')).openClamav(clamav, log)
}
