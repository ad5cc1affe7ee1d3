import { defineMessages, listInWords } from '#kernel/message.ts'

const stepsIn = ({
  person,
  deputy,
  starts_on,
  ends_on,
}: Record<'person' | 'deputy' | 'starts_on' | 'ends_on', string>) =>
  `${deputy} already stands in for ${person} from ${starts_on} to ${ends_on}`

export const messages = defineMessages({
  deputy_is_oneself: 'Nobody is their own deputy. Choose another person.',
  deputy_of_another_permission_required: ({ permission }: { permission: string }) =>
    `Naming a deputy of another person requires the permission ${permission}.`,
  deputy_named_by_oneself: ({ person }: { person: string }) =>
    `You cannot make yourself the deputy of ${person}. Ask ${person} or another person to name you.`,
  deputy_reason_required: 'Enter a reason, because you name the deputy of another person.',
  deputy_day_past: 'Choose today or a later day.',
  deputy_ends_before_start: 'Choose a last day that is not before the first one.',
  deputy_too_long: ({ last }: { last: string }) =>
    `A deputy is named for a year at most. Choose ${last} or an earlier day.`,
  deputy_inactive: ({ username }: { username: string }) => `${username} is not active. Choose another person.`,
  deputy_overlaps: (period: Record<'person' | 'deputy' | 'starts_on' | 'ends_on', string>) =>
    `${stepsIn(period)}. Choose other days, or end that first.`,
  deputy_is_away: (period: Record<'person' | 'deputy' | 'starts_on' | 'ends_on', string>) =>
    `${stepsIn(period)}, and a deputy of a deputy decides nothing. Choose another person.`,
  deputy_cannot_do: ({
    deputy,
    person,
    permissions,
  }: {
    deputy: string
    person: string
    permissions: readonly string[]
  }) =>
    `${deputy} cannot stand in for ${person}, because ${deputy} lacks ${listInWords(permissions)}. Choose another person, or fewer \`scopes\`.`,
  deputy_may_not_approve: ({ deputy }: { deputy: string }) =>
    `${deputy} is an Admin, and Admins may not approve in this company. Choose another person, or name them for tasks only.`,

  deputy_not_current: ({ person }: { person: string }) =>
    `You are not the deputy of ${person} today. Leave on_behalf_of out to act for yourself.`,
  deputy_scope_missing: ({ person, scope }: { person: string; scope: string }) =>
    `You are not the deputy of ${person} for ${scope}.`,
  deputy_person_inactive: ({ person }: { person: string }) => `${person} is not active, so nobody stands in for them.`,
  deputy_lacks_permissions: ({ person, permissions }: { person: string; permissions: readonly string[] }) =>
    `You lack ${listInWords(permissions)}, so you cannot act for ${person}.`,

  deputy_end_permission_required: ({ permission }: { permission: string }) =>
    `Ending a deputy of other people requires the permission ${permission}.`,
  deputy_already_ended: 'This deputy was already ended.',
  deputy_over: ({ ends_on }: { ends_on: string }) => `This deputy was named until ${ends_on}, which has passed.`,
})
