import { type ExpressionBuilder, sql } from 'kysely'
import type { NamedFilter, Sort } from '#kernel/paging.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { WorkflowDefinition } from './definition.ts'
import type { ApprovalMinimum } from './minimum.ts'
import type { DocumentTypeCreate } from './schema.ts'

export const namedSorts = ['id', 'name', 'created_at', 'updated_at'] as const
type NamedSort = Sort<(typeof namedSorts)[number]>

type With<Alias extends string, Table extends keyof Tables> = Tables & Record<Alias, Tables[Table]>

const templatesMatching =
  ({ q, is_active }: NamedFilter) =>
  (e: ExpressionBuilder<With<'w', 'workflow_templates'>, 'w'>) =>
    e.and([
      ...(q ? [e('w.name', 'ilike', contains(q))] : []),
      ...(is_active === undefined ? [] : [e('w.is_active', '=', is_active)]),
    ])

const typesMatching =
  ({ q, is_active }: NamedFilter) =>
  (e: ExpressionBuilder<With<'t', 'document_types'>, 't'>) =>
    e.and([
      ...(q ? [e('t.name', 'ilike', contains(q))] : []),
      ...(is_active === undefined ? [] : [e('t.is_active', '=', is_active)]),
    ])

const templates = (tx: Tx) =>
  tx
    .selectFrom('workflow_templates as w')
    .innerJoin('workflow_template_versions as v', join =>
      join.onRef('v.template_id', '=', 'w.id').onRef('v.version', '=', 'w.version'),
    )
    .select([
      'w.id',
      'w.name',
      'w.description',
      'w.version',
      'w.is_builtin',
      'w.is_active',
      'w.created_at',
      'w.updated_at',
      'w.revision',
    ])
    .select([
      sql<WorkflowDefinition>`v.definition`.as('definition'),
      personOf('w.created_by').as('created_by'),
      personOf('w.updated_by').as('updated_by'),
    ])

export const listTemplates = (
  tx: Tx,
  filter: NamedFilter,
  { field, direction }: NamedSort,
  limit: number,
  offset: number,
) =>
  templates(tx)
    .where(templatesMatching(filter))
    .orderBy(`w.${field}`, direction)
    .orderBy('w.id')
    .limit(limit)
    .offset(offset)
    .execute()
export const countTemplates = (tx: Tx, filter: NamedFilter) =>
  countRows(tx.selectFrom('workflow_templates as w').where(templatesMatching(filter)))
const templateWhole = builtOnce((tx, { id }: { id: number }) => templates(tx).where('w.id', '=', id))
export const findTemplate = async (tx: Tx, id: number) => (await templateWhole(tx, { id })).at(0)
const templateOfType = builtOnce((tx, { type_id }: { type_id: number }) =>
  templates(tx).where(
    'w.id',
    '=',
    sql<number>`(select workflow_template_id from document_types where id = ${type_id})`,
  ),
)
/** The workflow of a document type. */
export const findTemplateOfType = async (tx: Tx, type_id: number) => (await templateOfType(tx, { type_id })).at(0)
export const lockTemplate = (tx: Tx, id: number) =>
  tx.selectFrom('workflow_templates').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

/** Keeps the definitions as they are until a type that admits them is stored. */
export const holdTemplates = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('workflow_templates')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forShare()
    .execute()

/** A definition as it was when an approval began with it. */
export const findDefinition = async (tx: Tx, templateId: number, version: number) => {
  const row = await tx
    .selectFrom('workflow_template_versions')
    .select(sql<WorkflowDefinition>`definition`.as('definition'))
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.definition
}

/** Every version of every template, because pending approvals keep the version that they began with. */
export const listDefinitions = (tx: Tx) =>
  tx
    .selectFrom('workflow_template_versions')
    .select(['template_id', 'version', sql<WorkflowDefinition>`definition`.as('definition')])
    .execute()

export const insertTemplate = (tx: Tx, values: { name: string; description: string; is_builtin: boolean }) =>
  tx
    .insertInto('workflow_templates')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
export const insertTemplateVersion = (
  tx: Tx,
  template_id: number,
  version: number,
  definition: WorkflowDefinition,
  change_reason: string | null = null,
) =>
  tx
    .insertInto('workflow_template_versions')
    .values({ template_id, version, definition: JSON.stringify(definition), change_reason })
    .execute()

const versionsOf = (tx: Tx, templateId: number) =>
  tx.selectFrom('workflow_template_versions as v').where('v.template_id', '=', templateId)

