import type { Config } from '#platform/config.ts'

export const locationOf = ({ database_url, migration_database_url, data_dir }: Config) => ({
  url: database_url,
  migrationUrl: migration_database_url,
  dataDir: data_dir,
})

/** The lock that a running process holds on its data folder; see folder-lock.ts. */
export const isInUse = (error: unknown) =>
  (error as { cause?: { errstr?: string } }).cause?.errstr === 'database is locked'
