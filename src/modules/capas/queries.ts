import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { narrowing, type Sort } from '#kernel/paging.ts'
import { type Due, linkIds } from '#modules/casework'
import { builtForEach, builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  assignedTo,
  contains,
  countByValue,
  countRows,
  endOf,
  importedFrom,
  optimizationFence,
  personOf,
  revised,
  sortName,
  startOf,
} from '#platform/db/expressions.ts'
import { keptCount } from '#platform/db/kept-counts.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type CapaState, capaMachine, capaPriorities, noticeOf, type Priority } from './rules.ts'
import type { CapaFilter, CapaSummary } from './schema.ts'

const sortColumns = {
  id: sql.ref('c.id'),
  number: sql.ref('c.number'),
  title: sql.ref('c.title'),
  type: sql.ref('c.type'),
  source: sql.ref('c.source'),
  status: sql`array_position(${sql.val(Object.keys(capaMachine.states))}::text[], c.status)`,
  priority: sql`array_position(${sql.val([...capaPriorities])}::text[], c.priority)`,
  due_date: sql.ref('c.due_date'),
  created_at: sql.ref('c.created_at'),
  updated_at: sql.ref('c.updated_at'),
  created_by: sortName('c.created_by'),
  assigned_to: sortName('c.assigned_to'),
} satisfies Record<string, RawBuilder<unknown>>
export const capaSorts = Object.keys(sortColumns) as (keyof typeof sortColumns)[]
type CapaSort = Sort<(typeof capaSorts)[number]>

const isOverdue = (today: string) => sql<boolean>`(c.due_date < ${today} and is_open_capa(c.status))`

/** The filter with the day by which overdue is decided. */
type Asked = Omit<CapaFilter, 'overdue'> & { due?: Due }

const summaryColumns = [
  'c.id',
  'c.number',
  'c.title',
  'c.due_date',
  'c.created_at',
  'c.updated_at',
  'c.revision',
] as const

const summaryParts = [
  sql<CapaSummary['type']>`c.type`.as('type'),
  sql<CapaSummary['source']>`c.source`.as('source'),
  sql<Priority>`c.priority`.as('priority'),
  sql<CapaState>`c.status`.as('status'),
  personOf('c.assigned_to').as('assigned_to'),
  personOf('c.created_by').as('created_by'),
  personOf('c.updated_by').as('updated_by'),
  sql<CapaSummary['action_counts']>`(select jsonb_build_object(
      'open', count(*) filter (where is_open_capa_action(a.status)),
      'done', count(*) filter (where a.status = 'done'),
      'cancelled', count(*) filter (where a.status = 'cancelled'))
    from capa_actions a where a.capa_id = c.id)`.as('action_counts'),
]

type Joined = Tables & Record<'c', Tables['capas']>

