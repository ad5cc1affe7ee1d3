import { type RawBuilder, sql } from 'kysely'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { isOneOf } from '../columns-queries.ts'
import type { CountedCapa, CountedEffectivenessReview } from './capa-facts.ts'
import type { CountedDeviation } from './deviation-facts.ts'
import type { CountedDocument } from './document-facts.ts'
import type { Fact, Resource } from './fact.ts'
import type { CountedAssignment } from './training-facts.ts'

/** A record as one zone counts it. */
export type Counted<Row> = Row & {
  zone_id: number
  record_id: number
  /** The facts stored for it, as of the same moment as its columns; null if it is not counted yet. */
  stored: Fact[] | null
}

/** These records, in one zone or in every zone that is counted. */
export interface Choice {
  ids: readonly number[]
  zone_id?: number
}

/** The records of a type. */
export interface Records<Row> {
  /** The ids of the next records after this one. */
  list(tx: Tx, after: number, limit: number): Promise<number[]>
  read(tx: Tx, choice: Choice): Promise<Counted<Row>[]>
}

/** Reads columns of the rows `r` of a table. */
const recordsOf = <Row>(resource: Resource, table: string, columns: RawBuilder<unknown>): Records<Row> => {
  // The stored facts are looked up record by record: without statistics of the table a join could read all of them.
  const reading = (isThese: RawBuilder<unknown>, isCounted: RawBuilder<unknown>) => sql<Counted<Row>>`
      select z.id as zone_id, r.id as record_id, (select s.facts from stat_records s where s.tenant_id = z.tenant_id
        and s.zone_id = z.id and s.resource = ${sql.lit(resource)} and s.record_id = r.id) as stored, ${columns}
      from stat_zones z join ${sql.table(table)} r on r.tenant_id = z.tenant_id
      where ${isCounted} and r.id ${isThese}
      order by r.id`
  const isCurrent = sql`z.replaced_at is null`
  const readOne = builtOnce((_tx, { id }: { id: number }) => reading(isOneOf([id]), isCurrent))
  return {
    async list(tx, after, limit) {
      const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)}
      where tenant_id = current_tenant() and id > ${after} order by id limit ${limit}`.execute(tx)
      return rows.map(({ id }) => id)
    },
    async read(tx, { ids, zone_id }) {
      const [id, ...others] = ids
      if (id !== undefined && others.length === 0 && zone_id === undefined) return readOne(tx, { id })
      const isCounted = zone_id === undefined ? isCurrent : sql`z.id = ${zone_id}`
      return (await reading(isOneOf(ids), isCounted).execute(tx)).rows
    },
  }
}

/** The day of a moment in the zone `z`. */
const dayOf = (moment: string) => sql`(${sql.ref(moment)} at time zone z.time_zone)::date`

export const documents = recordsOf<CountedDocument>(
  'document',
  'documents',
  sql`${dayOf('r.created_at')} as created_on,
    (select jsonb_build_object('document_type_id', r.document_type_id, 'status', v.status, 'status_kind', v.status_kind,
        'category', v.category, 'keywords', v.keywords, 'pending_status', (select l.status from document_versions l
          where l.tenant_id = r.tenant_id and l.id = r.latest_version_id and l.id <> v.id and l.status_kind in ('initial', 'review')))
      from document_versions v where v.tenant_id = r.tenant_id and v.id = r.shown_version_id) as shown,
    (select coalesce(jsonb_agg(jsonb_build_object('change_type', v.change_type, 'created_on', ${dayOf('v.created_at')},
        'submitted_on', ${dayOf('v.submitted_at')}, 'approved_on', ${dayOf('v.approved_at')},
        'is_pending', v.status_kind = 'review' and not v.is_waiting, 'review_due_date', v.review_due_date) order by v.id), '[]')
      from document_versions v where v.tenant_id = r.tenant_id and v.document_id = r.id) as versions,
    (select coalesce(jsonb_agg(${dayOf('h.occurred_at')} order by h.id), '[]') from document_history h
      where h.tenant_id = r.tenant_id and h.document_id = r.id and h.transition = 'reject') as rejected_on,
    (select coalesce(jsonb_agg(jsonb_build_object('due_date', p.due_date, 'decided_on', ${dayOf('p.decided_at')}) order by p.id), '[]')
      from document_reviews p where p.tenant_id = r.tenant_id and p.document_id = r.id) as reviews`,
)

const transitionsOf = (column: string) =>
  sql`(select coalesce(jsonb_agg(jsonb_build_object('transition', h.transition, 'day', ${dayOf('h.occurred_at')}) order by h.id), '[]')
    from record_history h
    where h.tenant_id = r.tenant_id and ${sql.ref(column)} = r.id and h.transition in ('close', 'reopen', 'not_effective'))`

export const deviations = recordsOf<CountedDeviation>(
  'deviation',
  'deviations',
  sql`r.severity, r.category, r.root_cause_category, r.department, r.status, r.due_date, r.original_due_date, r.extension_count,
    is_open_deviation(r.status) as is_open, is_reported_late(r.detected_at, r.reported_at) as is_late,
    ${dayOf('r.detected_at')} as detected_on, ${dayOf('r.reported_at')} as reported_on, ${dayOf('r.closed_at')} as closed_on,
    ${transitionsOf('h.deviation_id')} as transitions`,
)

export const capas = recordsOf<CountedCapa>(
  'capa',
  'capas',
  sql`r.type, r.source, r.priority, r.status, r.due_date, r.original_due_date, r.extension_count,
    is_open_capa(r.status) and r.status <> 'draft' as is_at_work, ${dayOf('r.created_at')} as created_on,
    (select ${dayOf('h.occurred_at')} from record_history h where h.tenant_id = r.tenant_id and h.capa_id = r.id
      and h.transition = 'approve_draft') as approved_on, ${dayOf('r.closed_at')} as closed_on, ${transitionsOf('h.capa_id')} as transitions`,
)

export const effectivenessReviews = recordsOf<CountedEffectivenessReview>(
  'effectiveness_review',
  'effectiveness_reviews',
  sql`r.result, ${dayOf('r.completed_at')} as completed_on`,
)

export const assignments = recordsOf<CountedAssignment>(
  'training_assignment',
  'training_assignments',
  sql`is_open_training_assignment(r.status) as is_open, r.due_date, ${dayOf('r.assigned_at')} as assigned_on,
    ${dayOf('r.completed_at')} as completed_on,
    (select jsonb_build_object('submitted_on', ${dayOf('t.submitted_at')}, 'passed', t.passed) from training_attempts t
      where t.tenant_id = r.tenant_id and t.assignment_id = r.id and t.attempt_number = 1) as first_attempt`,
)
