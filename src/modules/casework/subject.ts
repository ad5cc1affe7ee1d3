import type { Tx } from '#platform/db/database.ts'
import type { CaseKind } from './access.ts'

/** The fields by which notifications name a deviation or a CAPA. */
export const recordSubject = (tx: Tx, kind: CaseKind, id: number) =>
  tx
    .selectFrom(kind === 'deviation' ? 'deviations' : 'capas')
    .select(['number', 'title', 'status as state'])
    .where('id', '=', id)
    .executeTakeFirst()
