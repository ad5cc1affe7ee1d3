import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { FileContent, fileGone } from '#action/file.ts'
import { listQuery } from '#action/list.ts'
import { valuesQuery } from '#action/values.ts'
import { messages as validation } from '#http/messages.ts'
import { conflict, invalid, invalidField, issueAt, notFound } from '#kernel/errors.ts'
import { labelOf } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { documentAsOf } from './as-of.ts'
import { requireTrained, setGate } from './core/gate.ts'
import {
  documentCounts,
  documentFacets,
  documentSorts,
  documentValues,
  isCounted,
  listDocuments,
  listDocumentValues,
  listStates,
} from './core/list-queries.ts'
import { findUser } from './core/queries.ts'
import { isUnderWay, keywordsOf } from './core/rules.ts'
import {
  DetailsChoice,
  Document,
  DocumentDetails,
  DocumentFilter,
  DocumentSummary,
  DocumentUpdate,
  DocumentVersion,
  DownloadChoice,
  HistoryEntry,
  VersionParams,
  VersionText,
} from './core/schema.ts'
import { type Metadata, updateMetadata } from './core/version-queries.ts'
import {
  finish,
  lockForWork,
  nextRevision,
  readableVersions,
  readDocument,
  requireReadable,
  type Work,
} from './core/view.ts'
import { applyPlan } from './lifecycle/apply.ts'
import { setEffectiveDate } from './lifecycle/effective.ts'
import { makePlan } from './lifecycle/facts.ts'
import { planReturnToDraft } from './lifecycle/plan.ts'
import { listHistory } from './lifecycle/queries.ts'
import { messages } from './messages.ts'
import { makePreview, makeSignedCopy } from './rendition.ts'
import { listPassages } from './text-queries.ts'
import { pagesOf } from './text-rules.ts'
import { holdOpening, isViewed } from './view-queries.ts'

export const list = listQuery({
  summary: 'List documents',
  description: 'Each with its effective version, or its newest where none is effective.',
  permission: 'documents.read',
  filter: DocumentFilter,
  item: DocumentSummary,
  sorts: documentSorts,
  sort: { field: 'id', direction: 'desc' },
  facets: documentFacets,
  exported: {
    name: 'Documents',
    event: 'document.list_exported',
    columns: [
      ['Number', each => each.number],
      ['Title', each => each.title],
      ['Type', each => each.document_type.name],
      ['Category', each => each.category],
      ['Version', each => each.version],
      ['State', each => labelOf(each.status)],
      ['Effective date', each => each.effective_date, 'day'],
      ['Review due', each => each.review_due_date, 'day'],
      ['Needs revision', each => each.needs_revision],
      ['Version under way', each => each.pending_version?.version ?? null],
      ['State of that version', each => each.pending_version && labelOf(each.pending_version.status)],
      ['Owner', each => personInWords(each.owner)],
      ['Keywords', each => each.keywords.join(', ')],
      ['Created (UTC)', each => each.created_at, 'moment'],
      ['Changed (UTC)', each => each.updated_at, 'moment'],
    ],
  },
  async find(context, query, sort) {
    const { tx, actor } = context
    await requireStates(tx, query.status)
    const filter = await withReviewDay(context, query)
    const counts = documentCounts(tx, filter, actor)
    return {
      list: (limit, offset) => listDocuments(tx, filter, actor, sort, { limit, offset, counts }),
      count: () => counts.count(),
      isKept: isCounted(filter),
      facet: field => counts.facet(field as (typeof documentFacets)[number]),
    }
  },
})

export const values = valuesQuery({
  of: 'documents',
  permission: 'documents.read',
  fields: documentValues,
  list: ({ tx, actor }, field, part) => listDocumentValues(tx, field, actor, part),
})

/** A mistyped state would find nothing, and say that there is nothing. */
export async function requireStates(tx: Tx, states: readonly string[] | undefined) {
  if (states === undefined) return
  const allowed = await listStates(tx)
  const issues = states.flatMap((state, i) =>
    allowed.includes(state) ? [] : [issueAt(['query', 'status', i], validation.not_allowed_value({ allowed }))],
  )
  if (issues.length > 0) throw invalid(...issues)
}

