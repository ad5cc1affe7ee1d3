import { type ActionContext, type Actor, command, type PrepareContext, query, type Services } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { listDeciders, proveIdentity, requireApprover, todayOf } from '#modules/accounts'
import { caseKinds, findLinkedRecord, lockCase, requireReader } from '#modules/casework'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { seriesOfYear, takeNumber } from '#platform/db/numbers.ts'
import { enqueue } from '#platform/jobs/queue.ts'
import { itemOf } from './carry-out.ts'
import { messages, reasons } from './messages.ts'
import {
  countDisposals,
  countDue,
  decideDisposal,
  disposalSorts,
  dueSorts,
  findDisposal,
  insertDisposal,
  insertRecords,
  keepAll,
  listCandidates,
  listDisposals,
  listDue,
  listRecords,
  listToDispose,
  lockDisposal,
  type RecordIds,
} from './queries.ts'
import { lockRecordOf, retentionRule } from './records.ts'
import { decisionRefusal, inWords, nameOf, obstacleTo, requireDistinct, withdrawalRefusal } from './rules.ts'
import {
  Disposal,
  DisposalApproval,
  DisposalFilter,
  DisposalProposal,
  DisposalRejection,
  DisposalSummary,
  DisposalWithdrawal,
  DueFilter,
  DueRecord,
  recordKinds,
} from './schema.ts'
import { readDisposal } from './subject.ts'

export const dueList = query({
  summary: 'List what is past its retention day',
  description:
    'Versions that were superseded, became obsolete or were cancelled longer ago than the retention period of their document type, and were not disposed of yet; and deviations and CAPAs that ended longer ago than their retention period in the settings and have attached files. `obstacle` and `disposal` say why one cannot be proposed now.',
  permission: 'retention.read',
  input: { query: DueFilter },
  response: Page(DueRecord),
  async run(context, { query }) {
    const { tx, actor } = context
    const kinds = recordKinds.filter(kind => kind === 'document' || actor.permissions.has(caseKinds[kind].read))
    const on = { ...(await retentionRule(tx)), today: await todayOf(context), kinds }
    const sort = parseSort(query.sort, dueSorts, { field: 'retention_until', direction: 'asc' })
    return pageOf(
      query,
      (limit, offset) => listDue(tx, on, query, sort, limit, offset),
      () => countDue(tx, on, query),
    )
  },
})

export const list = query({
  summary: 'List disposals',
  permission: 'retention.read',
  input: { query: DisposalFilter },
  response: Page(DisposalSummary),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, disposalSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listDisposals(tx, query, sort, limit, offset),
      () => countDisposals(tx, query),
    )
  },
})

async function requireDisposal(tx: Tx, id: number): Promise<DisposalSummary> {
  const disposal = await findDisposal(tx, id)
  if (!disposal) throw notFound('Disposal')
  return disposal
}

const inFull = async (tx: Tx, id: number): Promise<Disposal> => ({
  ...(await requireDisposal(tx, id)),
  records: await listRecords(tx, id),
})

export const details = query({
  summary: 'Read a disposal',
  permission: 'retention.read',
  input: { params: IdParams },
  response: Disposal,
  run: ({ tx }, { params }) => inFull(tx, params.id),
})

/**
 * The records that are named, if the actor may read them. They are locked in one order, so that two proposals never wait for each other: documents,
 * deviations, CAPAs, each by their ids.
 */
async function findRecords(
  { tx, actor, services }: { tx: Tx; actor: Actor; services: Services },
  { versions = [], deviation_ids = [], capa_ids = [] }: DisposalProposal,
  { lock }: { lock: boolean },
): Promise<RecordIds> {
  const version_ids: number[] = []
  for (const { document_id, version } of versions.toSorted((a, b) => a.document_id - b.document_id))
    version_ids.push((await services.signing.findSignable(tx, actor, document_id, version, { lock })).version_id)
  for (const [kind, ids] of [
    ['deviation', deviation_ids],
    ['capa', capa_ids],
  ] as const)
    for (const id of ids.toSorted((a, b) => a - b)) {
      requireReader(actor, kind, id)
      if (lock) await lockCase(tx, kind, id)
      else if (!(await findLinkedRecord(tx, actor, { kind, id }))) throw notFound(caseKinds[kind].name)
    }
  return { version_ids, deviation_ids, capa_ids }
}

