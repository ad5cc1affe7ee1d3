import { addImportedGroup, addImportedMember, GroupType } from '#modules/groups'
import { type BatchFacts, keyOf, provenance, type Sheet } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { help, messages } from './messages.ts'
import { findGroups, findGroupsById, listMemberships } from './queries.ts'
import {
  byId,
  differing,
  groupKey,
  idsOf,
  judged,
  lower,
  missing,
  People,
  unknownPerson,
  unsure,
  userKey,
  wrong,
} from './shared.ts'

type GroupRow = { name: string; type: string | null; description: string | null }
const types = GroupType.enum

export const groups: Sheet<GroupRow> = {
  name: 'groups',
  needs: [],
  help: help.help_groups(),
  columns: [
    required('name', 'text', help.help_group_name(), ['Group', 'Gruppe', 'Name']),
    optional('type', 'choice', help.help_group_type(), ['Type', 'Art'], { choices: types }),
    optional('description', 'long_text', help.help_description(), ['Description', 'Beschreibung']),
  ],
  key: ({ name }) => groupKey(name),
  references: () => [],
  async check(tx, rows) {
    const names = rows.map(({ values }) => values.name)
    const known = new Set((await findGroups(tx, names)).map(({ name }) => groupKey(name)))
    return rows.map(({ values }) =>
      judged(
        [
          ...(values.name.length > 120
            ? [wrong('name', messages.staged_text_too_long({ maximum: 120 }), messages.todo_text_too_long())]
            : []),
          ...(known.has(groupKey(values.name))
            ? [unsure('name', messages.staged_group_known({ name: values.name }), messages.todo_group_known())]
            : []),
        ],
        { name: values.name, group_type: values.type ?? 'custom', description: values.description ?? '' },
      ),
    )
  },
  async load(context, rows, batch) {
    const names = rows.map(({ values }) => values.name)
    const known = new Map((await findGroups(context.tx, names)).map(({ id, name }) => [groupKey(name), id]))
    const loaded = []
    for (const row of rows) {
      const { name, type, description } = row.values
      const id =
        known.get(groupKey(name)) ??
        (await addImportedGroup(context, {
          ...{ name, description: description ?? '', group_type: (type ?? 'custom') as GroupType },
          ...{ migration_batch_id: batch.id, from: provenance(row, batch) },
        }))
      loaded.push({ resource_type: 'group', resource_id: id })
    }
    return loaded
  },
  async compare(tx, rows) {
    const found = byId(await findGroupsById(tx, idsOf(rows)))
    return rows.map(({ values, resource_id, key }) => {
      const group = found.get(resource_id!)
      return group ? differing([['name', groupKey(values.name), groupKey(group.name)]]) : missing(key)
    })
  },
}

type MemberRow = { group: string; username: string }

/** Groups that rows name: those of the tenant, and those that the batch brings in. */
async function knownGroups(
  { find }: BatchFacts,
  found: readonly { name: string; id: number }[],
  names: readonly string[],
) {
  const known = new Map<string, number | null>(
    [...(await find('groups', names.map(groupKey))).keys()].map(key => [key, null]),
  )
  for (const { id, name } of found) known.set(groupKey(name), id)
  return known
}

export const members: Sheet<MemberRow> = {
  name: 'members',
  needs: ['users', 'groups'],
  help: help.help_members(),
  columns: [
    required('group', 'text', help.help_member_group(), ['Group', 'Gruppe']),
    required('username', 'text', help.help_member_user(), ['User name', 'Benutzername', 'Member', 'Mitglied']),
  ],
  key: ({ group, username }) => keyOf(groupKey(group), userKey(username)),
  references: ({ group, username }) => [
    { sheet: 'groups', key: groupKey(group) },
    { sheet: 'users', key: userKey(username) },
  ],
  async check(tx, rows, batch) {
    const names = rows.map(({ values }) => values.group)
    const known = await knownGroups(batch, await findGroups(tx, names), names)
    const people = await People.find(tx, batch, rows, values => [values.username])
    return rows.map(({ values }) => {
      const person = people.get(values.username)
      return judged(
        [
          ...(!known.has(groupKey(values.group))
            ? [wrong('group', messages.staged_group_unknown({ name: values.group }), messages.todo_group_unknown())]
            : []),
          ...(person ? [] : [unknownPerson('username', values.username)]),
          ...(person && !person.is_active
            ? [
                wrong(
                  'username',
                  messages.staged_member_inactive({ name: person.username }),
                  messages.todo_member_inactive(),
                ),
              ]
            : []),
        ],
        { group: values.group, username: person?.username ?? values.username },
      )
    })
  },
  async load(context, rows, batch) {
    const names = rows.map(({ values }) => values.group)
    const found = await findGroups(context.tx, names)
    const ids = new Map(found.map(({ id, name }) => [groupKey(name), id]))
    const people = await People.find(context.tx, batch, rows, values => [values.username])
    const loaded = []
    for (const row of rows) {
      const id = ids.get(groupKey(row.values.group))!
      await addImportedMember(context, id, people.require(row.values.username), provenance(row, batch))
      loaded.push({ resource_type: 'group', resource_id: id })
    }
    return loaded
  },
  async compare(tx, rows) {
    const there = new Set(
      (await listMemberships(tx, idsOf(rows))).map(({ id, username }) => `${id} ${lower(username)}`),
    )
    return rows.map(({ values, resource_id }) =>
      there.has(`${resource_id} ${userKey(values.username)}`)
        ? []
        : [{ column: 'username', row: values.username, record: null }],
    )
  },
}
