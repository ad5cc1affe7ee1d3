import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { DisposalSeals, FileRemoval } from './rules.ts'

/**
 * The disposal of a removal that has no request of its own. Read from the whole row, because a backup of an earlier release has no such column;
 * its signatures are found by the record, which every release names so.
 */
const disposalOf = sql`(to_jsonb(r) ->> 'disposal_id')::bigint`

/** The approved removals of files, each with its signatures, or with those of the disposal that it belongs to. */
const listRemovals = async (tx: Tx, condition: RawBuilder<SqlBool>): Promise<FileRemoval[]> =>
  (
    await sql<{ removal: FileRemoval }>`
      select jsonb_build_object('id', r.id, 'tenant_id', r.tenant_id, 'version_id', r.version_id, 'attachment_id', r.attachment_id,
        'sha256', r.sha256, 'file_size', r.file_size, 'reason', r.reason, 'requested_by', r.requested_by, 'decided_by', r.decided_by,
        'is_removed', r.status = 'removed', 'disposal_id', ${disposalOf}, 'signatures', (select coalesce(jsonb_agg(jsonb_build_object('payload', s.payload,
            'digest', s.digest, 'seal', s.seal, 'key_id', s.key_id, 'public_key', k.public_key, 'signer_id', s.signer_id) order by s.id), '[]')
          from signatures s join signing_keys k on k.key_id = s.key_id where s.tenant_id = r.tenant_id
            and s.record_type = case when ${disposalOf} is null then 'file_removal' else 'disposal' end
            and s.record_id = coalesce(${disposalOf}, r.id))) as removal
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

/** An approved disposal with the signatures of both people. */
export const findDisposalSeals = async (tx: Tx, id: number): Promise<DisposalSeals | undefined> =>
  (
    await sql<{ seals: DisposalSeals }>`
      select jsonb_build_object('id', d.id, 'tenant_id', d.tenant_id, 'proposed_by', d.proposed_by, 'decided_by', d.decided_by,
        'signatures', (select coalesce(jsonb_agg(jsonb_build_object('payload', s.payload,
            'digest', s.digest, 'seal', s.seal, 'key_id', s.key_id, 'public_key', k.public_key, 'signer_id', s.signer_id) order by s.id), '[]')
          from signatures s join signing_keys k on k.key_id = s.key_id where s.tenant_id = d.tenant_id and s.disposal_id = d.id)) as seals
      from disposals d where d.id = ${id} and d.status in ('approved', 'completed')`.execute(tx)
  ).rows[0]?.seals
