import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Day, Id, Nullable, OneOf, Person, Timestamp } from '#kernel/schema.ts'
import { builtForEach } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { type CaseKind, type CaseRef, caseKinds, ownerOf } from './base/kinds.ts'

export const ExtensionStatus = OneOf('requested', 'approved', 'rejected')
export type ExtensionStatus = Static<typeof ExtensionStatus>

export const Extension = Type.Object({
  id: Id,
  from_date: Day,
  to_date: Day,
  reason: Type.String(),
  status: ExtensionStatus,
  requested_at: Timestamp,
  requested_by: Person,
  decided_at: Nullable(Timestamp),
  decided_by: Nullable(Person),
  comment: Nullable(Type.String()),
})
export type Extension = Static<typeof Extension>

const select = (tx: Tx, { kind, id }: Pick<CaseRef, 'kind' | 'id'>) =>
  tx
    .selectFrom('due_date_extensions as e')
    .select(['e.id', 'e.from_date', 'e.to_date', 'e.reason', 'e.requested_at', 'e.decided_at', 'e.comment'])
    .select([
      sql<ExtensionStatus>`e.status`.as('status'),
      sql<Person>`${personOf('e.requested_by')}`.as('requested_by'),
      personOf('e.decided_by').as('decided_by'),
    ])
    .where(`e.${caseKinds[kind].column}`, '=', id)

export const listExtensions = (tx: Tx, ref: CaseRef) => select(tx, ref).orderBy('e.id').execute()
export const findExtension = (tx: Tx, ref: CaseRef, id: number) =>
  select(tx, ref).where('e.id', '=', id).executeTakeFirst()
export async function findWaiting(tx: Tx, { kind, id }: CaseRef) {
  const [waiting] = await readWaiting(tx, { kind }, { id })
  return waiting
}
const readWaiting = builtForEach((tx, { kind }: { kind: CaseKind }, { id }: { id: number }) =>
  select(tx, { kind, id }).where('e.status', '=', 'requested'),
)

interface Asked {
  from_date: string
  to_date: string
  reason: string
}
const decidedNow = sql<string>`clock_timestamp()`

/** `decided_by` is set where the requester may decide, and so decides at once. */
export const insertExtension = (tx: Tx, ref: CaseRef, asked: Asked, decided_by: number | null) =>
  tx
    .insertInto('due_date_extensions')
    .values({
      ...ownerOf(ref),
      ...asked,
      status: decided_by === null ? 'requested' : 'approved',
      ...(decided_by !== null && { decided_at: decidedNow, decided_by }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()

export const decideExtension = (
  tx: Tx,
  id: number,
  values: { status: 'approved' | 'rejected'; decided_by: number; comment: string | null },
) =>
  tx
    .updateTable('due_date_extensions')
    .set({ ...values, decided_at: decidedNow })
    .where('id', '=', id)
    .where('status', '=', 'requested')
    .execute()
