import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import { readKeywordKey, readListedKey } from '#kernel/measures.ts'
import { narrowing, type Sort } from '#kernel/paging.ts'
import { builtForEach } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  countByValue,
  countRows,
  disposalNote,
  endOf,
  sortName,
  startOf,
  type ValueCount,
} from '#platform/db/expressions.ts'
import { keptCount, keptCounts } from '#platform/db/kept-counts.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import { byFrequency, countMatching, countValues, type Group, groupedFilters } from './listing-rules.ts'
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

const hasKeyword = (keywords: readonly string[]) => sql<boolean>`v.keywords && ${keywords}::text[]`

const hasRevisionDue = sql<SqlBool>`d.id in (select document_id from document_versions where needs_revision)`

/** `isFrequent`: so many documents have one of the states of the filter that looking each up in an index takes longer than reading all. */
interface Way {
  isFrequent?: boolean
}

const matching =
  (filter: DocumentFilter, sight: Sight, { isFrequent = false }: Way) =>
  (e: ExpressionBuilder<Joined, 'd' | 'v' | 'l'>) => {
    const { status, document_type, category, keywords, owner_id, date_from, date_to, needs_revision, q } = filter
    const { review_due_from, review_due_before } = filter
    return e.and([
      readableBy(sight),
      ...(status
        ? [
            ...(isFrequent ? [] : [hasVersionIn(status)]),
            e.or([e('v.status', 'in', status), e.and([isPending(sight), e('l.status', 'in', status)])]),
          ]
        : []),
      ...(document_type ? [e('d.document_type_id', 'in', document_type)] : []),
      ...(category ? [e('v.category', 'in', category)] : []),
      ...(keywords ? [hasKeyword(keywords)] : []),
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
 * The documents that match: `d` the document, `v` the version that is shown, `l` the one that is under way beside it. PostgreSQL drops a
 * left join that nothing uses, and then counts all documents from an index alone.
 */
const matches = (tx: Tx, filter: DocumentFilter, sight: Sight, way: Way = {}) =>
  tx
    .selectFrom('documents as d')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .leftJoin('document_versions as l', join =>
      join
        .onRef('l.id', '=', 'd.latest_version_id')
        .onRef('l.id', '<>', 'd.shown_version_id')
        .on('l.status_kind', 'in', ['initial', 'review']),
    )
    .where(e => matching(filter, sight, way)(e as unknown as ExpressionBuilder<Joined, 'd' | 'v' | 'l'>))

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
  way: Way = {},
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
      field === 'id' && isWhole(filter)
        ? idsInOrder(tx, sight, direction, { limit, offset })
        : matches(tx, filter, sight, way)
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

export async function listDocuments(
  tx: Tx,
  filter: DocumentFilter,
  actor: Actor,
  sort: DocumentSort,
  { counts, ...part }: Part & { counts: DocumentCounts },
) {
  const { userId, drafts, obsolete } = sightOf(actor)
  if (isWhole(filter)) return pageOfAll(tx, { drafts, obsolete, ...sort }, { userId, ...part })
  return pageOfThem(tx, filter, sightOf(actor), sort, part, await counts.way()).execute()
}

/** The counts of documents by type, state and category are kept in a table; what another filter leaves must be counted. */
export const isCounted = (filter: DocumentFilter) =>
  narrowing(filter).every(field => (groupedFilters as readonly string[]).includes(field))
const isWhole = (filter: DocumentFilter) => narrowing(filter).length === 0

export type DocumentCounts = ReturnType<typeof documentCounts>

/** From this share of a tenant's documents on, reading all of them takes less than looking each of them up in an index. */
const frequentShare = 0.2

/** How many documents match, and how many have each value of a field. The groups that all of it is made of are read once. */
export function documentCounts(tx: Tx, filter: DocumentFilter, actor: Actor) {
  const sight = sightOf(actor)
  const once = <T>(read: () => Promise<T>) => {
    let reading: Promise<T> | undefined
    return { isAsked: () => reading !== undefined, read: () => (reading ??= read()) }
  }
  const kept = once(() => keptGroups(tx, sight))
  const groups = isCounted(filter) ? kept : once(() => groupsOf(tx, filter, sight))
  const way = async (): Promise<Way> => {
    const { status } = filter
    if (status === undefined) return {}
    const all = await kept.read()
    return { isFrequent: countMatching(all, { status }) > frequentShare * countMatching(all, {}) }
  }
  return {
    way,
    async count(): Promise<number> {
      if (isWhole(filter)) return countAll(tx, sight)
      if (isCounted(filter) || groups.isAsked()) return countMatching(await groups.read(), filter)
      return countRows(matches(tx, filter, sight, await way()))
    },
    async facet(field: DocumentFacet): Promise<ValueCount[]> {
      if (field === 'keywords') return countKeywords(tx, filter, sight, await way())
      const [found, names] = await Promise.all([groups.read(), field === 'document_type' ? typeNames(tx) : new Map()])
      return countValues(found, field, filter, names)
    },
  }
}

async function countAll(tx: Tx, sight: Sight): Promise<number> {
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
export const documentFacets = [...groupedFilters, 'keywords'] as const
type DocumentFacet = (typeof documentFacets)[number]

/** All readable documents in groups, from the counts that are kept. */
async function keptGroups(tx: Tx, sight: Sight): Promise<Group[]> {
  const kinds = readableKinds(sight)
  const [kept, own] = await Promise.all([
    keptCounts(tx, 'documents.listed'),
    readsAll(sight) ? [] : ownGroups(tx, sight),
  ])
  return [
    ...kept
      .map(({ key, n }) => ({ ...readListedKey(key), n }))
      .filter(({ status_kind }) => kinds.includes(status_kind))
      .map(group => ({ ...group, has_keyword: true, ...(sight.drafts ? {} : { pending_status: null }) })),
    ...own.flatMap(({ is_kept, ...group }) => [
      { ...group, has_keyword: true },
      // It is counted above without the version under way.
      ...(is_kept ? [{ ...group, has_keyword: true, pending_status: null, n: -group.n }] : []),
    ]),
  ]
}

/**
 * What only owner and author may read: their documents that the kept counts leave out, and those whose version under way they see beside
 * one that everybody reads.
 */
const ownGroups = (tx: Tx, sight: Sight) =>
  ownDocuments(tx, sight)
    .leftJoin('document_versions as l', 'l.id', 'd.latest_version_id')
    .where(e =>
      e.or([
        e.and([e('v.status_kind', 'not in', readableKinds(sight)), isOwn(sight)]),
        ...(sight.drafts ? [] : [e.and([e('v.status_kind', 'in', readableKinds(sight)), isPending(sight)])]),
      ]),
    )
    .select(e => [
      ...groupColumns(sight),
      e('v.status_kind', 'in', readableKinds(sight)).as('is_kept'),
      e.fn.countAll<number>().as('n'),
    ])
    .groupBy([sql`1`, sql`2`, sql`3`, sql`4`, sql`5`])
    .$castTo<Omit<Group, 'has_keyword'> & { is_kept: boolean }>()
    .execute()

const groupColumns = (sight: Sight) =>
  [
    'v.status',
    sql<string | null>`case when ${isPending(sight)} then l.status end`.as('pending_status'),
    'd.document_type_id',
    'v.category',
  ] as const

/** The documents that match all but the filters by which groups are told apart, read once. */
const groupsOf = (
  tx: Tx,
  { status, document_type, category, keywords, ...others }: DocumentFilter,
  sight: Sight,
): Promise<Group[]> =>
  matches(tx, others, sight)
    .select(groupColumns(sight))
    .select(e => [
      (keywords ? hasKeyword(keywords) : sql<boolean>`true`).as('has_keyword'),
      e.fn.countAll<number>().as('n'),
    ])
    .groupBy([sql`1`, sql`2`, sql`3`, sql`4`, sql`5`])
    .$castTo<Group>()
    .execute()

async function countKeywords(tx: Tx, filter: DocumentFilter, sight: Sight, way: Way): Promise<ValueCount[]> {
  const { keywords, ...others } = filter
  if (!isWhole(others)) return countByValue(tx, matches(tx, others, sight, way).select(keywordsOfShown))
  const kinds = readableKinds(sight)
  const [kept, own] = await Promise.all([
    keptCounts(tx, 'documents.keyword'),
    readsAll(sight) ? [] : countByValue(tx, readAsOwn(tx, sight).select(keywordsOfShown), { limit: null }),
  ])
  const counts = new Map(own.map(({ value, count }) => [value, count]))
  for (const { key, n } of kept) {
    const { status_kind, keyword } = readKeywordKey(key)
    if (kinds.includes(status_kind)) counts.set(keyword, (counts.get(keyword) ?? 0) + n)
  }
  return byFrequency(counts).map(([value, count]) => ({ value, label: null, count }))
}

const keywordsOfShown = sql<string>`unnest(v.keywords)`.as('value')

const typeNames = async (tx: Tx): Promise<ReadonlyMap<number, string>> =>
  new Map((await tx.selectFrom('document_types').select(['id', 'name']).execute()).map(({ id, name }) => [id, name]))

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
      field === 'keywords' ? keywordsOfShown : sql.ref<string>('v.category').as('value'),
    ),
    part,
  )

/** Documents that only their owner and author may read: searched among their own, which are few. */
const readAsOwn = (tx: Tx, sight: Sight) =>
  ownDocuments(tx, sight).where('v.status_kind', 'not in', readableKinds(sight)).where(isOwn(sight))

const isOwn = ({ userId }: Sight) => sql<SqlBool>`(d.owner_id = ${userId ?? 0} or v.created_by = ${userId ?? 0})`

/** Documents that this person owns, or has written a version of. */
const ownDocuments = (tx: Tx, { userId }: Sight) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .where(
      'd.id',
      'in',
      tx
        .selectFrom('documents')
        .select('id')
        .where('owner_id', '=', userId ?? 0)
        .union(
          tx
            .selectFrom('document_versions')
            .select('document_id as id')
            .where('created_by', '=', userId ?? 0),
        ),
    )

/** Documents by number, and by the title of the version that is shown. */
export function listNamedDocuments(tx: Tx, actor: Actor, sought: SoughtName, limit: number): Promise<NamedRecord[]> {
  const sight = sightOf(actor)
  const readers = readsAll(sight) ? undefined : { kinds: readableKinds(sight), userId: sight.userId }
  return tx
    .selectFrom(namedRecords('document', sought, limit, readers))
    .innerJoin('documents as d', 'd.id', 'n.record_id')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.id', 'd.number', 'v.title', 'v.status', 'n.place', disposalNote('v.id').as('disposal')])
    .where(readableBy(sight))
    .orderBy('n.place')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute()
}
