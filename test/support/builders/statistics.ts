import type { Database } from '#platform/db/database.ts'
import { statistics } from '../../../src/modules/projections/statistics/index.ts'

interface WithDatabase {
  database: Database
}

/** For records that were made by statement, past the service. */
export const rebuildStatistics = (database: Database, tenantId: number): Promise<void> =>
  database.transaction({ tenantId, userId: null }, 'read write', tx => statistics.rebuild(tx))

/** The measures of a tenant that differ from its records. */
export const driftOf = ({ database }: WithDatabase, tenantId: number): Promise<string[]> =>
  database.transaction({ tenantId, userId: null }, 'read only', tx => statistics.findDrift(tx))
