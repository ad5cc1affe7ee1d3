import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { isFileRemoved } from '#platform/db/expressions.ts'

const counted = sql`
  select coalesce(sum(file_size), 0)::bigint as bytes, count(*) as files
  from (select file_size from document_versions where not ${isFileRemoved('document_versions', 'version_id')}
    union all select file_size from uploads
    union all select file_size from migration_files where file_key is not null
    union all select file_size from attachments where not ${isFileRemoved('attachments', 'attachment_id')}) stored`

/** In one statement, so that an upload is in both numbers or in neither. */
export async function readDifference(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ bytes: number; files: number; found_bytes: number; found_files: number }>`
    with counted as (${counted}), kept as (select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(files), 0)::bigint as files from storage_use)
    select kept.*, counted.bytes as found_bytes, counted.files as found_files from kept, counted
    where (kept.bytes, kept.files) is distinct from (counted.bytes, counted.files)`.execute(tx)
  const [row] = rows
  return (
    row &&
    `${row.files} files with ${row.bytes} bytes are counted, and records have ${row.found_files} with ${row.found_bytes} bytes`
  )
}

export async function countAgain(tx: Tx) {
  // Locked first, so that the files of running uploads are counted, and their own count comes after this one.
  await sql`insert into storage_use as u (bytes, files) values (0, 0) on conflict (tenant_id) do update set files = u.files`.execute(
    tx,
  )
  await sql`update storage_use set (bytes, files) = (${counted})`.execute(tx)
}
