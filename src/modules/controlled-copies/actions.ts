import { command, query } from '#action'
import { taskOwner } from '#action/definitions.ts'
import { listQuery } from '#action/list.ts'
import { valuesQuery } from '#action/values.ts'
import { daysLater } from '#kernel/day.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { labelOf } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { lockDocument, requireReadable } from '#modules/documents'
import { finish, lockForWork, managing, readCopy, recorded, visibilityOf } from './access.ts'
import { listManagers, requireHolder } from './holders.ts'
import { messages } from './messages.ts'
import {
  copySorts,
  copyValues,
  countCopies,
  countOpenCopies,
  findEffectiveVersion,
  insertCopy,
  listCopies,
  listCopyPlaces,
  nextCopyNumber,
  updateCopy,
} from './queries.ts'
import { recallCopy } from './recall.ts'
import {
  daysToReturn,
  maxOpenCopies,
  requireConfirmable,
  requireRecallable,
  requireReconcilable,
  requireTransferable,
} from './rules.ts'
import {
  ControlledCopy,
  ControlledCopyDetails,
  CopyConfirmation,
  CopyFilter,
  CopyIssue,
  CopyRecall,
  CopyReconciliation,
  CopyTransfer,
} from './schema.ts'

export const list = listQuery({
  summary: 'List controlled copies',
  description:
    'Your own, and those of people whose tasks you do as their deputy; all of them with the permission documents.print_controlled or audit.read. `date_from` and `date_to` filter by the issue. `q` is looked for in numbers, titles and places.',
  permission: 'documents.read',
  filter: CopyFilter,
  item: ControlledCopy,
  sorts: copySorts,
  sort: { field: 'id', direction: 'desc' },
  exported: {
    name: 'Controlled copies',
    event: 'controlled_copy.list_exported',
    columns: [
      ['Number', each => each.document.number],
      ['Copy', each => each.copy_number],
      ['Title', each => each.document.title],
      ['Version', each => each.version],
      ['State', each => labelOf(each.status)],
      ['Issued to', each => personInWords(each.issued_to)],
      ['Holder', each => personInWords(each.holder)],
      ['Place', each => each.location],
      ['Purpose', each => each.purpose],
      ['Issued by', each => personInWords(each.issued_by)],
      ['Issued (UTC)', each => each.issued_at, 'moment'],
      ['Prints', each => each.prints],
      ['Recalled (UTC)', each => each.recalled_at, 'moment'],
      ['Due', each => each.due_date, 'day'],
      ['Overdue', each => each.overdue],
      ['Confirmed as', each => each.confirmed_outcome && labelOf(each.confirmed_outcome)],
      ['Reconciled (UTC)', each => each.reconciled_at, 'moment'],
      ['Reconciled by', each => each.reconciled_by && personInWords(each.reconciled_by)],
      ['Reason', each => each.reconciliation_reason],
    ],
  },
  async find(context, filter, sort) {
    const { tx } = context
    const [visibility, today] = [await visibilityOf(context), await todayOf(context)]
    return {
      list: (limit, offset) => listCopies(tx, filter, visibility, today, sort, limit, offset),
      count: () => countCopies(tx, filter, visibility, today),
    }
  },
})

export const values = valuesQuery({
  of: 'controlled copies',
  permission: 'documents.read',
  fields: copyValues,
  list: async (context, _field, part) =>
    listCopyPlaces(context.tx, await visibilityOf(context), await todayOf(context), part),
})

export const details = query({
  summary: 'Read a controlled copy and its prints',
  permission: 'documents.read',
  input: { params: IdParams },
  response: ControlledCopyDetails,
  run: (context, { params }) => readCopy(context, params.id),
})