const matching =
  (filter: Asked) =>
  (e: ExpressionBuilder<Joined, 'c'>): ReturnType<typeof e.and> => {
    const { status, priority, type, source, assigned_to, date_from, date_to, due_before, due, q } = filter
    const { closed_from, closed_to, due_from, deviation_id, document_id } = filter
    return e.and([
      ...(status ? [e('c.status', 'in', status)] : []),
      ...(priority ? [e('c.priority', 'in', priority)] : []),
      ...(type ? [e('c.type', 'in', type)] : []),
      ...(source ? [e('c.source', 'in', source)] : []),
      ...(assigned_to ? [assignedTo('c.assigned_to', assigned_to)] : []),
      ...(date_from ? [e('c.created_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('c.created_at', '<', endOf(date_to))] : []),
      ...(closed_from ? [e('c.closed_at', '>=', startOf(closed_from))] : []),
      ...(closed_to ? [e('c.closed_at', '<', endOf(closed_to))] : []),
      ...(due_from ? [e('c.due_date', '>=', due_from)] : []),
      ...(due_before ? [e('c.due_date', '<', due_before)] : []),
      ...(due ? [sql<SqlBool>`${isOverdue(due.today)} = ${due.overdue}`] : []),
      ...(deviation_id
        ? [sql<SqlBool>`c.id in (select capa_id from deviation_capas where deviation_id = ${deviation_id})`]
        : []),
      ...(document_id
        ? [sql<SqlBool>`c.id in (select capa_id from capa_documents where document_id = ${document_id})`]
        : []),
      ...(q
        ? [
            e.or([
              e('c.number', 'ilike', contains(q)),
              e('c.legacy_number', 'ilike', contains(q)),
              e('c.title', 'ilike', contains(q)),
              e('c.description', 'ilike', contains(q)),
            ]),
          ]
        : []),
    ])
  }

const matches = (tx: Tx, filter: Asked) =>
  tx.selectFrom('capas as c').where(e => matching(filter)(e as unknown as ExpressionBuilder<Joined, 'c'>))

/** The total of these filters is kept, so that it need not be counted. */
export const isCounted = (filter: Asked) => narrowing(filter).every(field => field === 'status')

/** Selects the ids of the page first, so that skipped rows cost no joins. */
const pageOfThem = (tx: Tx, filter: Asked, { field, direction }: CapaSort, limit: number, offset: number) => {
  const matched = matches(tx, filter).select(['c.id', sql`${sortColumns[field]}`.as('place')])
  return tx
    .selectFrom('capas as c')
    .select(summaryColumns)
    .select(summaryParts)
    .where(
      'c.id',
      'in',
      tx
        .selectFrom((isCounted(filter) ? matched : optimizationFence(matched)).as('m'))
        .select('m.id')
        .orderBy('m.place', direction)
        .orderBy('m.id', direction)
        .limit(limit)
        .offset(offset),
    )
    .orderBy(sortColumns[field], direction)
    .orderBy('c.id', direction)
}

const pageOfAll = builtForEach((tx, sort: CapaSort, { limit, offset }: { limit: number; offset: number }) =>
  pageOfThem(tx, {}, sort, limit, offset),
)

export const listCapas = (tx: Tx, filter: Asked, sort: CapaSort, limit: number, offset: number) =>
  narrowing(filter).length === 0
    ? pageOfAll(tx, sort, { limit, offset })
    : pageOfThem(tx, filter, sort, limit, offset).execute()

export const countCapas = (tx: Tx, filter: Asked) =>
  isCounted(filter) ? keptCount(tx, 'capas.status', filter.status) : countRows(matches(tx, filter))

/** Everybody who may read CAPAs may read all of them. */
export const listNamedCapas = (tx: Tx, sought: SoughtName, limit: number): Promise<NamedRecord[]> =>
  tx
    .selectFrom(namedRecords('capa', sought, limit))
    .innerJoin('capas as c', 'c.id', 'n.record_id')
    .select(['c.id', 'c.number', 'c.title', 'c.status', 'n.place'])
    .orderBy('n.place')
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute()

export const capaFacets = ['status', 'priority', 'type', 'source'] as const

/** How many have each value of a field, by the filter without that field. */
export const countCapasBy = (tx: Tx, field: (typeof capaFacets)[number], filter: Asked) =>
  countByValue(tx, matches(tx, { ...filter, [field]: undefined }).select(`c.${field} as value`))

const links = linkIds.capa('c')

const capaWhole = builtOnce((tx, { id }: { id: number }) =>
  tx
    .selectFrom('capas as c')
    .select(summaryColumns)
    .select(summaryParts)
    .select([
      'c.description',
      'c.root_cause',
      'c.adverse_effect_assessment',
      'c.original_due_date',
      'c.extension_count',
      'c.legacy_number',
    ])
    .select(['c.approved_at', 'c.closed_at', 'c.content_revision'])
    .select([
      importedFrom('c').as('imported'),
      personOf('c.approved_by').as('approved_by'),
      personOf('c.closed_by').as('closed_by'),
      sql<number | null>`(select signature_id from record_history
        where capa_id = c.id and signature_id is not null order by id desc limit 1)`.as('signature_id'),
      sql<'effective' | 'not_effective' | null>`(select result from effectiveness_reviews
        where capa_id = c.id order by number desc limit 1)`.as('newest_result'),
      sql<number | null>`(select reviewer_id from effectiveness_reviews
        where capa_id = c.id and status = 'planned')`.as('planned_reviewer'),
      links.document_ids.as('document_ids'),
      links.deviation_ids.as('deviation_ids'),
    ])
    .where('c.id', '=', id),
)

export async function findCapa(tx: Tx, id: number) {
  const [row] = await capaWhole(tx, { id })
  return row
}

export interface CapaFields {
  title: string
  description: string
  type: string
  source: string
  priority: string
  root_cause: string | null
  adverse_effect_assessment: string | null
  assigned_to: number | null
}
export const insertCapa = (
  tx: Tx,
  values: CapaFields & {
    number: string
    status: CapaState
    due_date: string
    original_due_date: string
    notice_on: string
  },
) => tx.insertInto('capas').values(values).returning('id').executeTakeFirstOrThrow()

/** The caller holds the lock of the CAPA. */
export const setFields = (
  tx: Tx,
  id: number,
  values: Partial<CapaFields> & {
    status?: CapaState
    approved_at?: string
    approved_by?: number | null
    closed_at?: string
    closed_by?: number | null
    notice_on?: string | null
  },
) => tx.updateTable('capas').set(values).where('id', '=', id).execute()

/** Each command counts the revision once; `isContent` where it changed content that a signature would cover. */
export const countRevision = (tx: Tx, id: number, { isContent = false } = {}) =>
  tx
    .updateTable('capas')
    .set({
      ...(isContent && { content_revision: sql`content_revision + 1` }),
      ...revised,
    })
    .where('id', '=', id)
    .execute()

export const findCase = (tx: Tx, id: number) =>
  tx
    .selectFrom('capas')
    .select(['id', 'number', 'status', 'due_date', 'revision', 'created_by', 'assigned_to', 'approved_at'])
    .select(sql<Priority>`priority`.as('priority'))
    .where('id', '=', id)
    .executeTakeFirst()

export const moveDueDate = (tx: Tx, id: number, due_date: string) =>
  tx
    .updateTable('capas')
    .set({
      due_date,
      notice_on: noticeOf(due_date),
      extension_count: sql`extension_count + 1`,
      content_revision: sql`content_revision + 1`,
      ...revised,
    })
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()

/** Selects whatever columns there are, because a restore may read the table of an older program. */
export const findWhole = (tx: Tx, id: number) =>
  tx.selectFrom('capas').selectAll().where('id', '=', id).executeTakeFirst()

const awaitingByDueDate = (tx: Tx, limit: number) =>
  tx
    .selectFrom('capas')
    .select(['id', 'number', 'title', 'priority', 'status', 'due_date', 'created_by', 'assigned_to'])
    .orderBy('due_date')
    .orderBy('id')
    .limit(limit)

export type AwaitingCapa = Awaited<ReturnType<typeof listDrafts>>[number]

export const listDrafts = (tx: Tx, limit: number) =>
  awaitingByDueDate(tx, limit).where('status', '=', 'draft').execute()

/** Complete plans that await their approval. */
export const listAwaitingPlans = (tx: Tx, limit: number) =>
  awaitingByDueDate(tx, limit)
    .where('status', 'in', ['open', 'in_progress'])
    .where('priority', 'in', ['high', 'critical'])
    .where('approved_at', 'is', null)
    .where('assigned_to', 'is not', null)
    .where('root_cause', 'is not', null)
    .where(sql<boolean>`exists (select from capa_actions a where a.capa_id = capas.id and a.status <> 'cancelled')`)
    .execute()

/** CAPAs that were found effective. */
export const listAwaitingClosure = (tx: Tx, limit: number) =>
  awaitingByDueDate(tx, limit)
    .where('status', '=', 'pending_effectiveness')
    .where(
      sql<boolean>`(select result from effectiveness_reviews r where r.capa_id = capas.id order by number desc limit 1) = 'effective'`,
    )
    .execute()
