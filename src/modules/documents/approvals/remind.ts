import { Type } from 'typebox'
import { command } from '#action'
import { listReminded } from '#action/reminder-queries.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { Body, IdParams, Person, Words } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { gateFrom, readTenantFacts } from '#modules/workflows'
import { lockForWork } from '../core/view.ts'
import { authorAndOwner, currentApprovers } from '../lifecycle/approval-terms.ts'
import { messages } from '../messages.ts'
import { listPeople } from './queries.ts'

const event = 'document.approval_reminded'
const configuring = 'documents.configure_approval'

export const remindApprovers = command({
  summary: 'Remind the approvers of a document',
  description: `The people whose decision is awaited are notified, each of them at most once a day. By the author, the owner, or with the permission ${configuring}.`,
  permission: 'documents.transition',
  input: { params: IdParams, body: Body({ comment: Type.Optional(Words(2000)) }) },
  response: Type.Object({ reminded: Type.Array(Person) }),
  async run(context, { params, body: { comment = null } }) {
    const { tx, actor, record } = context
    const { document, atWork } = await lockForWork(context, params.id)
    const { id, number } = document
    const { version, definition } = atWork
    if (!actor.permissions.has(configuring) && !authorAndOwner(atWork).includes(actor.userId!))
      throw forbidden(messages.document_reminder_not_yours({ number, permission: configuring }), document)
    const gate = gateFrom(definition, version.status)
    if (!gate) throw conflict(messages.document_awaits_no_decision({ number, status: version.status }))
    const approvers = currentApprovers(atWork, await readTenantFacts(tx, definition)).filter(
      each => each !== actor.userId,
    )
    if (approvers.length === 0) throw conflict(messages.document_nobody_to_remind({ number }))
    const told_on = await todayOf(context)
    const before = await listReminded(tx, event, id, told_on)
    const reminded = (await listPeople(tx, approvers)).filter(({ username }) => !before.includes(username))
    if (reminded.length === 0) throw conflict(messages.document_approvers_reminded({ number }))
    record(event, id, {
      number,
      after: {
        ...{ version: version.version, transition: gate.name, due_date: version.approval_due_date },
        ...{ reminded: reminded.map(({ username }) => username), told_on },
      },
      reason: comment,
      notify: reminded.map(each => each.id),
    })
    return { reminded }
  },
})
