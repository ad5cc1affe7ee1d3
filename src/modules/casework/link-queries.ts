import { type InsertQueryBuilder, type InsertResult, type RawBuilder, sql } from 'kysely'
import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { disposalNote, isoMoment, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type CaseKind, caseKinds } from './base/kinds.ts'
import type { Link, LinkedKind } from './link-schema.ts'

export interface Linked {
  kind: LinkedKind
  id: number
}

/** A record at one end of a link. */
export interface Other {
  kind: LinkedKind
  id: number
  number: string
  title: string
  status: string
  /** A document is always open to links. */
  is_open: boolean
  /** The people to notify; nobody for a document. */
  people: number[]
}

/** All links as one table; PostgreSQL skips the parts that cannot match. */
const all = sql`(
  select id, 'deviation' as from_kind, deviation_id as from_id, 'document' as to_kind, document_id as to_id, relation, created_at, created_by
    from deviation_documents
  union all select id, 'deviation', deviation_id, 'capa', capa_id, relation, created_at, created_by from deviation_capas
  union all select id, 'deviation', deviation_id, 'deviation', other_id, relation, created_at, created_by from deviation_deviations
  union all select id, 'capa', capa_id, 'document', document_id, relation, created_at, created_by from capa_documents)`

/** The links of a record, seen from this record. */
const linksOf = ({ kind, id }: Linked) => sql`(
  select id, 'to' as direction, to_kind as kind, to_id as other_id, relation, created_at, created_by
    from ${all} l where from_kind = ${kind} and from_id = ${id}
  union all select id, 'from', from_kind, from_id, relation, created_at, created_by
    from ${all} l where to_kind = ${kind} and to_id = ${id})`

/** The reader whose permissions count; `anybody` for checks that do not depend on them. */
type Reader = Actor | 'anybody'
const holds = (reader: Reader, permission: Permission) => reader === 'anybody' || reader.permissions.has(permission)

/** The record, if the reader may read it. */
const visible = (reader: Reader, kind: RawBuilder<unknown>, id: RawBuilder<unknown>) => sql`(
  select number, title, status, is_open_deviation(status) as is_open, array_remove(array[reported_by, assigned_to], null) as people,
    null::jsonb as disposal
    from deviations where ${kind} = 'deviation' and id = ${id} and ${holds(reader, caseKinds.deviation.read)}
  union all select number, title, status, is_open_capa(status), array_remove(array[created_by, assigned_to], null), null
    from capas where ${kind} = 'capa' and id = ${id} and ${holds(reader, caseKinds.capa.read)}
  union all select d.number, v.title, v.status, true, '{}'::bigint[], ${disposalNote('v.id')}
    from documents d join document_versions v on v.id = d.shown_version_id
    where ${kind} = 'document' and d.id = ${id} and ${holds(reader, 'documents.read')}
      and ${reader === 'anybody' ? sql`true` : readable(reader)})`

export async function findOther(tx: Tx, reader: Reader, { kind, id }: Linked): Promise<Other | undefined> {
  const { rows } = await sql<Omit<Other, keyof Linked>>`
    select number, title, status, is_open, people from ${visible(reader, sql`${kind}::text`, sql`${id}::bigint`)} o`.execute(
    tx,
  )
  return rows[0] && { kind, id, ...rows[0] }
}

/** `is_open`: of the record at the other end. */
export type FoundLink = Link & Pick<Other, 'is_open'>

/** The links whose other end the actor may read, in the order of their creation. */
export async function listLinks(
  tx: Tx,
  actor: Actor,
  of: Linked,
  { direction }: Sort<'id'>,
  limit: number,
  offset: number,
): Promise<FoundLink[]> {
  const { rows } = await sql<FoundLink>`
    select l.id, l.kind as resource_type, l.other_id as resource_id, o.number, o.title, o.status, o.is_open, o.disposal, l.relation, l.direction,
      ${isoMoment('l.created_at')} as created_at, ${personOf('l.created_by')} as created_by
    from ${linksOf(of)} l, lateral ${visible(actor, sql`l.kind`, sql`l.other_id`)} o
    order by l.id ${sql.raw(direction)} limit ${limit} offset ${offset}`.execute(tx)
  return rows
}

