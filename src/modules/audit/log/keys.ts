import type { Services, Writing } from '#action'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database } from '#platform/db/database.ts'
import { originOf, verifierKey } from './note.ts'
import { insertAuditKey, isRotationRecorded, listOwnAuditKeys, lockLog, readLog } from './queries.ts'

export type PublicHalf = Pick<SigningKey, 'key_id' | 'public_key'>
const nobody = { tenantId: null, userId: null }

/** The keys that sign checkpoints; during a rotation there are two. */
export const heldKeys = ({ auditKey, previousAuditKey }: Pick<Services, 'auditKey' | 'previousAuditKey'>) => [
  auditKey,
  ...(previousAuditKey && previousAuditKey.key_id !== auditKey.key_id ? [previousAuditKey] : []),
]

/** Stores the public key, before a checkpoint is signed with it. */
export const registerAuditKey = (database: Database, { key_id, public_key }: PublicHalf) =>
  database.transaction(nobody, 'read write', tx => insertAuditKey(tx, { key_id, public_key }))

export const auditKeys = (database: Database) => database.transaction(nobody, 'read only', listOwnAuditKeys)

/** Records a key rotation in the trail, so that verifiers can follow it: once for each tenant, also if several processes start with the new key. */
export async function recordKeyRotation(
  { tx, record }: Writing,
  { key_id, public_key }: PublicHalf,
  { before, reason }: { before: PublicHalf; reason: string | null },
) {
  await lockLog(tx, { skip: false })
  if (await isRotationRecorded(tx, key_id)) return
  record('audit.key_rotated', null, {
    number: key_id,
    before: { key_id: before.key_id, public_key: before.public_key },
    after: { key_id, public_key },
    reason,
  })
}

/** The verifier key (vkey) of a public key for the newest tree of this tenant. */
export async function verifierKeysOf(database: Database, tenantId: number) {
  const { log_id, epoch } = await database.transaction({ tenantId, userId: null }, 'read only', readLog)
  return ({ public_key }: PublicHalf) => verifierKey(originOf(log_id, epoch), Buffer.from(public_key, 'base64'))
}
