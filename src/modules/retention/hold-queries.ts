import { type Insertable, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, isoMoment, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { HoldFilter, LegalHold, RecordKind } from './schema.ts'

export const holdSorts = ['id', 'placed_at', 'lifted_at'] as const

const lockOfTenant = sql`hashtextextended('legal holds ' || current_tenant(), 0)`

/** Held until the transaction ends: nothing is destroyed while a hold is placed, and no hold is placed while something is destroyed. */
export const lockPlacement = (tx: Tx) => sql`select pg_advisory_xact_lock(${lockOfTenant})`.execute(tx)
export const lockDestruction = (tx: Tx) => sql`select pg_advisory_xact_lock_shared(${lockOfTenant})`.execute(tx)

const holds = (tx: Tx) =>
  tx
    .selectFrom('legal_holds as h')
    .select(['h.id', 'h.number', 'h.affected_item', 'h.department', 'h.reason', 'h.placed_at'])
    .select(['h.lifted_at', 'h.lift_reason', 'h.document_id', 'h.deviation_id', 'h.capa_id'])
    .select([
      sql<LegalHold['status']>`h.status`.as('status'),
      sql<RecordKind | null>`h.record_kind`.as('record_kind'),
      sql<LegalHold['scope']>`case when num_nonnulls(h.document_id, h.deviation_id, h.capa_id) = 1 then 'record'
        when h.document_type_id is not null then 'document_type' when h.record_kind is not null then 'record_kind'
        when h.affected_item is not null then 'affected_item' else 'department' end`.as('scope'),
      sql<LegalHold['record']>`coalesce(
        (select jsonb_build_object('kind', 'document', 'id', d.id, 'number', d.number, 'title', v.title)
          from documents d join document_versions v on v.id = d.shown_version_id where d.id = h.document_id),
        (select jsonb_build_object('kind', 'deviation', 'id', n.id, 'number', n.number, 'title', n.title) from deviations n where n.id = h.deviation_id),
        (select jsonb_build_object('kind', 'capa', 'id', c.id, 'number', c.number, 'title', c.title) from capas c where c.id = h.capa_id))`.as(
        'record',
      ),
      sql<LegalHold['document_type']>`(select jsonb_build_object('id', t.id, 'name', t.name) from document_types t
        where t.id = h.document_type_id)`.as('document_type'),
      sql<Person>`${personOf('h.placed_by')}`.as('placed_by'),
      personOf('h.lifted_by').as('lifted_by'),
      sql<
        number | null
      >`(select max(s.id) from signatures s where s.tenant_id = h.tenant_id and s.legal_hold_id = h.id)`.as(
        'signature_id',
      ),
    ])

const matching = (tx: Tx, { status }: HoldFilter) =>
  tx.selectFrom('legal_holds').$if(status !== undefined, query => query.where('status', '=', status!))

export const listHolds = (
  tx: Tx,
  filter: HoldFilter,
  { field, direction }: Sort<(typeof holdSorts)[number]>,
  limit: number,
  offset: number,
) =>
  holds(tx)
    .where('h.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`h.${field}`, direction)
    .orderBy('h.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countHolds = (tx: Tx, filter: HoldFilter) => countRows(matching(tx, filter))

export const findHold = (tx: Tx, id: number) => holds(tx).where('h.id', '=', id).executeTakeFirst()
export type StoredHold = NonNullable<Awaited<ReturnType<typeof findHold>>>

export const lockHold = (tx: Tx, id: number) =>
  tx.selectFrom('legal_holds').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const insertHold = (tx: Tx, values: Insertable<Tables['legal_holds']>) =>
  tx.insertInto('legal_holds').values(values).returning('id').executeTakeFirstOrThrow()

/** The database adds who lifted it, and when. */
export const liftHold = (tx: Tx, id: number, lift_reason: string) =>
  tx.updateTable('legal_holds').set({ status: 'lifted', lift_reason }).where('id', '=', id).execute()

export const isType = async (tx: Tx, id: number) =>
  (await tx.selectFrom('document_types').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** The active holds on a record. */
export const listHoldsOn = async (tx: Tx, kind: RecordKind, id: number) =>
  (
    await sql<{ id: number; number: string; placed_at: string }>`
      select h.id, h.number, ${isoMoment('h.placed_at')} as placed_at from legal_holds h
      where h.id in (select holds_on(${kind}, ${id})) order by h.id`.execute(tx)
  ).rows

/** A whole row by the id alone, also for a restore, which reads it outside of any tenant. */
export const findWholeHold = (tx: Tx, id: number) =>
  tx.selectFrom('legal_holds').selectAll().where('id', '=', id).executeTakeFirst()
