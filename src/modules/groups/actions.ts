import { Type } from 'typebox'
import { command, query } from '#action'
import { listQuery } from '#action/list.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { labelOf } from '#kernel/labels.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { lockForWork, recorded, requireGroup, visibilityOf, withMembers } from './access.ts'
import { messages } from './messages.ts'
import {
  countGroups,
  countMembers,
  curriculaOf,
  documentsAwaiting,
  documentTypesOf,
  endMemberships,
  groupSorts,
  insertGroup,
  listGroups,
  listMembers,
  memberSorts,
  nameTaken,
  programsOf,
  providersOf,
  templatesNaming,
  updateGroup,
} from './queries.ts'
import {
  Group,
  GroupChange,
  GroupCreate,
  GroupFilter,
  GroupSummary,
  GroupUpdate,
  GroupUse,
  Member,
  MemberFilter,
  maxUses,
  type Using,
} from './schema.ts'

const groupNameTaken = (name: string) => conflict(messages.group_name_taken({ name }))

export const list = listQuery({
  summary: 'List groups',
  description: 'Your own groups; all groups for people who manage them or use them in training and approvals.',
  permission: 'groups.read',
  filter: GroupFilter,
  item: GroupSummary,
  sorts: groupSorts,
  sort: { field: 'name', direction: 'asc' },
  exported: {
    name: 'Groups',
    event: 'group.list_exported',
    columns: [
      ['Group ID', each => each.id],
      ['Name', each => each.name],
      ['Type', each => labelOf(each.group_type)],
      ['Description', each => each.description],
      ['Members', each => each.member_count],
      ['Created (UTC)', each => each.created_at, 'moment'],
      ['Changed (UTC)', each => each.updated_at, 'moment'],
    ],
  },
  async find({ tx, actor }, query, sort) {
    const visibility = query.mine ? { memberId: actor.userId ?? 0 } : visibilityOf(actor)
    return {
      list: (limit, offset) => listGroups(tx, query, visibility, sort, limit, offset),
      count: () => countGroups(tx, query, visibility),
    }
  },
})

export const details = query({
  summary: 'Read a group with its members',
  permission: 'groups.read',
  input: { params: IdParams },
  response: Group,
  run: async ({ tx, actor }, { params }) => withMembers(tx, await requireGroup(tx, params.id, visibilityOf(actor))),
})

export const members = query({
  summary: 'List the members of a group',
  permission: 'groups.read',
  input: { params: IdParams, query: MemberFilter },
  response: Page(Member),
  async run({ tx, actor }, { params, query }) {
    const sort = parseSort(query.sort, memberSorts, { field: 'username', direction: 'asc' })
    const group = await requireGroup(tx, params.id, visibilityOf(actor))
    if (query.include_former && !actor.permissions.has('groups.manage'))
      throw forbidden(messages.group_former_members_permission_missing())
    const filter = { groupId: group.id, q: query.q, withFormer: query.include_former }
    return pageOf(
      query,
      (limit, offset) => listMembers(tx, filter, sort, limit, offset),
      () => countMembers(tx, filter),
    )
  },
})

const shownUses = (found: readonly { id: number; name: string }[]): Using => ({
  total: found.length,
  items: found.slice(0, maxUses).map(({ id, name }) => ({ id, name })),
})

export const use = query({
  summary: 'List what uses a group',
  description: `What would go without its people if the group were emptied or deleted; at most ${maxUses} of each kind are named.`,
  permission: 'groups.manage',
  input: { params: IdParams },
  response: GroupUse,
  async run({ tx }, { params }) {
    const { id } = await requireGroup(tx, params.id, {})
    const templates = await templatesNaming(tx, id)
    const documents = await documentsAwaiting(tx, id)
    return {
      workflow_templates: shownUses(templates),
      document_types: shownUses(
        await documentTypesOf(
          tx,
          templates.map(each => each.id),
        ),
      ),
      documents: shownUses(documents.map(each => ({ id: each.id, name: each.number }))),
      curricula: shownUses(await curriculaOf(tx, id)),
      training_programs: shownUses(await programsOf(tx, id)),
      identity_providers: shownUses(await providersOf(tx, id)),
    }
  },
})

export const create = command({
  summary: 'Create a group',
  permission: 'groups.manage',
  input: { body: GroupCreate },
  response: Group,
  async run({ tx, record }, { body: { name, description = '', group_type = 'custom' } }) {
    const inserted = await insertGroup(tx, { name, description, group_type })
    if (!inserted) throw groupNameTaken(name)
    const group = await requireGroup(tx, inserted.id, {})
    record('group.created', group.id, { number: name, after: recorded(group) })
    return { ...group, members: [] }
  },
})

export const update = command({
  summary: 'Change a group',
  permission: 'groups.manage',
  input: { params: IdParams, body: GroupUpdate },
  response: Group,
  async run(context, { params, body }) {
    const { tx, record } = context
    const before = await lockForWork(context, params.id)
    const { name = before.name, description = before.description, group_type = before.group_type } = body
    if (await nameTaken(tx, name, before.id)) throw groupNameTaken(name)
    await updateGroup(tx, before.id, { name, description, group_type })
    const group = await requireGroup(tx, before.id, {})
    record('group.updated', group.id, {
      number: group.name,
      before: recorded(before),
      after: recorded(group),
      reason: body.change_reason ?? null,
    })
    return withMembers(tx, group)
  },
})

/** A refusal names so many records of each kind and counts the rest. */
const maxNamed = 5
const firstOf = (names: readonly string[]) => ({
  names: names.slice(0, maxNamed),
  more: Math.max(0, names.length - maxNamed),
})

export const remove = command({
  summary: 'Delete a group',
  description:
    'Ends every membership. The audit trail keeps the group and its members. Refused while an approval or a curriculum uses it.',
  permission: 'groups.manage',
  input: { params: IdParams, body: GroupChange },
  response: Type.Null(),
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const group = await lockForWork(context, params.id)
    const templates = firstOf((await templatesNaming(tx, group.id)).map(({ name }) => name))
    const documents = firstOf((await documentsAwaiting(tx, group.id)).map(({ number }) => number))
    const curricula = firstOf((await curriculaOf(tx, group.id)).map(({ name }) => name))
    if ([templates, documents, curricula].some(({ names }) => names.length > 0))
      throw conflict(
        messages.group_in_use({
          group: group.name,
          workflow_templates: templates.names,
          more_workflow_templates: templates.more,
          documents: documents.names,
          more_documents: documents.more,
          curricula: curricula.names,
          more_curricula: curricula.more,
        }),
      )
    await endMemberships(tx, group.id, { by: actor.userId })
    await updateGroup(tx, group.id, { isDeleted: true })
    record('group.deleted', group.id, {
      number: group.name,
      before: { ...recorded(group), member_count: group.member_count },
      after: { revision: group.revision + 1 },
      reason: body?.change_reason ?? null,
    })
    return null
  },
})
