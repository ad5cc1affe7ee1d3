import type { ActionContext, Actor } from '#action'
import { refuseStale } from '#action/revision.ts'
import type { Permission } from '#kernel/catalogue.ts'
import { notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { findGroup, listMembers, lockGroup, type Sight } from './queries.ts'
import { type Group, type GroupSummary, most_shown } from './schema.ts'

/** Whose work names groups, or shows what their members did. */
const seeing: readonly Permission[] = [
  'groups.manage',
  'training.assign',
  'training.read_all',
  'documents.configure_approval',
  'workflow_templates.manage',
]

/** GRP-02: everybody sees the groups that they are in. */
export const sightOf = ({ userId, permissions }: Actor): Sight =>
  seeing.some(each => permissions.has(each)) ? {} : { memberId: userId ?? 0 }

/** What the actor does not see is not there for them. */
export async function requireGroup(tx: Tx, id: number, sight: Sight): Promise<GroupSummary> {
  const group = await findGroup(tx, id, sight)
  if (!group) throw notFound('Group')
  return group
}

export const withMembers = async (tx: Tx, group: GroupSummary): Promise<Group> => ({
  ...group,
  members: await listMembers(tx, { groupId: group.id }, { field: 'username', direction: 'asc' }, most_shown, 0),
})

/** For every command about a group: under its lock, so that nobody becomes a member of one that is being deleted. */
export async function lockForWork(context: ActionContext<unknown>, id: number): Promise<GroupSummary> {
  if (!(await lockGroup(context.tx, id))) throw notFound('Group')
  const group = await requireGroup(context.tx, id, {})
  await refuseStale(context, 'group', group)
  return group
}

/** A group as the audit trail shows it. */
export const recorded = ({ name, description, group_type, revision }: GroupSummary) => ({
  name,
  description,
  group_type,
  revision,
})
