import { type ExpressionBuilder, sql } from 'kysely'
import { contains, endOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { seqOf } from './queries.ts'
import type { EntryFilter } from './schema.ts'

/** The index of records begins with their type, so a filter by id needs all types. */
const ofAnyType = sql<boolean>`resource_type in (with recursive types as (
  (select resource_type from audit_entries order by resource_type limit 1)
  union all
  select next.resource_type from types cross join lateral (select t.resource_type from audit_entries t
    where t.resource_type > types.resource_type order by t.resource_type limit 1) next) select resource_type from types)`

/** AUD-02: selects the entries of a filter. */
export const matches =
  ({ user_id, action, resource_type, resource_id, outcome, date_from, date_to, seq_from, seq_to, q }: EntryFilter) =>
  (e: ExpressionBuilder<Tables, 'audit_entries'>) =>
    e.and([
      ...(user_id ? [e('user_id', '=', user_id)] : []),
      ...(action ? [e('action', '=', action)] : []),
      ...(resource_type ? [e('resource_type', '=', resource_type)] : []),
      ...(resource_id ? [e('resource_id', '=', resource_id), ...(resource_type ? [] : [ofAnyType])] : []),
      ...(outcome ? [e('outcome', '=', outcome)] : []),
      ...(date_from ? [e('occurred_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('occurred_at', '<', endOf(date_to))] : []),
      ...(seq_from || seq_to
        ? [sql<boolean>`${seqOf} between ${seq_from ?? 1} and ${seq_to ?? Number.MAX_SAFE_INTEGER}`]
        : []),
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
