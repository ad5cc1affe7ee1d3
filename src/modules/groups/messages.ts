import { defineMessages } from '#kernel/message.ts'

const listed = (kind: string, names: readonly string[], more: number) =>
  names.length === 0
    ? []
    : [`the ${kind} ${[...names, ...(more > 0 ? [`${more} ${more === 1 ? 'other' : 'others'}`] : [])].join(', ')}`]

export const messages = defineMessages({
  group_name_taken: ({ name }: { name: string }) => `A group named ${name} already exists. Choose another name.`,
  group_in_use: ({
    group,
    workflow_templates,
    more_workflow_templates,
    documents,
    more_documents,
    curricula,
    more_curricula,
  }: {
    group: string
    workflow_templates: readonly string[]
    more_workflow_templates: number
    documents: readonly string[]
    more_documents: number
    curricula: readonly string[]
    more_curricula: number
  }) =>
    `${group} is used by ${[
      ...listed('workflow templates', workflow_templates, more_workflow_templates),
      ...listed('approvals of', documents, more_documents),
      ...listed('curricula', curricula, more_curricula),
    ].join(' and ')}. Replace it there before you delete it.`,
  group_former_members_permission_missing: 'You need the permission groups.manage to see former members.',
  group_members_required: 'Choose at least one person.',
  group_members_ambiguous: 'Enter either user_id or user_ids.',
  group_members_inactive: ({ usernames }: { usernames: readonly string[] }) =>
    `Only active people can become members. Leave out ${usernames.join(', ')}.`,
  group_members_already: ({ group, usernames }: { group: string; usernames: readonly string[] }) =>
    `${usernames.join(', ')} ${usernames.length === 1 ? 'is already a member' : 'are already members'} of ${group}.`,
})
