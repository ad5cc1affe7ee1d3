// Groups and members that a migration imports. They notify nobody; training that their groups ask for is assigned by its schedule.
import type { ActionContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { recorded, requireGroup } from './access.ts'
import { messages } from './messages.ts'
import { insertGroup, insertMembers, lockGroup, updateGroup } from './queries.ts'
import type { GroupType } from './schema.ts'

interface ImportedGroup {
  name: string
  description: string
  group_type: GroupType
  migration_batch_id: number
  /** Where the row came from, for the audit trail. */
  from: object
}

export async function addImportedGroup(
  { tx, record }: ActionContext<unknown>,
  { from, ...values }: ImportedGroup,
): Promise<number> {
  const inserted = await insertGroup(tx, values)
  if (!inserted) throw conflict(messages.group_name_taken({ name: values.name }))
  const group = await requireGroup(tx, inserted.id, {})
  record('group.migrated', group.id, { number: group.name, after: { ...recorded(group), ...from } })
  return group.id
}

/** Existing members stay members. */
export async function addImportedMember(
  { tx, record }: ActionContext<unknown>,
  groupId: number,
  user: { id: number; username: string },
  from: object,
) {
  await lockGroup(tx, groupId)
  const { name, revision } = await requireGroup(tx, groupId, {})
  const [added] = await insertMembers(tx, groupId, [user.id])
  if (!added) return
  await updateGroup(tx, groupId)
  record('group.member_added', groupId, {
    number: name,
    after: { user_id: user.id, username: user.username, group: name, revision: revision + 1, ...from },
  })
}
