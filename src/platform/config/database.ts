import type { Place } from '../db/primary.ts'
import type { Variables } from './variables.ts'

/** Where the database is, and what lies between. */
export function readDatabase({ list, postgresUrl, yes, wrong }: Variables) {
  const database_url = postgresUrl('DATABASE_URL')
  const migration_database_url = postgresUrl('MIGRATION_DATABASE_URL')
  if (migration_database_url && !database_url) wrong.push('MIGRATION_DATABASE_URL is set without DATABASE_URL')
  const database_hosts = list('DATABASE_HOSTS').flatMap(each => {
    const place = placeOf(each)
    if (!place) wrong.push(`DATABASE_HOSTS has ${JSON.stringify(each)}: write host or host:port`)
    return place ?? []
  })
  if (database_hosts.length > 0 && !database_url) wrong.push('DATABASE_HOSTS is set without DATABASE_URL')
  return {
    database_url,
    migration_database_url,
    database_hosts,
    database_prepared_statements: yes('DATABASE_PREPARED_STATEMENTS', 'true'),
  }
}

function placeOf(text: string): Place | undefined {
  const [, name, port] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!name || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined
  return { host: name, ...(port && { port }) }
}
