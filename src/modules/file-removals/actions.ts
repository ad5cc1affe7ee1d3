import { type ActionContext, type Actor, command, type PrepareContext, query } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { listDeciders, proveIdentity, requireApprover } from '#modules/accounts'
import { countFileRemoval } from '#modules/documents'
import { forgetText, holdText } from '#modules/search'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { enqueue } from '#platform/jobs/queue.ts'
import { giveSpaceBack } from '#platform/storage/quota.ts'
import { itemOf } from './delete-content.ts'
import { messages } from './messages.ts'
import {
  countRemovals,
  decideRemoval,
  findOpenRemoval,
  findRemoval,
  insertRemoval,
  listRemovals,
  lockRemoval,
  removalSorts,
  type StoredRemoval,
} from './queries.ts'
import { decisionRefusal, numberOf, titleOf, versionRefusal, withdrawalRefusal } from './rules.ts'
import {
  FileRemoval,
  RemovalApproval,
  RemovalFilter,
  RemovalRejection,
  RemovalRequest,
  RemovalWithdrawal,
} from './schema.ts'
import { readSubject } from './subject.ts'
import { findTarget, lockRecordOf, type Target } from './target.ts'

const shown = ({
  version_id: _version,
  owner_id: _owner,
  status_kind: _kind,
  ...removal
}: StoredRemoval): FileRemoval => ({
  ...removal,
  number: numberOf(removal.id),
})

async function requireRemoval(tx: Tx, id: number): Promise<StoredRemoval> {
  const removal = await findRemoval(tx, id)
  if (!removal) throw notFound('File removal')
  return removal
}

