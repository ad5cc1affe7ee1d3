import type { Message } from '#kernel/message.ts'
import type { Person } from '#kernel/schema.ts'
import { listPeople, listPeopleWith, mayApprove, type PersonAtWork, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { ruleNames } from './approvers.ts'
import { type ApprovalRule, isGated, type WorkflowDefinition } from './definition.ts'
import { byId, type Names } from './describe.ts'
import { groupsOfPeople, listGroups } from './group-queries.ts'
import type { Contributors, Participant, TenantFacts } from './instance.ts'
import { listUserNames } from './queries.ts'
import { findShortage } from './rehearsal.ts'

const deciding = 'documents.approve'

/** The people of the tenant, for the engine and for answers. */
export interface TenantPeople extends TenantFacts {
  nameOf: Names
  personOf(userId: number): Person
  /** The person as a participant; an inactive person has no roles and permissions. */
  participantOf(userId: number): Participant
  everybodyNamed(rule: Pick<ApprovalRule, 'kind' | 'who'>): Set<number>
  has(userId: number): boolean
}

/**
 * Reads the people whom each rule of a workflow names today. With `admin_may_approve` off, Admins count for no rule.
 */
export async function readTenantFacts(tx: Tx, definition: WorkflowDefinition): Promise<TenantPeople> {
  const [active, settings, users, allGroups, members] = await Promise.all([
    listPeople(tx),
    readSettings(tx),
    listUserNames(tx),
    listGroups(tx, definition),
    groupsOfPeople(tx, definition),
  ])
  const groups = new Map(allGroups.map(each => [each.id, each]))
  const everybody = inGroups(active, members)
  const participants = new Map(everybody.map(each => [each.userId, each]))
  const mayDecide = (person: PersonAtWork) => person.permissions.has(deciding) && mayApprove(settings, person)
  const people = new Map(users.map(each => [each.id, each]))
  const personOf = (userId: number) => people.get(userId) ?? { id: userId, username: `user ${userId}`, full_name: null }
  return {
    peopleFor: peopleAmong(everybody.filter(mayDecide)),
    everybodyNamed: rule => idsOf(everybody, rule),
    nameOf(id, kind) {
      if (kind === 'group') return groupNameOf(groups.get(id)) ?? byId(id, kind)
      const { full_name, username } = personOf(id)
      return `${full_name ?? username}${people.has(id) && !participants.has(id) ? ' (deactivated)' : ''}`
    },
    hasGroup: id => groups.get(id)?.is_deleted === false,
    personOf,
    participantOf: userId => participants.get(userId) ?? inactive(userId),
    has: userId => participants.has(userId),
  }
}

const inGroups = (
  people: readonly PersonAtWork[],
  members: readonly { user_id: number; group_ids: number[] }[],
): (PersonAtWork & Participant)[] => {
  const groupIds = new Map(members.map(each => [each.user_id, each.group_ids]))
  return people.map(each => ({ ...each, groupIds: groupIds.get(each.userId) ?? [] }))
}

const idsOf = (people: readonly Participant[], rule: Pick<ApprovalRule, 'kind' | 'who'>) =>
  new Set(people.filter(each => ruleNames(rule, each)).map(({ userId }) => userId))

/** A check asks for the same people once for each pair of approvals, so the answers are kept. */
function peopleAmong(deciders: readonly Participant[]): TenantFacts['peopleFor'] {
  const found = new Map<string, ReadonlySet<number>>()
  return ({ kind, who }) => {
    const key = JSON.stringify([kind, who])
    const ids = found.get(key) ?? idsOf(deciders, { kind, who })
    found.set(key, ids)
    return ids
  }
}

/** `findShortage` by the people of today. It reads only those who may approve, and names where there is a shortage to tell of. */
export async function findShortageToday(
  tx: Tx,
  definition: WorkflowDefinition,
  contributors: Contributors,
): Promise<Message | undefined> {
  const [people, settings, members] = await Promise.all([
    listPeopleWith(tx, deciding),
    readSettings(tx),
    groupsOfPeople(tx, definition),
  ])
  const deciders = inGroups(people, members).filter(each => mayApprove(settings, each))
  if (!findShortage(definition, contributors, { peopleFor: peopleAmong(deciders) })) return undefined
  return findShortage(definition, contributors, await readTenantFacts(tx, definition))
}

const inactive = (userId: number): Participant => ({ userId, roles: [], groupIds: [], permissions: new Set() })

/** Answers by the people of the tenant. They are read only if the answer depends on them, because that reads everybody. */
export async function withPeople<T>(
  tx: Tx,
  definition: WorkflowDefinition,
  answer: (people: TenantFacts) => T,
): Promise<T> {
  let isAsked = false
  const asked = <A>(value: A) => {
    isAsked = true
    return value
  }
  const answered = answer({
    peopleFor: () => asked(new Set<number>()),
    nameOf: (id, kind) => asked(byId(id, kind)),
    participantOf: userId => asked(inactive(userId)),
  })
  return isAsked ? answer(await readTenantFacts(tx, definition)) : answered
}

const groupNameOf = (group: { name: string; is_deleted: boolean } | undefined) =>
  group && `group ${group.name}${group.is_deleted ? ' (deleted)' : ''}`

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
