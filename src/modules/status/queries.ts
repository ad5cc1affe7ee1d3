import { sql } from 'kysely'
import { platformTenantId } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'

export interface StorageUse {
  used_bytes: number
  tenants_nearly_full: number
}

/** From this share of its quota on, a tenant needs more space soon. */
const nearlyFull = 0.9

/** Of all tenants together; the platform alone is answered. */
export async function readStorageUse(tx: Tx): Promise<StorageUse> {
  const { rows } = await sql<StorageUse>`
    select coalesce(sum(bytes), 0)::bigint as used_bytes,
      count(*) filter (where bytes >= storage_quota_mb * 1048576.0 * ${nearlyFull}) as tenants_nearly_full
    from storage_use_of_tenants() join tenants on id = tenant_id`.execute(tx)
  return rows[0]!
}

/** A look at a dependency, as its hour keeps it. */
interface Look {
  name: string
  status: string
  detail: string | null
}

const rank = (state: string) =>
  sql`array_position(array['Not configured', 'Operational', 'Degraded', 'Down'], ${sql.ref(state)})`

/** Keeps the worst state of each hour, with what was said of it last. */
export const insertLooks = (tx: Tx, hour: Date, looks: readonly Look[]) =>
  tx
    .insertInto('health_hours')
    .values(
      looks.map(({ name, status, detail }) => ({
        ...{ hour: hour.toISOString(), dependency: name, worst: status, detail },
        looks: 1,
      })),
    )
    .onConflict(on =>
      on.columns(['hour', 'dependency']).doUpdateSet({
        looks: sql`health_hours.looks + 1`,
        worst: sql`case when ${rank('excluded.worst')} >= ${rank('health_hours.worst')} then excluded.worst else health_hours.worst end`,
        detail: sql`case when ${rank('excluded.worst')} >= ${rank('health_hours.worst')} then excluded.detail else health_hours.detail end`,
      }),
    )
    .execute()

export const deleteHours = (tx: Tx, before: Date) =>
  tx.deleteFrom('health_hours').where('hour', '<', before.toISOString()).execute()

export const listHours = (tx: Tx, since: Date) =>
  tx
    .selectFrom('health_hours')
    .select(['hour', 'dependency', 'worst', 'looks', 'detail'])
    .where('hour', '>=', since.toISOString())
    .execute()

export const readVersions = async (tx: Tx) =>
  (
    await sql<{ postgresql: string; migration: string; migrated_at: string }>`
      select current_setting('server_version') as postgresql, name as migration, applied_at as migrated_at
      from migrations order by name desc limit 1`.execute(tx)
  ).rows[0]!

export const findNewestBackup = (tx: Tx) =>
  tx
    .selectFrom('backups')
    .select(['snapshot_at', 'completed_at', 'version', 'rows', 'files', 'bytes', 'has_keys'])
    .orderBy('snapshot_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The platform alone is answered. */
export const listFailedWork = async (tx: Tx, since: Date) =>
  (
    await sql<{
      tenant: { id: number; name: string; is_active: boolean }
      work: 'mail' | 'job'
      kind: string
      reason: string | null
      count: number
      first_at: string
      last_at: string
    }>`
      select jsonb_build_object('id', t.id, 'name', t.name, 'is_active', t.is_active) as tenant, f.work, f.kind, f.reason, f.count,
        f.first_at, f.last_at
      from failed_work_of_tenants(${since.toISOString()}::timestamptz) f join tenants t on t.id = f.tenant_id
      order by f.last_at desc`.execute(tx)
  ).rows

/** Undefined if there is no such tenant, or if it is the platform itself. */
export const findTenantName = async (tx: Tx, id: number) =>
  (
    await tx
      .selectFrom('tenants')
      .select('name')
      .where('id', '=', id)
      .where('id', '<>', platformTenantId)
      .executeTakeFirst()
  )?.name
