import type { Writing } from '#action'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database } from '#platform/db/database.ts'
import { insertSigningKey } from './queries.ts'

type PublicHalf = Pick<SigningKey, 'key_id' | 'public_key'>

/** Stores the public key of the installation before anything is sealed with it. */
export const registerSigningKey = (database: Database, { key_id, public_key }: PublicHalf) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
    insertSigningKey(tx, { key_id, public_key }),
  )

/** Stores the key that replaces `before`. A rotation that is started again is recorded in the audit trail once. */
export async function registerNextKey(
  { tx, record }: Writing,
  { key_id, public_key }: PublicHalf,
  before: PublicHalf,
  reason: string | null = null,
) {
  if (!(await insertSigningKey(tx, { key_id, public_key }))) return
  record('signing_key.rotated', null, {
    number: key_id,
    before: { key_id: before.key_id },
    after: { key_id, public_key },
    reason,
  })
}
