import { type RawBuilder, sql } from 'kysely'

/**
 * A condition behind a column. For a single id, the usual case, it lets the server keep the plan: for an array, it would plan anew each
 * time, which takes longer than the statement itself.
 */
export const isOneOf = (ids: readonly number[]): RawBuilder<unknown> =>
  ids.length === 1 ? sql`= ${ids[0]!}::bigint` : sql`= any(${ids}::bigint[])`

/** The columns one after the other, of the table `of`. */
export const listOf = (columns: readonly string[], of?: string): RawBuilder<unknown> =>
  sql.join(columns.map(column => sql.ref(of ? `${of}.${column}` : column)))

/** For `on conflict do update`: all columns, in the rows where one of them differs from the new row. */
export const overwritten = (columns: readonly string[], of: string): RawBuilder<unknown> => sql`
  (${listOf(columns)}) = (${listOf(columns, 'excluded')}) where (${listOf(columns, of)}) is distinct from (${listOf(columns, 'excluded')})`

/** The names of the columns in which two rows differ. */
export const differing = (columns: readonly string[], one: string, other: string): RawBuilder<unknown> => sql`
  array_remove(array[${sql.join(
    columns.map(
      column =>
        sql`case when ${sql.ref(`${one}.${column}`)} is distinct from ${sql.ref(`${other}.${column}`)} then ${sql.lit(column)} end`,
    ),
  )}], null)`
