import { gateFrom, readTenantFacts } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { findLatestVersionId } from './core/queries.ts'
import { loadAtWork } from './core/view.ts'
import { currentApprovers } from './lifecycle/approval-terms.ts'

/** The people among these who may still decide about the pending approval. */
async function stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  const latestId = await findLatestVersionId(tx, id)
  if (!latestId) return []
  const atWork = await loadAtWork(tx, latestId)
  const gate = gateFrom(atWork.definition, atWork.version.status)
  if (!gate) return []
  // An overdue approval with its own escalation is reported to the people that the workflow names for it.
  if (gate.approval.escalate_to && atWork.version.approval_due_date !== null) return []
  const deciders = currentApprovers(atWork, await readTenantFacts(tx, atWork.definition))
  return user_ids.filter(each => deciders.includes(each))
}

export const requestsOfDocuments = { permission: 'documents.read_drafts', stillAsks } as const
