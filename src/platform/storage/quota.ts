import { sql } from 'kysely'
import { tooLarge } from '#kernel/errors.ts'
import { builtOnce } from '../db/built-once.ts'
import type { Tx } from '../db/database.ts'
import { messages } from '../files/messages.ts'

const MiB = 1024 * 1024

interface Space {
  bytes: number
  quota_mb: number | null
}

/** `bytes` are all files of the tenant, with this one. */
function requireWithin({ bytes, quota_mb }: Space, file_bytes: number) {
  if (quota_mb === null || bytes <= quota_mb * MiB) return
  const left_bytes = Math.max(0, quota_mb * MiB - (bytes - file_bytes))
  throw tooLarge(messages.storage_quota_exceeded({ quota_mb, left_bytes, file_bytes }))
}

/** Refuses a file before it is stored. `takeSpace` decides, because other files may come meanwhile. */
export async function requireSpace(tx: Tx, file_bytes: number): Promise<void> {
  const [space] = await spaceWith(tx, { file_bytes })
  if (space) requireWithin(space, file_bytes)
}

const spaceWith = builtOnce(
  (_tx, { file_bytes }: { file_bytes: number }) => sql<Space>`
    select coalesce((select bytes from storage_use), 0) + ${file_bytes}::bigint as bytes, storage_quota_mb as quota_mb
    from tenants where id = (select current_tenant())`,
)

/**
 * Called in the transaction that inserts the row of a file, or of several. It counts them as the tenant's, and holds back its other uploads until
 * the transaction ends: two at the same moment do not both take the last place.
 */
export async function takeSpace(tx: Tx, file_bytes: number, files = 1): Promise<void> {
  const [space] = await spaceTaken(tx, { file_bytes, files })
  requireWithin(space!, file_bytes)
}

const spaceTaken = builtOnce(
  (_tx, { file_bytes, files }: { file_bytes: number; files: number }) => sql<Space>`
    insert into storage_use as u (bytes, files) values (${file_bytes}::bigint, ${files})
    on conflict (tenant_id) do update set bytes = u.bytes + excluded.bytes, files = u.files + excluded.files
    returning bytes, (select storage_quota_mb from tenants where id = u.tenant_id) as quota_mb`,
)

/** The content of a file, or of several, was removed, so it takes no space any more. */
export const giveSpaceBack = (tx: Tx, file_bytes: number, files = 1) =>
  sql`update storage_use set bytes = bytes - ${file_bytes}::bigint, files = files - ${files}::bigint`.execute(tx)
