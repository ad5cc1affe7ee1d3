import { isDeepStrictEqual } from 'node:util'
import { configurationCommand, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalid, notFound } from '#kernel/errors.ts'
import { NamedFilter, pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import type { Section } from './definition.ts'
import { readForm } from './fill.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { messages } from './messages.ts'
import {
  countTemplates,
  countVersions,
  findTemplate,
  formSorts,
  insertTemplate,
  insertVersion,
  listTemplates,
  listVersions,
  lockTemplate,
  nameTaken,
  updateTemplate,
  versionSorts,
} from './queries.ts'
import {
  FormPreview,
  FormTemplate,
  FormTemplateCreate,
  FormTemplateUpdate,
  FormTemplateVersion,
  FormVersionSummary,
  JsonSchema,
  ListedFormTemplate,
  SchemaQuery,
  VersionParams,
  VersionsFilter,
} from './schema.ts'
import { checkSections } from './template-rules.ts'

async function readTemplate(tx: Tx, id: number): Promise<FormTemplate> {
  const template = await findTemplate(tx, id)
  if (!template) throw notFound('Form template')
  return template as FormTemplate
}

function requireValidSections(sections: readonly Section[]) {
  const issues = checkSections(sections)
  if (issues.length > 0) throw invalid(...issues)
}

const nameTakenError = (name: string) => conflict(messages.form_template_name_taken({ name }))

export const listFormTemplates = query({
  summary: 'List form templates',
  permission: 'deviations.read',
  input: { query: NamedFilter },
  response: Page(ListedFormTemplate),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, formSorts, { field: 'name', direction: 'asc' })
    return pageOf(
      query,
      async (limit, offset) => {
        const { deviation_form } = await readSettings(tx)
        const templates = await listTemplates(tx, query, sort, limit, offset)
        return templates.map(each => ({ ...each, is_default: each.id === deviation_form })) as ListedFormTemplate[]
      },
      () => countTemplates(tx, query),
    )
  },
})

export const formTemplateDetails = query({
  summary: 'Read a form template',
  permission: 'deviations.read',
  input: { params: IdParams },
  response: FormTemplate,
  run: ({ tx }, { params }) => readTemplate(tx, params.id),
})

export const listFormTemplateVersions = query({
  summary: 'List the versions of a form template',
  description: 'Who stored each version, when and why, the newest first.',
  permission: 'deviations.read',
  input: { params: IdParams, query: VersionsFilter },
  response: Page(FormVersionSummary),
  async run({ tx }, { params, query }) {
    await readTemplate(tx, params.id)
    const sort = parseSort(query.sort, versionSorts, { field: 'version', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listVersions(tx, params.id, sort, limit, offset) as Promise<FormVersionSummary[]>,
      () => countVersions(tx, params.id),
    )
  },
})

export const formTemplateVersion = query({
  summary: 'Read a version of a form template',
  description:
    'A filled-in form is read by the version that it was filled in with, also after the template has changed.',
  permission: 'deviations.read',
  input: { params: VersionParams },
  response: FormTemplateVersion,
  run: ({ tx }, { params }) => readForm(tx, params.id, params.version),
})

export const formTemplateSchema = query({
  summary: 'Read the JSON Schema of a form template',
  description:
    'JSON Schema 2020-12 of the form_data of a version, by default the current one. Conditional fields are in the `then` of an `if`. `x-field-type` is the type of the field, `x-references` the kind of record that is picked, `x-sections` the layout.',
  permission: 'deviations.read',
  input: { params: IdParams, query: SchemaQuery },
  response: JsonSchema,
  async run({ tx }, { params, query: { version, is_complete: isComplete = true } }) {
    const form = version === undefined ? await readTemplate(tx, params.id) : await readForm(tx, params.id, version)
    return jsonSchemaOf(form, { isComplete })
  },
})

export const previewFormTemplate = query({
  summary: 'Preview a form template that is not stored',
  description:
    'Checks the sections as on saving, and answers the JSON Schema of the form as whoever reports a deviation would get it. Nothing is stored.',
  permission: 'deviations.manage_forms',
  input: { body: FormPreview },
  response: JsonSchema,
  async run(_context, { body: { name = 'Preview', sections } }) {
    requireValidSections(sections)
    return jsonSchemaOf({ name, description: null, sections }, { isComplete: false })
  },
})

export const createFormTemplate = configurationCommand({
  configures: 'form_template',
  operation: 'create',
  summary: 'Create a form template',
  description: 'The template is checked as a whole, and a refusal names every wrong place.',
  permission: 'deviations.manage_forms',
  input: { body: FormTemplateCreate },
  response: FormTemplate,
  async run({ tx, record }, { body: { name, description = null, sections } }) {
    requireValidSections(sections)
    const inserted = await insertTemplate(tx, { name, description })
    if (!inserted) throw nameTakenError(name)
    await insertVersion(tx, { template_id: inserted.id, version: 1, sections, change_reason: null })
    const template = await readTemplate(tx, inserted.id)
    record('form_template.created', template.id, { after: template })
    return template
  },
})

export const updateFormTemplate = configurationCommand({
  configures: 'form_template',
  operation: 'update',
  summary: 'Change a form template',
  description:
    'Changed sections make the next version of the template; a deviation keeps the version that it began with.',
  permission: 'deviations.manage_forms',
  input: { params: IdParams, body: FormTemplateUpdate },
  response: FormTemplate,
  async run(context, { params, body }) {
    const { tx, record } = context
    if (!(await lockTemplate(tx, params.id))) throw notFound('Form template')
    const before = await readTemplate(tx, params.id)
    await refuseStale(context, 'form_template', before)
    const { name = before.name, description = before.description, is_active = before.is_active, sections } = body
    const change_reason = body.change_reason ?? null
    if (await nameTaken(tx, name, before.id)) throw nameTakenError(name)
    const isChanged = sections !== undefined && !isDeepStrictEqual(sections, before.sections)
    const version = isChanged ? before.version + 1 : before.version
    if (isChanged) {
      requireValidSections(sections)
      await insertVersion(tx, { template_id: before.id, version, sections, change_reason })
    }
    await updateTemplate(tx, before.id, { name, description, is_active, version })
    const template = await readTemplate(tx, before.id)
    record('form_template.updated', template.id, { before, after: template, reason: change_reason })
    return template
  },
})
