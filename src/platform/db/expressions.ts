import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Tx } from './database.ts'

/** `{id, username, full_name}` of the user that a column names, or null. */
export const personOf = (
  column: string,
): RawBuilder<{ id: number; username: string; full_name: string | null } | null> =>
  sql`(select jsonb_build_object('id', id, 'username', username, 'full_name', full_name) from users where id = ${sql.ref(column)})`

/**
 * The rows that match, planned apart from their order and the limit. With a limit the planner would rather go through the primary key,
 * newest first, until a page is full: where another tenant has the newer records, through all of those. For lists whose matches are counted,
 * so that all of them are read anyway.
 */
export const optimizationFence = <DB, TB extends keyof DB, O>(matched: SelectQueryBuilder<DB, TB, O>) =>
  matched.offset(sql.lit(0))

/** The columns that every change of a record sets: the next revision, the time and the user. */
export const revised = {
  revision: sql<number>`revision + 1`,
  updated_at: sql<string>`now()`,
  updated_by: sql<number | null>`current_actor()`,
}

/** For `ilike`: finds the text anywhere in a value, with its % and _ taken literally. */
export const contains = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** The condition of a filter by assignees, where `none` finds what nobody is assigned. */
export const assignedTo = (column: string, assignees: readonly (number | 'none')[]): RawBuilder<SqlBool> => {
  const ids = assignees.filter(each => each !== 'none')
  const isAny = sql<SqlBool>`${sql.ref(column)} = any(${ids}::bigint[])`
  return assignees.includes('none') ? sql`(${sql.ref(column)} is null or ${isAny})` : isAny
}

/** A moment from within jsonb, in the spelling of the API. */
export const isoMoment = (column: string): RawBuilder<string | null> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The same moment as `isoMoment`, spelled as a column of its own is: without zeros at its end. */
export const sentMoment = (column: string): RawBuilder<string | null> =>
  sql`(regexp_replace(to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\\.?0+$', '') || 'Z')`

/** The name by which lists sort the person that a column names, as they show it. No join, which other sorts would pay for. */
export const sortName = (column: string): RawBuilder<string> =>
  sql`(select lower(coalesce(p.full_name, p.username)) from users p where p.id = ${sql.ref(column)})`

/** The first moment of a filter's `date_from`; for a day, its beginning in UTC. */
export const startOf = (moment: string): RawBuilder<string> =>
  isDay(moment) ? sql`${moment}::timestamp at time zone 'UTC'` : sql`${moment}::timestamptz`

/** The first moment after a filter's `date_to`, which is inclusive; for a day, its end in UTC. */
export const endOf = (moment: string): RawBuilder<string> =>
  isDay(moment)
    ? sql`(${moment}::date + 1)::timestamp at time zone 'UTC'`
    : sql`${moment}::timestamptz + interval '1 microsecond'`

const isDay = (moment: string) => moment.length === 10

export async function countRows<D, T extends keyof D, O>(rows: SelectQueryBuilder<D, T, O>): Promise<number> {
  const counted = rows.select(e => e.fn.countAll<number>().as('n')).$castTo<{ n: number }>()
  return (await counted.executeTakeFirstOrThrow()).n
}

/** A value of a field, and how many records have it; `label` is its name where the value is an id. */
export interface ValueCount {
  value: string | number
  label: string | null
  count: number
}

const mostValues = 100

/** How many of these rows have each `value`, the most frequent first; `q`: only values with this in them; without a limit: all of them. */
export async function countByValue<D, T extends keyof D>(
  tx: Tx,
  rows: SelectQueryBuilder<D, T, { value: string | number | null }>,
  {
    label = sql`null`,
    q = '',
    limit = mostValues,
  }: { label?: RawBuilder<string | null>; q?: string; limit?: number | null } = {},
): Promise<ValueCount[]> {
  const isSought = q === '' ? sql<SqlBool>`true` : sql<SqlBool>`value ilike ${contains(q)}`
  const counted = await sql<ValueCount>`select c.value, ${label} as label, c.count
    from (select value, count(*) as count from (${rows}) r where value is not null and ${isSought}
      group by value order by count desc, value limit ${limit}) c
    order by c.count desc, c.value`.execute(tx)
  return counted.rows
}

