import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { type ActionContext, configurationCommand, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalid, invalidField, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { defaultPatternOf, isNumberPattern } from '#kernel/number-pattern.ts'
import { NamedFilter, PageParams, pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { requireTypePattern, todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { nextNumber, seriesOf } from '#platform/db/numbers.ts'
import { othersThan, requireAdmissible, requireEnoughForTypes } from './admission.ts'
import { weaknessesOf } from './approval-rules.ts'
import type { WorkflowDefinition } from './definition.ts'
import { requireGate } from './gate-rules.ts'
import { holdGroups } from './group-queries.ts'
import { messages } from './messages.ts'
import { namesIn, readTenantFacts } from './people.ts'
import {
  countDocumentsOf,
  countTemplates,
  countTemplateVersions,
  countTypes,
  findPrograms,
  findTemplate,
  findType,
  findTypeByPrefix,
  insertTemplate,
  insertTemplateVersion,
  insertType,
  listTemplates,
  listTemplateVersions,
  listTypes,
  lockTemplate,
  lockType,
  namedSorts,
  templateNameTaken,
  typeNameTaken,
  updateTemplate,
  updateType,
} from './queries.ts'
import { checkDefinition } from './rules.ts'
import {
  DocumentType,
  DocumentTypeCreate,
  DocumentTypeDetails,
  DocumentTypeEffects,
  DocumentTypeUpdate,
  WorkflowTemplate,
  WorkflowTemplateCreate,
  WorkflowTemplateDetails,
  WorkflowTemplateUpdate,
  WorkflowTemplateVersion,
} from './schema.ts'

const byName = { field: 'name', direction: 'asc' } as const

async function readTemplate(tx: Tx, id: number): Promise<WorkflowTemplate> {
  const template = await findTemplate(tx, id)
  if (!template) throw notFound('Workflow template')
  return template as WorkflowTemplate
}

const inFull = async (tx: Tx, template: WorkflowTemplate) => ({
  ...template,
  names: await namesIn(tx, template.definition),
  warnings: weaknessesOf(template.definition, await readTenantFacts(tx, template.definition)),
})

/** FLOW-01: checks the whole definition with the people of today. */
async function requireSound(tx: Tx, definition: WorkflowDefinition) {
  await holdGroups(tx, definition)
  const issues = checkDefinition(definition, await readTenantFacts(tx, definition))
  if (issues.length > 0) throw invalid(...issues)
}

export const listWorkflowTemplates = query({
  summary: 'List workflow templates',
  permission: 'workflow_templates.read',
  input: { query: NamedFilter },
  response: Page(WorkflowTemplate),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, namedSorts, byName)
    return pageOf(
      query,
      (limit, offset) => listTemplates(tx, query, sort, limit, offset) as Promise<WorkflowTemplate[]>,
      () => countTemplates(tx, query),
    )
  },
})

export const workflowTemplateDetails = query({
  summary: 'Read a workflow template',
  permission: 'workflow_templates.read',
  input: { params: IdParams },
  response: WorkflowTemplateDetails,
  run: async ({ tx }, { params }) => inFull(tx, await readTemplate(tx, params.id)),
})

export const listWorkflowTemplateVersions = query({
  summary: 'List the versions of a workflow template',
  description:
    'The newest first: who made each, when and why, and how many documents under way keep it. A document version keeps the version of the template that it began with.',
  permission: 'workflow_templates.read',
  input: {
    params: IdParams,
    query: Type.Object({ page: PageParams.page, page_size: PageParams.page_size }, { additionalProperties: false }),
  },
  response: Page(WorkflowTemplateVersion),
  async run({ tx }, { params: { id }, query }) {
    await readTemplate(tx, id)
    return pageOf(
      query,
      async (limit, offset) => {
        const versions = await listTemplateVersions(tx, id, limit, offset)
        return Promise.all(
          versions.map(async version => ({ ...version, names: await namesIn(tx, version.definition) })),
        )
      },
      () => countTemplateVersions(tx, id),
    )
  },
})

export const createWorkflowTemplate = configurationCommand({
  configures: 'workflow_template',
  operation: 'create',
  summary: 'Create a workflow template',
  permission: 'workflow_templates.manage',
  input: { body: WorkflowTemplateCreate },
  response: WorkflowTemplateDetails,
  async run({ tx, record }, { body: { name, description = '', definition } }) {
    await requireSound(tx, definition)
    const inserted = await insertTemplate(tx, { name, description, is_builtin: false })
    if (!inserted) throw conflict(messages.workflow_template_name_taken({ name }))
    await insertTemplateVersion(tx, inserted.id, 1, definition)
    const template = await readTemplate(tx, inserted.id)
    record('workflow_template.created', template.id, { after: template })
    return inFull(tx, template)
  },
})

export const updateWorkflowTemplate = configurationCommand({
  configures: 'workflow_template',
  operation: 'update',
  summary: 'Change a workflow template',
  description:
    'A changed definition becomes the next version of the template; pending approvals keep the version that they began with.',
  permission: 'workflow_templates.manage',
  input: { params: IdParams, body: WorkflowTemplateUpdate },
  response: WorkflowTemplateDetails,
  async run(context, { params, body }) {
    const { tx, record } = context
    if (!(await lockTemplate(tx, params.id))) throw notFound('Workflow template')
    const before = await readTemplate(tx, params.id)
    await refuseStale(context, 'workflow_template', before)
    if (before.is_builtin) throw conflict(messages.workflow_template_built_in({ name: before.name }))
    const { name = before.name, description = before.description, is_active = before.is_active, definition } = body
    if (await templateNameTaken(tx, name, before.id)) throw conflict(messages.workflow_template_name_taken({ name }))
    const changed = definition !== undefined && !isDeepStrictEqual(definition, before.definition)
    const version = changed ? before.version + 1 : before.version
    // People and groups may have changed while the template was inactive.
    if (changed || (is_active && !before.is_active)) await requireSound(tx, definition ?? before.definition)
    if (changed) await requireEnoughForTypes(tx, { id: before.id, name }, definition)
    if (changed) await insertTemplateVersion(tx, before.id, version, definition, body.change_reason)
    await updateTemplate(tx, before.id, { name, description, is_active, version })
    const template = await readTemplate(tx, before.id)
    record('workflow_template.updated', template.id, { before, after: template, reason: body.change_reason ?? null })
    return inFull(tx, template)
  },
})

async function readType(tx: Tx, id: number): Promise<DocumentType> {
  const type = await findType(tx, id)
  if (!type) throw notFound('Document type')
  return type as DocumentType
}

export const listDocumentTypes = query({
  summary: 'List document types',
  permission: 'document_types.read',
  input: { query: NamedFilter },
  response: Page(DocumentType),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, namedSorts, byName)
    return pageOf(
      query,
      (limit, offset) => listTypes(tx, query, sort, limit, offset) as Promise<DocumentType[]>,
      () => countTypes(tx, query),
    )
  },
})

