import { sql } from 'kysely'
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
