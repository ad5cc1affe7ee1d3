import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { command, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireValid, variableOf } from './check.ts'
import { messages } from './messages.ts'
import {
  countTemplates,
  countVersions,
  findDocumentType,
  findVersion,
  insertTemplate,
  insertVersion,
  listTemplates,
  listVersions,
  lockTemplate,
  nameTaken,
  templateSorts,
  updateTemplate,
  versionSorts,
} from './queries.ts'
import {
  Template,
  TemplateCreate,
  TemplateFilter,
  TemplateSummary,
  TemplateUpdate,
  TemplateVersion,
  TemplateVersionSummary,
  VersionParams,
  VersionsFilter,
} from './schema.ts'
import { readTemplate, recorded, requireActive } from './view.ts'

export const list = query({
  summary: 'List content templates',
  permission: 'templates.read',
  input: { query: TemplateFilter },
  response: Page(TemplateSummary),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, templateSorts, { field: 'name', direction: 'asc' })
    return pageOf(
      query,
      (limit, offset) => listTemplates(tx, query, sort, limit, offset),
      () => countTemplates(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read a content template',
  permission: 'templates.read',
  input: { params: IdParams },
  response: Template,
  run: ({ tx }, { params }) => readTemplate(tx, params.id),
})

export const listTemplateVersions = query({
  summary: 'List the versions of a content template',
  description: 'Who stored each version, when and why, the newest first.',
  permission: 'templates.read',
  input: { params: IdParams, query: VersionsFilter },
  response: Page(TemplateVersionSummary),
  async run({ tx }, { params, query }) {
    await readTemplate(tx, params.id)
    const sort = parseSort(query.sort, versionSorts, { field: 'version', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listVersions(tx, params.id, sort, limit, offset),
      () => countVersions(tx, params.id),
    )
  },
})

export const versionDetails = query({
  summary: 'Read a version of a content template',
  description:
    'A document can be compared with the version that it was made from, also after the template has changed.',
  permission: 'templates.read',
  input: { params: VersionParams },
  response: TemplateVersion,
  async run({ tx }, { params }) {
    const version = await findVersion(tx, params.id, params.version)
    if (!version) throw notFound('Content template')
    return version
  },
})

async function requireFree(tx: Tx, name: string, except: number) {
  if (await nameTaken(tx, name, except)) throw conflict(messages.template_name_taken({ name }))
}

async function requireType(tx: Tx, id: number | null | undefined) {
  if (id && !(await findDocumentType(tx, id))) throw notFound('Document type')
}

export const create = command({
  summary: 'Create a content template',
  description:
    'The template is checked as a whole: each {{name}} must be declared and each variable used, and a refusal names every wrong place. Built-in variables: {{today}}, {{company}}, {{user_full_name}}, {{title}}, {{template_name}}, {{template_version}}.',
  permission: 'templates.manage',
  input: { body: TemplateCreate },
  response: Template,
  prepare: (_context, { body: { body, variables = [] } }) =>
    requireValid({ body, variables: variables.map(variableOf) }),
  async run({ tx, record, prepared }, { body: { name, description = '', category, document_type_id = null } }) {
    await requireType(tx, document_type_id)
    await requireFree(tx, name, 0)
    const { id } = await insertTemplate(tx, { name, description, category, document_type_id, is_builtin: false })
    await insertVersion(tx, {
      ...{ template_id: id, version: 1, change_reason: null },
      ...{ body: prepared.body, variables: prepared.variables },
    })
    const template = await readTemplate(tx, id)
    record('content_template.created', id, { after: recorded(template) })
    return template
  },
})

export const update = command({
  summary: 'Change a content template',
  description: 'A changed body or variable makes the next version. A field that is left out stays unchanged.',
  permission: 'templates.manage',
  input: { params: IdParams, body: TemplateUpdate },
  response: Template,
  async prepare({ read }, { params, body: { body, variables } }) {
    const { version, ...old } = await read(tx => readTemplate(tx, params.id))
    const draft = { body: body ?? old.body, variables: variables?.map(variableOf) ?? old.variables }
    const isOther = draft.body !== old.body || !isDeepStrictEqual(draft.variables, old.variables)
    if (isOther) await requireValid(draft)
    return { draft: isOther ? draft : undefined, version }
  },
  async run(context, { params, body }) {
    const { tx, record, prepared } = context
    if (!(await lockTemplate(tx, params.id))) throw notFound('Content template')
    const before = await readTemplate(tx, params.id)
    await requireType(tx, body.document_type_id)
    await refuseStale(context, 'content_template', before)
    requireActive(before)
    if (before.version !== prepared.version) throw conflict(messages.template_changed_meanwhile({ name: before.name }))
    const { revision: _revision, change_reason, body: _body, variables: _variables, ...fields } = body
    if (fields.name !== undefined) await requireFree(tx, fields.name, before.id)
    const version = before.version + (prepared.draft ? 1 : 0)
    if (prepared.draft) await insertVersion(tx, { template_id: before.id, version, change_reason, ...prepared.draft })
    await updateTemplate(tx, before.id, { ...fields, version })
    const template = await readTemplate(tx, before.id)
    record('content_template.updated', template.id, {
      before: recorded(before),
      after: recorded(template),
      reason: change_reason,
    })
    return template
  },
})

export const remove = command({
  summary: 'Delete a content template',
  description:
    'The template can no longer be used. It can still be read, because documents that were made from it name it.',
  permission: 'templates.manage',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    if (!(await lockTemplate(tx, params.id))) throw notFound('Content template')
    const before = await readTemplate(tx, params.id)
    await refuseStale(context, 'content_template', before)
    requireActive(before)
    await updateTemplate(tx, before.id, { is_active: false })
    const after = await readTemplate(tx, before.id)
    record('content_template.deleted', before.id, { before: recorded(before), after: recorded(after) })
    return null
  },
})
