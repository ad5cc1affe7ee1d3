import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { conflict, invalidField, noneOf, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { lockForWork, requireGroup, withMembers } from './access.ts'
import { messages } from './messages.ts'
import { endMemberships, findUsers, insertMembers, listGroupsOf, lockGroup, updateGroup } from './queries.ts'
import { AddedMembers, AddMember, GroupChange, MemberParams } from './schema.ts'

declare module '#action/definitions.ts' {
  interface Services {
    /** Called in the transaction in which people become members of a group, so that their training is assigned with it. */
    joinedGroup(context: ActionContext<unknown>, group_id: number, user_ids: number[]): Promise<void>
  }
}

function askedFor({ user_id, user_ids }: AddMember): number[] {
  if (user_id !== undefined && user_ids !== undefined)
    throw invalidField('user_ids', messages.group_members_ambiguous())
  const ids = user_ids ?? (user_id === undefined ? undefined : [user_id])
  if (!ids) throw invalidField('user_id', messages.group_members_required())
  return ids
}

/** One unknown or inactive person refuses the whole request. */
async function requireActive(tx: Tx, ids: readonly number[]) {
  const users = await findUsers(tx, ids)
  const missing = ids.filter(id => !users.some(user => user.id === id))
  if (missing.length > 0) throw noneOf('User', ids, missing)
  const usernames = users.filter(({ is_active }) => !is_active).map(({ username }) => username)
  if (usernames.length > 0) throw conflict(messages.group_members_inactive({ usernames }))
  return users
}

export const addMember = command({
  summary: 'Add people to a group',
  description:
    'One person (`user_id`) or many (`user_ids`): all of them, or none if one does not exist or is not active. Existing members stay members; a request that adds nobody is refused.',
  permission: 'groups.manage',
  input: { params: IdParams, body: AddMember },
  response: AddedMembers,
  async run(context, { params, body }) {
    const { tx, services, record } = context
    const { id, name, revision } = await lockForWork(context, params.id)
    const ids = askedFor(body)
    const users = await requireActive(tx, ids)
    const added = new Set((await insertMembers(tx, id, ids)).map(({ user_id }) => user_id))
    if (added.size === 0)
      throw conflict(messages.group_members_already({ group: name, usernames: users.map(({ username }) => username) }))
    await updateGroup(tx, id)
    for (const user of users.filter(each => added.has(each.id)))
      record('group.member_added', id, {
        number: name,
        after: { user_id: user.id, username: user.username, group: name, revision: revision + 1 },
        reason: body.change_reason ?? null,
        notify: [user.id],
      })
    await services.joinedGroup(context, id, [...added])
    const group = await withMembers(tx, await requireGroup(tx, id, {}))
    return { ...group, added: [...added], already_members: ids.filter(each => !added.has(each)) }
  },
})

/**
 * Makes a person a member of the groups that something outside decides about, and of no other of them. Groups that were deleted meanwhile
 * are left out. In the order of their ids, so that two people's changes never wait for each other in a circle.
 */
export async function setMemberships(
  context: ActionContext<unknown>,
  userId: number,
  { decided, joined, reason }: { decided: readonly number[]; joined: readonly number[]; reason: string },
) {
  const { tx, actor, services, record } = context
  const [user] = await findUsers(tx, [userId])
  const own = await listGroupsOf(tx, userId)
  const changing = decided.filter(id => joined.includes(id) !== own.includes(id))
  for (const id of changing.toSorted((a, b) => a - b)) {
    if (!(await lockGroup(tx, id))) continue
    const { name, revision } = await requireGroup(tx, id, {})
    const [changed] = joined.includes(id)
      ? await insertMembers(tx, id, [userId])
      : await endMemberships(tx, id, { userId, by: actor.userId })
    if (!changed) continue
    await updateGroup(tx, id)
    const member = { user_id: userId, username: user!.username, group: name }
    if (joined.includes(id)) {
      record('group.member_added', id, {
        number: name,
        after: { ...member, revision: revision + 1 },
        reason,
        notify: [userId],
      })
      await services.joinedGroup(context, id, [userId])
    } else
      record('group.member_removed', id, {
        number: name,
        before: { ...member, revision },
        after: { revision: revision + 1 },
        reason,
        notify: [userId],
      })
  }
}

export const removeMember = command({
  summary: 'Remove a person from a group',
  description: 'Training that was assigned to them stays assigned, and their decisions stay valid.',
  permission: 'groups.manage',
  input: { params: MemberParams, body: GroupChange },
  response: Type.Null(),
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const { id, name, revision } = await lockForWork(context, params.id)
    const [removed] = await endMemberships(tx, id, { userId: params.user_id, by: actor.userId })
    if (!removed) throw notFound('Member')
    const [user] = await findUsers(tx, [removed.user_id])
    await updateGroup(tx, id)
    record('group.member_removed', id, {
      number: name,
      before: { user_id: removed.user_id, username: user!.username, group: name, revision },
      after: { revision: revision + 1 },
      reason: body?.change_reason ?? null,
      notify: [removed.user_id],
    })
    return null
  },
})
