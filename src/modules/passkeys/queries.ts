import { type Insertable, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { RevokeReason } from './rules.ts'

export const insertPasskey = (tx: Tx, values: Insertable<Tables['passkeys']>) =>
  tx.insertInto('passkeys').values(values).returning('id').executeTakeFirstOrThrow()

const shown = ['id', 'name', 'is_device_bound', 'is_backed_up', 'created_at', 'last_used_at'] as const

/** Those that are not revoked, the newest first. */
export const listPasskeys = (tx: Tx, userId: number) =>
  tx
    .selectFrom('passkeys')
    .select([...shown, 'transports'])
    .select(sql<Buffer>`credential_id`.as('credential_id'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()

export const findShown = (tx: Tx, id: number) =>
  tx.selectFrom('passkeys').select(shown).where('id', '=', id).executeTakeFirstOrThrow()

const whole = (tx: Tx) =>
  tx
    .selectFrom('passkeys as p')
    .innerJoin('users as u', join => join.onRef('u.tenant_id', '=', 'p.tenant_id').onRef('u.id', '=', 'p.user_id'))
    .select(['p.id', 'p.tenant_id', 'p.user_id', 'p.name', 'p.counter', 'p.is_device_bound'])
    .select(['p.last_challenge_at', 'p.revoked_at', 'u.username'])
    .select([
      sql<Buffer>`p.credential_id`.as('credential_id'),
      sql<Buffer>`p.public_key`.as('public_key'),
      sql<Buffer>`p.seal`.as('seal'),
      sql<Buffer>`u.passkey_handle`.as('handle'),
    ])

/** Two answers of one passkey wait for each other, so that its counter is compared with the newest. */
export const lockPasskey = (tx: Tx, id: number) =>
  whole(tx).where('p.id', '=', id).forNoKeyUpdate('p').executeTakeFirst()
export type KnownPasskey = NonNullable<Awaited<ReturnType<typeof lockPasskey>>>

export const lockPasskeyOf = (tx: Tx, userId: number, credential: Buffer) =>
  whole(tx)
    .where('p.user_id', '=', userId)
    .where('p.credential_id', '=', credential)
    .forNoKeyUpdate('p')
    .executeTakeFirst()

/** Those of all users that are not revoked. */
export const listLivePasskeys = (tx: Tx) => whole(tx).where('p.revoked_at', 'is', null).orderBy('p.id').execute()

export const storeSeal = (tx: Tx, id: number, seal: Buffer) =>
  tx.updateTable('passkeys').set({ seal }).where('id', '=', id).where('revoked_at', 'is', null).execute()

/** Whose passkey it is; in every tenant. */
export const findByCredential = async (tx: Tx, credential: Buffer) =>
  (
    await sql<{ tenant_id: number; user_id: number; passkey_id: number }>`
      select tenant_id, user_id, passkey_id from find_passkey(${credential})`.execute(tx)
  ).rows[0]

/** Passkeys of one person are registered one after another. */
export const lockOwner = (tx: Tx, userId: number) =>
  tx
    .selectFrom('credentials')
    .select('user_id')
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()

export const findHandle = async (tx: Tx, userId: number) =>
  (
    await tx
      .selectFrom('users')
      .select(sql<Buffer>`passkey_handle`.as('handle'))
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
  ).handle

interface Use {
  counter: number
  is_backed_up: boolean
  last_used_at: string
  last_challenge_at?: string
  seal?: Buffer
}
export const noteUse = (tx: Tx, id: number, use: Use) =>
  tx.updateTable('passkeys').set(use).where('id', '=', id).execute()

export const renamePasskey = (tx: Tx, id: number, name: string) =>
  tx.updateTable('passkeys').set({ name }).where('id', '=', id).execute()

interface Revocation {
  at: Date
  by: number | null
  reason: RevokeReason
}
export const revokePasskey = (tx: Tx, id: number, { at, by, reason }: Revocation) =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: at.toISOString(), revoked_by: by, revoke_reason: reason })
    .where('id', '=', id)
    .execute()

export const hasUser = async (tx: Tx, id: number) =>
  (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
