import { sql } from 'kysely'
import type { Writing } from '#action'

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
export async function newEpoch(
  { tx }: Pick<Writing, 'tx'>,
  { reason, anchored }: { reason: string; anchored?: KnownCheckpoint | undefined },
): Promise<number> {
  const known = anchored ? JSON.stringify(anchored) : null
  const { rows } = await sql<{
    epoch: number
  }>`select start_audit_epoch(${reason}, ${known}::jsonb) as epoch`.execute(tx)
  return rows[0]!.epoch
}
