import { sql } from 'kysely'
import type { ImportedKey, KeyLink } from '#platform/crypto/key-succession.ts'
import type { Tx } from '#platform/db/database.ts'
import { isOwnKey } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'

/** Returns false if the key is already known. */
export const insertSigningKey = async (tx: Tx, key: { key_id: string; public_key: string }) => {
  const inserted = await tx
    .insertInto('signing_keys')
    .values(key)
    .onConflict(on => on.column('key_id').doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The keys of the installation, the oldest first, without those that imported tenants came with. */
export const listSigningKeys = (tx: Tx) =>
  tx
    .selectFrom('signing_keys as k')
    .select(['key_id', 'public_key', 'created_at'])
    .where(isOwnKey('k'))
    .orderBy('created_at')
    .execute()

/** The keys that the tenant of the transaction came with. */
export const listEarlierSigningKeys = (tx: Tx) =>
  tx
    .selectFrom('signing_keys as k')
    .select(['key_id', 'public_key', 'created_at'])
    .where('key_id', 'in', query =>
      query.selectFrom('imported_signing_keys').select('key_id').where('tenant_id', '=', sql<number>`current_tenant()`),
    )
    .orderBy('created_at')
    .execute()

/** Returns false if the two keys are already linked. */
export const insertKeyLink = async (tx: Tx, link: Tables['signing_key_links']) => {
  const inserted = await tx
    .insertInto('signing_key_links')
    .values(link)
    .onConflict(on => on.columns(['previous_key_id', 'next_key_id', 'by_next']).doNothing())
    .returning('next_key_id')
    .executeTakeFirst()
  return inserted !== undefined
}

const half = (alias: 'p' | 'n' | 'k' | 'v') =>
  sql<
    KeyLink['previous']
  >`jsonb_build_object('key_id', ${sql.ref(`${alias}.key_id`)}, 'public_key', ${sql.ref(`${alias}.public_key`)})`

export const listKeyLinks = (tx: Tx): Promise<KeyLink[]> =>
  tx
    .selectFrom('signing_key_links as l')
    .innerJoin('signing_keys as p', 'p.key_id', 'l.previous_key_id')
    .innerJoin('signing_keys as n', 'n.key_id', 'l.next_key_id')
    .select(['l.by_previous', 'l.by_next', half('p').as('previous'), half('n').as('next')])
    .execute()

/** Of the tenant of the transaction, also where its login sees every tenant's rows. */
export async function listImportedKeys(tx: Tx): Promise<ImportedKey[]> {
  const { rows } = await sql<ImportedKey>`
    select i.tenant_id::text as tenant, i.export_sha256, i.seal, ${half('k')} as key, ${half('v')} as voucher
    from imported_signing_keys i join signing_keys k on k.key_id = i.key_id join signing_keys v on v.key_id = i.vouched_by
    where i.tenant_id = current_tenant()`.execute(tx)
  return rows
}
