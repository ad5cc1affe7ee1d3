import type { Config } from '#platform/config.ts'
import { type Login, loginAtPrimary } from '#platform/db/primary.ts'
import { Refusal } from './command.ts'
import { lines } from './messages.ts'

export const locationOf = (config: Config) => ({
  url: config.database_url,
  migrationUrl: config.migration_database_url,
  hosts: config.database_hosts,
  preparedStatements: config.database_prepared_statements,
  dataDir: config.data_dir,
  installationNumber: config.installation_number,
})

/** A login for a command, at the server that takes changes. */
export const loginTo = (connectionString: string, { database_hosts }: Config): Promise<Login> =>
  loginAtPrimary({ connectionString }, database_hosts)

/** The lock that a running process holds on its data folder; see folder-lock.ts. */
export const isInUse = (error: unknown) =>
  (error as { cause?: { errstr?: string } }).cause?.errstr === 'database is locked'

/** For `catch` after opening a database. The error of a server with several addresses has no message. */
export function asRefusal(error: Error & { code?: string }): never {
  throw new Refusal(lines.database_open_failed({ reason: error.message || String(error.code) }), { cause: error.cause })
}