/** A review is overdue if it was due before today in the tenant's time zone. */
async function withReviewDay(context: Parameters<typeof todayOf>[0], { review_due_before, ...filter }: DocumentFilter) {
  const days = [review_due_before, filter.overdue_review && (await todayOf(context))].filter(day => day !== undefined)
  return days.length > 0 ? { ...filter, review_due_before: days.sort()[0]! } : filter
}

export const details = query({
  summary: 'Read a document',
  permission: 'documents.read',
  input: { params: IdParams, query: DetailsChoice },
  response: DocumentDetails,
  run: (context, { params: { id }, query: { version, as_of } }) =>
    as_of === undefined
      ? readDocument(context.tx, context.actor, id, version)
      : documentAsOf(context, id, as_of, version),
})

async function requireOwner(tx: Tx, id: number) {
  const owner = await findUser(tx, id)
  if (!owner) throw notFound('User')
  if (!owner.is_active) throw conflict(messages.document_owner_inactive({ username: owner.username }))
  return owner.username
}

/** The fields of `change` that differ from `now`. */
function changesTo(now: Metadata, change: Partial<Metadata>): Partial<Metadata> {
  const same = (field: keyof Metadata) => JSON.stringify(change[field]) === JSON.stringify(now[field])
  return Object.fromEntries(Object.entries(change).filter(([field]) => !same(field as keyof Metadata)))
}

export const update = command({
  summary: 'Change the metadata of a document',
  description:
    'Changes the version under way. A version in review or approval goes back to draft, and its approvals no longer count; an effective version needs a new version. The effective date is not part of what is approved, so changing it changes nothing else.',
  permission: 'documents.update',
  input: { params: IdParams, body: DocumentUpdate },
  response: Document,
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const { document, row, atWork } = await lockForWork(context, params.id)
    const { version } = atWork
    const {
      owner_id,
      effective_date,
      training_gate,
      training_threshold,
      revision: _revision,
      change_reason = null,
      ...sent
    } = body
    const owner = owner_id === undefined ? row.owner.username : await requireOwner(tx, owner_id)
    const isFirst = version.status_kind === 'initial'
    if (!isFirst && change_reason === null)
      throw invalidField(
        'change_reason',
        messages.document_change_reason_required({ version: version.version, status: version.status }),
      )
    const { title, category, description, keywords } = version
    const now: Metadata = { title, category, description, keywords }
    const changes = changesTo(now, normalized(sent))
    if (Object.keys(changes).length > 0) {
      if (!isUnderWay(version.status_kind))
        throw conflict(messages.document_metadata_fixed({ version: version.version, status: version.status }))
    }
    const changed = Object.keys(changes).length > 0
    // Before the change, because the content of an approved version cannot change.
    const at = changed && !isFirst ? await returnToDraft(context, { document, atWork }, change_reason) : atWork
    const edited_by = [...new Set([...version.edited_by, actor.userId!])]
    if (changed) await updateMetadata(tx, version.id, { ...now, ...changes, edited_by })
    const isDateSet =
      effective_date !== undefined &&
      (await setEffectiveDate(context, { document, atWork: at }, effective_date, { isFirst, reason: change_reason }))
    const gate = await setGate(context, at, { training_gate, training_threshold })
    if (isDateSet && !gate && owner_id === undefined && Object.keys(sent).length === 0) return finish(context, document)
    record('document.updated', document.id, {
      number: document.number,
      before: { ...now, owner: row.owner.username, ...gate?.before, revision: document.revision },
      after: { ...now, ...changes, owner, ...gate?.after, version: version.version, revision: nextRevision(document) },
      reason: change_reason,
    })
    return finish(context, document, { owner_id })
  },
})

/** Answers the version as a draft. */
async function returnToDraft(
  context: ActionContext<unknown>,
  work: Pick<Work, 'document' | 'atWork'>,
  reason: string | null,
) {
  const plan = await makePlan(context, work, facts => planReturnToDraft(facts, reason))
  await applyPlan(context, work.document, plan)
  return plan.at
}

