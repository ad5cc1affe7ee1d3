import { platformTenantId } from '#modules/accounts'
import type { Database } from '#platform/db/database.ts'
import { within } from '#platform/within.ts'
import { readStorageUse, type StorageUse } from './queries.ts'

/** The store is checked even if the database does not answer. */
const timeoutMs = 1000

/** What the files of all tenants take, as it was read last. Nothing here names a tenant. */
export function watchStorageUse(database: Database) {
  let last: StorageUse | undefined
  const count = () => database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', readStorageUse)
  return {
    async visit() {
      last = await within(count(), timeoutMs, undefined).catch(() => undefined)
    },
    seen: () => ({ used_bytes: last?.used_bytes ?? null, tenants_nearly_full: last?.tenants_nearly_full ?? null }),
  }
}
export type StorageWatch = ReturnType<typeof watchStorageUse>
