import { sql } from 'kysely'
import type { ResourceType } from '#kernel/catalogue.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Changes } from './rules.ts'

/** Answers the moment as the database writes it; of a day it is the last microsecond in the time zone. */
export async function readMoment(
  tx: Tx,
  as_of: string,
  { isDay, time_zone }: { isDay: boolean; time_zone: string },
): Promise<string> {
  const { rows } = await sql<{ at: string }>`select ${
    isDay
      ? sql`(${as_of}::date + 1)::timestamp at time zone ${time_zone} - interval '1 microsecond'`
      : sql`${as_of}::timestamptz`
  } as at`.execute(tx)
  return rows[0]!.at
}

/** An event of a record, from its audit entry. */
export interface RecordedEvent {
  resource_id: number
  action: string
  at: string
  by: Person | null
  /** Empty if they were redacted. */
  changes: Changes
  reason: string | null
  is_redacted: boolean
}

/** The events of each of these records up to the moment, in order. */
export async function listRecordedEvents(
  tx: Tx,
  resource_type: ResourceType,
  ids: readonly number[],
  at: string,
): Promise<Map<number, RecordedEvent[]>> {
  const entries = await tx
    .selectFrom('audit_entries as e')
    .leftJoin('users as u', 'u.id', 'e.user_id')
    .select(['e.resource_id', 'e.action', 'e.occurred_at as at', 'e.changes', 'e.reason'])
    .select(sql<boolean>`e.detail_salt is null`.as('is_redacted'))
    .select(
      sql<Person | null>`case when u.id is not null
        then jsonb_build_object('id', u.id, 'username', u.username, 'full_name', u.full_name) end`.as('by'),
    )
    .where('e.resource_type', '=', resource_type)
    .where('e.resource_id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('e.outcome', '=', 'success')
    .where('e.occurred_at', '<=', at)
    .orderBy('e.id')
    .execute()
  const events = entries.map(
    ({ changes, ...each }) => ({ ...each, changes: each.is_redacted ? {} : changes }) as RecordedEvent,
  )
  return Map.groupBy(events, ({ resource_id }) => resource_id)
}

/** Finds people by the usernames in the trail, which never change. */
export async function peopleNamed(tx: Tx, names: readonly (string | null)[]): Promise<(name: string | null) => Person> {
  const people = await tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('username', '=', sql<string>`any(${[...new Set(names)].filter(name => name !== null)}::text[])`)
    .execute()
  const byName = new Map(people.map(person => [person.username, person]))
  return name => byName.get(name!)!
}
