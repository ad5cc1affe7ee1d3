import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { FileRemoval } from './rules.ts'

/** The approved removals of files, each with its signatures. */
const listRemovals = async (tx: Tx, condition: RawBuilder<SqlBool>): Promise<FileRemoval[]> =>
  (
    await sql<{ removal: FileRemoval }>`
      select jsonb_build_object('id', r.id, 'tenant_id', r.tenant_id, 'version_id', r.version_id, 'attachment_id', r.attachment_id,
        'sha256', r.sha256, 'file_size', r.file_size, 'reason', r.reason, 'requested_by', r.requested_by, 'decided_by', r.decided_by,
        'is_removed', r.status = 'removed', 'signatures', (select coalesce(jsonb_agg(jsonb_build_object('payload', s.payload,
            'digest', s.digest, 'seal', s.seal, 'key_id', s.key_id, 'public_key', k.public_key, 'signer_id', s.signer_id) order by s.id), '[]')
          from signatures s join signing_keys k on k.key_id = s.key_id where s.tenant_id = r.tenant_id and s.file_removal_id = r.id)) as removal
      from file_removals r where r.status in ('approved', 'removed') and ${condition} order by r.id`.execute(tx)
  ).rows.map(({ removal }) => removal)

export const removalsOfVersions = (tx: Tx, ids: readonly number[]) =>
  listRemovals(tx, sql`r.version_id = any(${[...ids]}::bigint[])`)

export const removalsOfAttachments = (tx: Tx, ids: readonly number[]) =>
  listRemovals(tx, sql`r.attachment_id = any(${[...ids]}::bigint[])`)

export const findRemovalOf = async (tx: Tx, id: number): Promise<FileRemoval | undefined> =>
  (await listRemovals(tx, sql`r.id = ${id}`))[0]

/** A page of all removals, in the order of their ids. */
export const listRemovalsAfter = (tx: Tx, after: number, limit: number) =>
  listRemovals(
    tx,
    sql`r.id in (select id from file_removals where id > ${after} and status in ('approved', 'removed') order by id limit ${limit})`,
  )
