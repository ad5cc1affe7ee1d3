import { type RawBuilder, sql } from 'kysely'

/** `{id, username, full_name}` of the user that a column names, or null; people are shown so everywhere. */
export const personOf = (
  column: string,
): RawBuilder<{ id: number; username: string; full_name: string | null } | null> =>
  sql`(select jsonb_build_object('id', id, 'username', username, 'full_name', full_name) from users where id = ${sql.ref(column)})`

/** For `ilike`: the text anywhere in a value, its own % and _ taken as they are. */
export const contains = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A moment as it goes over the wire from within jsonb, which has its own spelling. */
export const isoMoment = (column: string): RawBuilder<string | null> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