export async function countLinks(tx: Tx, actor: Actor, of: Linked): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${linksOf(of)} l, lateral ${visible(actor, sql`l.kind`, sql`l.other_id`)} o`.execute(
    tx,
  )
  return rows[0]!.total
}

/** All links of a record, in the order of their creation. The number is null if the actor may not read the other record. */
export async function listRecordedLinks(tx: Tx, actor: Actor, of: Linked) {
  type Recorded = Pick<Link, 'id' | 'resource_type' | 'resource_id' | 'relation' | 'direction' | 'created_at'> & {
    number: string | null
    created_by: Person | null
  }
  const { rows } = await sql<Recorded>`
    select l.id, l.kind as resource_type, l.other_id as resource_id, o.number, l.relation, l.direction,
      ${isoMoment('l.created_at')} as created_at, ${personOf('l.created_by')} as created_by
    from ${linksOf(of)} l left join lateral ${visible(actor, sql`l.kind`, sql`l.other_id`)} o on true order by l.id`.execute(
    tx,
  )
  return rows
}

export async function findLink(tx: Tx, actor: Actor, of: Linked, id: number): Promise<FoundLink | undefined> {
  const { rows } = await sql<FoundLink>`
    select l.id, l.kind as resource_type, l.other_id as resource_id, o.number, o.title, o.status, o.is_open, o.disposal, l.relation, l.direction,
      ${isoMoment('l.created_at')} as created_at, ${personOf('l.created_by')} as created_by
    from ${linksOf(of)} l, lateral ${visible(actor, sql`l.kind`, sql`l.other_id`)} o where l.id = ${id}`.execute(tx)
  return rows[0]
}

export interface Existing {
  id: number
  kind: LinkedKind
  other_id: number
  relation: Link['relation']
  direction: 'to' | 'from'
}
/** All links of a record, readable or not. */
export async function existingLinks(tx: Tx, of: Linked): Promise<Existing[]> {
  const { rows } = await sql<Existing>`
    select id, kind, other_id, relation, direction from ${linksOf(of)} l order by id`.execute(tx)
  return rows
}

export interface NewLink {
  from: { kind: CaseKind; id: number }
  to: Linked
  relation: Link['relation']
}

/** Answers undefined if the two are already linked. */
export function insertLink(tx: Tx, { from, to, relation }: NewLink): Promise<{ id: number } | undefined> {
  const document_id = to.id
  if (from.kind === 'capa')
    return made(tx.insertInto('capa_documents').values({ capa_id: from.id, document_id, relation }))
  const deviation_id = from.id
  switch (to.kind) {
    case 'document':
      return made(tx.insertInto('deviation_documents').values({ deviation_id, document_id, relation }))
    case 'capa':
      return made(tx.insertInto('deviation_capas').values({ deviation_id, capa_id: to.id, relation }))
    case 'deviation':
      return made(tx.insertInto('deviation_deviations').values({ deviation_id, other_id: to.id, relation }))
  }
}
type LinkTable = 'capa_documents' | 'deviation_documents' | 'deviation_capas' | 'deviation_deviations'
const made = <T extends LinkTable>(insert: InsertQueryBuilder<Tables, T, InsertResult>) =>
  insert
    .onConflict(on => on.doNothing())
    .returning('id' as never)
    .executeTakeFirst() as Promise<{ id: number } | undefined>

export async function deleteLink(tx: Tx, { from, to }: Pick<NewLink, 'from' | 'to'>, id: number): Promise<void> {
  if (from.kind === 'capa')
    await tx.deleteFrom('capa_documents').where('id', '=', id).where('capa_id', '=', from.id).execute()
  else if (to.kind === 'document')
    await tx.deleteFrom('deviation_documents').where('id', '=', id).where('deviation_id', '=', from.id).execute()
  else if (to.kind === 'capa')
    await tx.deleteFrom('deviation_capas').where('id', '=', id).where('deviation_id', '=', from.id).execute()
  else await tx.deleteFrom('deviation_deviations').where('id', '=', id).where('deviation_id', '=', from.id).execute()
}

/** Locks deviations first and older records first, so that two requests for the same records cannot deadlock. */
export async function lockCases(tx: Tx, cases: readonly Linked[]): Promise<void> {
  for (const table of ['deviation', 'capa'] as const) {
    const ids = cases.filter(({ kind }) => kind === table).map(({ id }) => id)
    if (ids.length === 0) continue
    const rows =
      table === 'deviation'
        ? sql`select id from deviations where id = any(${ids}) order by id for no key update`
        : sql`select id from capas where id = any(${ids}) order by id for no key update`
    await rows.execute(tx)
  }
}

const arrayOf = (ids: RawBuilder<unknown>) => sql<number[]>`coalesce((${ids}), '[]'::jsonb)`

/** The ids of the records that a row is linked to, for lists, details and signatures; `table` is the alias of the row. */
export const linkIds = {
  /** `document_ids`, `capa_ids` */
  deviation: (table: string) => {
    const id = sql.ref(`${table}.id`)
    return {
      document_ids: arrayOf(
        sql`select jsonb_agg(document_id order by document_id) from deviation_documents where deviation_id = ${id}`,
      ),
      capa_ids: arrayOf(
        sql`select jsonb_agg(capa_id order by capa_id) from deviation_capas where deviation_id = ${id}`,
      ),
      is_recurrence: sql<boolean>`exists (select from deviation_deviations where deviation_id = ${id} and relation = 'recurrence')`,
    }
  },
  /** `document_ids`, `deviation_ids` */
  capa: (table: string) => {
    const id = sql.ref(`${table}.id`)
    return {
      document_ids: arrayOf(
        sql`select jsonb_agg(document_id order by document_id) from capa_documents where capa_id = ${id}`,
      ),
      deviation_ids: arrayOf(
        sql`select jsonb_agg(deviation_id order by deviation_id) from deviation_capas where capa_id = ${id}`,
      ),
    }
  },
}