const nextNumberOf = async (context: ActionContext<unknown>, type: Pick<DocumentType, 'number_pattern'>) =>
  nextNumber(context.tx, seriesOf(type, { today: await todayOf(context), department: 'QA' }))

export const documentTypeDetails = query({
  summary: 'Read a document type',
  permission: 'document_types.read',
  input: { params: IdParams },
  response: DocumentTypeDetails,
  async run(context, { params }) {
    const type = await readType(context.tx, params.id)
    return { ...type, next_number: await nextNumberOf(context, type) }
  },
})

/** The name or the prefix is taken. */
async function refusalOfType(tx: Tx, { name, prefix }: Pick<DocumentTypeCreate, 'name' | 'prefix'>) {
  const other = (await typeNameTaken(tx, name, 0)) ? undefined : await findTypeByPrefix(tx, prefix)
  return conflict(
    other
      ? messages.document_type_prefix_taken({ prefix, name: other.name })
      : messages.document_type_name_taken({ name }),
  )
}

export const createDocumentType = configurationCommand({
  configures: 'document_type',
  operation: 'create',
  summary: 'Create a document type',
  permission: 'document_types.manage',
  input: { body: DocumentTypeCreate },
  response: DocumentType,
  async run({ tx, record }, { body }) {
    const { workflow_template_id: template, workflow_template_ids, controlled = true, ...fields } = body
    const others = othersThan(template, workflow_template_ids)
    const number_pattern = body.number_pattern ?? defaultPatternOf(body.prefix)
    const minimum_approval = await requireAdmissible(tx, { ...fields, controlled, templates: [template, ...others] })
    await requireGate(tx, body)
    // A refusal of the name or the prefix says more than one of the numbers.
    if ((await typeNameTaken(tx, body.name, 0)) || (await findTypeByPrefix(tx, body.prefix)))
      throw await refusalOfType(tx, body)
    await requireTypePattern(tx, number_pattern)
    const inserted = await insertType(tx, {
      ...{ ...fields, workflow_template_id: template, other_workflow_template_ids: others },
      ...{ controlled, minimum_approval, number_pattern },
    })
    if (!inserted) throw await refusalOfType(tx, body)
    const type = await readType(tx, inserted.id)
    record('document_type.created', type.id, { after: type })
    return type
  },
})

