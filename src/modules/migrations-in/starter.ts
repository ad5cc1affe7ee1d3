import type { Actor } from '#action'
import { actorOfUser } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import type { BatchRow } from './queries.ts'

/** The person who began the batch, also where their account is closed by now: they brought in what is loaded. */
export const starterOf = async (tx: Tx, { started_by }: Pick<BatchRow, 'started_by'>): Promise<Actor> =>
  (await actorOfUser(tx, started_by.id))!
