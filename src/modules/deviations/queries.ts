import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { narrowing, type Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import { type Due, linkIds } from '#modules/casework'
import { builtForEach, builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  assignedTo,
  countByValue,
  countRows,
  endOf,
  importedFrom,
  optimizationFence,
  personOf,
  revised,
  shownFileName,
  sortName,
  startOf,
} from '#platform/db/expressions.ts'
import { keptCount } from '#platform/db/kept-counts.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Severity, State } from './rules.ts'
import type { Deviation, DeviationFilter, DeviationSummary } from './schema.ts'

const sortColumns = {
  id: sql.ref('d.id'),
  number: sql.ref('d.number'),
  title: sql.ref('d.title'),
  severity: sql.ref('d.severity'),
  status: sql.ref('d.status'),
  category: sql.ref('d.category'),
  department: sql.ref('d.department'),
  reported_by: sortName('d.reported_by'),
  assigned_to: sortName('d.assigned_to'),
  detected_at: sql.ref('d.detected_at'),
  reported_at: sql.ref('d.reported_at'),
  due_date: sql.ref('d.due_date'),
  created_at: sql.ref('d.created_at'),
  updated_at: sql.ref('d.updated_at'),
  closed_at: sql.ref('d.closed_at'),
} satisfies Record<string, RawBuilder<unknown>>
export const deviationSorts = Object.keys(sortColumns) as (keyof typeof sortColumns)[]
type DeviationSort = Sort<(typeof deviationSorts)[number]>

const isOverdue = (today: string) => sql<boolean>`(d.due_date < ${today} and is_open_deviation(d.status))`

/** The filter with the day by which overdue is decided. */
type Asked = Omit<DeviationFilter, 'overdue'> & { due?: Due }

const { document_ids, capa_ids, is_recurrence } = linkIds.deviation('d')

const summaryParts = [
  sql<Severity>`d.severity`.as('severity'),
  sql<State>`d.status`.as('status'),
  sql<DeviationSummary['category']>`d.category`.as('category'),
  sql<Person>`${personOf('d.reported_by')}`.as('reported_by'),
  personOf('d.assigned_to').as('assigned_to'),
  is_recurrence.as('is_recurrence'),
  document_ids.as('document_ids'),
  capa_ids.as('capa_ids'),
  personOf('d.created_by').as('created_by'),
  personOf('d.updated_by').as('updated_by'),
] as const

const summaryColumns = [
  'd.id',
  'd.number',
  'd.title',
  'd.department',
  'd.occurred_at',
  'd.detected_at',
  'd.reported_at',
  'd.due_date',
  'd.extension_count',
  'd.closed_at',
  'd.created_at',
  'd.updated_at',
  'd.revision',
] as const

type Matched = ExpressionBuilder<Tables & Record<'d', Tables['deviations']>, 'd'>

const matching = (filter: Asked) => (e: Matched) => {
  const { status, severity, category, department, assigned_to, reported_by, document_id, capa_id } = filter
  const { date_from, date_to, reported_from, reported_to, closed_from, closed_to, root_cause_category, due, q } = filter
  return e.and([
    ...(status ? [e('d.status', 'in', status)] : []),
    ...(severity ? [e('d.severity', 'in', severity)] : []),
    ...(category ? [e('d.category', 'in', category)] : []),
    ...(department ? [e('d.department', 'in', department)] : []),
    ...(assigned_to ? [assignedTo('d.assigned_to', assigned_to)] : []),
    ...(reported_by ? [e('d.reported_by', 'in', reported_by)] : []),
    ...(document_id
      ? [sql<SqlBool>`d.id in (select deviation_id from deviation_documents where document_id = ${document_id})`]
      : []),
    ...(capa_id ? [sql<SqlBool>`d.id in (select deviation_id from deviation_capas where capa_id = ${capa_id})`] : []),
    ...(date_from ? [e('d.detected_at', '>=', startOf(date_from))] : []),
    ...(date_to ? [e('d.detected_at', '<', endOf(date_to))] : []),
    ...(reported_from ? [e('d.reported_at', '>=', startOf(reported_from))] : []),
    ...(reported_to ? [e('d.reported_at', '<', endOf(reported_to))] : []),
    ...(closed_from ? [e('d.closed_at', '>=', startOf(closed_from))] : []),
    ...(closed_to ? [e('d.closed_at', '<', endOf(closed_to))] : []),
    ...(root_cause_category ? [e('d.root_cause_category', 'in', root_cause_category)] : []),
    ...(due ? [due.overdue ? isOverdue(due.today) : e.not(isOverdue(due.today))] : []),
    ...(q ? [sql<SqlBool>`d.id = any(array(select find_deviations(${q})))`] : []),
  ])
}

/** Critical, major and minor are in alphabetical order from the gravest to the least, so the sort direction is reversed. */
const turned = { asc: 'desc', desc: 'asc' } as const

/** The total of these filters is kept, so that it need not be counted. */
export const isCounted = (filter: Asked) => narrowing(filter).every(field => field === 'status')

/** Selects the ids of the page first, so that skipped rows cost no joins. */
const pageOfThem = (tx: Tx, filter: Asked, { field, direction }: DeviationSort, limit: number, offset: number) => {
  const way = field === 'severity' ? turned[direction] : direction
  const matched = tx
    .selectFrom('deviations as d')
    .select(['d.id', sql`${sortColumns[field]}`.as('place')])
    .where(matching(filter))
  return tx
    .selectFrom('deviations as d')
    .select(summaryColumns)
    .select(summaryParts)
    .where(
      'd.id',
      'in',
      tx
        .selectFrom((isCounted(filter) ? matched : optimizationFence(matched)).as('m'))
        .select('m.id')
        .orderBy('m.place', way)
        .orderBy('m.id', way)
        .limit(limit)
        .offset(offset),
    )
    .orderBy(sortColumns[field], way)
    .orderBy('d.id', way)
}

const pageOfAll = builtForEach((tx, sort: DeviationSort, { limit, offset }: { limit: number; offset: number }) =>
  pageOfThem(tx, {}, sort, limit, offset),
)

export const listDeviations = (tx: Tx, filter: Asked, sort: DeviationSort, limit: number, offset: number) =>
  narrowing(filter).length === 0
    ? pageOfAll(tx, sort, { limit, offset })
    : pageOfThem(tx, filter, sort, limit, offset).execute()

export const countDeviations = (tx: Tx, filter: Asked) =>
  isCounted(filter)
    ? keptCount(tx, 'deviations.status', filter.status)
    : countRows(tx.selectFrom('deviations as d').where(matching(filter)))

/** Everybody who may read deviations may read all of them. */
export const listNamedDeviations = (tx: Tx, sought: SoughtName, limit: number): Promise<NamedRecord[]> =>
  tx
    .selectFrom(namedRecords('deviation', sought, limit))
    .innerJoin('deviations as d', 'd.id', 'n.record_id')
    .select(['d.id', 'd.number', 'd.title', 'd.status', 'n.place'])
    .orderBy('n.place')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute()

export const deviationFacets = ['status', 'severity', 'category', 'department'] as const

/** How many have each value of a field, by the filter without that field. */
export const countDeviationsBy = (tx: Tx, field: (typeof deviationFacets)[number], filter: Asked) =>
  countByValue(
    tx,
    tx
      .selectFrom('deviations as d')
      .where(matching({ ...filter, [field]: undefined }))
      .select(`d.${field} as value`),
  )

export const deviationValues = ['department', 'affected_items'] as const

const usedValues = {
  department: sql<string>`d.department`,
  affected_items: sql<string>`jsonb_array_elements(d.affected_items) ->> 'identifier'`,
}

/** What deviations have in a field that people fill in freely; of what is affected, the identifiers. */
export const listDeviationValues = (
  tx: Tx,
  field: (typeof deviationValues)[number],
  part: { q: string; limit: number },
) => countByValue(tx, tx.selectFrom('deviations as d').select(usedValues[field].as('value')), part)

const attachmentsOf = sql<Deviation['attachments']>`coalesce((select jsonb_agg(jsonb_build_object('id', a.id,
    'name', ${shownFileName('a', 'attachment_id')}, 'size', a.file_size, 'content_type', a.content_type, 'sha256', a.sha256) order by a.id)
  from attachments a where a.deviation_id = d.id), '[]')`

const deviationWhole = builtOnce((tx, { id }: { id: number }) =>
  tx
    .selectFrom('deviations as d')
    .select(summaryColumns)
    .select(summaryParts)
    .select(['d.description', 'd.severity_reason', 'd.late_report_reason', 'd.immediate_action', 'd.impact_assessment'])
    .select(['d.investigation', 'd.no_capa_reason', 'd.original_due_date', 'd.form_template_id'])
    .select(['d.form_template_version', 'd.content_revision', 'd.due_notice_on', 'd.legacy_number'])
    .select(['d.reported_by as reporter_id', 'd.assigned_to as assignee_id'])
    .select([
      sql<Deviation['severity_suggestion']>`d.severity_suggestion`.as('severity_suggestion'),
      sql<Deviation['severity_decision']>`d.severity_decision`.as('severity_decision'),
      sql<Deviation['affected_items']>`d.affected_items`.as('affected_items'),
      sql<Deviation['root_cause']>`d.root_cause`.as('root_cause'),
      sql<Deviation['form_data']>`d.form_data`.as('form_data'),
      attachmentsOf.as('attachments'),
      importedFrom('d').as('imported'),
      personOf('d.closed_by').as('closed_by'),
    ])
    .where('d.id', '=', id),
)

/** A deviation with all its fields, and the ids of its reporter and assignee. */
export async function findDeviation(tx: Tx, id: number) {
  const [row] = await deviationWhole(tx, { id })
  return row
}

/** Selects whatever columns there are, because a restore may read the table of an older program. */
export const findWhole = (tx: Tx, id: number) =>
  tx.selectFrom('deviations').selectAll().where('id', '=', id).executeTakeFirst()

export const findCase = (tx: Tx, id: number) =>
  tx
    .selectFrom('deviations')
    .select(['id', 'number', 'status', 'due_date', 'revision', 'reported_by', 'assigned_to'])
    .where('id', '=', id)
    .executeTakeFirst()

/** The columns of the fields that people enter. Objects are given as JSON text, because the driver turns arrays into PostgreSQL arrays. */
export interface Content {
  title: string
  description: string
  severity: Severity
  severity_suggestion: string | null
  severity_decision: string | null
  severity_reason: string | null
  category: string | null
  department: string | null
  occurred_at: string | null
  detected_at: string
  late_report_reason: string | null
  affected_items: string
  immediate_action: string | null
  impact_assessment: string | null
  investigation: string | null
  root_cause: string | null
  no_capa_reason: string | null
  assigned_to: number | null
  form_template_id: number | null
  form_template_version: number | null
  form_data: string | null
}

type NewDeviation = Partial<Content> &
  Pick<Content, 'title' | 'description' | 'severity' | 'detected_at'> & {
    number: string
    status: State
    reported_at: string
    reported_by: number
    due_date: string
    original_due_date: string
    due_notice_on: string
  }
export const insertDeviation = (tx: Tx, values: NewDeviation) =>
  tx.insertInto('deviations').values(values).returning('id').executeTakeFirstOrThrow()

/** The columns that a transition sets. */
export interface StateColumns {
  status: State
  closed_at: string | null
  closed_by: number | null
}

/** Expects the state that the change was decided on; under the lock of the record it cannot differ. */
export async function updateDeviation(
  tx: Tx,
  { id, status: expected }: { id: number; status: State },
  values: Partial<Content> & Partial<StateColumns>,
  { isContent }: { isContent: boolean },
) {
  const { numUpdatedRows } = await tx
    .updateTable('deviations')
    .set({
      ...values,
      ...(isContent && { content_revision: sql`content_revision + 1` }),
      ...revised,
    })
    .where('id', '=', id)
    .where('status', '=', expected)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error(`deviation ${id} is not ${expected}, as its change was decided on`)
}

export const moveDueDate = async (tx: Tx, id: number, values: { due_date: string; due_notice_on: string }) =>
  (
    await tx
      .updateTable('deviations')
      .set({
        ...values,
        extension_count: sql`extension_count + 1`,
        content_revision: sql`content_revision + 1`,
        ...revised,
      })
      .where('id', '=', id)
      .returning('revision')
      .executeTakeFirstOrThrow()
  ).revision

/** A linked CAPA counts unless it was rejected or cancelled. */
export async function hasActiveCapa(tx: Tx, id: number): Promise<boolean> {
  return (await readActiveCapa(tx, { id })).length > 0
}
const readActiveCapa = builtOnce((tx, { id }: { id: number }) =>
  tx
    .selectFrom('deviation_capas as l')
    .innerJoin('capas as c', 'c.id', 'l.capa_id')
    .select('c.id')
    .where('l.deviation_id', '=', id)
    .where('c.status', 'not in', ['rejected', 'cancelled'])
    .limit(1),
)

/** The members of groups, by the id of the group. */
export async function listMembers(tx: Tx, group_ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await tx
    .selectFrom('group_members as m')
    .innerJoin('groups as g', 'g.id', 'm.group_id')
    .select(['m.group_id', 'm.user_id'])
    .where('m.group_id', '=', sql<number>`any(${group_ids}::bigint[])`)
    .where('m.removed_at', 'is', null)
    .where('g.deleted_at', 'is', null)
    .execute()
  const found = new Map<number, number[]>()
  for (const { group_id, user_id } of rows) found.set(group_id, [...(found.get(group_id) ?? []), user_id])
  return found
}

export const planNotice = (tx: Tx, id: number, due_notice_on: string | null) =>
  tx.updateTable('deviations').set({ due_notice_on }).where('id', '=', id).execute()

/** The deviations that need a reminder today. */
export const listNotices = (tx: Tx, today: string, limit: number) =>
  tx
    .selectFrom('deviations')
    .select('id')
    .where('due_notice_on', '<=', today)
    .where(sql<SqlBool>`is_open_deviation(status)`)
    .orderBy('due_notice_on')
    .orderBy('id')
    .limit(limit)
    .execute()

/** The deviations that await their closure by the quality unit. */
export const listAwaiting = (tx: Tx, limit: number) =>
  tx
    .selectFrom('deviations')
    .select(['id', 'number', 'title', 'severity', 'status', 'due_date', 'reported_by', 'assigned_to'])
    .where('status', '=', 'pending_approval')
    .orderBy('due_date')
    .orderBy('id')
    .limit(limit)
    .execute()

const assignedWork = (tx: Tx, userId: number) =>
  tx.selectFrom('deviations').where('assigned_to', '=', userId).where('status', 'in', ['open', 'under_investigation'])

/** The deviations that this person still has to investigate. */
export const listAssigned = (tx: Tx, userId: number, { after, limit }: { after: number; limit: number }) =>
  assignedWork(tx, userId)
    .select(['id', 'id as record_id', 'number', 'title', 'status', 'due_date'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
export const countAssigned = (tx: Tx, userId: number) => countRows(assignedWork(tx, userId))