/** The column of `file_removals` that names a file of the table. */
type RemovedFile = 'version_id' | 'attachment_id'

const removalOf = (table: string, column: RemovedFile) =>
  sql`file_removals r where r.tenant_id = ${sql.ref(`${table}.tenant_id`)} and r.${sql.ref(column)} = ${sql.ref(`${table}.id`)}
    and r.status in ('approved', 'removed')`

/** Two people removed the content of the file of a row. */
export const isFileRemoved = (table: string, column: RemovedFile): RawBuilder<boolean> =>
  sql`exists (select from ${removalOf(table, column)})`

/** The name of a removed file is hidden where it says too much itself. */
export const shownFileName = (table: string, column: RemovedFile): RawBuilder<string> =>
  sql`case when exists (select from ${removalOf(table, column)} and r.hides_name) then 'removed file' else ${sql.ref(`${table}.file_name`)} end`

/** Why the content of a file is gone. */
export interface RemovalNote {
  id: number
  decided_at: string
  requested_by: { id: number; username: string; full_name: string | null }
  decided_by: { id: number; username: string; full_name: string | null }
  reason: string
  /** Of a file that was disposed of after its retention period. */
  disposal: { id: number; number: string } | null
}
export const removalNote = (table: string, column: RemovedFile): RawBuilder<RemovalNote | null> =>
  sql`(select ${noteOfRemoval} from ${removalOf(table, column)})`
const noteOfRemoval = sql`jsonb_build_object('id', r.id, 'decided_at', ${isoMoment('r.decided_at')}, 'requested_by', ${personOf('r.requested_by')},
    'decided_by', ${personOf('r.decided_by')}, 'reason', r.reason,
    'disposal', (select jsonb_build_object('id', p.id, 'number', p.number) from disposals p where p.id = r.disposal_id))`

/** The batch and the system before of a record that a migration imported: of a row with a `migration_batch_id`. */
export const importedFrom = (row: string): RawBuilder<{ batch: string; source: string } | null> =>
  sql`(select jsonb_build_object('batch', b.number, 'source', b.source_system)
    from migration_batches b where b.id = ${sql.ref(`${row}.migration_batch_id`)})`

/** The record of the disposal of a version that was disposed of after its retention period. */
export interface DisposalNote {
  id: number
  number: string
  disposed_on: string
}
export const disposalNote = (version: string): RawBuilder<DisposalNote | null> =>
  sql`(select jsonb_build_object('id', p.id, 'number', p.number, 'disposed_on', r.disposed_at::date) from disposal_records r
    join disposals p on p.id = r.disposal_id where r.version_id = ${sql.ref(version)} and r.status = 'disposed')`

interface StoredFileRow {
  name: string
  size: number
  content_type: string
  sha256: string
  /** Only where it was removed. */
  removal?: RemovalNote
}

/** The file of a row, in the shape of every answer. */
export const storedFileOf = (table: string, column: RemovedFile): RawBuilder<StoredFileRow> =>
  sql`jsonb_build_object('name', ${shownFileName(table, column)}, 'size', ${sql.ref(`${table}.file_size`)},
    'content_type', ${sql.ref(`${table}.content_type`)}, 'sha256', ${sql.ref(`${table}.sha256`)})
    || coalesce((select jsonb_build_object('removal', ${noteOfRemoval}) from ${removalOf(table, column)}), '{}')`

/** A key that no imported tenant came with. Also before the migration that can tell: then every key is the installation's. */
export const isOwnKey = (alias: string): RawBuilder<SqlBool> =>
  sql`to_jsonb(${sql.ref(alias)}) ->> 'imported_at' is null`
