import type { Tx } from '#platform/db/database.ts'

/** Nothing is left to sweep in the tenant, which is not due again before something happens in it. */
export const noteSwept = (tx: Tx, swept_at: Date) =>
  tx
    .insertInto('storage_sweeps')
    .values({ swept_at: swept_at.toISOString() })
    .onConflict(conflict => conflict.column('tenant_id').doUpdateSet({ swept_at: swept_at.toISOString() }))
    .execute()
