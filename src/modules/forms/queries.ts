import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '#action'
import type { NamedFilter, Sort } from '#kernel/paging.ts'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Section } from './definition.ts'

export const formSorts = ['id', 'name', 'created_at', 'updated_at'] as const
type FormSort = Sort<(typeof formSorts)[number]>

type Listed = Tables & Record<'f', Tables['form_templates']>

const matching =
  ({ q, is_active }: NamedFilter) =>
  (e: ExpressionBuilder<Listed, 'f'>) =>
    e.and([
      ...(q ? [e.or([e('f.name', 'ilike', contains(q)), e('f.description', 'ilike', contains(q))])] : []),
      ...(is_active === undefined ? [] : [e('f.is_active', '=', is_active)]),
    ])

const templates = (tx: Tx) =>
  tx
    .selectFrom('form_templates as f')
    .select([
      'f.id',
      'f.name',
      'f.description',
      'f.version',
      'f.is_active',
      'f.created_at',
      'f.updated_at',
      'f.revision',
    ])
    .select([personOf('f.created_by').as('created_by'), personOf('f.updated_by').as('updated_by')])

export const listTemplates = (
  tx: Tx,
  filter: NamedFilter,
  { field, direction }: FormSort,
  limit: number,
  offset: number,
) =>
  templates(tx)
    .select(e =>
      e
        .selectFrom('deviations as d')
        .whereRef('d.form_template_id', '=', 'f.id')
        .select(count => count.fn.countAll<number>().as('n'))
        .as('deviation_count'),
    )
    .where(matching(filter))
    .orderBy(`f.${field}`, direction)
    .orderBy('f.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countTemplates = (tx: Tx, filter: NamedFilter) =>
  countRows(tx.selectFrom('form_templates as f').where(matching(filter)))

export const findTemplate = (tx: Tx, id: number) =>
  templates(tx)
    .innerJoin('form_template_versions as v', join =>
      join.onRef('v.template_id', '=', 'f.id').onRef('v.version', '=', 'f.version'),
    )
    .select(sql<Section[]>`v.sections`.as('sections'))
    .where('f.id', '=', id)
    .executeTakeFirst()

export const lockTemplate = (tx: Tx, id: number) =>
  tx.selectFrom('form_templates').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const findVersion = (tx: Tx, id: number, version: number) =>
  tx
    .selectFrom('form_template_versions as v')
    .innerJoin('form_templates as f', 'f.id', 'v.template_id')
    .select(['f.id', 'f.name', 'f.description', 'v.version', 'v.change_reason', 'v.created_at'])
    .select([personOf('v.created_by').as('created_by'), sql<Section[]>`v.sections`.as('sections')])
    .where('v.template_id', '=', id)
    .where('v.version', '=', version)
    .executeTakeFirst()

export const versionSorts = ['version', 'created_at'] as const
type VersionSort = Sort<(typeof versionSorts)[number]>

const versions = (tx: Tx, id: number) => tx.selectFrom('form_template_versions as v').where('v.template_id', '=', id)

export const listVersions = (tx: Tx, id: number, { field, direction }: VersionSort, limit: number, offset: number) =>
  versions(tx, id)
    .select(['v.version', 'v.change_reason', 'v.created_at'])
    .select(personOf('v.created_by').as('created_by'))
    .orderBy(`v.${field}`, direction)
    .orderBy('v.version', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countVersions = (tx: Tx, id: number) => countRows(versions(tx, id))

export const insertTemplate = (tx: Tx, values: { name: string; description: string | null }) =>
  tx
    .insertInto('form_templates')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const insertVersion = (
  tx: Tx,
  {
    sections,
    ...values
  }: { template_id: number; version: number; sections: readonly Section[]; change_reason: string | null },
) =>
  tx
    .insertInto('form_template_versions')
    .values({ ...values, sections: JSON.stringify(sections) })
    .execute()

export const updateTemplate = (
  tx: Tx,
  id: number,
  values: { name: string; description: string | null; is_active: boolean; version: number },
) =>
  tx
    .updateTable('form_templates')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const nameTaken = (tx: Tx, name: string, except: number) =>
  tx.selectFrom('form_templates').select('id').where('name', '=', name).where('id', '<>', except).executeTakeFirst()

export async function documentsSeen(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0 || !actor.permissions.has('documents.read')) return []
  const rows = await tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select('d.id')
    .where('d.id', 'in', ids)
    .where(readable(actor))
    .execute()
  return rows.map(({ id }) => id)
}

export async function capasSeen(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0 || !actor.permissions.has('capa.read')) return []
  const rows = await tx.selectFrom('capas').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

export async function attachmentsOf(tx: Tx, owner: { deviation_id: number } | null, ids: number[]) {
  if (ids.length === 0 || owner === null) return []
  return tx
    .selectFrom('attachments')
    .select(['id', 'content_type'])
    .where('id', 'in', ids)
    .where('deviation_id', '=', owner.deviation_id)
    .execute()
}
