import type { PoolClient } from 'pg'
import { escapeIdentifier } from 'pg'
import type { Message } from '#kernel/message.ts'
import { rowsToExport } from '#modules/tenant-exports'
import { Refusal } from '../command.ts'
import type { Archive } from './archive.ts'
import { lines } from './messages.ts'

const idsAtOnce = 10_000
const most_named = 10

/** Refuses an export whose ids or names another row has. The caller holds the tables, so that this stays true until its commit. */
export async function refuseTaken(client: PoolClient, archive: Archive): Promise<void> {
  const { id, slug } = archive.manifest.tenant
  const isThere = async (query: string, value: string | number) =>
    (await client.query(`select from (${query}) found limit 1`, [value])).rowCount! > 0
  if (await isThere('select from tenants where id = $1', id)) throw new Refusal(lines.import_tenant_taken({ id }))
  const taken: Message[] = []
  for await (const { slug: own } of archive.rows('tenants'))
    if (own !== slug || (await isThere('select from tenants where slug = $1', slug)))
      taken.push(lines.import_slug_taken({ slug: own! }))
  for await (const { log_id } of archive.rows('audit_logs'))
    if (await isThere('select from audit_logs where log_id = $1', log_id!))
      taken.push(lines.import_log_taken({ log_id: log_id! }))
  taken.push(...(await takenUsers(client, archive)))
  for (const { name, key, where } of rowsToExport)
    if (where === 'tenant' && key.length === 1 && key[0] === 'id')
      taken.push(...(await takenIds(client, archive, name)))
  if (taken.length > 0) throw new Refusal(taken)
}

/** As the unique indexes compare them. */
async function takenUsers(client: PoolClient, archive: Archive): Promise<Message[]> {
  const [names, addresses]: [string[], string[]] = [[], []]
  for await (const { username, email, email_logs_in } of archive.rows('users')) {
    names.push(username!)
    if (email && email_logs_in === 'true') addresses.push(email)
  }
  const { rows } = await client.query<{ name: string }>(
    `select username as name from users where lower(username) in (select lower(n) from unnest($1::text[]) n)
      union select email from users where email_logs_in and lower(email) in (select lower(a) from unnest($2::text[]) a)
      order by name limit ${most_named}`,
    [names, addresses],
  )
  return rows.length > 0 ? [lines.import_users_taken({ users: rows.map(({ name }) => name) })] : []
}

async function takenIds(client: PoolClient, archive: Archive, table: string): Promise<Message[]> {
  let ids: string[] = []
  const found = async () =>
    (
      await client.query<{ id: string }>(
        `select id::text from ${escapeIdentifier(table)} where id = any($1::bigint[]) order by id limit ${most_named}`,
        [ids],
      )
    ).rows
  for await (const { id } of archive.rows(table)) {
    ids.push(id!)
    if (ids.length < idsAtOnce) continue
    const taken = await found()
    if (taken.length > 0) return [lines.import_ids_taken({ table, ids: taken.map(each => each.id) })]
    ids = []
  }
  const taken = ids.length > 0 ? await found() : []
  return taken.length > 0 ? [lines.import_ids_taken({ table, ids: taken.map(each => each.id) })] : []
}
