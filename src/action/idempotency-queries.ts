import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** JSON. */
  body: string
}

interface Key {
  user_id: number
  key_hash: Buffer
}

/** The request under the key, and its answer. */
export const findKey = (tx: Tx, { user_id, key_hash }: Key) =>
  tx
    .selectFrom('idempotency_keys')
    .select([sql<Buffer>`request_hash`.as('request_hash'), 'status', 'body'])
    .select(sql<Record<string, string>>`headers`.as('headers'))
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .executeTakeFirst()

/** Waits for another transaction that has claimed the key. False if that one has committed. */
export const claimKey = async (tx: Tx, key: Key & { request_hash: Buffer; created_at: string }) =>
  (
    await tx
      .insertInto('idempotency_keys')
      .values(key)
      .onConflict(on => on.doNothing())
      .returning('user_id')
      .execute()
  ).length > 0

export const storeAnswer = (tx: Tx, { user_id, key_hash }: Key, { status, headers, body }: KeptAnswer) =>
  tx
    .updateTable('idempotency_keys')
    .set({ status, headers: JSON.stringify(headers), body })
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .execute()
