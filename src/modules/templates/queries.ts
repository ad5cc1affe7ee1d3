import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { TemplateFilter, Variable } from './schema.ts'

export const templateSorts = ['id', 'name', 'category', 'created_at', 'updated_at'] as const
type TemplateSort = Sort<(typeof templateSorts)[number]>

type Listed = Tables & Record<'t', Tables['content_templates']>

const matching =
  ({ q, category, document_type, is_active = true }: TemplateFilter) =>
  (e: ExpressionBuilder<Listed, 't'>) =>
    e.and([
      e('t.is_active', '=', is_active),
      ...(q ? [e.or([e('t.name', 'ilike', contains(q)), e('t.description', 'ilike', contains(q))])] : []),
      ...(category ? [e('t.category', '=', category)] : []),
      ...(document_type ? [e('t.document_type_id', '=', document_type)] : []),
    ])

const templates = (tx: Tx) =>
  tx
    .selectFrom('content_templates as t')
    .select(['t.id', 't.name', 't.description', 't.category', 't.version', 't.is_builtin', 't.is_active'])
    .select(['t.created_at', 't.updated_at', 't.revision'])
    .select([
      sql<{ id: number; name: string } | null>`(select jsonb_build_object('id', id, 'name', name) from document_types
        where id = t.document_type_id)`.as('document_type'),
      personOf('t.created_by').as('created_by'),
      personOf('t.updated_by').as('updated_by'),
    ])

export const listTemplates = (
  tx: Tx,
  filter: TemplateFilter,
  { field, direction }: TemplateSort,
  limit: number,
  offset: number,
) =>
  templates(tx)
    .where(matching(filter))
    .orderBy(`t.${field}`, direction)
    .orderBy('t.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countTemplates = (tx: Tx, filter: TemplateFilter) =>
  countRows(tx.selectFrom('content_templates as t').where(matching(filter)))

export const findTemplate = (tx: Tx, id: number) =>
  templates(tx)
    .innerJoin('content_template_versions as v', join =>
      join.onRef('v.template_id', '=', 't.id').onRef('v.version', '=', 't.version'),
    )
    .select(['v.body', sql<Variable[]>`v.variables`.as('variables')])
    .where('t.id', '=', id)
    .executeTakeFirst()

export const lockTemplate = (tx: Tx, id: number) =>
  tx.selectFrom('content_templates').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const findVersion = (tx: Tx, id: number, version: number) =>
  tx
    .selectFrom('content_template_versions as v')
    .innerJoin('content_templates as t', 't.id', 'v.template_id')
    .select(['t.id', 't.name', 'v.version', 'v.body', 'v.change_reason', 'v.created_at'])
    .select([personOf('v.created_by').as('created_by'), sql<Variable[]>`v.variables`.as('variables')])
    .where('v.template_id', '=', id)
    .where('v.version', '=', version)
    .executeTakeFirst()

export const versionSorts = ['version', 'created_at'] as const
type VersionSort = Sort<(typeof versionSorts)[number]>

const versions = (tx: Tx, id: number) => tx.selectFrom('content_template_versions as v').where('v.template_id', '=', id)

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

interface TemplateFields {
  name: string
  description: string
  category: string
  document_type_id: number | null
}

export const insertTemplate = (tx: Tx, values: TemplateFields & { is_builtin: boolean }) =>
  tx.insertInto('content_templates').values(values).returning('id').executeTakeFirstOrThrow()

export const insertVersion = (
  tx: Tx,
  {
    variables,
    ...values
  }: {
    template_id: number
    version: number
    body: string
    variables: readonly Variable[]
    change_reason: string | null
  },
) =>
  tx
    .insertInto('content_template_versions')
    .values({ ...values, variables: JSON.stringify(variables) })
    .execute()

export const updateTemplate = (
  tx: Tx,
  id: number,
  values: Partial<TemplateFields> & { version?: number; is_active?: boolean },
) =>
  tx
    .updateTable('content_templates')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

/** Another active template has the name, in upper or lower case. */
export const nameTaken = (tx: Tx, name: string, except: number) =>
  tx
    .selectFrom('content_templates')
    .select('id')
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .where('is_active', '=', true)
    .where('id', '<>', except)
    .executeTakeFirst()

export const findPeople = (tx: Tx, ids: readonly number[]) =>
  tx.selectFrom('users').select(['id', 'username', 'full_name']).where('id', 'in', ids).execute()

/** The documents among these that the actor may read, in their shown versions. */
export const findDocuments = (tx: Tx, actor: Actor, ids: readonly number[]) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.id', 'd.number', 'v.title', 'v.version'])
    .where('d.id', 'in', ids)
    .where(readable(actor))
    .execute()

export const findDocumentType = (tx: Tx, id: number) =>
  tx.selectFrom('document_types').select('id').where('id', '=', id).executeTakeFirst()

export const findTypeNamed = (tx: Tx, name: string) =>
  tx.selectFrom('document_types').select('id').where('name', '=', name).executeTakeFirst()
