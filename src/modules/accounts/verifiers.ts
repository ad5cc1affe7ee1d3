import type { Tx } from '#platform/db/database.ts'
import { listHolders } from './people-queries.ts'
import { lockUser } from './queries.ts'

/** The people who could have got into the account since its identity was verified, with this one. */
export async function openersWith(tx: Tx, id: number, opener: number): Promise<number[]> {
  const { account_openers } = (await lockUser(tx, id))!
  return [...new Set([...account_openers, opener])]
}

/** The change of a user whose password was reset: signing waits for a verification by a person who is not among the openers. */
export const identityReset = async (tx: Tx, id: number, opener: number, now: Date) => ({
  identity_reset_at: now.toISOString(),
  account_openers: await openersWith(tx, id, opener),
  identity_verified_at: null,
  identity_verified_by: null,
  identity_verified_method: null,
  identity_verified_note: null,
})

/** The people who can verify who the user is after a reset. */
export async function listVerifiers(tx: Tx, id: number): Promise<number[]> {
  const { created_by, account_openers } = (await lockUser(tx, id))!
  const holders = await listHolders(tx, 'users.verify_identity')
  return holders.filter(each => each !== id && each !== created_by && !account_openers.includes(each))
}
