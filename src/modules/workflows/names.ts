import { Type } from 'typebox'
import type { Tx } from '#platform/db/database.ts'
import { isGated, type WorkflowDefinition } from './definition.ts'
import { listGroups } from './group-queries.ts'
import { listUserNames } from './queries.ts'

export const Names = Type.Object(
  {
    users: Type.Record(Type.String(), Type.String()),
    groups: Type.Record(Type.String(), Type.String()),
  },
  { description: 'The names of the users and groups that the definition names by their ids' },
)

/** The people whom the approvals and escalations of a workflow name by their ids. */
const usersIn = ({ transitions }: WorkflowDefinition): number[] =>
  transitions
    .filter(isGated)
    .flatMap(({ approval: { rules, escalate_to } }) =>
      [...rules, ...(escalate_to ? [escalate_to] : [])].flatMap(({ kind, who }) =>
        kind === 'user' ? [who].flat().map(Number) : [],
      ),
    )

/** The names of all that the definitions name by ids, for pages that show them. */
export async function namesIn(tx: Tx, ...definitions: readonly WorkflowDefinition[]) {
  const users = new Set(definitions.flatMap(usersIn))
  const people = users.size > 0 ? await listUserNames(tx) : []
  const groups = await listGroups(tx, {
    states: [],
    transitions: definitions.flatMap(({ transitions }) => transitions),
  })
  return {
    users: Object.fromEntries(
      people.filter(({ id }) => users.has(id)).map(({ id, username, full_name }) => [id, full_name ?? username]),
    ),
    groups: Object.fromEntries(groups.map(({ id, name }) => [id, name])),
  }
}