/** An empty text is stored as null. */
const normalized = ({ category, description, keywords, ...rest }: Partial<Metadata>): Partial<Metadata> => ({
  ...rest,
  ...(category !== undefined && { category: category || null }),
  ...(description !== undefined && { description: description || null }),
  ...(keywords !== undefined && { keywords: keywordsOf(keywords) }),
})

export const download = command({
  summary: 'Download the file of a document',
  description:
    'Downloads the version that is shown, or `version`. The bytes are checked against the stored hash. With `rendition=signed` the answer is a PDF with its status on each page and its signatures at the end; with `rendition=preview` it is a PDF of a file of another kind, to look at, and the file itself where that is a PDF. With `purpose=view` it is shown instead of saved, and opening it again on the same day leaves no second entry.',
  permission: 'documents.download',
  input: { params: IdParams, query: DownloadChoice },
  response: FileContent,
  mayRecordNothing: true,
  async prepare(context, { params, query }) {
    const { read, verifyBeforeSend } = context
    const { file, entry } = await read(tx => fileOf({ ...context, tx }, params.id, query))
    const { rendition, version } = query
    if (rendition === 'signed') return makeSignedCopy(context, params.id, version)
    const preview = rendition === 'preview' ? await makePreview(context, params.id, version) : undefined
    if (!preview) await verifyBeforeSend(file, entry)
    return preview
  },
  async run(context, { params, query }) {
    const { record, prepared: copy } = context
    const { file, entry, revision, version_id } = await fileOf(context, params.id, query)
    if (copy && copy.revision !== revision)
      throw conflict(messages.document_changed_meanwhile({ number: entry.number }))
    const rendition = copy && { rendition: query.rendition }
    if (entry.after.day === undefined || !(await isViewedToday(context, entry, version_id)))
      record(entry.event, entry.id, { ...entry, after: { ...entry.after, ...rendition } })
    return { ...(copy?.file ?? file), is_inline: entry.after.day !== undefined }
  },
})

export const readText = command({
  summary: 'Read the text of a version',
  description:
    'The text that was extracted from the file, by pages and paragraphs. Reading it is opening the file: it needs the same rights, and is recorded as document.viewed, once for each person, version and day. `status` says whether there is a text.',
  permission: 'documents.download',
  input: { params: VersionParams },
  response: VersionText,
  mayRecordNothing: true,
  async run(context, { params: { id, version } }) {
    const { tx, record } = context
    const { content, entry, version_id } = await fileOf(context, id, { version, purpose: 'view' })
    const pages = pagesOf(await listPassages(tx, version_id))
    if (pages.length > 0 && !(await isViewedToday(context, entry, version_id))) record(entry.event, entry.id, entry)
    return { ...content, version, pages }
  },
})

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The file that this person may download, and the audit entry for it. An opening is recorded with its day in the tenant's time zone. */
async function fileOf(context: Reading, id: number, { version, purpose }: DownloadChoice) {
  const view = await requireReadable(context.tx, context.actor, id, version)
  const { row } = view
  await requireTrained(context, context.actor, view)
  const { name, content_type, size: size_bytes, sha256, removal } = row.file
  if (removal) throw fileGone(removal)
  const isView = purpose === 'view'
  const after = { version: row.version, sha256, ...(isView && { day: await todayOf(context) }) }
  return {
    revision: row.revision,
    version_id: row.version_id,
    content: row.content,
    file: { key: row.file_path, name, content_type, size_bytes, sha256 },
    entry: {
      event: isView ? ('document.viewed' as const) : ('document.downloaded' as const),
      id: row.id,
      number: row.number,
      after: after as { version: string; sha256: string; day?: string },
    },
  }
}

/** The actor's opening of this version is recorded already, or another request is just recording it. */
async function isViewedToday(
  { tx }: Pick<Reading, 'tx'>,
  { id, after }: Awaited<ReturnType<typeof fileOf>>['entry'],
  version_id: number,
) {
  await holdOpening(tx, version_id)
  return isViewed(tx, { ...after, id, day: after.day! })
}

export const versions = query({
  summary: 'List the versions of a document',
  permission: 'documents.read',
  input: { params: IdParams },
  response: Type.Array(DocumentVersion),
  run: ({ tx, actor }, { params }) => readableVersions(tx, actor, params.id),
})

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
