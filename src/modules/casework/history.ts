import { Type } from 'typebox'
import { query } from '#action'
import { Id, IdParams, Nullable, Person, Timestamp } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { type CaseAccess, type CaseRef, columnOf, nounOf, openCase, ownerOf } from './access.ts'

interface HistoryLine {
  move: string
  from_status: string | null
  to_status: string
  reason: string | null
  signature_id?: number | null
}

/** One line for each transition; in the first, `from_status` is null. */
export async function addHistory(tx: Tx, ref: CaseRef, line: HistoryLine): Promise<void> {
  await tx
    .insertInto('record_history')
    .values({ ...ownerOf(ref), ...line })
    .execute()
}

const HistoryEntry = Type.Object({
  id: Id,
  move: Type.String(),
  from: Nullable(Type.String()),
  to: Type.String(),
  user: Nullable(Person),
  reason: Nullable(Type.String()),
  signature_id: Nullable(Id),
  occurred_at: Timestamp,
})

export const history = (access: CaseAccess) =>
  query({
    summary: `Read the history of a ${nounOf[access.kind]}`,
    description: 'Its transitions, in order.',
    permission: access.permissions.read,
    input: { params: IdParams },
    response: Type.Array(HistoryEntry),
    async run({ tx, actor }, { params }) {
      const { id } = await openCase(tx, actor, access, params.id)
      return tx
        .selectFrom('record_history as h')
        .select([
          'h.id',
          'h.move',
          'h.from_status as from',
          'h.to_status as to',
          'h.reason',
          'h.signature_id',
          'h.occurred_at',
        ])
        .select(personOf('h.user_id').as('user'))
        .where(`h.${columnOf[access.kind]}`, '=', id)
        .orderBy('h.id')
        .execute()
    },
  })
