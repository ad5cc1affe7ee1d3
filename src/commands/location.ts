import type { Config } from '#platform/config.ts'
import { Refusal } from './command.ts'
import { lines } from './messages.ts'

export const locationOf = ({ database_url, migration_database_url, data_dir, installation_number }: Config) => ({
  url: database_url,
  migrationUrl: migration_database_url,
  dataDir: data_dir,
  installationNumber: installation_number,
})

/** The lock that a running process holds on its data folder; see folder-lock.ts. */
export const isInUse = (error: unknown) =>
  (error as { cause?: { errstr?: string } }).cause?.errstr === 'database is locked'

/** For `catch` after opening a database. The error of a server with several addresses has no message. */
export function asRefusal(error: Error & { code?: string }): never {
  throw new Refusal(lines.database_open_failed({ reason: error.message || String(error.code) }), { cause: error.cause })
}
