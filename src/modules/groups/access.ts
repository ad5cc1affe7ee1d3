import type { ActionContext, Actor } from '#action'
import { refuseStale } from '#action/revision.ts'
import type { Permission } from '#kernel/catalogue.ts'
import { notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { findGroup, listMembers, lockGroup, type Visibility } from './queries.ts'
import { type Group, type GroupSummary, maxShown } from './schema.ts'

/** Any of these lets a person see all groups, because the work names groups or shows their members. */
const seeingPermissions: readonly Permission[] = [
  'groups.manage',
  'training.assign',
  'training.read_all',
  'documents.configure_approval',
  'workflow_templates.manage',
]

/** GRP-02: everybody sees their own groups. */
export const visibilityOf = ({ userId, permissions }: Actor): Visibility =>
  seeingPermissions.some(each => permissions.has(each)) ? {} : { memberId: userId ?? 0 }

/** A group that the actor may not see is answered as one that does not exist. */
export async function requireGroup(tx: Tx, id: number, visibility: Visibility): Promise<GroupSummary> {
  const group = await findGroup(tx, id, visibility)
  if (!group) throw notFound('Group')
  return group
}

export const withMembers = async (tx: Tx, group: GroupSummary): Promise<Group> => ({
  ...group,
  members: await listMembers(tx, { groupId: group.id }, { field: 'username', direction: 'asc' }, maxShown, 0),
})

/** Every command about a group locks it, so that nobody becomes a member of one that is being deleted. */
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
