import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import { narrowing, type Sort } from '#kernel/paging.ts'
import { builtForEach } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { countByValue, countRows, disposalNote, endOf, sortName, startOf } from '#platform/db/expressions.ts'
import { keptCount } from '#platform/db/kept-counts.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import { isPending, summaryColumns, summaryParts } from './queries.ts'
import { readableKinds, readsAll, type Sight, sightOf } from './rules.ts'
import type { DocumentFilter } from './schema.ts'

type Joined = Tables &
  Record<'d', Tables['documents']> &
  Record<'v', Tables['document_versions']> &
  Record<'l', Tables['document_versions']>

const sortColumns = {
  id: sql.ref('d.id'),
  number: sql.ref('d.number'),
  title: sql.ref('v.title'),
  status: sql.ref('v.status'),
  document_type: sql`(select lower(name) from document_types where id = d.document_type_id)`,
  category: sql.ref('v.category'),
  owner: sortName('d.owner_id'),
  effective_date: sql.ref('v.effective_date'),
  review_due_date: sql.ref('v.review_due_date'),
  created_at: sql.ref('d.created_at'),
  updated_at: sql.ref('d.updated_at'),
} satisfies Record<string, RawBuilder<unknown>>
export const documentSorts = Object.keys(sortColumns) as (keyof typeof sortColumns)[]

type DocumentSort = Sort<(typeof documentSorts)[number]>

/** `canRead` as a condition on a version `v` of a document `d`, so that lists have the right total. */
export const readable = (actor: Actor) => readableBy(sightOf(actor))

function readableBy(sight: Sight): RawBuilder<SqlBool> {
  return readsAll(sight)
    ? sql`true`
    : sql`(v.status_kind = any(${readableKinds(sight)}) or d.owner_id = ${sight.userId} or v.created_by = ${sight.userId})`
}

/** The states of all workflows of the tenant, also of former versions of them; a replaced version is superseded by any workflow. */
export const listStates = async (tx: Tx): Promise<string[]> =>
  (
    await sql<{ name: string }>`select distinct state ->> 'name' as name
      from workflow_template_versions, jsonb_array_elements(definition -> 'states') state union select 'superseded' order by 1`.execute(
      tx,
    )
  ).rows.map(({ name }) => name)

/** A weaker condition than the one beside it, but an index answers it and excludes most documents. */
const hasVersionIn = (status: readonly string[]) =>
  sql<SqlBool>`d.id in (select document_id from document_versions where status = any(${status}))`

const dueBefore = (day: string) =>
  sql<SqlBool>`d.id in (select document_id from document_versions where review_due_date < ${day})`

const hasRevisionDue = sql<SqlBool>`d.id in (select document_id from document_versions where needs_revision)`

const matching = (filter: DocumentFilter, sight: Sight) => (e: ExpressionBuilder<Joined, 'd' | 'v' | 'l'>) => {
  const { status, document_type, category, keywords, owner_id, date_from, date_to, needs_revision, q } = filter
  const { review_due_from, review_due_before } = filter
  return e.and([
    readableBy(sight),
    ...(status
      ? [
          hasVersionIn(status),
          e.or([e('v.status', 'in', status), e.and([isPending(sight), e('l.status', 'in', status)])]),
        ]
      : []),
    ...(document_type ? [e('d.document_type_id', 'in', document_type)] : []),
    ...(category ? [e('v.category', 'in', category)] : []),
    ...(keywords ? [sql<SqlBool>`v.keywords && ${keywords}::text[]`] : []),
    ...(owner_id ? [e('d.owner_id', 'in', owner_id)] : []),
    ...(date_from ? [e('d.created_at', '>=', startOf(date_from))] : []),
    ...(date_to ? [e('d.created_at', '<', endOf(date_to))] : []),
    ...(review_due_from ? [e('v.review_due_date', '>=', review_due_from)] : []),
    ...(review_due_before ? [dueBefore(review_due_before), e('v.review_due_date', '<', review_due_before)] : []),
    ...(needs_revision === undefined
      ? []
      : [e('v.needs_revision', '=', needs_revision), ...(needs_revision ? [hasRevisionDue] : [])]),
    ...(q ? [sql<SqlBool>`d.id = any(array(select find_documents(${q})))`] : []),
  ])
}

/**
 * The documents that match: `d` the document, `v` the version that is shown, `l` the newest. PostgreSQL drops a left join that nothing
 * uses, and then counts all documents from an index alone.
 */
const matches = (tx: Tx, filter: DocumentFilter, sight: Sight) =>
  tx
    .selectFrom('documents as d')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .leftJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .where(e => matching(filter, sight)(e as unknown as ExpressionBuilder<Joined, 'd' | 'v' | 'l'>))

/**
 * The ids of all readable documents in their order. `offset 0` has PostgreSQL plan the inner statement separately, by the tenant's own
 * index; by the primary key it would go through all newer documents of other tenants.
 */
const idsInOrder = (tx: Tx, sight: Sight, direction: DocumentSort['direction'], { limit, offset }: Part) =>
  tx
    .selectFrom(tx.selectFrom('documents').select('id').orderBy('id', direction).offset(sql.lit(0)).as('o'))
    .leftJoin('documents as d', 'd.id', 'o.id')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select('o.id')
    .where(readableBy(sight))
    .orderBy('o.id', direction)
    .limit(limit)
    .offset(offset)

