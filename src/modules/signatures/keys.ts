import type { Services } from '#action'
import type { Database } from '#platform/db/database.ts'
import { insertSigningKey } from './queries.ts'

/** Makes the installation's public key known to the database, before anything is sealed with it. */
export const registerSigningKey = (database: Database, { key_id, public_key }: Services['signingKey']) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
    insertSigningKey(tx, { key_id, public_key }),
  )
