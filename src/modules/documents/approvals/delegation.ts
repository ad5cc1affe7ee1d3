// An approver delegates a task, never an identity: the delegate decides and signs in their own name.
import { type Actor, command } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import { delegate, readTenantFacts, type TenantPeople, takeBack } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { findUser } from '../core/queries.ts'
import { Document } from '../core/schema.ts'
import { finish, lockForWork, nextRevision, participantOf, type VersionAtWork } from '../core/view.ts'
import { refusalOf } from '../lifecycle/plan.ts'
import { endDelegations } from '../lifecycle/queries.ts'
import { messages } from '../messages.ts'
import { insertDelegation } from './queries.ts'
import { DelegateBody, EndDelegationBody } from './schema.ts'

async function requireUser(tx: Tx, id: number) {
  const user = await findUser(tx, id)
  if (!user) throw notFound('User')
  return user
}

const forbiddenOutcome = (message: Message) => ({ ok: false, status: 403, message }) as const

/** Approvers delegate their own approvals; those of others may be delegated by people who configure approvals, but not to themselves. */
function delegationRefusal(actor: Actor, { from, to }: { from: number; to: number }, facts: TenantPeople) {
  if (from !== actor.userId && !actor.permissions.has('documents.configure_approval'))
    return forbiddenOutcome(messages.document_delegation_permission_required())
  if (from !== actor.userId && to === actor.userId)
    return forbiddenOutcome(messages.document_delegation_to_oneself({ person: facts.nameOf(from) }))
  if (from === actor.userId && !facts.peopleFor({ kind: 'user', who: from }).has(from))
    return forbiddenOutcome(messages.document_nothing_to_delegate())
  return undefined
}

export const delegateApproval = command({
  summary: 'Delegate the pending approval to another person',
  description:
    'The delegate decides by the rules that name the delegating person, and signs in their own name; the delegating person may not decide until the delegation ends. Delegating for an absent person (`from`) needs documents.configure_approval, and is to somebody else than the caller. A delegation ends with the round.',
  permission: 'documents.transition',
  input: { params: IdParams, body: DelegateBody },
  response: Document,
  async run(context, { params, body: { to, from: giver, reason } }) {
    const { tx, actor, record } = context
    const { document, atWork } = await lockForWork(context, params.id)
    const receiver = await requireUser(tx, to)
    const from = giver ?? actor.userId ?? 0
    const sender = giver === undefined ? actor : await requireUser(tx, giver)
    if (!receiver.is_active) throw conflict(messages.document_delegate_inactive({ username: receiver.username }))
    const facts = await readTenantFacts(tx, atWork.definition)
    const refusal = delegationRefusal(actor, { from, to }, facts)
    if (refusal) throw refusalOf(refusal, document)
    const parties = {
      from: from === actor.userId ? participantOf(actor, atWork) : facts.participantOf(from),
      to: facts.participantOf(to),
    }
    const outcome = delegate(atWork.definition, atWork.instance, parties, facts, { isOwn: from === actor.userId })
    if (!outcome.ok) throw refusalOf(outcome, document)
    const { transition, rules } = outcome.delegation
    await insertDelegation(tx, {
      document_id: document.id,
      version_id: atWork.version.id,
      round: atWork.version.round,
      transition,
      rules: [...rules],
      from_user_id: from,
      to_user_id: to,
      reason,
    })
    record('document.delegated', document.id, {
      number: document.number,
      after: {
        version: atWork.version.version,
        transition,
        from: sender.username,
        to: receiver.username,
        revision: nextRevision(document),
      },
      reason,
      notify: [from],
      assignees: [to],
    })
    return finish(context, document)
  },
})

/** The person who delegated, the delegate, and people who configure approvals may end a delegation. */
const canEndDelegation = ({ instance }: VersionAtWork, { userId, permissions }: Actor, from: number) =>
  from === userId ||
  permissions.has('documents.configure_approval') ||
  instance.delegations.some(each => each.from === from && each.to === userId)

export const endDelegation = command({
  summary: 'End a delegation',
  description:
    'Ends your own delegation; with `from` that of another person, which you received or may end with the permission documents.configure_approval. A delegation that was used for a decision cannot be ended.',
  permission: 'documents.transition',
  input: { params: IdParams, body: EndDelegationBody },
  response: Document,
  async run(context, { params, body: { from: giver, reason = null } }) {
    const { tx, actor, record } = context
    const { document, atWork } = await lockForWork(context, params.id)
    const from = giver ?? actor.userId ?? 0
    const sender = giver === undefined ? actor : await requireUser(tx, giver)
    if (!canEndDelegation(atWork, actor, from))
      throw refusalOf(forbiddenOutcome(messages.document_delegation_end_permission_required()), document)
    const facts = await readTenantFacts(tx, atWork.definition)
    const outcome = takeBack(atWork.definition, atWork.instance, from, facts)
    if (!outcome.ok) throw refusalOf(outcome, document)
    const { transition, ended } = outcome
    await endDelegations(tx, atWork.version.id, {
      transition,
      givers: ended,
      ended_by: actor.userId,
      end_reason: reason,
    })
    const gone = atWork.instance.delegations.filter(each => each.transition === transition && ended.includes(each.from))
    record('document.delegation_ended', document.id, {
      number: document.number,
      before: { to: gone.map(({ to }) => facts.personOf(to).username).join(', ') },
      after: {
        version: atWork.version.version,
        transition,
        from: sender.username,
        revision: nextRevision(document),
      },
      reason,
      notify: gone.map(({ to }) => to),
      assignees: [from],
    })
    return finish(context, document)
  },
})
