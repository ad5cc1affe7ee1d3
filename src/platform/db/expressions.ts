import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'

/** `{id, username, full_name}` of the user that a column names, or null; people are shown so everywhere. */
export const personOf = (
  column: string,
): RawBuilder<{ id: number; username: string; full_name: string | null } | null> =>
  sql`(select jsonb_build_object('id', id, 'username', username, 'full_name', full_name) from users where id = ${sql.ref(column)})`

/** The file of a row, as it is shown everywhere. */
export const storedFileOf = (
  table: string,
): RawBuilder<{ name: string; size: number; content_type: string; sha256: string }> =>
  sql`jsonb_build_object('name', ${sql.ref(`${table}.file_name`)}, 'size', ${sql.ref(`${table}.file_size`)},
    'content_type', ${sql.ref(`${table}.content_type`)}, 'sha256', ${sql.ref(`${table}.sha256`)})`

/** What each change of a record sets beside what it changes: its next revision, when, and who. */
export const revised = {
  revision: sql<number>`revision + 1`,
  updated_at: sql<string>`now()`,
  updated_by: sql<number | null>`current_actor()`,
}

/** For `ilike`: the text anywhere in a value, its own % and _ taken as they are. */
export const contains = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A moment as it goes over the wire from within jsonb, which has its own spelling. */
export const isoMoment = (column: string): RawBuilder<string | null> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The first moment of a filter's `date_from`: of a day its beginning (UTC). */
export const startOf = (moment: string): RawBuilder<string> =>
  isDay(moment) ? sql`${moment}::timestamp at time zone 'UTC'` : sql`${moment}::timestamptz`

/** The first moment behind a filter's `date_to`, which is within the range itself: a day to its end (UTC). */
export const endOf = (moment: string): RawBuilder<string> =>
  isDay(moment)
    ? sql`(${moment}::date + 1)::timestamp at time zone 'UTC'`
    : sql`${moment}::timestamptz + interval '1 microsecond'`

const isDay = (moment: string) => moment.length === 10

export async function countRows<D, T extends keyof D, O>(rows: SelectQueryBuilder<D, T, O>): Promise<number> {
  const counted = rows.select(e => e.fn.countAll<number>().as('n')).$castTo<{ n: number }>()
  return (await counted.executeTakeFirstOrThrow()).n
}
