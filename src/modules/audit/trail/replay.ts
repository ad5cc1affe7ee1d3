import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Actor, Services } from '#action'
import type { ResourceType } from '#kernel/catalogue.ts'
import { dayIn } from '#kernel/day.ts'
import { conflict, forbidden, invalid, issueAt } from '#kernel/errors.ts'
import { DayOrMoment, type Person, Timestamp } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import type { Changes } from './rules.ts'

export const asOf = Type.Optional(
  Type.Union(DayOrMoment.anyOf, {
    description:
      'Reconstructs the record from the audit trail, as it was at a moment, or at the end of a day in the time zone of the tenant. Needs the permission audit.read',
  }),
)

/** Marks an answer that was reconstructed from the audit trail. */
export const Reconstruction = Type.Object(
  {
    as_of: Timestamp,
    left_out: Type.Array(Type.String(), {
      description: 'The fields that the audit trail does not have: they are missing or empty',
    }),
    unknown: Type.Array(Type.String(), {
      description:
        'The times of changes whose details were redacted: from the first on, the values that they changed may differ from this answer',
    }),
  },
  { description: 'The answer is reconstructed from the audit trail, and is not the record itself' },
)
export type Reconstruction = Static<typeof Reconstruction>

/** The last moment that counts, and its day in the time zone of the tenant. */
export interface Moment {
  at: string
  today: string
}

function requireAuditReader({ permissions }: Actor) {
  const permission = 'audit.read'
  if (!permissions.has(permission)) throw forbidden(messages.audit_as_of_permission_required({ permission }))
}

export async function momentOf(
  { tx, actor, services }: { tx: Tx; actor: Actor; services: Services },
  as_of: string,
): Promise<Moment> {
  requireAuditReader(actor)
  const { time_zone } = await readSettings(tx)
  const isDay = as_of.length === 10
  const { rows } = await sql<{ at: string }>`select ${
    isDay
      ? sql`(${as_of}::date + 1)::timestamp at time zone ${time_zone} - interval '1 microsecond'`
      : sql`${as_of}::timestamptz`
  } as at`.execute(tx)
  const { at } = rows[0]!
  const now = services.clock.now()
  if (Date.parse(at) > now.getTime())
    throw invalid(
      issueAt(
        ['query', 'as_of'],
        isDay ? messages.audit_as_of_day_not_over({ today: dayIn(time_zone, now) }) : messages.audit_as_of_in_future(),
      ),
    )
  return { at, today: dayIn(time_zone, new Date(at)) }
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

/**
 * Refuses if the first entry was redacted, or a later one with which a part of the record began: later entries only have changes of values
 * that are then unknown.
 */
export function requireBeginning(events: readonly RecordedEvent[], beginnings: readonly string[] = []) {
  if (events.some((each, at) => each.is_redacted && (at === 0 || beginnings.includes(each.action))))
    throw conflict(messages.audit_beginning_redacted())
}

/** The last value of a field, with its event. */
interface Held {
  value: unknown
  event: RecordedEvent
}

/** The fields of a record after all its events. */
export class Replayed {
  readonly events: readonly RecordedEvent[]
  readonly #fields: ReadonlyMap<string, Held>

  constructor(events: readonly RecordedEvent[]) {
    this.events = events
    this.#fields = new Map(
      events.flatMap(event => Object.entries(event.changes).map(([name, { to }]) => [name, { value: to, event }])),
    )
  }

  /** Null if no event has the field. */
  get<T>(field: string): T {
    return (this.#fields.get(field)?.value ?? null) as T
  }
  /** The time of the last change of the field. */
  since(field: string): string | null {
    return this.#fields.get(field)?.event.at ?? null
  }
  /** The person who changed the field last. */
  by(field: string): Person | null {
    return this.#fields.get(field)?.event.by ?? null
  }
  /** The part of the answer that marks it as reconstructed. */
  asOf(as_of: string, left_out: string[]): Reconstruction {
    return { as_of, left_out, unknown: this.events.filter(each => each.is_redacted).map(each => each.at) }
  }
}

/** The fields of a record at a moment; undefined if it has no events by then. */
export async function replay(
  tx: Tx,
  { resource_type, resource_id }: { resource_type: ResourceType; resource_id: number },
  at: string,
): Promise<Replayed | undefined> {
  const events = (await listRecordedEvents(tx, resource_type, [resource_id], at)).get(resource_id)
  return events && new Replayed(events)
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
