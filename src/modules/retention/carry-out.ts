import { isDeepStrictEqual } from 'node:util'
import type { ActionContext, Origin, Services } from '#action'
import { systemActor, todayOf } from '#modules/accounts'
import { countFileRemoval } from '#modules/documents'
import { disposeFile } from '#modules/file-removals'
import type { Job } from '#modules/jobs'
import { holdText } from '#modules/search'
import { findDisposalSeals, judgeDisposal, readTrustedKeys } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import type { QueueItem } from '#platform/jobs/queue.ts'
import { lockDestruction } from './hold-queries.ts'
import {
  completeDisposal,
  findDisposal,
  findSigned,
  listApproved,
  listCandidates,
  listToDispose,
  lockListed,
  markDisposed,
  markKept,
  type ToDispose,
} from './queries.ts'
import { lockRecordOf, retentionRule } from './records.ts'
import { nameOf, obstacleTo } from './rules.ts'
import type { DisposedFile } from './schema.ts'

interface DisposalItem {
  tenant_id: number
  id: number
}

const jobName = 'disposals.carry_out'
const maxRequeued = 1_000
const origin: Origin = { requestId: '', clientAddr: '' }

export const itemOf = ({ tenant_id, id }: DisposalItem): QueueItem => ({
  job: jobName,
  key: `${jobName}/${tenant_id}/${id}`,
  tenant_id,
  data: { tenant_id, id },
})

/**
 * Carries out an approved disposal, a record in each transaction: a process that is killed in between leaves the others to the next one. The
 * contents are deleted from the store by the job of the removal of files.
 */
export const carryOutJob: Job<DisposalItem> = {
  name: jobName,
  queue: 'background_jobs',
  at_once: 1,
  run: carryOut,
  records: 'disposals',
  find: async tx => (await listApproved(tx, maxRequeued)).map(itemOf),
}

async function carryOut({ database, runner }: Services, { tenant_id, id }: DisposalItem) {
  const system = systemActor(tenant_id)
  const left = await database.transaction({ tenantId: tenant_id, userId: null }, 'read only', tx =>
    listToDispose(tx, id),
  )
  for (const each of left) await runner.inSeparateTransaction(system, origin, context => dispose(context, id, each))
  await runner.inSeparateTransaction(system, origin, async ({ tx, record }) => {
    const disposal = await findDisposal(tx, id)
    if (!disposal || !(await completeDisposal(tx, id))) return
    const { number, records_disposed, records_kept } = disposal
    record('disposal.completed', id, {
      number,
      before: { status: 'approved' },
      after: { status: 'completed', records_disposed, records_kept },
      notify: [disposal.proposed_by.id, disposal.decided_by!.id],
    })
  })
}

/** Rows alone destroy nothing: two people have sealed this very list. */
async function requireSeals(tx: Tx, id: number, { signingKey }: Pick<Services, 'signingKey'>) {
  const seals = await findDisposalSeals(tx, id)
  const signed = seals && judgeDisposal(seals, await readTrustedKeys(tx, [signingKey]))
  const now = await findSigned(tx, id)
  if (!signed || !now || !isDeepStrictEqual(signed.approval.content, now.content))
    throw new Error(
      `disposal ${id} says that it was approved, but two people have not signed that, so nothing is destroyed`,
    )
}

/** Decides about the record again, under the locks of the record and of the legal holds, and destroys its files or keeps it. */
async function dispose(context: ActionContext<undefined>, id: number, listed: ToDispose) {
  const { tx, services, record } = context
  const { version_id, deviation_id, capa_id } = listed
  await lockDestruction(tx)
  if (version_id !== null) await holdText(tx, version_id)
  await lockRecordOf(tx, listed)
  const locked = await lockListed(tx, listed.id)
  if (!locked) return
  await requireSeals(tx, id, services)
  const { number } = (await findDisposal(tx, id))!
  const idsOf = (each: number | null) => (each === null ? [] : [each])
  const [found] = await listCandidates(tx, await retentionRule(tx), {
    ...{ version_ids: idsOf(version_id), deviation_ids: idsOf(deviation_id), capa_ids: idsOf(capa_id) },
  })
  const title = nameOf(found!)
  const obstacle = obstacleTo(found!, await todayOf(context), id)
  if (obstacle) {
    await markKept(tx, listed.id, obstacle.text)
    record('disposal.record_kept', id, { number, after: { record: title }, reason: obstacle.text })
    return
  }
  // The files that were signed: one that was attached later stays, and is listed again.
  const signed = locked.files as DisposedFile[]
  for (const { name: _name, ...file } of signed) await disposeFile(context, { disposal_id: id, ...file })
  const sha256 = signed.map(file => file.sha256)
  await markDisposed(tx, listed.id)
  record('disposal.record_disposed', id, { number, after: { record: title, sha256 } })
  const { kind, version } = found!
  if (kind === 'document') {
    await countFileRemoval(tx, found!.id)
    record('document.disposed', found!.id, {
      number: found!.number,
      after: { version: version!, disposal: number, sha256: sha256[0]! },
    })
    return
  }
  record(`${kind}.files_disposed`, found!.id, {
    number: found!.number,
    after: { disposal: number, files_total: signed.length, sha256 },
  })
}
