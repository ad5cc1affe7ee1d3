import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

interface Ending {
  id: number
  program_id: number
  user_id: number
  valid_until: string
}

/** Qualifications to renew, of active people who can do the training, in active programs. */
const ending = (tx: Tx, today: string, able: RawBuilder<boolean>) =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.id', 'a.program_id', 'a.user_id', sql<string>`a.valid_until`.as('valid_until')])
    .where('a.notice_on', '<=', today)
    .where('a.status', '=', 'completed')
    .where('p.status', '=', 'active')
    .where(e => e.or([e('p.requires_verification', '=', false), e('a.verified_at', 'is not', null)]))
    .where('u.is_active', '=', true)
    .where(able)

export const listEnding = (tx: Tx, today: string, able: RawBuilder<boolean>, limit: number): Promise<Ending[]> =>
  ending(tx, today, able).orderBy('a.notice_on').orderBy('a.id').limit(limit).execute()

export const lockEnding = (
  tx: Tx,
  ids: readonly number[],
  today: string,
  able: RawBuilder<boolean>,
): Promise<Ending[]> =>
  ending(tx, today, able)
    .where('a.id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute()
