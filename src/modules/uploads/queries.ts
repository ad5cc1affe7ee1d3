import { type Insertable, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { countRows } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'

const columns = [
  ...(['id', 'file_key', 'file_name', 'file_size', 'content_type', 'sha256', 'description'] as const),
  'created_at',
] as const

export type UploadRow = Awaited<ReturnType<typeof takeRows>>[number]

export const findUpload = (tx: Tx, id: number, userId: number, since: string) =>
  tx
    .selectFrom('uploads')
    .select(columns)
    .where('id', '=', id)
    .where('created_by', '=', userId)
    .where('created_at', '>', since)
    .executeTakeFirst()

export const countWaiting = (tx: Tx, userId: number) =>
  countRows(tx.selectFrom('uploads').where('created_by', '=', userId))

export const insertUpload = (tx: Tx, values: Insertable<Tables['uploads']>) =>
  tx.insertInto('uploads').values(values).returning('id').executeTakeFirstOrThrow()

/** Of two transactions that take the same upload, the second waits for the first, and finds none. */
export const takeRows = (tx: Tx, ids: readonly number[], userId: number, since: string) =>
  tx
    .deleteFrom('uploads')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('created_by', '=', userId)
    .where('created_at', '>', since)
    .returning(columns)
    .execute()

export const listExpired = async (tx: Tx, until: string, limit: number) =>
  (
    await tx
      .selectFrom('uploads')
      .select('id')
      .where('created_at', '<=', until)
      .orderBy('created_at')
      .limit(limit)
      .execute()
  ).map(({ id }) => id)

export const takeExpired = (tx: Tx, id: number, until: string) =>
  tx.deleteFrom('uploads').where('id', '=', id).where('created_at', '<=', until).returning(columns).executeTakeFirst()

/** Those of the keys that belong to an upload. */
export const listFileKeys = async (tx: Tx, keys: string[]): Promise<string[]> =>
  (await tx.selectFrom('uploads').select('file_key').where('file_key', 'in', keys).execute()).map(
    ({ file_key }) => file_key,
  )
