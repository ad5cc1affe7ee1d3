import type { Writing } from '#action'
import { linkKeys, trustedKeys, withImportedKeys } from '#platform/crypto/key-succession.ts'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { insertKeyLink, insertSigningKey, listImportedKeys, listKeyLinks } from './key-queries.ts'

type PublicHalf = Pick<SigningKey, 'key_id' | 'public_key'>

/** Stores the public key of the installation before anything is sealed with it. */
export const registerSigningKey = (database: Database, { key_id, public_key }: PublicHalf) =>
  database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
    insertSigningKey(tx, { key_id, public_key }),
  )

/** A key of which the private half is lost has no `sign`. */
type PreviousKey = PublicHalf & Partial<Pick<SigningKey, 'sign'>>

/**
 * Stores the key that replaces `before`, and the link between both, by which signatures of the previous key stay trusted. A rotation that
 * is started again is recorded in the audit trail once.
 */
export async function registerNextKey(
  { tx, record }: Writing,
  next: SigningKey,
  before: PreviousKey,
  reason: string | null = null,
) {
  const { key_id, public_key } = next
  if (!(await insertSigningKey(tx, { key_id, public_key }))) return
  const { by_previous, by_next } = linkKeys(before, next)
  await insertKeyLink(tx, { previous_key_id: before.key_id, next_key_id: key_id, by_previous, by_next })
  record('signing_key.rotated', null, {
    number: key_id,
    before: { key_id: before.key_id },
    after: { key_id, public_key, by_previous, by_next },
    reason,
  })
}

/** Lets the key in use vouch for an earlier key, which has no link to it. Returns false if it does already. */
export async function confirmEarlierKey(
  { tx, record }: Writing,
  inUse: SigningKey,
  earlier: PublicHalf,
  reason: string,
) {
  const { by_next } = linkKeys(earlier, inUse)
  const link = { previous_key_id: earlier.key_id, next_key_id: inUse.key_id, by_previous: null, by_next }
  if (!(await insertKeyLink(tx, link))) return false
  record('signing_key.confirmed', null, {
    number: earlier.key_id,
    after: { key_id: earlier.key_id, public_key: earlier.public_key, confirmed_by: inUse.key_id, by_next },
    reason,
  })
  return true
}

/** Those of the installation: the keys that the process holds, and those that a chain of links leads to. */
export const readTrustedOfInstallation = async (tx: Tx, held: readonly PublicHalf[]) =>
  trustedKeys(
    held.map(({ public_key }) => public_key),
    await listKeyLinks(tx),
  )

/** The public keys whose seals count for the tenant of the transaction: those of the installation, and those that the tenant came with. */
export const readTrustedKeys = async (tx: Tx, held: readonly PublicHalf[]) =>
  withImportedKeys(await readTrustedOfInstallation(tx, held), await listImportedKeys(tx))
