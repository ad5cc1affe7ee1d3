import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { isFileRemoved } from '#platform/db/expressions.ts'

const advisoryLock = 7_271_003 // any number that nothing else in this database uses

/** Another process waits until this transaction ends, which takes as long as a slow store needs to be marked. */
export async function lockInstallation(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '60s'`.execute(tx)
  await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(tx)
}

export const readInstallation = async (tx: Tx): Promise<string | undefined> =>
  (await tx.selectFrom('installation').select('id').executeTakeFirst())?.id

export const insertInstallation = (tx: Tx, id: string) => tx.insertInto('installation').values({ id }).execute()

/** A database may be read before its migrations are applied, so tables may be missing. */
export async function tablesThere(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) name where to_regclass('public.' || name) is not null`.execute(tx)
  return new Set(rows.map(({ name }) => name))
}

const removedFiles = { document_versions: 'version_id', attachments: 'attachment_id' } as const

const newest = (tx: Tx, table: keyof typeof removedFiles, limit: number, canRemove: boolean) =>
  tx
    .selectFrom(table)
    .select('file_key')
    .$if(canRemove, query => query.where(e => e.not(isFileRemoved(table, removedFiles[table]))))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Some keys of files that records of the tenant use. */
export async function sampleFiles(tx: Tx, tables: ReadonlySet<string>, limit: number): Promise<string[]> {
  const keys: string[] = []
  for (const table of ['document_versions', 'attachments'] as const)
    if (tables.has(table))
      keys.push(...(await newest(tx, table, limit, tables.has('file_removals'))).map(({ file_key }) => file_key))
  return keys
}