export const list = query({
  summary: 'List file removals',
  permission: 'files.read_removals',
  input: { query: RemovalFilter },
  response: Page(FileRemoval),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, removalSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => (await listRemovals(tx, query, sort, limit, offset)).map(shown),
      () => countRemovals(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read a file removal',
  permission: 'files.read_removals',
  input: { params: IdParams },
  response: FileRemoval,
  run: async ({ tx }, { params }) => shown(await requireRemoval(tx, params.id)),
})

/** A file is removed once, and one request about it is open at a time. */
async function refuseRemovable(tx: Tx, { of, status_kind }: Target, title: string) {
  const open = await findOpenRemoval(tx, of)
  if (open) {
    const said = { title, number: numberOf(open.id) }
    throw conflict(
      open.status === 'requested'
        ? messages.file_removal_requested_already(said)
        : messages.file_removal_done_already(said),
    )
  }
  const refusal = status_kind === null ? undefined : versionRefusal(title, status_kind)
  if (refusal) throw refusal
}

const nameOfTarget = ({ document_id, version, attachment_id }: RemovalRequest) =>
  document_id === undefined ? `attachment ${attachment_id}` : `version ${version}`

export const request = command({
  summary: 'Request the removal of a file',
  description:
    'For the file of a version (`document_id` and `version`) or an attached file (`attachment_id`) that is wrong or unlawful. Signed: `password` (and `otp`), or a fresh log-in. Another person decides. The file of a version that is in review or effective is not removed. `copies_out` of the answer lists the controlled copies of the version that are still to be brought back.',
  permission: 'files.request_removal',
  input: { body: RemovalRequest },
  response: FileRemoval,
  async prepare(context: PrepareContext, { body }): Promise<RecordProof> {
    const { actor, services, read } = context
    await read(async tx => {
      const target = await findTarget({ tx, actor, services }, body, { lock: false })
      await refuseRemovable(tx, target, nameOfTarget(body))
    })
    return { ...(await proveIdentity(context, body)), files: [] }
  },
  async run(context, { body }) {
    const { tx, actor, services, record, prepared: proof } = context
    const target = await findTarget({ tx, actor, services }, body, { lock: true })
    await refuseRemovable(tx, target, nameOfTarget(body))
    const deciders = (await listDeciders(tx, 'files.decide_removal', 'files.read_removals')).filter(
      each => each !== actor.userId,
    )
    if (deciders.length === 0) throw conflict(messages.file_removal_without_decider())
    const { sha256, file_size } = target
    const { reason, hides_name = false } = body
    const { id } = await insertRemoval(tx, { ...target.of, sha256, file_size, hides_name, reason })
    const removal = await requireRemoval(tx, id)
    const title = titleOf(removal)
    const signature_id = await signRecord(context, (await readSubject(tx, id))!, {
      signature_type: 'file_removal',
      intent: `I request the removal of the file of ${title}: ${reason}`.slice(0, 2000),
      occasion: { kind: 'file_removal', ref: 'request' },
      proof,
      isNew: true,
      fillsIn: true,
    })
    record('file_removal.requested', id, {
      number: numberOf(id),
      after: {
        title,
        ...target.of,
        sha256,
        file_size,
        hides_name,
        signature_id,
        copies_out: removal.copies_out.length,
      },
      reason,
      assignees: deciders,
    })
    return shown(await requireRemoval(tx, id))
  },
})

async function requireDecision(tx: Tx, actor: Actor, removal: StoredRemoval) {
  const refusal = decisionRefusal(actor, removal)
  if (refusal) throw refusal
  await requireApprover(tx, actor, { id: removal.id, number: numberOf(removal.id) })
}

/** In the order of the job that reads the file, which has its text locked before it locks the document. */
const holdTextOf = (tx: Tx, { version_id }: StoredRemoval) =>
  version_id === null ? undefined : holdText(tx, version_id)

/** The record is locked first, so that nobody submits the version or signs the record meanwhile. */
async function lockedRemoval(tx: Tx, id: number): Promise<StoredRemoval> {
  await lockRecordOf(tx, await requireRemoval(tx, id))
  await lockRemoval(tx, id)
  return requireRemoval(tx, id)
}

function recordDecision(
  record: ActionContext<unknown>['record'],
  removal: StoredRemoval,
  status: 'approved' | 'rejected' | 'withdrawn',
  reason: string | null,
  after: object = {},
) {
  record(`file_removal.${status}`, removal.id, {
    number: numberOf(removal.id),
    before: { status: 'requested' },
    after: { status, title: titleOf(removal), copies_out: removal.copies_out.length, ...after },
    reason,
    notify: status === 'withdrawn' ? [] : [removal.requested_by.id],
  })
}

export const approve = command({
  summary: 'Approve the removal of a file',
  description:
    'Signed: `password` (and `otp`), or a fresh log-in, by another person than the one who requested it. The file is no longer given out and no longer found from then on, and its content is deleted from the store. Its hash, its size and the record stay.',
  permission: 'files.decide_removal',
  input: { params: IdParams, body: RemovalApproval },
  response: FileRemoval,
  async prepare(context: PrepareContext, { params: { id }, body }): Promise<RecordProof> {
    await context.read(async tx => {
      const removal = await requireRemoval(tx, id)
      await requireDecision(tx, context.actor, removal)
      const refusal = removal.status_kind === null ? undefined : versionRefusal(titleOf(removal), removal.status_kind)
      if (refusal) throw refusal
    })
    return proveToSign(context, { type: 'file_removal', id }, body)
  },
  async run(context, { params: { id }, body: { decision_reason } }) {
    const { tx, actor, services, record, prepared: proof } = context
    await holdTextOf(tx, await requireRemoval(tx, id))
    const removal = await lockedRemoval(tx, id)
    await requireDecision(tx, actor, removal)
    const { version_id, attachment_id, status_kind, resource_type, resource_id, resource_number, version } = removal
    const title = titleOf(removal)
    const refusal = status_kind === null ? undefined : versionRefusal(title, status_kind)
    if (refusal) throw refusal
    const signature_id = await signRecord(context, (await readSubject(tx, id))!, {
      signature_type: 'file_removal',
      intent: `I approve the removal of the file of ${title}: ${decision_reason}`.slice(0, 2000),
      occasion: { kind: 'file_removal', ref: 'decision' },
      proof,
    })
    await decideRemoval(tx, id, { status: 'approved', decision_reason })
    await giveSpaceBack(tx, removal.file.size)
    recordDecision(record, removal, 'approved', decision_reason, { signature_id })
    const after = { file_removal: id, sha256: removal.file.sha256 }
    if (version_id === null)
      record('attachment.file_removed', attachment_id!, {
        number: resource_number,
        after: { [`${resource_type}_id`]: resource_id, ...after },
        reason: removal.reason,
      })
    else {
      await countFileRemoval(tx, resource_id)
      await forgetText(tx, services, version_id)
      record('document.file_removed', resource_id, {
        number: resource_number,
        after: { version: version!, ...after },
        reason: removal.reason,
        notify: [removal.owner_id!],
      })
    }
    await enqueue(tx, 'background_jobs', [itemOf({ tenant_id: actor.tenantId, id })])
    return shown(await requireRemoval(tx, id))
  },
})

export const reject = command({
  summary: 'Reject the removal of a file',
  permission: 'files.decide_removal',
  input: { params: IdParams, body: RemovalRejection },
  response: FileRemoval,
  async run({ tx, actor, record }, { params: { id }, body: { decision_reason } }) {
    const removal = await lockedRemoval(tx, id)
    await requireDecision(tx, actor, removal)
    await decideRemoval(tx, id, { status: 'rejected', decision_reason })
    recordDecision(record, removal, 'rejected', decision_reason)
    return shown(await requireRemoval(tx, id))
  },
})

export const withdraw = command({
  summary: 'Withdraw a file removal that you requested',
  permission: 'files.request_removal',
  input: { params: IdParams, body: RemovalWithdrawal },
  response: FileRemoval,
  async run({ tx, actor, record }, { params: { id }, body: { decision_reason = null } }) {
    const removal = await lockedRemoval(tx, id)
    const refusal = withdrawalRefusal(actor, removal)
    if (refusal) throw refusal
    await decideRemoval(tx, id, { status: 'withdrawn', decision_reason })
    recordDecision(record, removal, 'withdrawn', decision_reason)
    return shown(await requireRemoval(tx, id))
  },
})
