import type { Tx } from '#platform/db/database.ts'
import type { CaseKind } from './access.ts'

/** An extension request awaits its decision. */
export const awaitsExtension = async (tx: Tx, kind: CaseKind, id: number) =>
  (await tx
    .selectFrom('due_date_extensions')
    .select('id')
    .where(`${kind}_id`, '=', id)
    .where('status', '=', 'requested')
    .executeTakeFirst()) !== undefined
