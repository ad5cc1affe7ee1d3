import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** Checks that a later epoch recorded an anchor of at least this size. */
export const isAnchorRecorded = async (tx: Tx, { epoch, size }: { epoch: number; size: number }) => {
  const { rows } = await sql`
    select from audit_entries where action = 'audit.epoch_started'
      and (changes #>> '{last_anchored,to,epoch}')::bigint = ${epoch} and (changes #>> '{last_anchored,to,size}')::bigint >= ${size}`.execute(
    tx,
  )
  return rows.length > 0
}

export const slugOf = async (tx: Tx) =>
  (await sql<{ slug: string }>`select slug from tenants where id = current_tenant()`.execute(tx)).rows[0]!.slug

export interface Head {
  tenant_id: number
  log_id: string
  epoch: number
  size: number
  /** Null if it has no checkpoint. */
  root: Buffer | null
}

/** Lists the sealed sizes of the logs of all tenants, behind the tenant `after`. */
export const listHeads = async (tx: Tx, after: number, limit: number) =>
  (await sql<Head>`select * from audit_heads(${after}, ${limit})`.execute(tx)).rows
