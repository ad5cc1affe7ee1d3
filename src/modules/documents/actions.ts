import { Type } from 'typebox'
import { type ActionContext, type Actor, command, query } from '#action'
import { FileContent } from '#action/file.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { findTemplate, findType } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { newKey } from '#platform/storage/storage.ts'
import { replaceDraft, returnToDraft } from './lifecycle.ts'
import {
  countDocuments,
  documentSorts,
  insertDocument,
  insertHistory,
  insertVersion,
  listDocuments,
  listHistory,
  listLabels,
  listVersions,
  lockDocument,
  takeNumber,
  updateDocument,
  updateMetadata,
  userIsActive,
} from './queries.ts'
import { canRead, keywordsOf, nextLabel, sightOf } from './rules.ts'
import {
  Document,
  DocumentFilter,
  DocumentSummary,
  DocumentUpdate,
  DocumentVersion,
  HistoryEntry,
  UploadForm,
  VersionChoice,
  VersionForm,
} from './schema.ts'
import { loadAtWork, readDocument, requireReadable, underWayId } from './view.ts'

export const list = query({
  summary: 'List documents',
  description: 'Each with its effective version, or its newest where none is effective.',
  permission: 'documents.read',
  input: { query: DocumentFilter },
  response: Page(DocumentSummary),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, documentSorts, { field: 'id', direction: 'desc' })
    const { limit, offset } = limits(query)
    const sight = sightOf(actor)
    const [items, { total }] = await Promise.all([
      listDocuments(tx, query, sight, sort, limit, offset),
      countDocuments(tx, query, sight),
    ])
    return envelope(items, total, query)
  },
})

export const details = query({
  summary: 'Read a document',
  permission: 'documents.read',
  input: { params: IdParams, query: VersionChoice },
  response: Document,
  run: ({ tx, actor }, { params, query }) => readDocument(tx, actor, params.id, query.version),
})

/** Under the document's lock, and only for those who may read it: what follows decides on what is there now. */
export async function lockReadable(context: ActionContext<unknown>, id: number) {
  const document = await lockDocument(context.tx, id)
  if (!document) throw notFound('Document')
  const before = await readDocument(context.tx, context.actor, id)
  await refuseStale(context, 'document', document)
  return { document, before }
}

async function requireType(tx: Tx, id: number) {
  const type = await findType(tx, id)
  if (!type) throw notFound('Document type')
  if (!type.is_active) throw conflict(`The document type ${type.name} is not active`)
  const template = await findTemplate(tx, type.workflow_template.id)
  if (!template) throw new Error(`the workflow template of ${type.name} is missing`)
  return { type, template, initial: template.definition.states.find(({ kind }) => kind === 'initial')! }
}

export const upload = command({
  summary: 'Upload a new document',
  description: 'Makes version 1.0 of a new document, in the first state of the workflow of its type.',
  permission: 'documents.create',
  input: { form: UploadForm },
  response: Document,
  async prepare({ actor, read, services, ifRefused }, { form, file }) {
    await read(tx => requireType(tx, form.document_type))
    const key = newKey(actor.tenantId)
    await file.keep(key)
    ifRefused(() => services.storage.remove(key))
    return { key }
  },
  async run({ tx, actor, record, prepared }, { form, file }) {
    const { type, template, initial } = await requireType(tx, form.document_type)
    const number = await takeNumber(tx, type.prefix)
    const { id } = await insertDocument(tx, { number, document_type_id: type.id, owner_id: actor.userId! })
    const version = await insertVersion(tx, {
      document_id: id,
      major: 1,
      minor: 0,
      change_type: 'major',
      change_reason: null,
      title: form.title,
      category: form.category || null,
      description: form.description || null,
      keywords: keywordsOf(form.keywords),
      file_key: prepared.key,
      file_name: file.name,
      file_size: file.size_bytes,
      content_type: file.content_type,
      sha256: file.sha256,
      workflow_template_id: template.id,
      workflow_template_version: template.version,
      status: initial.name,
      status_kind: initial.kind,
    })
    await tx.updateTable('documents').set({ latest_version_id: version.id }).where('id', '=', id).execute()
    await insertHistory(tx, {
      document_id: id,
      version_id: version.id,
      round: 0,
      transition: 'created',
      from_status: null,
      to_status: initial.name,
      trigger: 'user',
      comment: null,
    })
    const document = await readDocument(tx, actor, id)
    record('document.created', id, { number, after: recorded(document) })
    return document
  },
})

/** A document as the audit trail shows it: what a person entered and where it stands, not what is derived from it. */
export function recorded({ workflow, document_type, owner, ...document }: Document) {
  return { ...document, document_type: document_type.name, owner: owner.username }
}

