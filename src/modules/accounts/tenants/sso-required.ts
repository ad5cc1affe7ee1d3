import { conflict } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { findCredentials, listBreakGlass } from '../queries.ts'
import { readSettings } from './settings.ts'

/** Refuses what would leave a company that requires single sign-on without anybody who gets in when the provider fails. */
export async function requireBreakGlassBeside(tx: Tx, userId: number) {
  const [settings, accounts] = await Promise.all([readSettings(tx), listBreakGlass(tx)])
  if (!settings.sso_required || !accounts.some(({ id }) => id === userId)) return
  if (!accounts.some(({ id, is_active, has_totp }) => id !== userId && is_active && has_totp))
    throw conflict(messages.break_glass_last())
}

/** A break-glass account is an Admin for as long as it is one. */
export async function refuseBreakGlass(tx: Tx, userId: number) {
  if ((await findCredentials(tx, userId))?.is_break_glass) throw conflict(messages.break_glass_fixed())
}

/** Refuses to give somebody a password where passwords do not log in. */
export async function requirePasswords(tx: Tx) {
  if ((await readSettings(tx)).sso_required) throw conflict(messages.sso_password_not_used())
}