/** The newest first, each with how many versions of documents under way began with it. */
export const listTemplateVersions = (tx: Tx, templateId: number, limit: number, offset: number) =>
  versionsOf(tx, templateId)
    .select(['v.version', 'v.created_at', 'v.change_reason'])
    .select([
      sql<WorkflowDefinition>`v.definition`.as('definition'),
      personOf('v.created_by').as('created_by'),
      sql<number>`(select count(*)::int from document_versions d where d.workflow_template_id = v.template_id
        and d.workflow_template_version = v.version and d.status_kind in ('initial', 'review'))`.as(
        'documents_under_way',
      ),
    ])
    .orderBy('v.version', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
export const countTemplateVersions = (tx: Tx, templateId: number) => countRows(versionsOf(tx, templateId))
export const updateTemplate = (
  tx: Tx,
  id: number,
  values: { name: string; description: string; is_active: boolean; version: number },
) =>
  tx
    .updateTable('workflow_templates')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()
export const templateNameTaken = (tx: Tx, name: string, except: number) =>
  tx.selectFrom('workflow_templates').select('id').where('name', '=', name).where('id', '<>', except).executeTakeFirst()

const minimum = sql<ApprovalMinimum>`jsonb_build_object('signature', t.minimum_signature, 'people', t.minimum_people,
  'author_excluded', t.minimum_author_excluded)`.as('minimum_approval')

/** Also inactive ones, which can be activated at any time. */
export const listTypesAdmitting = (tx: Tx, templateId: number) =>
  tx
    .selectFrom('document_types as t')
    .select(['t.id', 't.name', 't.controlled', minimum])
    .where(e =>
      e.or([
        e('t.workflow_template_id', '=', templateId),
        sql<boolean>`${templateId} = any(t.other_workflow_template_ids)`,
      ]),
    )
    .orderBy('t.id')
    .execute()

const types = (tx: Tx) =>
  tx
    .selectFrom('document_types as t')
    .innerJoin('workflow_templates as w', 'w.id', 't.workflow_template_id')
    .select([
      't.id',
      't.name',
      't.prefix',
      't.number_pattern',
      't.description',
      't.review_period_months',
      't.retention_years',
      't.training_gate',
      't.training_threshold',
      't.signing_program_ids',
      't.controlled',
      't.is_builtin',
      't.is_active',
      't.created_at',
      't.updated_at',
      't.revision',
    ])
    .select(sql<{ id: number; name: string }>`jsonb_build_object('id', w.id, 'name', w.name)`.as('workflow_template'))
    .select([
      sql<{ id: number; name: string }[]>`(select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name)
        order by a.id <> t.workflow_template_id, a.name)
        from workflow_templates a where a.id = any(t.workflow_template_id || t.other_workflow_template_ids))`.as(
        'workflow_templates',
      ),
      minimum,
    ])
    .select([personOf('t.created_by').as('created_by'), personOf('t.updated_by').as('updated_by')])

export const listTypes = (
  tx: Tx,
  filter: NamedFilter,
  { field, direction }: NamedSort,
  limit: number,
  offset: number,
) =>
  types(tx)
    .where(typesMatching(filter))
    .orderBy(`t.${field}`, direction)
    .orderBy('t.id')
    .limit(limit)
    .offset(offset)
    .execute()
export const countTypes = (tx: Tx, filter: NamedFilter) =>
  countRows(tx.selectFrom('document_types as t').where(typesMatching(filter)))
const typeWhole = builtOnce((tx, { id }: { id: number }) => types(tx).where('t.id', '=', id))
export const findType = async (tx: Tx, id: number) => (await typeWhole(tx, { id })).at(0)
/** Without a change of keys: an upload holds the key of its type, and would wait for this lock while it is waited for. */
export const lockType = (tx: Tx, id: number) =>
  tx.selectFrom('document_types').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
export const typeNameTaken = (tx: Tx, name: string, except: number) =>
  tx.selectFrom('document_types').select('id').where('name', '=', name).where('id', '<>', except).executeTakeFirst()

export const findTypeByPrefix = (tx: Tx, prefix: string) =>
  tx.selectFrom('document_types').select('name').where('prefix', '=', prefix).orderBy('id').limit(1).executeTakeFirst()

/** The workflows besides the default one, and the least that each asks for. */
interface Admission {
  controlled: boolean
  other_workflow_template_ids: number[]
  minimum_approval: ApprovalMinimum
}
const columnsOf = <T extends Admission>({
  minimum_approval: { signature, people, author_excluded },
  ...values
}: T) => ({
  ...values,
  minimum_signature: signature,
  minimum_people: people,
  minimum_author_excluded: author_excluded,
})

type NewType = Omit<DocumentTypeCreate, keyof Admission | 'workflow_template_ids' | 'number_pattern'> &
  Admission & { number_pattern: string; is_builtin?: boolean }
/** Undefined if the name or the prefix is taken. */
export const insertType = (tx: Tx, values: NewType) =>
  tx
    .insertInto('document_types')
    .values(columnsOf(values))
    .onConflict(on => on.doNothing())
    .returning('id')
    .executeTakeFirst()

interface TypeValues extends Admission {
  name: string
  description: string
  number_pattern: string
  workflow_template_id: number
  review_period_months: number | null
  retention_years: number | null
  training_gate: string
  training_threshold: number
  signing_program_ids: number[]
  is_active: boolean
}
export const updateType = (tx: Tx, id: number, values: TypeValues) =>
  tx
    .updateTable('document_types')
    .set({ ...columnsOf(values), ...revised })
    .where('id', '=', id)
    .execute()

/** A document whose gate depends on the training programs of its type. */
export const findGated = (tx: Tx, typeId: number) =>
  tx
    .selectFrom('documents')
    .select('number')
    .where('document_type_id', '=', typeId)
    .where('training_gate', '=', 'before_sign')
    .limit(1)
    .executeTakeFirst()

/** The documents of a type, as far as a change of the type concerns them. */
export const countDocumentsOf = (tx: Tx, typeId: number) =>
  tx
    .selectFrom('documents as d')
    .where('d.document_type_id', '=', typeId)
    .select(e => [
      e.fn.countAll<number>().as('total'),
      e.fn.count<number>('d.effective_version_id').as('effective'),
      e.fn.count<number>('d.training_gate').as('own_gate'),
      sql<number>`count(*) filter (where exists (select from document_versions v
        where v.id = d.latest_version_id and v.status_kind in ('initial', 'review')))`.as('under_way'),
    ])
    .executeTakeFirstOrThrow()

const programs = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'status'])
    .where('id', 'in', [...ids])
    .orderBy('id')

export const findPrograms = (tx: Tx, ids: readonly number[]) => programs(tx, ids).execute()

export const lockPrograms = (tx: Tx, ids: readonly number[]) => programs(tx, ids).forShare().execute()

const userNames = builtOnce((tx, _: object) => tx.selectFrom('users').select(['id', 'username', 'full_name']))
export const listUserNames = (tx: Tx) => userNames(tx, {})
