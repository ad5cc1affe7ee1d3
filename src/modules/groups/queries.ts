import { type ExpressionBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { GroupFilter, GroupType, Member } from './schema.ts'

export const groupSorts = ['name', 'id', 'group_type', 'member_count', 'created_at', 'updated_at'] as const
export const memberSorts = ['username', 'full_name', 'added_at'] as const

/** `memberId` limits the groups to those of this person. */
export interface Visibility {
  memberId?: number | undefined
}

const isMember = (userId: number) =>
  sql<boolean>`exists (select from group_members m where m.group_id = g.id and m.user_id = ${userId} and m.removed_at is null)`

type Listed = Tables & Record<'g', Tables['groups']>

const matching =
  ({ q, group_type, user_id }: GroupFilter, { memberId }: Visibility) =>
  (e: ExpressionBuilder<Listed, 'g'>) =>
    e.and([
      e('g.deleted_at', 'is', null),
      ...(q ? [e.or([e('g.name', 'ilike', contains(q)), e('g.description', 'ilike', contains(q))])] : []),
      ...(group_type ? [e('g.group_type', 'in', group_type)] : []),
      ...[user_id, memberId].flatMap(each => (each === undefined ? [] : [isMember(each)])),
    ])

const groups = (tx: Tx) =>
  tx
    .selectFrom('groups as g')
    .select(['g.id', 'g.name', 'g.description', 'g.created_at', 'g.updated_at', 'g.revision'])
    .select([
      sql<GroupType>`g.group_type`.as('group_type'),
      sql<number>`(select count(*) from group_members m where m.group_id = g.id and m.removed_at is null)`.as(
        'member_count',
      ),
      personOf('g.created_by').as('created_by'),
      personOf('g.updated_by').as('updated_by'),
    ])

export const listGroups = (
  tx: Tx,
  filter: GroupFilter,
  visibility: Visibility,
  { field, direction }: Sort<(typeof groupSorts)[number]>,
  limit: number,
  offset: number,
) =>
  groups(tx)
    .where(matching(filter, visibility))
    .orderBy(
      field === 'name' ? sql`lower(g.name)` : field === 'member_count' ? sql.ref(field) : `g.${field}`,
      direction,
    )
    .orderBy('g.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countGroups = (tx: Tx, filter: GroupFilter, visibility: Visibility) =>
  countRows(tx.selectFrom('groups as g').where(matching(filter, visibility)))

/** Deleted groups are not found; the audit trail keeps them. */
export const findGroup = (tx: Tx, id: number, visibility: Visibility = {}) =>
  groups(tx).where('g.id', '=', id).where(matching({}, visibility)).executeTakeFirst()

export const lockGroup = (tx: Tx, id: number) =>
  tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

interface GroupValues {
  name: string
  description: string
  group_type: GroupType
}

export const insertGroup = (tx: Tx, values: GroupValues & { migration_batch_id?: number }) =>
  tx
    .insertInto('groups')
    .values(values)
    .onConflict(on => on.expression(sql`tenant_id, lower(name)`).where('deleted_at', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst()

export const nameTaken = (tx: Tx, name: string, except: number) =>
  tx
    .selectFrom('groups')
    .select('id')
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .where('deleted_at', 'is', null)
    .where('id', '<>', except)
    .executeTakeFirst()

/** Every change counts up the revision, also one of the members. */
export const updateGroup = (
  tx: Tx,
  id: number,
  { isDeleted = false, ...values }: Partial<GroupValues> & { isDeleted?: boolean } = {},
) =>
  tx
    .updateTable('groups')
    .set({
      ...values,
      ...(isDeleted && { deleted_at: sql`now()` }),
      ...revised,
    })
    .where('id', '=', id)
    .execute()

interface Membership {
  groupId: number
  q?: string | undefined
  withFormer?: boolean | undefined
}

const membership =
  ({ groupId, q, withFormer = false }: Membership) =>
  (e: ExpressionBuilder<Tables & Record<'m', Tables['group_members']> & Record<'u', Tables['users']>, 'm' | 'u'>) =>
    e.and([
      e('m.group_id', '=', groupId),
      ...(withFormer ? [] : [e('m.removed_at', 'is', null)]),
      ...(q ? [e.or([e('u.username', 'ilike', contains(q)), e('u.full_name', 'ilike', contains(q))])] : []),
    ])

export const listMembers = (
  tx: Tx,
  filter: Membership,
  { field, direction }: Sort<(typeof memberSorts)[number]>,
  limit: number,
  offset: number,
): Promise<Member[]> =>
  tx
    .selectFrom('group_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'u.username', 'u.full_name', 'u.is_active', 'm.added_at', 'm.removed_at'])
    .select([personOf('m.added_by').as('added_by'), personOf('m.removed_by').as('removed_by')])
    .where(membership(filter))
    .orderBy(field === 'added_at' ? 'm.added_at' : `u.${field}`, direction)
    .orderBy('m.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countMembers = (tx: Tx, filter: Membership) =>
  countRows(tx.selectFrom('group_members as m').innerJoin('users as u', 'u.id', 'm.user_id').where(membership(filter)))

export const findUsers = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'is_active'])
    .where('id', 'in', [...ids])
    .where('kind', '=', 'person')
    .orderBy('id')
    .execute()

/** The groups that a person is a member of. */
export const listGroupsOf = async (tx: Tx, userId: number) =>
  (
    await tx
      .selectFrom('group_members')
      .select('group_id')
      .where('user_id', '=', userId)
      .where('removed_at', 'is', null)
      .execute()
  ).map(({ group_id }) => group_id)

/** Answers the new members only. */
export const insertMembers = (tx: Tx, group_id: number, userIds: readonly number[]) =>
  tx
    .insertInto('group_members')
    .values(userIds.map(user_id => ({ group_id, user_id })))
    .onConflict(on => on.columns(['tenant_id', 'group_id', 'user_id']).where('removed_at', 'is', null).doNothing())
    .returning('user_id')
    .execute()

/** Without `userId` it ends all memberships. */
export const endMemberships = (tx: Tx, groupId: number, { userId, by }: { userId?: number; by: number | null }) =>
  tx
    .updateTable('group_members')
    .set({ removed_at: sql`now()`, removed_by: by })
    .where('group_id', '=', groupId)
    .where('removed_at', 'is', null)
    .$if(userId !== undefined, only => only.where('user_id', '=', userId!))
    .returning('user_id')
    .execute()

/** True if an approval rule of the definition names the group. */
const namesGroup = (definition: string, id: number) =>
  sql<boolean>`jsonb_path_exists(${sql.ref(definition)}, '$.transitions[*].approval.rules[*] ? (@.kind == "group" && @.who == $id)',
    jsonb_build_object('id', ${id}::bigint))`

/** Workflow templates that name the group and that a new document could still get. */
export const templatesNaming = (tx: Tx, id: number) =>
  tx
    .selectFrom('workflow_templates as w')
    .innerJoin('workflow_template_versions as v', join =>
      join.onRef('v.template_id', '=', 'w.id').onRef('v.version', '=', 'w.version'),
    )
    .select(['w.id', 'w.name'])
    .where(
      sql<boolean>`(w.is_active or exists (select from document_types t where t.workflow_template_id = w.id and t.is_active))`,
    )
    .where(namesGroup('v.definition', id))
    .orderBy('w.name')
    .execute()

/**
 * Documents whose approval names the group, by their template or by their own configuration: those in progress, and effective ones
 * that need it to be made obsolete. Few templates name a group, so they are searched first.
 */
export const documentsAwaiting = async (tx: Tx, id: number): Promise<{ id: number; number: string }[]> => {
  const rule = sql`jsonb_build_object('id', ${id}::bigint)`
  const { rows } = await sql<{ id: number; number: string }>`
    with naming as materialized (
      select t.template_id, t.version, t.definition from workflow_template_versions t where ${namesGroup('t.definition', id)})
    select d.id, d.number from documents d
    where exists (select from document_versions v
        join naming n on (n.template_id, n.version) = (v.workflow_template_id, v.workflow_template_version)
        where v.document_id = d.id and (v.status_kind in ('initial', 'review') or v.status_kind = 'effective'
          and jsonb_path_exists(n.definition, '$.transitions[*] ? (@.from[*] == $state).approval.rules[*]
            ? (@.kind == "group" && @.who == $id)', ${rule} || jsonb_build_object('state', v.status))))
      or exists (select from document_versions v
        where v.document_id = d.id and v.status_kind in ('initial', 'review') and v.approval_overrides <> '[]'
          and jsonb_path_exists(v.approval_overrides, '$[*].rules[*] ? (@.kind == "group" && @.who == $id)', ${rule}))
    order by d.number`.execute(tx)
  return rows
}

/** Active curricula that apply to the group. */
export const curriculaOf = (tx: Tx, id: number) =>
  tx
    .selectFrom('curricula as c')
    .innerJoin('curriculum_groups as g', 'g.curriculum_id', 'c.id')
    .select(['c.id', 'c.name'])
    .where('g.group_id', '=', id)
    .where('c.status', '=', 'active')
    .orderBy('c.name')
    .execute()

/** Programs that later members of the group get too. */
export const programsOf = (tx: Tx, id: number) =>
  tx
    .selectFrom('training_group_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .select(['p.id', sql<string>`p.number || ' ' || p.title`.as('name')])
    .where('a.group_id', '=', id)
    .where('a.ended_at', 'is', null)
    .orderBy('p.number')
    .execute()

/** Providers whose groups decide who is a member. */
export const providersOf = (tx: Tx, id: number) =>
  tx
    .selectFrom('identity_providers as p')
    .select(['p.id', 'p.name'])
    .where(e =>
      e.exists(
        e
          .selectFrom('identity_provider_mappings as m')
          .select('m.id')
          .whereRef('m.provider_id', '=', 'p.id')
          .where('m.group_id', '=', id),
      ),
    )
    .orderBy('p.name')
    .execute()

/** Active document types whose documents begin with such a workflow. */
export const documentTypesOf = (tx: Tx, templateIds: readonly number[]) =>
  tx
    .selectFrom('document_types')
    .select(['id', 'name'])
    .where('is_active', '=', true)
    .where('workflow_template_id', '=', sql<number>`any(${templateIds}::bigint[])`)
    .orderBy('name')
    .execute()
