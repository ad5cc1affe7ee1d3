import { type ActionContext, type Actor, command, type PrepareContext, type Upload } from '#action'
import { fileColumns, keepFile } from '#action/upload.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { hasDepartment } from '#kernel/number-pattern.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { findShortageToday, findTemplateOfType, findType, writtenBy } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { seriesOf } from '#platform/db/numbers.ts'
import { enqueue } from '#platform/jobs/queue.ts'
import { takeSpace } from '#platform/storage/quota.ts'
import { drawIds, updatePointers } from './core/queries.ts'
import { isUnderWay, keywordsOf, nextLabel } from './core/rules.ts'
import { Document, UploadForm, VersionForm } from './core/schema.ts'
import {
  insertFirstVersion,
  insertVersion,
  insertWaitingText,
  listLabels,
  type NewVersion,
} from './core/version-queries.ts'
import { finish, lockForWork, present, readDocument, recorded, requireReadable, type Work } from './core/view.ts'
import { applyPlan } from './lifecycle/apply.ts'
import { requireDayAhead } from './lifecycle/effective.ts'
import { makePlan } from './lifecycle/facts.ts'
import { planReplacement } from './lifecycle/plan.ts'
import { insertHistory } from './lifecycle/queries.ts'
import { messages } from './messages.ts'

async function requireActiveType(tx: Tx, id: number) {
  const type = await findType(tx, id)
  if (!type) throw notFound('Document type')
  if (!type.is_active) throw conflict(messages.document_type_inactive({ name: type.name }))
  return type
}

/**
 * The type, and the workflow and first state that a version of it begins with. An upload that nobody could ever approve is refused at once,
 * with what is missing.
 */
async function requireType(tx: Tx, { userId }: Actor, id: number) {
  const [type, template] = await Promise.all([requireActiveType(tx, id), findTemplateOfType(tx, id)])
  if (!template) throw new Error(`the workflow template of ${type.name} is missing`)
  const { name: document_type } = type
  if (!template.is_active)
    throw conflict(messages.document_type_workflow_inactive({ document_type, template: template.name }))
  const shortage = await findShortageToday(tx, template.definition, writtenBy(userId ?? 0))
  if (shortage) {
    throw conflict(
      messages.document_type_not_approvable({ document_type, reason: shortage, reason_code: shortage.code }),
    )
  }
  const initial = template.definition.states.find(({ kind }) => kind === 'initial')!
  return {
    type,
    begin: {
      workflow_template_id: template.id,
      workflow_template_version: template.version,
      status: initial.name,
      status_kind: initial.kind,
    },
  }
}

const usualImpact = { major: 'reassign_all', minor: 'open_only' } as const

const splitWords = (text: string) => keywordsOf(text.split(','))

/** The text of the file is extracted later, by a queued job. */
const enqueueText = ({ tx, actor: { tenantId } }: Pick<ActionContext<unknown>, 'tx' | 'actor'>, version_id: number) =>
  enqueue(tx, 'texts', [
    { key: `${tenantId}/${version_id}`, tenant_id: tenantId, data: { tenant_id: tenantId, version_id } },
  ])

async function addVersionRow(context: ActionContext<unknown>, values: NewVersion, comment: string | null) {
  const { tx } = context
  const { document_id, status } = values
  const [{ id: version_id }] = await Promise.all([insertVersion(tx, values), takeSpace(tx, values.file_size)])
  // Together, because other uploads wait for the number and the space.
  await Promise.all([
    updatePointers(tx, document_id, { latest_version_id: version_id }),
    insertHistory(tx, {
      document_id,
      version_id,
      round: 0,
      transition: 'created',
      from_status: null,
      to_status: status,
      trigger: 'user',
      comment,
    }),
    insertWaitingText(tx, { document_id, version_id }),
    enqueueText(context, version_id),
  ])
}

interface NewDocument {
  title: string
  document_type: number
  department?: string | undefined
  category?: string | undefined
  description?: string | undefined
  keywords?: string | undefined
  effective_date?: string | undefined
}

/** A number that names a department needs one. */
export function requireDepartment(
  { name, number_pattern }: { name: string; number_pattern: string },
  { department }: Pick<NewDocument, 'department'>,
) {
  if (hasDepartment(number_pattern) && !department)
    throw invalidField('department', messages.document_department_required({ document_type: name }))
}

/** Stores the file of a new document, after checking that it could get a number. Whether it could be approved is checked with its row. */
export async function keepFirstFile(
  context: PrepareContext,
  fields: Pick<NewDocument, 'document_type' | 'department'>,
  file: Upload,
) {
  const check = async (tx: Tx) => requireDepartment(await requireActiveType(tx, fields.document_type), fields)
  return { ...fileColumns(file), ...(await keepFile(context, file, check)) }
}

