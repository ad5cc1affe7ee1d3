import { Readable } from 'node:stream'
import { command, type PrepareContext, query } from '#action'
import { orFile } from '#action/file.ts'
import { forbidden, invalid, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { addDocument, keepFirstFile } from '#modules/documents'
import type { MadePdf } from '#platform/pdf/rendition.ts'
import { requireValid, variableOf } from './check.ts'
import { markdownOf, requireAll, resolve } from './fill.ts'
import { messages } from './messages.ts'
import { asUpload, requirePdf, templatePdf } from './pdf.ts'
import { piecesOf } from './placeholders.ts'
import { findDocumentType } from './queries.ts'
import { Preview, PreviewSaved, PreviewUnsaved, TemplateUse, Used } from './schema.ts'
import { unknownOf } from './values.ts'
import { readTemplate, requireActive } from './view.ts'

const atVariables = ['body', 'variables']

export const preview = query({
  summary: 'Preview a content template',
  description: 'Nothing is stored. A missing required value is shown as its label in brackets.',
  permission: 'templates.read',
  input: { params: IdParams, body: PreviewSaved },
  response: Preview,
  async run({ tx, actor, services }, { params, body: { variables: values = {}, title } }) {
    const template = await readTemplate(tx, params.id)
    const filling = await resolve({ tx, actor, services }, { template, values, title, at: atVariables })
    const { pieces } = piecesOf(template.body)
    return { content: markdownOf(pieces, filling), unresolved: filling.missing.map(({ name }) => name) }
  },
})

export const previewUnsaved = query({
  summary: 'Preview a content template that is not stored',
  description: 'Checks body and variables as on saving, and fills them in with `values`. Nothing is stored.',
  permission: 'templates.manage',
  input: { body: PreviewUnsaved },
  response: Preview,
  prepare(_context, { body: { body, variables = [], values = {} } }) {
    const unknown = unknownOf(variables, values, ['body', 'values'])
    if (unknown.length > 0) throw invalid(...unknown)
    return requireValid({ body, variables: variables.map(variableOf) })
  },
  async run({ tx, actor, services, prepared: { pieces, variables } }, { body: { values = {}, title } }) {
    const template = { name: 'Preview', version: 1, variables }
    const filling = await resolve({ tx, actor, services }, { template, values, title, at: ['body', 'values'] })
    return { content: markdownOf(pieces, filling), unresolved: filling.missing.map(({ name }) => name) }
  },
})

/** Checked before anything is made. */
function requireConsistent({ actor }: PrepareContext, { create_document, format, title }: TemplateUse) {
  if (!create_document) return
  if (!actor.permissions.has('documents.create')) throw forbidden(messages.template_document_permission_required())
  if (format === 'pdf') throw invalidField('format', messages.template_document_has_no_format())
  if (title === undefined) throw invalidField('title', messages.template_document_title_required())
}

async function readForUse(context: PrepareContext, body: TemplateUse) {
  const { actor, services } = context
  return context.read(async tx => {
    const template = await readTemplate(tx, body.template_id)
    if (body.document_type_id !== undefined && !(await findDocumentType(tx, body.document_type_id)))
      throw notFound('Document type')
    requireActive(template)
    const asked = { template, values: body.variables ?? {}, title: body.title, at: atVariables }
    const filling = await resolve({ tx, actor, services }, asked)
    requireAll(filling, atVariables)
    return { template, filling }
  })
}

const asFile = ({ bytes }: MadePdf, title: string) => ({
  name: `${title.replaceAll(/[/\\]/g, '-')}.pdf`,
  content_type: 'application/pdf',
  size_bytes: bytes.length,
  open: async () => Readable.from([bytes]),
})

/** TMPL-01. */
export const use = command({
  summary: 'Make a text from a content template',
  description:
    'Answers Markdown, or the PDF with `format: pdf`. With `create_document` a draft of the document type is created, whose file is the PDF with the Markdown attached. Values become text only, never a heading, table, link or HTML.',
  permission: 'templates.use',
  input: { body: TemplateUse },
  response: orFile(Used, 'application/pdf'),
  async prepare(context, { body }) {
    requireConsistent(context, body)
    const { template, filling } = await readForUse(context, body)
    const { pieces } = piecesOf(template.body)
    const content = markdownOf(pieces, filling)
    const made = { template, content, title: filling.builtins.title }
    if (!body.create_document && body.format !== 'pdf') return { ...made, file: undefined, document: undefined }
    const document_type = body.document_type_id ?? template.document_type?.id
    if (body.create_document && document_type === undefined)
      throw invalidField('document_type_id', messages.template_document_type_required())
    if (body.create_document) await context.read(requirePdf)
    const pdf = await templatePdf(context, { pieces, content, filling })
    if (!body.create_document) return { ...made, file: asFile(pdf, made.title), document: undefined }
    const file = await asUpload(context, pdf.bytes, made.title)
    const draft = { document_type: document_type!, department: body.department }
    const stored = await keepFirstFile(context, draft, file)
    return { ...made, file: undefined, document: { ...draft, stored } }
  },
  async run(context, _input) {
    const { record, prepared } = context
    const { template, content, title, file, document } = prepared
    const { id: template_id, name, version, category } = template
    const madeFrom = { content_template: name, content_template_version: version }
    const draft =
      document &&
      (await addDocument(
        context,
        { title, category, document_type: document.document_type, department: document.department },
        document.stored,
        madeFrom,
      ))
    record('content_template.used', template_id, {
      after: { name, version, format: draft ? 'document' : file ? 'pdf' : 'markdown', document: draft?.number ?? null },
    })
    if (file) return file
    return {
      template_id,
      version,
      content,
      document: draft
        ? { id: draft.id, number: draft.number, title: draft.title, version: draft.version, status: draft.status }
        : null,
    }
  },
})