/** Refuses the first record that may not be disposed of today. `within`: the disposal that lists them already. */
async function requireDisposable(
  context: Parameters<typeof todayOf>[0],
  ids: RecordIds,
  { within }: { within?: number } = {},
) {
  const today = await todayOf(context)
  const found = await listCandidates(context.tx, await retentionRule(context.tx), ids)
  for (const each of found) {
    const obstacle = obstacleTo(each, today, within)
    if (obstacle) throw conflict(obstacle)
  }
  return found
}

export const propose = command({
  summary: 'Propose a disposal',
  description:
    'Proposes records that are past their retention day and not on hold: versions of documents (`versions`), deviations (`deviation_ids`) and CAPAs (`capa_ids`). Of a version, its file is destroyed; of a deviation or a CAPA, its attached files, while the record with its texts, signatures and audit trail stays. Signed: `password` (and `otp`), or a fresh log-in, over the list of the records with their numbers, titles and the hashes of their files. Another person decides.',
  permission: 'retention.propose_disposal',
  input: { body: DisposalProposal },
  response: Disposal,
  async prepare(context: PrepareContext, { body }): Promise<RecordProof> {
    const { actor, services, read } = context
    requireDistinct(body)
    await read(async tx => {
      const ids = await findRecords({ tx, actor, services }, body, { lock: false })
      await requireDisposable({ tx, services }, ids)
    })
    return { ...(await proveIdentity(context, body)), files: [] }
  },
  async run(context, { body }) {
    const { tx, actor, services, record, prepared: proof } = context
    const records = await requireDisposable(context, await findRecords({ tx, actor, services }, body, { lock: true }))
    const deciders = (await listDeciders(tx, 'retention.approve_disposal', 'retention.read')).filter(
      each => each !== actor.userId,
    )
    if (deciders.length === 0) throw conflict(messages.disposal_without_decider())
    const number = await takeNumber(tx, seriesOfYear('D', await todayOf(context)))
    const { reason } = body
    const { id } = await insertDisposal(tx, { number, reason })
    await insertRecords(tx, id, records)
    const signature_id = await signRecord(context, (await readDisposal(tx, id))!, {
      signature_type: 'disposal',
      intent: `I propose the disposal of ${inWords(records)}: ${reason}`.slice(0, 2000),
      occasion: { kind: 'disposal', ref: 'proposal' },
      proof,
      isNew: true,
    })
    record('disposal.proposed', id, {
      number,
      after: { records: records.map(nameOf), records_total: records.length, signature_id },
      reason,
      assignees: deciders,
    })
    return inFull(tx, id)
  },
})

async function requireDecision(tx: Tx, actor: Actor, disposal: DisposalSummary) {
  const refusal = decisionRefusal(actor, disposal)
  if (refusal) throw refusal
  await requireApprover(tx, actor, { id: disposal.id, number: disposal.number })
}

/** The records are locked first, as by every command about them, so that nothing is decided of what changes meanwhile. */
async function lockedDisposal(tx: Tx, id: number): Promise<DisposalSummary> {
  await requireDisposal(tx, id)
  for (const each of await listToDispose(tx, id)) await lockRecordOf(tx, each)
  await lockDisposal(tx, id)
  return requireDisposal(tx, id)
}

function recordDecision(
  record: ActionContext<unknown>['record'],
  { id, number, proposed_by, records_total }: DisposalSummary,
  status: 'approved' | 'rejected' | 'withdrawn',
  reason: string | null,
  after: object = {},
) {
  record(`disposal.${status}`, id, {
    number,
    before: { status: 'proposed' },
    after: { status, records_total, ...after },
    reason,
    notify: status === 'withdrawn' ? [] : [proposed_by.id],
  })
}

