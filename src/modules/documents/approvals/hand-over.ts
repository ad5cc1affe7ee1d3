// A pending approval that awaits somebody who has left is delegated: the rules of the workflow stay, and the delegate signs in their own name.
import type { OpenItem, WorkOfKind } from '#modules/accounts'
import { awaitsInPerson, delegate } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { lockDocument, updateDocument } from '../core/queries.ts'
import { loadAtWork, nextRevision } from '../core/view.ts'
import { refusalOf } from '../lifecycle/plan.ts'
import { messages } from '../messages.ts'
import { insertDelegation } from './queries.ts'
import { factsOf, listWaiting } from './waiting.ts'

/** Many versions can wait for others, so they are read some at a time. */
const chunk = 200

async function listOf(tx: Tx, userId: number, { after, limit }: { after: number; limit: number }): Promise<OpenItem[]> {
  const found: OpenItem[] = []
  for (let last = after; found.length < limit; ) {
    const waiting = await listWaiting(tx, { after: last, limit: chunk })
    for (const { version, definition, instance } of waiting)
      if (awaitsInPerson(definition, instance, userId))
        found.push({
          ...{ id: version.id, record_id: version.document_id, number: version.number, title: version.title },
          ...{ status: version.status, due_date: version.approval_due_date },
        })
    if (waiting.length < chunk) break
    last = waiting.at(-1)!.version.id
  }
  return found.slice(0, limit)
}

export const namedApprovals: WorkOfKind = {
  kind: 'document_approval',
  needs: ['documents.approve'],
  list: listOf,
  count: async (tx, userId) => (await listOf(tx, userId, { after: 0, limit: Infinity })).length,
  async give({ tx, actor, record }, { id, record_id }, { from, to, reason }) {
    const document = await lockDocument(tx, record_id)
    if (!document || document.latest_version_id !== id) return false
    const atWork = await loadAtWork(tx, id)
    const { version, definition, instance } = atWork
    if (!awaitsInPerson(definition, instance, from)) return false
    const facts = await factsOf(tx, [atWork])
    // Nobody chooses themselves as an approver.
    if (to === actor.userId)
      throw refusalOf(
        { ok: false, status: 403, message: messages.document_delegation_to_oneself({ person: facts.nameOf(from) }) },
        document,
      )
    const parties = { from: facts.participantOf(from), to: facts.participantOf(to) }
    const outcome = delegate(definition, instance, parties, facts, { isOwn: false })
    if (!outcome.ok) throw refusalOf(outcome, document)
    const { transition, rules } = outcome.delegation
    await insertDelegation(tx, {
      ...{ document_id: record_id, version_id: id, round: version.round, transition, rules: [...rules] },
      ...{ from_user_id: from, to_user_id: to, reason },
    })
    await updateDocument(tx, record_id)
    record('document.delegated', record_id, {
      number: document.number,
      after: {
        version: version.version,
        transition,
        from: facts.personOf(from).username,
        to: facts.personOf(to).username,
        revision: nextRevision(document),
      },
      reason,
      assignees: [to],
    })
    return true
  },
}
