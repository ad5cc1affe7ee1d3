import type { World } from './world.ts'

const broughtBack = ['audit_pending', 'audit_leaves', 'audit_checkpoints', 'audit_tiles']
const tables = [...broughtBack, 'audit_logs', 'audit_epochs', 'audit_entries']

/** The audit trail of a tenant as it is now; what is answered brings it back to that, as a backup of the database would. */
export async function rememberTrail({ rows, superuser }: World, tenantId: number) {
  const kept: Record<string, string> = {}
  for (const table of tables) {
    const shown = table === 'audit_entries' ? "jsonb_build_object('id', t.id)" : 'to_jsonb(t)'
    const [found] = await rows<{ all: string }>(
      `select coalesce(jsonb_agg(${shown}), '[]')::text as all from ${table} t where tenant_id = $1`,
      [tenantId],
    )
    kept[table] = found!.all
  }
  /** With what was kept of the table as `k`. */
  const change = (table: string, text: string) =>
    superuser.query(`with k as (select * from jsonb_populate_recordset(null::${table}, $1::jsonb)) ${text}`, [
      kept[table],
    ])
  return async () => {
    const triggers = await rows<{ table: string; name: string; how: string }>(
      `select relname as table, tgname as name, case tgenabled when 'A' then 'always' else '' end as how
       from pg_trigger join pg_class c on c.oid = tgrelid where relname = any ($1) and not tgisinternal`,
      [tables],
    )
    for (const table of tables) await rows(`alter table ${table} disable trigger user`)
    await superuser.query('begin')
    // The first leaf of an epoch and its epoch point at each other.
    await superuser.query(`update audit_epochs set first_entry_id = null where tenant_id = ${tenantId}`)
    for (const table of broughtBack) await superuser.query(`delete from ${table} where tenant_id = ${tenantId}`)
    await change(
      'audit_epochs',
      `delete from audit_epochs where tenant_id = ${tenantId} and epoch not in (select epoch from k)`,
    )
    await change(
      'audit_epochs',
      `update audit_epochs e set first_entry_id = k.first_entry_id from k where e.tenant_id = ${tenantId} and k.epoch = e.epoch`,
    )
    await change(
      'audit_entries',
      `delete from audit_entries where tenant_id = ${tenantId} and id not in (select id from k)`,
    )
    for (const table of broughtBack) await change(table, `insert into ${table} select * from k`)
    await change(
      'audit_logs',
      `update audit_logs l set epoch = k.epoch, size = k.size, frontier = k.frontier, seq = k.seq from k where l.tenant_id = ${tenantId}`,
    )
    await superuser.query('commit')
    for (const { table, name, how } of triggers) await rows(`alter table ${table} enable ${how} trigger ${name}`)
  }
}
