import { type ExpressionBuilder, type Insertable, sql } from 'kysely'
import type { ResourceType } from '#kernel/catalogue.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, endOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type Dimension, valuesOf } from './filter.ts'
import type { EntryFilter } from './schema.ts'

/** The place in the log; null until it is sealed. */
export const seqOf = sql<
  number | null
>`(select seq from audit_leaves l where l.tenant_id = audit_entries.tenant_id and l.entry_id = audit_entries.id)`

/** The redacted parts of an entry; a redacted part has no salt. */
const redacted = sql<
  ('person' | 'detail')[]
>`array_remove(array[case when audit_entries.person_salt is null then 'person' end, case when audit_entries.detail_salt is null then 'detail' end], null)`

/** The index of records begins with their type, so a filter by id needs all types. */
const ofAnyType = sql<boolean>`resource_type in (with recursive types as (
  (select resource_type from audit_entries order by resource_type limit 1)
  union all
  select next.resource_type from types cross join lateral (select t.resource_type from audit_entries t
    where t.resource_type > types.resource_type order by t.resource_type limit 1) next) select resource_type from types)`

/** AUD-02: selects the entries of a filter. */
export const matches = (filter: EntryFilter) => (e: ExpressionBuilder<Tables, 'audit_entries'>) => {
  const { resource_id, date_from, date_to, seq_from, seq_to, q } = filter
  const ofValues = valuesOf(filter)
  const isOfTypes = ofValues.some(([column]) => column === 'resource_type')
  return e.and([
    ...ofValues.map(([column, values]) => isOneOf(column, values)),
    ...(resource_id ? [e('resource_id', '=', resource_id), ...(isOfTypes ? [] : [ofAnyType])] : []),
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
}

const isOneOf = (column: Dimension, values: readonly string[]) =>
  column === 'user_id'
    ? sql<boolean>`audit_entries.user_id = any(${values}::bigint[])`
    : sql<boolean>`${sql.ref(`audit_entries.${column}`)} = any(${values}::text[])`

export const selectEntries = (tx: Tx) =>
  tx
    .selectFrom('audit_entries')
    .select([
      'audit_entries.id',
      'occurred_at',
      'outcome',
      'action',
      'resource_type',
      'resource_id',
      'resource_number',
      'resource_revision',
      'changes',
      'reason',
      'request_id',
      'client_addr',
    ])
    .select([
      redacted.as('redacted'),
      sql<{
        id: number | null
        username: string
        role: string
      }>`jsonb_build_object('id', audit_entries.user_id, 'username', audit_entries.username, 'role', audit_entries.user_role)`.as(
        'user',
      ),
    ])

const entryWhole = builtOnce((tx, { id }: { id: number }) =>
  selectEntries(tx).select(seqOf.as('seq')).where('id', '=', id),
)
export async function findEntry(tx: Tx, id: number) {
  const [row] = await entryWhole(tx, { id })
  return row
}

/** Selects the entries of one record: its own, those of its parts and signatures, and refused attempts. */
export interface RecordScope {
  resources: { type: ResourceType; ids: readonly number[] }[]
  /** The records that a refused attempt names. */
  refused: readonly { id: number; number: string }[]
}

/** A page of these entries in order, behind the entry `after`. It has no places in the log, so that two dossiers of one record are equal. */
export const listEntriesOf = (tx: Tx, { resources, refused }: RecordScope, after: number, limit: number) =>
  selectEntries(tx)
    .where('id', '>', after)
    .where(e =>
      e.or([
        ...resources.map(({ type, ids }) =>
          e.and([e('resource_type', '=', type), sql<boolean>`resource_id = any(${ids}::bigint[])`]),
        ),
        e.and([
          e('resource_type', '=', 'access'),
          sql<boolean>`split_part(audit_entries.reason, ': ', 1) = any(${refused.map(({ id, number }) => `${number} (${id})`)}::text[])`,
        ]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
export type RecordEntry = Awaited<ReturnType<typeof listEntriesOf>>[number]

type NewEntry = Pick<Insertable<Tables['audit_entries']>, (typeof columnsOfEntry)[number]>
const columnsOfEntry = [
  ...(['username', 'user_role', 'outcome', 'action', 'resource_type', 'resource_id', 'resource_number'] as const),
  ...(['resource_revision', 'changes', 'reason', 'request_id', 'client_addr'] as const),
]

/** Most commands write one. */
export async function insertEntries(tx: Tx, entries: readonly NewEntry[]): Promise<void> {
  const [entry, ...others] = entries
  if (entry && others.length === 0) await insertedEntry(tx, entry)
  else await tx.insertInto('audit_entries').values(entries).execute()
}

const insertedEntry = builtOnce((tx, entry: NewEntry) =>
  tx
    .insertInto('audit_entries')
    .values(Object.fromEntries(columnsOfEntry.map(column => [column, entry[column]])) as unknown as NewEntry),
)