async function recordsOf(tx: Tx, id: number): Promise<RecordIds> {
  const listed = await listToDispose(tx, id)
  const idsOf = (column: 'version_id' | 'deviation_id' | 'capa_id') =>
    listed.map(each => each[column]).filter(each => each !== null)
  return { version_ids: idsOf('version_id'), deviation_ids: idsOf('deviation_id'), capa_ids: idsOf('capa_id') }
}

export const approve = command({
  summary: 'Approve a disposal',
  description:
    'Signed: `password` (and `otp`), or a fresh log-in, by another person than the one who proposed it. A job carries it out: it decides about each record again, deletes the files of what may still be disposed of, and keeps the rest with its reason. Numbers, titles, hashes, signatures and the audit trail stay, and so do all texts of deviations and CAPAs.',
  permission: 'retention.approve_disposal',
  input: { params: IdParams, body: DisposalApproval },
  response: Disposal,
  async prepare(context: PrepareContext, { params: { id }, body }): Promise<RecordProof> {
    const { actor, services, read } = context
    await read(async tx => {
      await requireDecision(tx, actor, await requireDisposal(tx, id))
      await requireDisposable({ tx, services }, await recordsOf(tx, id), { within: id })
    })
    return proveToSign(context, { type: 'disposal', id }, body)
  },
  async run(context, { params: { id }, body: { decision_reason } }) {
    const { tx, actor, record, prepared: proof } = context
    const disposal = await lockedDisposal(tx, id)
    await requireDecision(tx, actor, disposal)
    const records = await requireDisposable(context, await recordsOf(tx, id), { within: id })
    const signature_id = await signRecord(context, (await readDisposal(tx, id))!, {
      signature_type: 'disposal',
      intent: `I approve the disposal of ${inWords(records)}: ${decision_reason}`.slice(0, 2000),
      occasion: { kind: 'disposal', ref: 'approval' },
      proof,
    })
    await decideDisposal(tx, id, { status: 'approved', decision_reason })
    recordDecision(record, disposal, 'approved', decision_reason, { signature_id })
    await enqueue(tx, 'background_jobs', [itemOf({ tenant_id: actor.tenantId, id })])
    return inFull(tx, id)
  },
})

/** Its records can be proposed again. */
async function endWithoutApproval(
  tx: Tx,
  { id, number }: DisposalSummary,
  values: { status: 'rejected' | 'withdrawn'; decision_reason: string | null },
) {
  await decideDisposal(tx, id, values)
  await keepAll(tx, id, reasons.reason_disposal_not_approved({ number }).text)
}

export const reject = command({
  summary: 'Reject a disposal',
  permission: 'retention.approve_disposal',
  input: { params: IdParams, body: DisposalRejection },
  response: Disposal,
  async run({ tx, actor, record }, { params: { id }, body: { decision_reason } }) {
    const disposal = await lockedDisposal(tx, id)
    await requireDecision(tx, actor, disposal)
    await endWithoutApproval(tx, disposal, { status: 'rejected', decision_reason })
    recordDecision(record, disposal, 'rejected', decision_reason)
    return inFull(tx, id)
  },
})

export const withdraw = command({
  summary: 'Withdraw a disposal that you proposed',
  permission: 'retention.propose_disposal',
  input: { params: IdParams, body: DisposalWithdrawal },
  response: Disposal,
  async run({ tx, actor, record }, { params: { id }, body: { decision_reason = null } }) {
    const disposal = await lockedDisposal(tx, id)
    const refusal = withdrawalRefusal(actor, disposal)
    if (refusal) throw refusal
    await endWithoutApproval(tx, disposal, { status: 'withdrawn', decision_reason })
    recordDecision(record, disposal, 'withdrawn', decision_reason)
    return inFull(tx, id)
  },
})
