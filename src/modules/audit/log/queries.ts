import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { isOwnKey } from '#platform/db/expressions.ts'

/** The sealed state of the log of the tenant. */
export const readLog = (tx: Tx) =>
  tx.selectFrom('audit_logs').select(['log_id', 'epoch', 'size', 'seq', 'frontier']).executeTakeFirstOrThrow()
export type Log = Awaited<ReturnType<typeof readLog>>

/** The holder of this lock seals the log. With `skip` it answers nothing if another process has the lock. */
export const lockLog = (tx: Tx, { skip }: { skip: boolean }) =>
  tx
    .selectFrom('audit_logs')
    .select(['log_id', 'epoch', 'size', 'seq', 'frontier'])
    .forUpdate()
    .$if(skip, query => query.skipLocked())
    .executeTakeFirst()

/** The newest checkpoint of an epoch, by default of the last one; or the checkpoint of exactly this size. */
export const latestCheckpoint = (tx: Tx, { epoch, size }: { epoch?: number; size?: number } = {}) =>
  tx
    .selectFrom('audit_checkpoints')
    .select(['epoch', 'size', 'root', 'note', 'created_at'])
    .$if(epoch !== undefined, query => query.where('epoch', '=', epoch!))
    .$if(size !== undefined, query => query.where('size', '=', size!))
    .orderBy('epoch', 'desc')
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
export type Checkpoint = NonNullable<Awaited<ReturnType<typeof latestCheckpoint>>>

export const readFirstSeq = async (tx: Tx, epoch: number) =>
  (await tx.selectFrom('audit_epochs').select('first_seq').where('epoch', '=', epoch).executeTakeFirst())?.first_seq

/** A checkpoint that is known outside of the database. */
export interface KnownCheckpoint {
  epoch: number
  size: number
  /** In base64, as in the note. */
  root: string
}

/**
 * Begins a new tree for a log that cannot be continued. Its leaf 0 is an entry `audit.epoch_started`, whose changes name the origin, the
 * size and the last checkpoint of the previous tree. That tree takes no more entries; sequence numbers continue.
 */
export async function startEpoch(
  tx: Tx,
  { reason, anchored }: { reason: string; anchored?: KnownCheckpoint | undefined },
): Promise<number> {
  const known = anchored ? JSON.stringify(anchored) : null
  const { rows } = await sql<{
    epoch: number
  }>`select start_audit_epoch(${reason}, ${known}::jsonb) as epoch`.execute(tx)
  return rows[0]!.epoch
}

/** Answers false if the key is already known. */
export const insertAuditKey = async (tx: Tx, key: { key_id: string; public_key: string }) => {
  const inserted = await tx
    .insertInto('audit_keys')
    .values(key)
    .onConflict(on => on.column('key_id').doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Every key that is known, also those that imported tenants came with. */
export const listAuditKeys = (tx: Tx) => auditKeysIn(tx).execute()

/** The keys of the installation, the oldest first. */
export const listOwnAuditKeys = (tx: Tx) => auditKeysIn(tx).where(isOwnKey('k')).execute()

const auditKeysIn = (tx: Tx) =>
  tx.selectFrom('audit_keys as k').select(['key_id', 'public_key', 'created_at']).orderBy('created_at')

/** Answers true if the trail of the tenant already has the rotation to this key. */
export const isRotationRecorded = async (tx: Tx, key_id: string) =>
  (await tx
    .selectFrom('audit_entries')
    .select('id')
    .where('action', '=', 'audit.key_rotated')
    .where('resource_number', '=', key_id)
    .executeTakeFirst()) !== undefined