export const issue = command({
  summary: 'Issue a controlled copy',
  description:
    'Gives the effective version the next copy number of the document. `POST /api/controlled-copies/{id}/print` prints it. The person needs `documents.read` and `documents.hold_copies`.',
  permission: managing,
  input: { params: IdParams, body: CopyIssue },
  response: ControlledCopyDetails,
  async run(context, { params, body: { issued_to, location, purpose = null, version } }) {
    const { tx, actor, record } = context
    const document = await lockDocument(tx, params.id)
    if (!document) throw notFound('Document')
    const { number } = document
    await requireReadable(tx, actor, document.id)
    await requireHolder(context, document, issued_to, { isInUse: true })
    const effective = await findEffectiveVersion(tx, document.id)
    if (!effective) throw conflict(messages.controlled_copy_no_effective_version({ number }))
    if (version !== undefined && version !== effective.version)
      throw conflict(
        messages.controlled_copy_other_version_effective({ number, version, effective: effective.version }),
      )
    if ((await countOpenCopies(tx, document.id)) >= maxOpenCopies)
      throw conflict(messages.controlled_copy_too_many({ number, maximum: maxOpenCopies }))
    const { id } = await insertCopy(tx, {
      ...{ document_id: document.id, version_id: effective.id, copy_number: await nextCopyNumber(tx, document.id) },
      ...{ issued_to, holder_id: issued_to, location, purpose },
    })
    const copy = await readCopy(context, id)
    record('controlled_copy.issued', id, {
      number: copy.number,
      after: { ...recorded(copy), copy_number: copy.copy_number, purpose },
      notify: [issued_to],
    })
    return copy
  },
})

export const recall = command({
  summary: 'Recall a controlled copy',
  description:
    'Its holder is asked to return it. A copy that was never printed is cancelled instead. When a version is superseded or becomes obsolete, its copies are recalled by themselves.',
  permission: managing,
  input: { params: IdParams, body: CopyRecall },
  response: ControlledCopyDetails,
  async run(context, { params, body: { due_date, change_reason } }) {
    const copy = await lockForWork(context, params.id)
    requireRecallable(copy)
    const today = await todayOf(context)
    if (due_date !== undefined && due_date < today)
      throw invalidField('due_date', messages.controlled_copy_due_date_past())
    return recallCopy(context, copy, { reason: change_reason, due_date: due_date ?? daysLater(today, daysToReturn) })
  },
})

export const transfer = command({
  summary: 'Name another holder of a controlled copy',
  description: 'The copy keeps its number, and still says to whom it was issued.',
  permission: managing,
  input: { params: IdParams, body: CopyTransfer },
  response: ControlledCopyDetails,
  async run(context, { params, body: { holder_id, change_reason: reason } }) {
    const copy = await lockForWork(context, params.id)
    requireTransferable(copy, holder_id)
    await requireHolder(context, copy.document, holder_id, { isInUse: copy.status === 'issued' })
    await updateCopy(context.tx, copy.id, { holder_id })
    return finish(context, copy, { event: 'controlled_copy.transferred', reason, assignees: [holder_id] })
  },
})

export const confirm = command({
  summary: 'Say what became of a controlled copy that you hold',
  description:
    'The holder returned, destroyed or lost it. Someone else with the permission documents.print_controlled reconciles it.',
  permission: 'documents.hold_copies',
  byDeputy: 'tasks',
  input: { params: IdParams, body: CopyConfirmation },
  response: ControlledCopyDetails,
  async run(context, { params, body }) {
    const { tx, actor } = context
    const { outcome, comment } = body
    const copy = await lockForWork(context, params.id)
    requireConfirmable(copy, taskOwner(actor), body)
    await updateCopy(tx, copy.id, {
      ...{ confirmed_outcome: outcome, confirmed_at: now(context), confirmed_by: actor.userId },
      confirmation_comment: comment ?? null,
    })
    return finish(context, copy, {
      event: 'controlled_copy.confirmed',
      reason: comment ?? null,
      notify: await listManagers(tx),
    })
  },
})

export const reconcile = command({
  summary: 'Reconcile a controlled copy',
  description:
    'As returned, destroyed or lost. By another person than its holder, and than the one who confirmed its return. A lost copy that is found is reconciled again.',
  permission: managing,
  input: { params: IdParams, body: CopyReconciliation },
  response: ControlledCopyDetails,
  async run(context, { params, body: { outcome, change_reason: reason } }) {
    const { tx, actor } = context
    const copy = await lockForWork(context, params.id)
    requireReconcilable(copy, actor.userId, outcome)
    await updateCopy(tx, copy.id, {
      ...{ status: outcome, reconciled_at: now(context), reconciled_by: actor.userId },
      reconciliation_reason: reason,
    })
    return finish(context, copy, { event: 'controlled_copy.reconciled', reason, notify: [copy.holder.id] })
  },
})

const now = ({ services }: { services: { clock: { now(): Date } } }) => services.clock.now().toISOString()
