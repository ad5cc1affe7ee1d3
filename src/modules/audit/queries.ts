import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, endOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { AuditFilter } from './schema.ts'

const selectEntries = (tx: Tx) =>
  tx
    .selectFrom('audit_entries')
    .select([
      'id',
      'occurred_at',
      'outcome',
      'action',
      'resource_type',
      'resource_id',
      'resource_number',
      'changes',
      'reason',
      'request_id',
      'client_addr',
    ])
    .select(
      sql<{
        id: number | null
        username: string
        role: string
      }>`jsonb_build_object('id', user_id, 'username', username, 'role', user_role)`.as('user'),
    )

const matches =
  ({ user_id, action, resource_type, resource_id, outcome, date_from, date_to, q }: AuditFilter) =>
  (e: ExpressionBuilder<Tables, 'audit_entries'>) =>
    e.and([
      ...(user_id ? [e('user_id', '=', user_id)] : []),
      ...(action ? [e('action', '=', action)] : []),
      ...(resource_type ? [e('resource_type', '=', resource_type)] : []),
      ...(resource_id ? [e('resource_id', '=', resource_id)] : []),
      ...(outcome ? [e('outcome', '=', outcome)] : []),
      ...(date_from ? [e('occurred_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('occurred_at', '<', endOf(date_to))] : []),
      ...(q
        ? [
            e.or([
              e('reason', 'ilike', contains(q)),
              e('resource_number', 'ilike', contains(q)),
              e('username', 'ilike', contains(q)),
            ]),
          ]
        : []),
    ])

export const listEntries = (
  tx: Tx,
  filter: AuditFilter,
  { field, direction }: Sort<'id' | 'occurred_at'>,
  limit: number,
  offset: number,
) =>
  selectEntries(tx)
    .where(matches(filter))
    .orderBy(field, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countEntries = (tx: Tx, filter: AuditFilter) =>
  tx
    .selectFrom('audit_entries')
    .select(e => e.fn.countAll<number>().as('total'))
    .where(matches(filter))
    .executeTakeFirstOrThrow()

export const findEntry = (tx: Tx, id: number) => selectEntries(tx).where('id', '=', id).executeTakeFirst()

/** Which entries are about one record: a document, its signatures, and what was refused of it. */
export interface RecordScope {
  document_id: number
  number: string
  signature_ids: number[]
}

/** A page of them, in their order, behind the entry `after`. */
export const listEntriesOf = (
  tx: Tx,
  { document_id, number, signature_ids }: RecordScope,
  after: number,
  limit: number,
) =>
  selectEntries(tx)
    .where('id', '>', after)
    .where(e =>
      e.or([
        e.and([e('resource_type', '=', 'document'), e('resource_id', '=', document_id)]),
        e.and([e('resource_type', '=', 'signature'), e('resource_id', '=', e.fn.any(e.val(signature_ids)))]),
        e.and([
          e('resource_type', '=', 'access'),
          sql<boolean>`starts_with(reason, ${`${number} (${document_id}): `})`,
        ]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
export type RecordEntry = Awaited<ReturnType<typeof listEntriesOf>>[number]