/** Creates a document with its version 1.0. `madeFrom` goes into the audit entry. */
export async function addDocument(
  context: ActionContext<unknown>,
  fields: NewDocument,
  file: Awaited<ReturnType<typeof keepFirstFile>>,
  madeFrom: object = {},
): Promise<Document> {
  const { tx, actor, record } = context
  await requireDayAhead(context, fields.effective_date)
  const drawn = drawIds(tx)
  const [{ type, begin }, { id, version_id }] = await Promise.all([
    requireType(tx, actor, fields.document_type),
    drawn,
    // Before the number, for which other uploads wait.
    drawn.then(each => enqueueText(context, each.version_id)),
  ])
  requireDepartment(type, fields)
  const { department = null } = fields
  const series = seriesOf(type, { today: await todayOf(context), department })
  // A machine answers for nothing.
  const owner_id = actor.apiKey?.owner_id ?? actor.userId!
  const version = {
    id: version_id,
    document_id: id,
    major: 1,
    minor: 0,
    change_type: 'major',
    change_reason: null,
    title: fields.title,
    category: fields.category || null,
    description: fields.description || null,
    keywords: splitWords(fields.keywords ?? ''),
    effective_date: fields.effective_date ?? null,
    training_impact: 'reassign_all',
    ...file,
    ...begin,
  } as const
  // Sent together, the rows first, because other uploads wait for the number and the space.
  const [number, , document] = await Promise.all([
    insertFirstVersion(tx, series, { document_type_id: type.id, department, owner_id }, version),
    takeSpace(tx, file.file_size),
    readDocument(tx, actor, id),
  ])
  record('document.created', id, { number, after: { ...recorded(document), ...madeFrom } })
  return document
}

export const upload = command({
  summary: 'Upload a new document',
  description: 'Creates version 1.0 of a new document, in the first state of the workflow of its type.',
  permission: 'documents.create',
  input: { form: UploadForm },
  response: Document,
  prepare: (context, { form, file }) => keepFirstFile(context, form, file),
  run: (context, { form }) => addDocument(context, form, context.prepared),
})

export const addVersion = command({
  summary: 'Upload a new version of a document',
  description:
    'A major change makes the next whole number, a minor change counts on behind the point. A draft that was never effective is superseded.',
  permission: 'documents.create',
  input: { params: IdParams, form: VersionForm },
  response: Document,
  async prepare(context, { params, file }) {
    await context.read(tx => requireReadable(tx, context.actor, params.id))
    return keepFile(context, file)
  },
  async run(context, { params, form, file }) {
    const { tx, actor, record, prepared } = context
    const work = await lockForWork(context, params.id)
    const { document, atWork } = work
    await requireDayAhead(context, form.effective_date)
    const { begin } = await requireType(tx, actor, document.document_type_id)
    await replaceVersionUnderWay(context, work, form.change_reason)
    // The draft that it replaces is superseded by now.
    const before = await requireReadable(tx, actor, document.id, work.row.version, { isAssured: true })
    const label = nextLabel(await listLabels(tx, document.id), form.change_type)
    const { title, category, description, keywords, effective_date } = atWork.version
    const version = {
      document_id: document.id,
      ...label,
      change_type: form.change_type,
      change_reason: form.change_reason,
      title: form.title ?? title,
      category: form.category === undefined ? category : form.category || null,
      description: form.description === undefined ? description : form.description || null,
      keywords: form.keywords === undefined ? keywords : splitWords(form.keywords),
      // A date that was planned for the replaced draft applies to this version; that of an effective version is in the past.
      effective_date: form.effective_date ?? (isUnderWay(atWork.version.status_kind) ? effective_date : null),
      training_impact: form.training_impact ?? usualImpact[form.change_type],
      ...fileColumns(file),
      ...prepared,
      ...begin,
    }
    await addVersionRow(context, version, form.change_reason)
    const after = await finish(context, document, { version: `${label.major}.${label.minor}` })
    record('document.version_created', document.id, {
      number: document.number,
      before: recorded(present(before, actor)),
      after: recorded(after),
      reason: form.change_reason,
    })
    return after
  },
})

/** A document has one version under way. A newer file replaces it, if the person who uploads it may read the replaced version. */
async function replaceVersionUnderWay(
  context: ActionContext<unknown>,
  { document, row, atWork }: Work,
  reason: string,
) {
  const { version } = atWork
  if (version.status_kind === 'final')
    throw conflict(messages.document_final({ number: document.number, status: version.status }))
  if (!isUnderWay(row.latest_kind)) return
  if (version.id !== row.latest_version_id)
    throw conflict(messages.document_version_under_way({ number: document.number }))
  const plan = await makePlan(context, { document, atWork }, facts => planReplacement(facts, reason))
  await applyPlan(context, document, plan)
}
