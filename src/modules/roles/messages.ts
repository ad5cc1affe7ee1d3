import { defineMessages } from '#kernel/message.ts'

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${many}`]

export const messages = defineMessages({
  role_granted_and_denied: ({ permissions }: { permissions: readonly string[] }) =>
    `Grant or deny each permission, not both: ${permissions.join(', ')}.`,
  role_is_system: ({ name }: { name: string }) =>
    `${name} is a system role and cannot be changed or deleted. Create a role that inherits from it.`,
  role_limit_reached: ({ maximum }: { maximum: number }) =>
    `A company can have at most ${maximum} roles. Delete one that nobody has first.`,
  role_name_taken: ({ name }: { name: string }) => `A role named ${name} already exists. Choose another name.`,
  role_inherits_from_itself: ({ name }: { name: string }) =>
    `${name} would inherit from itself. Choose another role to inherit from.`,
  role_inheritance_too_deep: ({ name, maximum }: { name: string; maximum: number }) =>
    `${name} would inherit over more than ${maximum} steps. Choose a role that inherits from fewer.`,
  role_in_use: ({
    name,
    users,
    roles,
    workflow_templates,
    curricula,
    identity_providers,
  }: {
    name: string
    users: number
    roles: number
    workflow_templates: number
    curricula: number
    identity_providers: number
  }) =>
    `${name} cannot be deleted: ${[
      ...counted(users, 'user has it', 'users have it'),
      ...counted(roles, 'role inherits from it', 'roles inherit from it'),
      ...counted(identity_providers, 'provider for single sign-on gives it', 'providers for single sign-on give it'),
      ...counted(workflow_templates, 'workflow template names it', 'workflow templates name it'),
      ...counted(curricula, 'curriculum names it', 'curricula name it'),
    ].join(', ')}. Choose another role there first.`,
  role_of_last_admin: ({ name }: { name: string }) =>
    `With this change of ${name} nobody could administer users. Give another user the role Admin first.`,
  permissions_not_held: ({ permissions }: { permissions: readonly string[] }) =>
    `You cannot give permissions that you do not hold: ${permissions.join(', ')}.`,
})