/** First the ids of the page, then its rows, so that no row is built that is only skipped or sorted. */
const pageOfThem = (
  tx: Tx,
  filter: DocumentFilter,
  sight: Sight,
  { field, direction }: DocumentSort,
  { limit, offset }: Part,
) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .innerJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .select(summaryColumns)
    .select(summaryParts(sight))
    .where(
      'd.id',
      'in',
      field === 'id' && isCounted(filter)
        ? idsInOrder(tx, sight, direction, { limit, offset })
        : matches(tx, filter, sight)
            .select('d.id')
            .orderBy(sortColumns[field], direction)
            .orderBy('d.id', direction)
            .limit(limit)
            .offset(offset),
    )
    .orderBy(sortColumns[field], direction)
    .orderBy('d.id', direction)

interface Part {
  limit: number
  offset: number
}

const pageOfAll = builtForEach(
  (
    tx,
    { drafts, obsolete, ...sort }: DocumentSort & Omit<Sight, 'userId'>,
    { userId, limit, offset }: Part & Pick<Sight, 'userId'>,
  ) => pageOfThem(tx, {}, { drafts, obsolete, userId }, sort, { limit, offset }),
)

export function listDocuments(tx: Tx, filter: DocumentFilter, actor: Actor, sort: DocumentSort, part: Part) {
  const { userId, drafts, obsolete } = sightOf(actor)
  return isCounted(filter)
    ? pageOfAll(tx, { drafts, obsolete, ...sort }, { userId, ...part })
    : pageOfThem(tx, filter, sightOf(actor), sort, part).execute()
}

/** The number of all documents is kept in a table; a filtered one must be counted. */
export const isCounted = (filter: DocumentFilter) => narrowing(filter).length === 0

export async function countDocuments(tx: Tx, filter: DocumentFilter, actor: Actor): Promise<number> {
  const sight = sightOf(actor)
  if (!isCounted(filter)) return countRows(matches(tx, filter, sight))
  const [ofAll, own] = await Promise.all([
    keptCount(tx, 'documents.kind', readableKinds(sight)),
    readsAll(sight) ? 0 : countRows(readAsOwn(tx, sight)),
  ])
  return ofAll + own
}

/**
 * A document counts by each state in which the filter would find it: that of the shown version, and of the one under way beside it; and
 * by each of its keywords.
 */
export const documentFacets = ['status', 'document_type', 'category', 'keywords'] as const
type DocumentFacet = (typeof documentFacets)[number]

const facetColumns: Record<DocumentFacet, (sight: Sight) => RawBuilder<string | number | null>> = {
  status: sight =>
    sql`unnest(array[v.status, case when ${isPending(sight)} and l.status <> v.status then l.status end])`,
  document_type: () => sql.ref('d.document_type_id'),
  category: () => sql.ref('v.category'),
  keywords: () => sql`unnest(v.keywords)`,
}

const typeName = sql<string>`(select name from document_types where id = c.value)`

/** How many of the documents have each value of a field, by the filter without that field. */
export function countDocumentsBy(tx: Tx, field: DocumentFacet, filter: DocumentFilter, actor: Actor) {
  const sight = sightOf(actor)
  const rows = matches(tx, { ...filter, [field]: undefined }, sight).select(facetColumns[field](sight).as('value'))
  return countByValue(tx, rows, field === 'document_type' ? { label: typeName } : {})
}

export const documentValues = ['category', 'keywords'] as const

/** What the shown versions of the documents have in a field that people fill in freely. */
export const listDocumentValues = (
  tx: Tx,
  field: (typeof documentValues)[number],
  actor: Actor,
  part: { q: string; limit: number },
) =>
  countByValue(
    tx,
    matches(tx, {}, sightOf(actor)).select(
      (field === 'keywords' ? sql<string>`unnest(v.keywords)` : sql.ref<string>('v.category')).as('value'),
    ),
    part,
  )

/** Documents that only their owner and author may read: searched among their own, which are few. */
const readAsOwn = (tx: Tx, sight: Sight) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .where('v.status_kind', 'not in', readableKinds(sight))
    .where(e => e.or([e('d.owner_id', '=', sight.userId ?? 0), e('v.created_by', '=', sight.userId ?? 0)]))
    .where(
      'd.id',
      'in',
      tx
        .selectFrom('documents')
        .select('id')
        .where('owner_id', '=', sight.userId ?? 0)
        .union(
          tx
            .selectFrom('document_versions')
            .select('document_id as id')
            .where('created_by', '=', sight.userId ?? 0),
        ),
    )

/** Documents by number, and by the title of the version that is shown. */
export const listNamedDocuments = (tx: Tx, actor: Actor, sought: SoughtName, limit: number): Promise<NamedRecord[]> =>
  tx
    .selectFrom(namedRecords('document', sought))
    .innerJoin('documents as d', 'd.id', 'n.record_id')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.id', 'd.number', 'v.title', 'v.status', 'n.place', disposalNote('v.id').as('disposal')])
    .where(readable(actor))
    .orderBy('n.place')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute()