export const addVersion = command({
  summary: 'Upload a new version of a document',
  description:
    'A major change makes the next whole number, a minor one counts on behind the point. A draft that was not effective yet is superseded by it.',
  permission: 'documents.create',
  input: { params: IdParams, form: VersionForm },
  response: Document,
  async prepare({ actor, read, services, ifRefused }, { params, file }) {
    await read(tx => requireReadable(tx, actor, params.id))
    const key = newKey(actor.tenantId)
    await file.keep(key)
    ifRefused(() => services.storage.remove(key))
    return { key }
  },
  async run(context, { params, form, file }) {
    const { tx, actor, record, prepared } = context
    const { document, before } = await lockReadable(context, params.id)
    const latest = await loadAtWork(tx, document.latest_version_id!)
    const isOver = latest.version.status_kind === 'final' && document.effective_version_id === null
    if (isOver) throw conflict(`${document.number} is ${latest.version.status}: upload a new document`)
    const { template, initial } = await requireType(tx, document.document_type_id)
    if (latest.version.status_kind === 'initial' || latest.version.status_kind === 'review')
      await replaceDraft(context, latest, form.change_reason)
    const label = nextLabel(await listLabels(tx, document.id), form.change_type)
    const version = await insertVersion(tx, {
      document_id: document.id,
      ...label,
      change_type: form.change_type,
      change_reason: form.change_reason,
      title: form.title ?? latest.version.title,
      category: form.category === undefined ? latest.version.category : form.category || null,
      description: form.description === undefined ? latest.version.description : form.description || null,
      keywords: form.keywords === undefined ? latest.version.keywords : keywordsOf(form.keywords),
      file_key: prepared.key,
      file_name: file.name,
      file_size: file.size_bytes,
      content_type: file.content_type,
      sha256: file.sha256,
      workflow_template_id: template.id,
      workflow_template_version: template.version,
      status: initial.name,
      status_kind: initial.kind,
    })
    await updateDocument(tx, document.id, { latest_version_id: version.id, updated_by: actor.userId })
    await insertHistory(tx, {
      document_id: document.id,
      version_id: version.id,
      round: 0,
      transition: 'created',
      from_status: null,
      to_status: initial.name,
      trigger: 'user',
      comment: form.change_reason,
    })
    const after = await readDocument(tx, actor, document.id, `${label.major}.${label.minor}`)
    record('document.version_created', document.id, {
      number: document.number,
      before: recorded(before),
      after: recorded(after),
      reason: form.change_reason,
    })
    return after
  },
})

export const update = command({
  summary: 'Change the metadata of a document',
  description:
    'Of the version under way. One that is in review or approval goes back to draft, and its approvals count no more; an effective one needs a new version.',
  permission: 'documents.update',
  input: { params: IdParams, body: DocumentUpdate },
  response: Document,
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const { document, before } = await lockReadable(context, params.id)
    const { row } = await requireReadable(tx, actor, params.id)
    const atWork = await loadAtWork(tx, underWayId(row))
    const { version } = atWork
    const { owner_id, revision: _revision, change_reason = null, ...metadata } = body
    if (owner_id !== undefined && !(await userIsActive(tx, owner_id))?.is_active) throw notFound('User')
    if (version.status_kind !== 'initial' && change_reason === null)
      throw invalidField(
        'change_reason',
        `is required, because version ${version.version} is ${version.status}`,
        'missing',
      )
    if (Object.keys(metadata).length > 0) {
      if (version.status_kind === 'effective' || version.status_kind === 'final') {
        throw conflict(
          `Version ${version.version} is ${version.status}, and its metadata is signed with it: upload a new version to change it`,
        )
      }
      const { title, category, description, keywords } = version
      await updateMetadata(tx, version.id, { title, category, description, keywords, ...metadata })
      if (version.status_kind === 'review') await returnToDraft(context, atWork, change_reason)
    }
    await updateDocument(tx, document.id, { ...(owner_id !== undefined && { owner_id }), updated_by: actor.userId })
    const after = await readDocument(tx, actor, document.id, undefined, { isAssured: true })
    const changed = await loadAtWork(tx, version.id)
    record('document.updated', document.id, {
      number: document.number,
      before: { ...recorded(before), ...metadataOf(version) },
      after: { ...recorded(after), ...metadataOf(changed.version) },
      reason: change_reason,
    })
    return after
  },
})

/** Of the version that changed, which need not be the one that is shown. */
const metadataOf = ({
  version,
  title,
  category,
  description,
  keywords,
  status,
}: Awaited<ReturnType<typeof loadAtWork>>['version']) => ({ version, title, category, description, keywords, status })

export const download = command({
  summary: 'Download the file of a document',
  description: 'Of the version that is shown, or of `version`. The bytes are checked against what was stored.',
  permission: 'documents.download',
  input: { params: IdParams, query: VersionChoice },
  response: FileContent,
  async run({ tx, actor, record }, { params, query }) {
    const { row } = await requireReadable(tx, actor, params.id, query.version)
    record('document.downloaded', row.id, {
      number: row.number,
      after: { version: row.version, sha256: row.file.sha256 },
    })
    return {
      key: row.file_path,
      name: row.file.name,
      content_type: row.file.content_type,
      size_bytes: row.file.size,
      sha256: row.file.sha256,
    }
  },
})

export const versions = query({
  summary: 'List the versions of a document',
  permission: 'documents.read',
  input: { params: IdParams },
  response: Type.Array(DocumentVersion),
  run: ({ tx, actor }, { params }) => readableVersions(tx, actor, params.id),
})

async function readableVersions(tx: Tx, actor: Actor, id: number) {
  const { row } = await requireReadable(tx, actor, id)
  const sight = sightOf(actor)
  const all = await listVersions(tx, id)
  return all.filter(({ status_kind, author_id }) =>
    canRead(sight, { status_kind, owner_id: row.owner_id, created_by: author_id }),
  ) as DocumentVersion[]
}

export const history = query({
  summary: 'Read the workflow history of a document',
  permission: 'documents.read',
  input: { params: IdParams },
  response: Type.Array(HistoryEntry),
  async run({ tx, actor }, { params }) {
    const visible = new Set((await readableVersions(tx, actor, params.id)).map(({ id }) => id))
    return (await listHistory(tx, params.id)).filter(({ version_id }) => visible.has(version_id))
  },
})
