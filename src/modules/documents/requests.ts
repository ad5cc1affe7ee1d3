import { gateFrom, readTenantFacts } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { decidersOf } from './approval-terms.ts'
import { loadAtWork } from './view.ts'

/** Of these people those who may still decide about the version that waits for an approval. */
async function stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  const document = await tx.selectFrom('documents').select('latest_version_id').where('id', '=', id).executeTakeFirst()
  if (!document?.latest_version_id) return []
  const atWork = await loadAtWork(tx, document.latest_version_id)
  const gate = gateFrom(atWork.definition, atWork.version.status)
  if (!gate) return []
  // Such an approval is reported to whom the workflow names, on the day after it was due.
  if (gate.approval.escalate_to && atWork.version.approval_due_date !== null) return []
  const deciders = decidersOf(atWork, await readTenantFacts(tx, atWork.definition))
  return user_ids.filter(each => deciders.includes(each))
}

export const requestsOfDocuments = { permission: 'documents.read_drafts', stillAsks } as const
