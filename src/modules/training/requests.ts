import type { Tx } from '#platform/db/database.ts'

/** Selects the people whom the request for verification still awaits. */
async function stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  if (type !== 'training_verification_requested') return []
  const waiting = await tx
    .selectFrom('training_assignments')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'completed')
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  return waiting ? user_ids : []
}

export const requestsOfTraining = { permission: 'training.read_all', stillAsks } as const
