import { isDeepStrictEqual } from 'node:util'
import type { ActionContext, Origin, Services } from '#action'
import { readSettings, systemActor, todayOf } from '#modules/accounts'
import { lockDocument } from '#modules/documents'
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
} from './queries.ts'
import { nameOf, obstacleTo } from './rules.ts'

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

type ToDispose = Awaited<ReturnType<typeof listToDispose>>[number]

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

/** Decides about the record again, under the locks of the document and of the legal holds, and destroys it or keeps it. */
async function dispose(context: ActionContext<undefined>, id: number, { id: record_id, ...of }: ToDispose) {
  const { tx, services, record } = context
  const { document_id, version_id } = of
  await lockDestruction(tx)
  await holdText(tx, version_id)
  await lockDocument(tx, document_id)
  if (!(await lockListed(tx, record_id))) return
  await requireSeals(tx, id, services)
  const { number } = (await findDisposal(tx, id))!
  const [version] = await listCandidates(tx, (await readSettings(tx)).time_zone, [version_id])
  const title = nameOf(version!)
  const obstacle = obstacleTo(version!, await todayOf(context), id)
  if (obstacle) {
    await markKept(tx, record_id, obstacle.text)
    record('disposal.record_kept', id, { number, after: { record: title }, reason: obstacle.text })
    return
  }
  const { sha256, file_size } = version!
  await disposeFile(context, { disposal_id: id, document_id, version_id, sha256, file_size })
  await markDisposed(tx, record_id)
  record('disposal.record_disposed', id, { number, after: { record: title, sha256 } })
  record('document.disposed', document_id, {
    number: version!.number,
    after: { version: version!.version, disposal: number, sha256 },
  })
}
