import { and, day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const stepsIn = ({
  person,
  deputy,
  starts_on,
  ends_on,
}: Record<'person' | 'deputy' | 'starts_on' | 'ends_on', string>) =>
  `${deputy} vertritt ${person} schon vom ${day(starts_on)} bis ${day(ends_on)}`

defineGerman<typeof messages>({
  deputy_is_oneself: 'Niemand vertritt sich selbst. Wählen Sie eine andere Person.',
  deputy_of_another_permission_required: ({ permission }) =>
    `Eine Vertretung für jemand anderen zu nennen verlangt die Berechtigung ${permission}.`,
  deputy_named_by_oneself: ({ person }) =>
    `Sie können sich nicht selbst zur Vertretung von ${person} machen. Bitten Sie ${person} oder eine andere Person darum.`,
  deputy_reason_required: 'Geben Sie einen Grund ein, weil Sie die Vertretung einer anderen Person nennen.',
  deputy_day_past: 'Wählen Sie heute oder einen späteren Tag.',
  deputy_ends_before_start: 'Wählen Sie einen letzten Tag, der nicht vor dem ersten liegt.',
  deputy_too_long: ({ last }) =>
    `Eine Vertretung gilt höchstens ein Jahr. Wählen Sie den ${day(last)} oder einen früheren Tag.`,
  deputy_inactive: ({ username }) => `${username} ist nicht aktiv. Wählen Sie eine andere Person.`,
  deputy_overlaps: period => `${stepsIn(period)}. Wählen Sie andere Tage, oder beenden Sie das zuerst.`,
  deputy_is_away: period =>
    `${stepsIn(period)}, und die Vertretung einer Vertretung entscheidet nichts. Wählen Sie eine andere Person.`,
  deputy_cannot_do: ({ deputy, person, permissions }) =>
    `${deputy} kann ${person} nicht vertreten, weil ${and(permissions)} fehlt. Wählen Sie eine andere Person, oder weniger \`scopes\`.`,
  deputy_may_not_approve: ({ deputy }) =>
    `${deputy} ist Admin, und Admins dürfen in dieser Firma nicht freigeben. Wählen Sie eine andere Person, oder lassen Sie sie nur Aufgaben übernehmen.`,

  deputy_not_current: ({ person }) =>
    `Sie vertreten ${person} heute nicht. Lassen Sie on_behalf_of weg, um für sich selbst zu handeln.`,
  deputy_scope_missing: ({ person, scope }) => `Sie vertreten ${person} nicht für ${scope}.`,
  deputy_person_inactive: ({ person }) => `${person} ist nicht aktiv und wird deshalb von niemandem vertreten.`,
  deputy_lacks_permissions: ({ person, permissions }) =>
    `Ihnen fehlt ${and(permissions)}, deshalb können Sie nicht für ${person} handeln.`,

  deputy_end_permission_required: ({ permission }) =>
    `Die Vertretung anderer Personen zu beenden verlangt die Berechtigung ${permission}.`,
  deputy_already_ended: 'Diese Vertretung wurde schon beendet.',
  deputy_over: ({ ends_on }) => `Diese Vertretung galt bis ${day(ends_on)}, und der Tag ist vorbei.`,
})
