import { type Static, Type } from 'typebox'
import type { Actor, Services } from '#action'
import type { ResourceType } from '#kernel/catalogue.ts'
import { dayIn } from '#kernel/day.ts'
import { conflict, forbidden, invalid, issueAt } from '#kernel/errors.ts'
import { DayOrMoment, type Person, Timestamp } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { listRecordedEvents, type RecordedEvent, readMoment } from './replay-queries.ts'

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
  const at = await readMoment(tx, as_of, { isDay, time_zone })
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