export const updateDocumentType = configurationCommand({
  configures: 'document_type',
  operation: 'update',
  summary: 'Change a document type',
  description:
    'Documents that exist keep their numbers, and their versions keep the workflow that they began with. A new default workflow takes the place of the former one, unless the type admitted it already.',
  permission: 'document_types.manage',
  input: { params: IdParams, body: DocumentTypeUpdate },
  response: DocumentType,
  async run(context, { params, body }) {
    const { tx, record } = context
    if (!(await lockType(tx, params.id))) throw notFound('Document type')
    const before = await readType(tx, params.id)
    await refuseStale(context, 'document_type', before)
    const { revision: _revision, change_reason, workflow_template_ids, ...fields } = body
    const current = {
      name: before.name,
      description: before.description,
      number_pattern: before.number_pattern,
      review_period_months: before.review_period_months,
      retention_years: before.retention_years,
      training_gate: before.training_gate,
      training_threshold: before.training_threshold,
      signing_program_ids: before.signing_program_ids,
      is_active: before.is_active,
      controlled: before.controlled,
      minimum_approval: before.minimum_approval,
    }
    const given = { ...current, workflow_template_id: before.workflow_template.id, ...fields }
    const others = othersThan(given.workflow_template_id, workflow_template_ids, before)
    const values = { ...given, other_workflow_template_ids: others }
    if (isShorter(values.retention_years, before.retention_years) && change_reason === undefined)
      throw invalidField('change_reason', messages.retention_shortened_without_reason())
    await requireAdmissible(tx, {
      ...values,
      templates: [values.workflow_template_id, ...others],
      admitted: before.workflow_templates.map(({ id }) => id),
    })
    await requireGate(tx, { ...fields, training_gate: values.training_gate, type: before })
    if (await typeNameTaken(tx, values.name, before.id))
      throw conflict(messages.document_type_name_taken({ name: values.name }))
    if (values.number_pattern !== before.number_pattern) await requireTypePattern(tx, values.number_pattern, before.id)
    await updateType(tx, before.id, values)
    const type = await readType(tx, before.id)
    record('document_type.updated', type.id, { before, after: type, reason: change_reason ?? null })
    return type
  },
})

/** Null is for ever. */
const isShorter = (years: number | null, before: number | null) => years !== null && (before === null || years < before)

const isOther = (asked: unknown, before: unknown) => asked !== undefined && !isDeepStrictEqual(asked, before)

export const documentTypeEffects = query({
  summary: 'What a change of a document type would do',
  description:
    'Takes the change as `PUT /api/document-types/{id}` does, and says what it would mean for the documents that exist. Nothing is stored, and the rules that the change itself is checked by are not asked.',
  permission: 'document_types.manage',
  input: { params: IdParams, body: DocumentTypeUpdate },
  response: DocumentTypeEffects,
  async run(context, { params, body }) {
    const { tx } = context
    const before = await readType(tx, params.id)
    const { number_pattern = before.number_pattern } = body
    const next_number = isNumberPattern(number_pattern) ? await nextNumberOf(context, { number_pattern }) : null
    const documents = await countDocumentsOf(tx, before.id)
    const { total, under_way, effective, own_gate } = documents
    const effects: Message[] = []
    const { workflow_template_id, workflow_template_ids = [], signing_program_ids = [] } = body
    const workflow = workflow_template_id === undefined ? undefined : await readTemplate(tx, workflow_template_id)
    for (const id of workflow_template_ids) await readTemplate(tx, id)
    if (signing_program_ids.length > 0) {
      const found = await findPrograms(tx, signing_program_ids)
      if (found.length < signing_program_ids.length) throw notFound('Training program')
    }
    if (workflow && workflow.id !== before.workflow_template.id)
      effects.push(messages.document_type_effect_workflow({ under_way, workflow: workflow.name }))
    if (total === 0) return { documents, next_number, effects }
    if (isOther(body.name, before.name)) effects.push(messages.document_type_effect_name({ total }))
    const gate = body.training_gate ?? before.training_gate
    const isGateOther = gate !== before.training_gate
    if (isGateOther || (gate === 'before_effective' && isOther(body.training_threshold, before.training_threshold)))
      effects.push(messages.document_type_effect_gate({ concerned: total - own_gate, own: own_gate }))
    else if (gate === 'before_sign' && isOther(body.signing_program_ids, before.signing_program_ids))
      effects.push(messages.document_type_effect_programs({ under_way }))
    if (isOther(body.review_period_months, before.review_period_months))
      effects.push(messages.document_type_effect_review({ effective }))
    if (number_pattern !== before.number_pattern && next_number)
      effects.push(messages.document_type_effect_numbers({ total, next_number }))
    if (isOther(body.retention_years, before.retention_years))
      effects.push(messages.document_type_effect_retention({ years: body.retention_years ?? null, total }))
    if (body.is_active === false && before.is_active) effects.push(messages.document_type_effect_inactive({ total }))
    return { documents, next_number, effects }
  },
})
